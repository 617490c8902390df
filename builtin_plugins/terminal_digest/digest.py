"""Shortens one output: finds out what kind it is, and says what was left out."""

from __future__ import annotations

import re
from typing import Final

from .excerpt import excerpt
from .listing import sizes, tree

_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\))")
"""ECMA-48 control sequences, and operating system commands such as a window's title."""
_LONG_LINE: Final = 600
_WORTH_IT: Final = 0.8
"""A digest that is not at least a fifth shorter is not worth what it leaves out."""


def digest(output: str, size: int) -> str | None:
    """Return `output` in about `size` characters, or None if that would save too little.

    The first line says how much there was. Colours go, as a host would remove them, and of a line that was
    overwritten in place (a progress bar) its last state stays.
    """
    if len(output) <= size:
        return None
    lines = [_readable(line) for line in _ESCAPE.sub("", output).rstrip("\n").split("\n")]
    how, kept = _shortened(lines, size)
    shortened = "\n".join([f"[shortened from {len(lines):,} lines, {len(output):,} characters: {how}]", *kept])
    return f"{shortened}\n" if len(shortened) < _WORTH_IT * len(output) else None


def _shortened(lines: list[str], size: int) -> tuple[str, list[str]]:
    for how, kind in (("the largest first", sizes), ("paths, counted by directory", tree)):
        kept = kind(lines, size)
        if kept is not None:
            return how, kept
    return "beginning, end, errors and warnings are kept, repeated lines once", excerpt(lines, size)


def _readable(line: str) -> str:
    line = line.rstrip("\r").rpartition("\r")[2]
    if len(line) <= _LONG_LINE:
        return line
    half = _LONG_LINE // 2
    return f"{line[:half]}[... {len(line) - 2 * half:,} characters ...]{line[-half:]}"
