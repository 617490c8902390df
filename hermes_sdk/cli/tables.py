"""Tables and pairs of foreign text: no markup, no control characters, text that folds instead of being cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

_LEAST_COLUMN: Final = 16
"""A word up to this long is never folded: a table with less room is shown as pairs."""
_GAP: Final = 2
_LEAST_TEXT: Final = 24
"""Below this many columns a text goes under its label."""
_INDENT: Final = 2


class PlainTable:
    """A table that becomes one block of pairs a row where the terminal is too narrow for its columns.

    Args:
        titles: The columns.
        rows: One sequence of cells a row; every cell is shown as plain text.
        numbers: Columns that are aligned to the right.
        styles: A style for every cell with exactly this text.
        nothing: The text of cells that say nothing; a block leaves them out, as it does empty ones.
    """

    def __init__(
        self,
        titles: Sequence[str],
        rows: Iterable[Sequence[object]],
        *,
        numbers: Iterable[str] = (),
        styles: dict[str, str] | None = None,
        nothing: str = "",
    ) -> None:
        self._titles = titles
        self._rows = [[plain(cell) for cell in row] for row in rows]
        self._numbers = set(numbers)
        self._styles = styles or {}
        self._nothing = nothing

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it as wide as it may be."""
        if self._least_width() <= options.max_width:
            yield self._table()
        else:
            yield from self._blocks(console, options.max_width)

    def _least_width(self) -> int:
        columns = zip(self._titles, *self._rows, strict=True)
        longest = (max(cell_len(word) for cell in column for word in cell.split() or [""]) for column in columns)
        return sum(min(width, _LEAST_COLUMN) + _GAP for width in longest) - _GAP

    def _table(self) -> Table:
        drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
        for title in self._titles:
            justify = "right" if title in self._numbers else "left"
            drawn.add_column(title, justify=justify, overflow="fold")  # type: ignore[arg-type] # one of rich's words
        for cells in self._rows:
            drawn.add_row(*(Text(cell, self._styles.get(cell, "")) for cell in cells))
        return drawn

    def _blocks(self, screen: Console, width: int) -> Iterator[Text]:
        for number, cells in enumerate(self._rows):
            if number:
                yield Text()
            for title, cell in zip(self._titles, cells, strict=True):
                if cell not in ("", self._nothing):
                    yield from _pair(screen, width, title, cell, style=self._styles.get(cell, ""))


def print_pair(screen: Console, label: str, text: str, *, width: int = 0) -> None:
    """Print ``label: text``, later lines under the text; where the terminal is narrow the text stands below.

    Args:
        screen: Where to.
        label: What the text is about.
        text: Of any length.
        width: Least width of the label, to align several pairs.
    """
    for line in _pair(screen, screen.width, label, text, least=width):
        screen.print(line, crop=False)


def _pair(screen: Console, width: int, label: str, text: str, *, least: int = 0, style: str = "") -> Iterator[Text]:
    head = Text(f"{plain(label)}: ".ljust(least + 2) if label else "", "bold")
    blank = Text(" " * head.cell_len)
    room = width - head.cell_len
    if label and room < min(_LEAST_TEXT, cell_len(plain(text))):
        head.rstrip()
        yield head
        head = blank = Text(" " * _INDENT)
    for line in Text(plain(text), style).wrap(screen, max(width - head.cell_len, 1), overflow="fold"):
        line.rstrip()
        yield Text.assemble(head, line, no_wrap=True, overflow="ignore")
        head = blank
