"""How often each entry ran, how long that took, and what went wrong: for the run file and for one line of log each."""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.entries import ShellEntry

logger = logging.getLogger(__name__)

_KEPT_TIMES: Final = 200


@dataclass(slots=True)
class EntryFigures:
    """How often an entry ran and how long it took."""

    runs: int = 0
    failures: int = 0
    last_failure: str = ""
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT_TIMES))

    @property
    def p95_ms(self) -> float | None:
        """The 95th percentile of the latest runs in ms, or None before the first."""
        times = sorted(self.seconds)
        return times[min(len(times) - 1, int(len(times) * 0.95))] * 1000.0 if times else None


class Figures:
    """The figures of all entries of one host; scripts run in several threads."""

    def __init__(self) -> None:
        self._of: dict[ShellEntry, EntryFigures] = {}
        self._said: set[tuple[ShellEntry, str]] = set()
        self._lock = threading.Lock()

    def of(self, entry: ShellEntry) -> EntryFigures:
        """Return the figures of an entry."""
        with self._lock:
            return self._of.setdefault(entry, EntryFigures())

    def count(self, entry: ShellEntry, seconds: float, failure: str) -> None:
        """Count a run."""
        figures = self.of(entry)
        with self._lock:
            figures.runs += 1
            figures.seconds.append(seconds)
            if failure:
                figures.failures += 1
                figures.last_failure = failure

    def warn_once(self, entry: ShellEntry, problem: str) -> None:
        """Log a problem of an entry, unless one of its kind, the text up to a colon, was logged before."""
        kind = (entry, problem.partition(":")[0])
        with self._lock:
            if kind in self._said:
                return
            self._said.add(kind)
        logger.warning("%s on %s (%s): %s", entry.name, entry.event, entry.where, problem)
