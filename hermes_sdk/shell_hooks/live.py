"""The shell entries that running hosts have in force, as their run files say it (semantics 3.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import counted
from hermes_sdk.plugins.runfile import running_hosts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RUN_FILE_KEY: Final = "shell_hooks"
"""Where a run file has them."""


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """One entry in one running host."""

    event: str
    command: str
    refused: str = ""
    """Why it only blocks there; empty for one that runs."""
    runs: int = 0
    failures: int = 0
    last_failure: str = ""
    p95_ms: float | None = None
    """95th percentile of its latest runs, in ms."""

    @property
    def figures(self) -> str:
        """How it went there, as people read it: ``12 runs, p95 8 ms, 1 failure``."""
        took = "" if self.p95_ms is None else f", p95 {self.p95_ms:.0f} ms"
        failed = f", {counted(self.failures, 'failure')}" if self.failures else ""
        return f"{counted(self.runs, 'run')}{took}{failed}"


@dataclass(frozen=True, slots=True)
class LiveHost:
    """One running host."""

    pid: int
    since: str
    """When it started, ISO 8601 in UTC."""
    entries: tuple[LiveEntry, ...] = ()

    def find(self, event: str, command: str) -> LiveEntry | None:
        """Return what it knows of an entry, or None where it has none like it."""
        pair = (event, command)
        return next((entry for entry in self.entries if (entry.event, entry.command) == pair), None)


def live_hosts(home: Path) -> list[LiveHost]:
    """Return the hosts that run for a home, the latest start first."""
    return [_host(content) for content in running_hosts(home)]


def _host(content: Mapping[str, Any]) -> LiveHost:
    listed = content.get(RUN_FILE_KEY)
    entries = tuple(_entry(item) for item in listed if isinstance(item, dict)) if isinstance(listed, list) else ()
    return LiveHost(content["pid"], str(content.get("started", "")), entries)


def _entry(item: Mapping[str, Any]) -> LiveEntry:
    p95 = item.get("p95_ms")
    return LiveEntry(
        event=str(item.get("event", "")),
        command=str(item.get("command", "")),
        refused=str(item.get("refused", "")),
        runs=_count(item.get("runs")),
        failures=_count(item.get("failures")),
        last_failure=str(item.get("last_failure", "")),
        p95_ms=float(p95) if isinstance(p95, int | float) else None,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
