"""Tables and pairs of foreign text: no markup, no control characters, text that folds instead of being cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console


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


def print_pair(screen: Console, label: str, text: str, *, width: int = 0) -> None:
    """Print ``label: text``, later lines under the text.

    Args:
        screen: Where to.
        label: What the text is about.
        text: Of any length.
        width: Least width of the label, to align several pairs.
    """
    head = f"{plain(label)}: ".ljust(width + 2)
    body = Text(plain(text)).wrap(screen, max(screen.width - len(head), 20))
    for number, line in enumerate(body):
        line.rstrip()
        screen.print(Text.assemble((head, "bold") if not number else " " * len(head), line))
