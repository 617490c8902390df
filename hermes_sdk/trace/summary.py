"""How much each plugin did and how long it took, counted from the steps of hook outcomes.

Counting needs tracing on (`manager.tracing = True`): only then does every implementation leave a step with
its duration, answer or not.
"""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.dispatch.outcomes import Step

_COLUMN_OF: Final = {
    "block": "blocked",
    "withhold": "blocked",
    "skip": "blocked",
    "approve": "asked",
    "modify": "rewrote",
    "transform": "rewrote",
    "rewrite": "rewrote",
    "wrapped": "rewrote",
    "context": "added",
    "continue": "added",
}
"""Which column a step counts in besides `calls`; an observation and an ignored answer count in none."""


@dataclass(slots=True)
class PluginTally:
    """What one plugin did in a session."""

    plugin: str
    source: str
    calls: int = 0
    """Calls of its implementations; a second judgement is a call of its own."""
    duration_ms: float = 0.0
    """Time spent in them, in ms."""
    blocked: int = 0
    """Tool calls it blocked, outputs it withheld, messages it dropped."""
    asked: int = 0
    """Times it wanted a person to be asked."""
    rewrote: int = 0
    """Arguments, outputs and messages it changed."""
    added: int = 0
    """Pieces of context and follow-ups it added."""
    failed: int = 0
    """Calls that raised, ran out of time or answered something unusable."""


class Tally:
    """Counts steps, hook by hook; safe to feed from several threads."""

    def __init__(self) -> None:
        self._rows: dict[str, PluginTally] = {}
        self._lock = threading.Lock()
        self.hook_calls = 0
        """Hook calls seen."""
        self.hook_ms = 0.0
        """Time those calls took altogether, in ms."""

    def expect(self, plugin: str, source: str) -> None:
        """Give `plugin` a row although it may never be called; rows keep the order of these calls."""
        with self._lock:
            self._rows.setdefault(plugin, PluginTally(plugin, source))

    def add(self, steps: Iterable[Step], duration_ms: float) -> None:
        """Count one hook call that took `duration_ms` and left `steps`."""
        with self._lock:
            self.hook_calls += 1
            self.hook_ms += duration_ms
            for step in steps:
                self._count(step)

    def add_rewrites(self, plugins: Iterable[str]) -> None:
        """Count one change by a middleware of each of `plugins`; middleware has no steps and no time."""
        with self._lock:
            for plugin in plugins:
                self._row(plugin, "direct").rewrote += 1

    def rows(self) -> list[PluginTally]:
        """Return one row a plugin: the expected ones, then the others as they were first seen."""
        with self._lock:
            return list(self._rows.values())

    @property
    def ms_per_call(self) -> float:
        """Mean time of one hook call, in ms; 0 when there was none."""
        return self.hook_ms / self.hook_calls if self.hook_calls else 0.0

    def as_document(self) -> dict[str, Any]:
        """Return the counts as JSON-ready data; `Any` because it holds numbers, text and lists."""
        return {
            "hook_calls": self.hook_calls,
            "hook_ms": round(self.hook_ms, 3),
            "ms_per_call": round(self.ms_per_call, 4),
            "plugins": [asdict(row) | {"duration_ms": round(row.duration_ms, 3)} for row in self.rows()],
        }

    def _count(self, step: Step) -> None:
        row = self._row(step.plugin, step.source)
        row.calls += 1
        row.duration_ms += step.duration_ms or 0.0
        if step.error is not None or step.what == "failed":
            row.failed += 1
        column = _COLUMN_OF.get(step.what)
        if column is not None:
            setattr(row, column, getattr(row, column) + 1)

    def _row(self, plugin: str, source: str) -> PluginTally:
        row = self._rows.get(plugin)
        if row is None:
            row = self._rows[plugin] = PluginTally(plugin, source)
        return row
