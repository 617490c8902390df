"""What an operator makes of a variable's value: ``${x:-default}``, ``${x%.txt}``, ``${x//a/b}``, ``${x^^}``."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, Final

from ..paths import BELOW, NAME, UNKNOWN, is_unknown, plain

if TYPE_CHECKING:
    from .interpreter import Interpreter

_PART: Final = re.compile(r":(\d+)(?::(\d+))?")
_CUT: Final = re.compile(r"(%%?|##?)(.+)", re.DOTALL)
_REPLACED: Final = re.compile(r"(//?)([^/\\*?\[$`\"']+)(?:/([^\\$`\"'/]*))?")
_CASES: Final = {"^^": str.upper, ",,": str.lower}
_LITERAL: Final = re.compile(r"[\w.*?/+=:@,-]+", re.ASCII)
_ENDING: Final = re.compile(r"%%?\.?[\w.-]*\w", re.ASCII)


def operated(shell: Interpreter, name: str, operation: str, arguments: list[str]) -> str:
    """Return ``${name<operation>}`` as plain text; everything that is not surely known is unknown.

    Args:
        shell: Whose variable it is.
        name: The variable.
        operation: What stands behind its name.
        arguments: The words in the operation, expanded.
    """
    value = shell.variable(name)
    known = not is_unknown(value)
    if operation.startswith((":-", ":=", "-", "=")) and len(arguments) == 1:
        if known and value:
            return value
        if "=" in operation[:2]:
            shell.state.assign(name, plain(arguments[0]) if known else UNKNOWN)
        # an unset variable and one that the host's environment sets look the same from here
        return plain(arguments[0]) if known else UNKNOWN
    if not known:
        return _of_a_file(value, operation)
    part = _PART.fullmatch(operation.replace(" ", ""))
    if part:
        start = int(part[1])
        return value[start:] if part[2] is None else value[start : start + int(part[2])]
    if operation in _CASES:
        return _CASES[operation](value)
    cut = _CUT.fullmatch(operation)
    if cut and _LITERAL.fullmatch(cut[2]):
        return _cut(value, cut[1], cut[2])
    replaced = _REPLACED.fullmatch(operation)
    if replaced:
        return value.replace(replaced[2], replaced[3] or "", -1 if replaced[1] == "//" else 1)
    return UNKNOWN


def _cut(value: str, operator: str, pattern: str) -> str:
    """Take the shortest or longest match of a pattern off one end."""
    matches = re.compile(translate(pattern)).match
    if operator.startswith("#"):
        ends = [end for end in range(len(value) + 1) if matches(value[:end])]
        return value[(max if operator == "##" else min)(ends) :] if ends else value
    starts = [start for start in range(len(value) + 1) if matches(value[start:])]
    return value[: (min if operator == "%%" else max)(starts)] if starts else value


def _of_a_file(value: str, operation: str) -> str:
    """Take the ending off a name of a file, or its directory: the rest is still below where the file was."""
    if value[:1] in (BELOW, NAME) and (operation == "##*/" or _ENDING.fullmatch(operation)):
        return value[0]
    return UNKNOWN
