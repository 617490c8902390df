"""The table under a timeline: what each plugin did and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.cli.tables import PlainTable

if TYPE_CHECKING:
    from hermes_sdk.trace.summary import Tally

_COUNTS = ("blocked", "asked", "rewrote", "added", "failed")


def summary_table(tally: Tally) -> PlainTable:
    """Return the table of `tally`; a zero is shown as a dot, so that the other numbers stand out."""
    rows = [
        (
            row.plugin,
            row.source,
            row.calls or "·",
            f"{row.duration_ms:.1f}" if row.calls else "·",
            *(getattr(row, count) or "·" for count in _COUNTS),
        )
        for row in tally.rows()
    ]
    titles = ("plugin", "source", "calls", "ms", *_COUNTS)
    return PlainTable(titles, rows, numbers=titles[2:], styles={"·": "dim"}, nothing="·")
