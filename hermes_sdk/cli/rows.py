"""How one line of the timeline looks: a coloured word, who did it, and what, wrapped under itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

STYLES: Final = {
    "you": "bold",
    "model": "dim",
    "run": "blue",
    "result": "blue",
    "answer": "bold",
    "blocked": "bold red",
    "withheld": "bold red",
    "skipped": "bold red",
    "failed": "bold red",
    "denied": "bold red",
    "not run": "red",
    "asks": "magenta",
    "asked": "magenta",
    "approved": "magenta",
    "modified": "yellow",
    "transformed": "yellow",
    "rewritten": "yellow",
    "wrapped": "yellow",
    "context": "green",
    "continued": "green",
    "child": "cyan",
    "warning": "yellow",
    "observed": "dim",
    "ignored": "dim",
    "printed": "dim",
    "notice": "dim",
}
"""The words that a row may begin with and their colours; a word that is missing here has none."""

_WORD: Final = max(map(len, STYLES))
_WHO: Final = (12, 22)
"""Least and greatest width of the column that names who acted."""
_LEAST_TEXT: Final = 28
"""Below this the text goes on lines of its own, under the word."""
_DIM: Final = ("observed", "printed", "ignored", "notice")


@dataclass(frozen=True, slots=True)
class Row:
    """One line or short block of the timeline."""

    word: str
    who: str
    text: str
    depth: int = 0
    """How many child agents deep."""
    child: int = 0
    """Number of the child agent that it is about, 0 for none."""
    lines: int | None = 4
    """Lines shown before the rest is counted; None shows all."""


class RowPrinter:
    """Prints rows on one console, in columns."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._who, _ = _WHO

    def align(self, names: Iterable[str]) -> None:
        """Make the column of names wide enough for `names`, within reason."""
        least, most = _WHO
        self._who = min(max((least, *map(cell_len, names))), most)

    def rule(self, text: str) -> None:
        """Print a line across that begins a turn."""
        title = Text(f"── {plain(text)} ", "bold", no_wrap=True, overflow="ellipsis")
        title.append("─" * max(self._console.width - title.cell_len, 0), "dim")
        self._console.print()
        self._console.print(title)

    def print(self, row: Row) -> None:
        """Print one row."""
        word = f"{row.word} {row.child}" if row.word == "child" else row.word
        margin = f"{row.child:>2}│ {'│ ' * (row.depth - 1)}" if row.depth else "  "
        head = Text(margin)
        head.append(word.ljust(_WORD), STYLES.get(row.word, ""))
        head.append(" ")
        who = plain(row.who)
        fits = cell_len(who) <= self._who
        head.append(set_cell_size(who, self._who) if fits else who, "dim" if row.word in _DIM else "bold")
        head.append("  ")
        left = head.cell_len
        narrow = self._console.width - left < _LEAST_TEXT
        if narrow or not fits:
            head.rstrip()
            self._console.print(head, overflow="fold")
            left = len(margin) + (4 if narrow else _WORD + self._who + 3)
            head = Text(margin.ljust(left))
        self._print_text(row, head, left, margin)

    def _print_text(self, row: Row, head: Text, left: int, margin: str) -> None:
        width = max(self._console.width - left, 10)
        text = Text(plain(row.text).rstrip(), "dim" if row.word in _DIM else "")
        lines = list(text.wrap(self._console, width, overflow="fold")) or [Text()]
        hidden = 0 if row.lines is None or len(lines) <= row.lines + 1 else len(lines) - row.lines
        blank = Text(margin.ljust(left))
        for number, line in enumerate(lines[: len(lines) - hidden]):
            line.rstrip()
            shown = Text.assemble(blank if number else head, line)
            self._console.print(shown, no_wrap=True, overflow="ignore", crop=False)
        if hidden:
            self._console.print(Text.assemble(blank, (f"… {hidden} more lines", "dim")))
