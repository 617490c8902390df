"""Tables of foreign text: no markup, no control characters, columns that fold instead of being cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(
    titles: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Iterable[str] = (),
    styles: dict[str, str] | None = None,
) -> Table:
    """Return a table; every cell is shown as plain text.

    Args:
        titles: The columns; the first one is never folded inside a word while there is room.
        rows: One sequence of cells a row.
        numbers: Columns that are aligned to the right.
        styles: A style for every cell with exactly this text.
    """
    right = set(numbers)
    drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for title in titles:
        drawn.add_column(title, justify="right" if title in right else "left", overflow="fold")
    for row in rows:
        cells = [plain(cell) for cell in row]
        drawn.add_row(*(Text(cell, (styles or {}).get(cell, "")) for cell in cells))
    return drawn
