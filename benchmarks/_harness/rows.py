"""One measured comparison a row, and the two ways to print a run: a table for people, JSON for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Row:
    """Ours against a peer's, both measured in the same run."""

    name: str
    value: float
    """Ours."""
    unit: str
    peer: str | None = None
    """What `value` is compared with; None for a figure that stands alone."""
    peer_value: float | None = None
    reach: float | None = None
    """The ratio that we want to stay within; None where nothing was promised."""

    @property
    def ratio(self) -> float | None:
        """Ours / peer: below 1 is faster or smaller than the peer."""
        return self.value / self.peer_value if self.peer_value else None

    @property
    def met(self) -> bool | None:
        """Whether the ratio is within reach; None where there is no reach."""
        return None if self.reach is None or self.ratio is None else self.ratio <= self.reach

    def to_json(self) -> dict[str, Any]:
        """Return the row as `--json` prints it."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "peer": self.peer,
            "peer_value": self.peer_value,
            "ratio": self.ratio,
        }


def as_json(machine: Mapping[str, object], rows: Sequence[Row]) -> str:
    """Return the whole run as one JSON object."""
    return json.dumps({"machine": dict(machine), "rows": [row.to_json() for row in rows]}, indent=1)


def as_table(machine: Mapping[str, object], rows: Sequence[Row]) -> str:
    """Return the whole run as a table; rows with a reach say whether they are within it."""
    width = max((len(row.name) for row in rows), default=0)
    lines = [", ".join(f"{name} {value}" for name, value in machine.items()), ""]
    lines.append(f"{'':{width}}  {'ours':>12}  {'peer':>12}  {'ratio':>6}  reach")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
        figures = f"{_figure(row.value, row.unit)}  {_figure(row.peer_value, row.unit)}"
        lines.append(f"{row.name:{width}}  {figures}  {ratio:>6}  {_verdict(row)}".rstrip())
    promised = [row for row in rows if row.met is not None]
    if promised:
        met = sum(1 for row in promised if row.met)
        lines += ["", f"{met} of {len(promised)} rows with a reach are within it"]
    return "\n".join(lines)


def _figure(value: float | None, unit: str) -> str:
    return f"{'':12}" if value is None else f"{value:>{11 - len(unit)}.{_digits(value)}f} {unit}"


def _digits(value: float) -> int:
    return 0 if value >= 100 else 1 if value >= 10 else 3  # noqa: PLR2004 - three to four significant digits


def _verdict(row: Row) -> str:
    return "" if row.met is None else f"{'ok  ' if row.met else 'MISS'} <= {row.reach:g}"
