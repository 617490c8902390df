"""Appends records to the log of a directory, which several threads and processes share.

A record is with the operating system when `append` returns, so that a process that is killed loses at most the record
that it was about to write. Nothing that stands in a file is ever changed: half a record that such a process left stays
where it is, and the next record says how many bytes it has and what their hash is.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from .chain import GENESIS, Chain, Record, parsed
from .files import file_name, log_files, number_of, tail_of
from .locking import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

logger = logging.getLogger(__name__)

FORMAT: Final = "hermes-sdk-audit-log"
VERSION: Final = 1

Where = Callable[[], Path]
"""Gives the directory, and may raise OSError where it cannot be made."""


class LogProblemError(Exception):
    """The log cannot be continued from here; the text says why."""


@dataclass(frozen=True, slots=True)
class Head:
    """The last record of the log."""

    seq: int = 0
    hash: str = GENESIS
    time: str = ""

    @classmethod
    def of(cls, record: Record) -> Head:
        """Return the head that a record is."""
        return cls(record.seq, record.hash, record.time)


class Writer:
    """Appends records. For any thread.

    Args:
        where: Gives the directory.
        chain: Hashes records.
        started: What this process says about itself in front of its first record.
        max_bytes: Bytes from which a new file is begun.
        keep: Full files that are kept; 0 keeps all.
        fsync: ``always`` waits for the disk after each record, ``never`` not even at the end of a file.
    """

    def __init__(
        self,
        where: Where,
        chain: Chain,
        *,
        started: Mapping[str, Any],
        max_bytes: int,
        keep: int = 0,
        fsync: Literal["always", "interval", "never"] = "never",
    ) -> None:
        self._where = where
        self._chain = chain
        self._max_bytes = max_bytes
        self._keep = keep
        self._started = started
        self._fsync = fsync
        self._reset()

    def _reset(self) -> None:
        self._turn = Turn()
        self._pid = os.getpid()
        self._descriptor = -1
        self._path: Path | None = None
        self._next: Path | None = None
        self._inode = (0, 0)
        self._end = 0
        self._head = Head()
        self._said_hello = False
        self._bound = False
        self._lost = 0
        self._why_lost = ""

    def append(self, content: Mapping[str, Any]) -> None:
        """Write one record; its values are ready for JSON.

        Raises:
            OSError: It cannot be written: it is lost, and the next one that can be written says so.
            LogProblemError: The log is one that cannot be continued here; the same holds.
        """
        if self._pid != os.getpid():  # a fork shares the lock with its parent, and would write in its turn
            self._reset()
        try:
            directory = self._where()
            with self._turn.taken(directory):
                self._write_in_turn(directory, content)
        except (OSError, LogProblemError) as error:
            self._lost += 1
            self._why_lost = problem_text(error)
            raise
        if self._fsync == "always":
            self.sync()

    def _write_in_turn(self, directory: Path, content: Mapping[str, Any]) -> None:
        try:
            self._catch_up(directory)
            self._write_waiting()
            self._write(content)
        except BaseException:
            self._close_file()  # half of it may be there, or nothing may be written here: the next one looks again
            raise
        self._bound = True
        self._rotate_if_full(directory)

    def sync(self) -> None:
        """Wait until the disk has what was written.

        Raises:
            OSError: The disk says that it has not.
        """
        descriptor = -1
        with suppress(OSError):  # none is open
            descriptor = os.dup(self._descriptor)
        if descriptor >= 0:
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def close(self) -> None:
        """Say that the process is done with the log, if it has written to it."""
        if self._said_hello and self._pid == os.getpid():
            with suppress(OSError, LogProblemError):
                self.append({"kind": "process_ended"})
                if self._fsync != "never":
                    self.sync()
        self._turn.close(self._close_file)

    # -- where the log ends ----------------------------------------------------------------------------

    def _catch_up(self, directory: Path) -> None:
        """Find the end of the log, which others may have moved since."""
        size = self._size_now()
        if size is None or size < self._end:
            self._find(directory)
        elif size > self._end:
            self._follow(directory)

    def _size_now(self) -> int | None:
        """Return the size of the file that is open; None where it is not the current one, or not there, any more."""
        if self._path is None or self._next is None or self._next.exists():
            return None
        try:
            now = self._path.stat()
        except FileNotFoundError:
            return None
        return now.st_size if (now.st_dev, now.st_ino) == self._inode else None

    def _follow(self, directory: Path) -> None:
        """Read what others appended to the file that is open."""
        tail = tail_of(self._descriptor, self._end)
        if tail.last is not None:
            self._take(tail.last)
        self._end = tail.size
        self._note_torn(tail.torn, ended=tail.ended)
        if tail.last is not None and tail.last.kind == "log_rotated":
            self._find(directory)

    def _find(self, directory: Path) -> None:
        """Open the newest file, and find the last record, in an older one if the newest has none."""
        self._close_file()
        files = log_files(directory)
        if not files:
            self._take(None)
            self._begin_file(directory, 1)
            return
        self._open(files[-1], os.O_RDWR | os.O_APPEND)
        tail = tail_of(self._descriptor)
        self._end = tail.size
        path, last = (files[-1], tail.last) if tail.last is not None else _last_of(reversed(files[:-1]))
        self._take(last)
        why = "" if path is None or self._has_our_key(path) else "key"
        if tail.last is None:  # whoever began it died before its first record was written
            opening = self._opening(files[-2] if files[1:] else None, why)
            self._write(opening | _about_torn(tail.torn), b"" if tail.ended else b"\n")
        elif tail.last.kind == "log_rotated" or why:
            # with another key, the old file gets no last word: only who has that key could write one
            self._begin_file(directory, number_of(files[-1]) + 1, why, tail.torn)
        else:
            self._note_torn(tail.torn, ended=tail.ended)

    def _take(self, last: Record | None) -> None:
        head = Head() if last is None else Head.of(last)
        if head.seq < self._head.seq:
            # going on from where this process was leaves a gap that `verify` finds
            logger.error(
                "audit_log: records %d to %d are gone from %s: somebody cut the log",
                head.seq + 1,
                self._head.seq,
                self._path,
            )
            return
        self._head = head

    def _has_our_key(self, path: Path) -> bool:
        """Whether a file is kept with the key of this process, or with none as this one.

        Raises:
            LogProblemError: The log has a key and this process has none: going on would make the key worthless. Or
                the key changed while this process ran: two keys would take turns for ever.
        """
        opening = _first_of(path)
        key_id = "" if opening is None else str(opening.data.get("key_id", ""))
        if key_id == self._chain.key_id:
            return True
        if not self._chain.key_id:
            raise LogProblemError(
                f"{path} is kept with a key (id {key_id}) and this process has none; set key_file or "
                "HERMES_PLUGIN_AUDIT_LOG_KEY, or begin another log by setting directory"
            )
        if self._bound:
            raise LogProblemError(f"{path} is kept with another key since then (id {key_id}); start this process anew")
        return False

    # -- files -----------------------------------------------------------------------------------------

    def _begin_file(self, directory: Path, number: int, why: str = "", torn: bytes = b"") -> None:
        previous = self._path
        path = directory / file_name(number)
        if self._descriptor >= 0 and self._fsync != "never":
            os.fsync(self._descriptor)
        self._close_file()
        self._open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._end = 0
        self._write(self._opening(previous, why) | _about_torn(torn))

    def _opening(self, previous: Path | None, why: str = "") -> dict[str, Any]:
        return {
            "kind": "log_opened",
            "format": FORMAT,
            "version": VERSION,
            "chain": self._chain.name,
            "key_id": self._chain.key_id,
            "previous": None if previous is None else previous.name,
        } | ({"why": why} if why else {})

    def _open(self, path: Path, flags: int) -> None:
        self._descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._path = path
        self._next = path.with_name(file_name(number_of(path) + 1))
        now = os.fstat(self._descriptor)
        self._inode = (now.st_dev, now.st_ino)

    def _close_file(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._path = None

    def _rotate_if_full(self, directory: Path) -> None:
        if self._end < self._max_bytes or self._path is None:
            return
        try:
            number = number_of(self._path) + 1
            self._write({"kind": "log_rotated", "next": file_name(number), "why": "size"})
            self._begin_file(directory, number)
            if self._keep:
                self._prune(directory)
        except OSError as error:  # the record itself is written; the next one has to get by
            self._close_file()
            logger.warning("audit_log: no new file could be begun: %s", problem_text(error))

    def _prune(self, directory: Path) -> None:
        """Delete the oldest files; the log says first that they are going to be gone, and what they ended with."""
        files = log_files(directory)
        gone, rest = files[: -self._keep - 1], files[-self._keep - 1 :]
        first = _first_of(rest[0]) if gone else None
        if first is None:
            return
        names = [path.name for path in gone]
        self._write({"kind": "log_pruned", "files": names, "through": first.seq - 1, "through_hash": first.prev})
        for path in gone:
            path.unlink(missing_ok=True)

    # -- records ---------------------------------------------------------------------------------------

    def _note_torn(self, torn: bytes, *, ended: bool) -> None:
        """Write down what a process that died left behind the last record."""
        if not torn and ended:
            return
        line_end = b"" if ended else b"\n"
        if torn:
            self._write({"kind": "log_recovered"} | _about_torn(torn), line_end)
        else:
            self._write_bytes(line_end)

    def _write_waiting(self) -> None:
        """Write what has to stand in front of the next record."""
        if not self._said_hello:
            self._write({"kind": "process_started", **self._started})
            self._said_hello = True
        if self._lost:
            self._write({"kind": "log_lost", "records": self._lost, "why": self._why_lost})
            self._lost = 0

    def _write(self, content: Mapping[str, Any], before: bytes = b"") -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        head = self._head
        whole: dict[str, Any] = {"seq": head.seq + 1, "time": now, "pid": self._pid, **content}
        if now < head.time:
            whole["clock_back_s"] = _seconds_between(now, head.time)
        whole["prev"] = head.hash
        line, digest = self._chain.sealed(whole)
        self._write_bytes(before + line)
        self._head = Head(head.seq + 1, digest, now)

    def _write_bytes(self, data: bytes) -> None:
        written = os.write(self._descriptor, data)
        while written < len(data):  # a full disk takes a part, and says so at the next attempt
            written += os.write(self._descriptor, data[written:])
        self._end += len(data)


def _about_torn(torn: bytes) -> dict[str, Any]:
    """Return what a record says of half a record in front of it; nothing where there is none."""
    return {"bytes": len(torn), "sha256": hashlib.sha256(torn).hexdigest()} if torn else {}


def problem_text(error: Exception) -> str:
    """Return why something could not be written, in one line."""
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{where}"
    return str(error)


def _seconds_between(earlier: str, later: str) -> float:
    try:
        return round((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds(), 3)
    except (ValueError, TypeError):  # somebody wrote something else there
        return 0.0


def _first_of(path: Path) -> Record | None:
    """Return the first record of a file, or None where it has none."""
    with path.open("rb") as stream:
        for line in stream:
            record = parsed(line.rstrip(b"\n"))
            if record is not None:
                return record
    return None


def _last_of(files: Iterable[Path]) -> tuple[Path, Record] | tuple[None, None]:
    """Return the first of some files that has a record, and its last one."""
    for path in files:
        with path.open("rb") as stream:
            last = tail_of(stream.fileno()).last
        if last is not None:
            return path, last
    return None, None
