"""``--fix``: makes the edits of findings, file by file, so that no edit moves the place of another one."""

from __future__ import annotations

import tokenize
from typing import TYPE_CHECKING

from hermes_sdk.config.atomic import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hermes_sdk.check.finding import Edit, Finding


def fix(root: Path, findings: Iterable[Finding]) -> int:
    """Make every edit once and return how many findings are mended.

    Args:
        root: What the findings' paths are relative to.
        findings: Those without edits are left alone.

    Raises:
        OSError: A file cannot be written.
    """
    mended = 0
    edits: dict[Path, dict[Edit, None]] = {}
    for finding in findings:
        mended += bool(finding.edits)
        for edit in finding.edits:
            edits.setdefault(root / edit.place.path, {})[edit] = None
    for path, wanted in edits.items():
        _rewrite(path, list(wanted))
    return mended


def _rewrite(path: Path, edits: list[Edit]) -> None:
    content = path.read_bytes()
    encoding = "utf-8"
    if path.suffix == ".py":
        with path.open("rb") as stream:
            encoding, _ = tokenize.detect_encoding(stream.readline)
    text = content.decode(encoding)
    lines = text.splitlines(keepends=True) if "\r" in text else text.split("\n")
    joined = "" if "\r" in text else "\n"
    for edit in sorted(edits, key=lambda edit: (edit.place.line, edit.place.column), reverse=True):
        place = edit.place  # all edits stay inside one line
        line = lines[place.line - 1]
        lines[place.line - 1] = line[: place.column - 1] + edit.text + line[place.end_column - 1 :]
    write_atomically(path, joined.join(lines).encode(encoding))
