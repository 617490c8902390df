"""``# hermes: ignore[HC201]`` at the end of a line: this finding is known, and meant to be like that."""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING, Final

from hermes_sdk.check.finding import Finding, Place
from hermes_sdk.check.rules import RULES
from hermes_sdk.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hermes_sdk.check.program import Module, Program

_COMMENT: Final = re.compile(r"#\s*hermes:\s*ignore\[(?P<codes>[^\]]*)\]")


def silenced(program: Program, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that no comment in their line silences, and one for each comment that silences nothing."""
    asked = {
        (module.path, line, code): place for module in program.modules.values() for line, code, place in _asked(module)
    }
    left, used = [], set()
    for finding in findings:
        key = (finding.place.path, finding.place.line, finding.code)
        if key in asked:
            used.add(key)
        else:
            left.append(finding)
    for key, place in asked.items():
        code = key[2]
        if code not in RULES:
            message = f"there is no rule {code!r}"
            left.append(Finding("HC002", "warning", place, message, did_you_mean(code, RULES)))
        elif key not in used:
            left.append(Finding("HC002", "warning", place, f"{code} finds nothing here", "remove the comment"))
    return left


def _asked(module: Module) -> Iterator[tuple[int, str, Place]]:
    if "hermes:" not in module.text:
        return
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        found = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if found is None:
            continue
        line, column = token.start[0], token.start[1] + 1
        place = Place(module.path, line, column, line, column + len(token.string))
        for code in found["codes"].split(","):
            yield line, code.strip(), place
