"""Reads a log: every record in order, or those that somebody asks for."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .chain import Record, parsed
from .files import log_files
from .locking import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

_PAUSE: Final = 0.2


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    path: Path
    number: int
    """From 1."""
    raw: bytes
    """With its line end, where it has one."""

    @property
    def record(self) -> Record | None:
        """The record that it is, or None."""
        return parsed(self.raw.removesuffix(b"\n"))

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.path.name}:{self.number}"


def snapshot(directory: Path) -> list[tuple[Path, int]]:
    """Return the files of a log and their sizes at one moment, between two records.

    Raises:
        OSError: The directory cannot be read, or a writer has not let go of it in time.
    """
    turn = Turn()
    try:
        with turn.taken(directory):
            return [(path, path.stat().st_size) for path in log_files(directory)]
    finally:
        turn.close()


def lines_of(path: Path, size: int, start: int = 0) -> Iterator[Line]:
    """Yield the lines of a file between two places, counted from the first of them.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as stream:
        stream.seek(start)
        left = size - start
        for number, raw in enumerate(stream, start=1):
            if left <= 0:
                return
            yield Line(path, number, raw[:left])
            left -= len(raw)


def records_of(directory: Path) -> Iterator[Record]:
    """Yield every record of a log, as they stand; nothing is checked."""
    for path, size in snapshot(directory):
        yield from _records(lines_of(path, size))


def followed(directory: Path) -> Iterator[Record]:
    """Yield every record of a log, and then those that are written, for ever."""
    places: dict[Path, int] = {}
    while True:
        for path, size in snapshot(directory):
            start = places.get(path, 0)
            places[path] = size
            if size > start:
                yield from _records(lines_of(path, size, start))
        time.sleep(_PAUSE)


def _records(lines: Iterable[Line]) -> Iterator[Record]:
    return (record for line in lines if (record := line.record) is not None)


@dataclass(slots=True)
class Filter:
    """Which records somebody asks for; what is empty does not matter."""

    session: str = ""
    """A session; its child agents belong to it."""
    kind: str = ""
    tool: str = ""
    plugin: str = ""
    """A plugin that decided, or did something on the way to a decision."""
    decision: str = ""
    """What came out, a person's choice, or how a tool call ended."""
    since: datetime | None = None
    until: datetime | None = None
    _family: set[str] = field(default_factory=set)

    def __call__(self, record: Record) -> bool:
        """Whether a record is asked for; records come in order, so that child agents are known."""
        data = record.data
        return (
            self._of_session(record)
            and self.kind in ("", record.kind)
            and self.tool in ("", data.get("tool"))
            and (not self.plugin or self.plugin in _plugins(record))
            and (not self.decision or self.decision in (data.get("decision"), data.get("choice"), data.get("status")))
            and self._in_time(record)
        )

    def _of_session(self, record: Record) -> bool:
        if not self.session:
            return True
        session, child = record.data.get("session"), record.data.get("child")
        known = session == self.session or (isinstance(session, str) and session in self._family)
        if known and isinstance(child, str):
            self._family.add(child)
        return known

    def _in_time(self, record: Record) -> bool:
        # compared as texts: every record has the same form of time
        since = self.since is None or record.time >= in_form(self.since)
        return since and (self.until is None or record.time < in_form(self.until))


def in_form(moment: datetime) -> str:
    """Return a moment as records write it; it is in UTC."""
    return moment.isoformat(timespec="milliseconds")


def _plugins(record: Record) -> set[str]:
    steps = record.data.get("steps")
    named = {str(step.get("plugin")) for step in steps if isinstance(step, dict)} if isinstance(steps, list) else set()
    return named | {str(record.data.get("by"))}
