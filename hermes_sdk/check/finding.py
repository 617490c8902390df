"""What the checker says: a finding has a rule, a place, a message, and where that is safe a way to mend it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from pathlib import Path

    from hermes_sdk.check.rules import Severity


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where in a file: lines and columns count from 1, columns in characters; line 0 means the file as a whole."""

    path: Path
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    """The first column behind the end."""

    def __str__(self) -> str:
        parts = [str(self.path), *(str(number) for number in (self.line, self.column) if number)]
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of a place by a text; an empty place inserts."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or good to know."""

    code: str
    severity: Severity
    place: Place
    message: str
    """What is wrong and why, one sentence."""
    fix: str = ""
    """What to do about it."""
    edits: tuple[Edit, ...] = field(default=(), repr=False)
    """Mend it without changing what the plugin does; empty where a person has to decide."""

    def __str__(self) -> str:
        text = f"{self.place}: {self.code} {self.message}"
        return f"{text}; {self.fix}" if self.fix else text


def place_of(path: Path, lines: list[str], node: ast.AST) -> Place:
    """Return the place of a syntax node; its columns, which the parser counts in bytes, become characters.

    Args:
        path: The file.
        lines: Its lines.
        node: Any node with a position.
    """
    line, end_line = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
    column = _characters(lines, line, getattr(node, "col_offset", 0))
    end_column = _characters(lines, end_line, getattr(node, "end_col_offset", 0) or 0)
    return Place(path, line, column + 1, end_line, end_column + 1)


def _characters(lines: list[str], line: int, offset: int) -> int:
    if not 0 < line <= len(lines):
        return offset
    return len(lines[line - 1].encode()[:offset].decode(errors="ignore"))
