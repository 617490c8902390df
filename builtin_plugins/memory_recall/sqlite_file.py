"""The memory file and the connections to it; what its failures mean."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from typing import TYPE_CHECKING, Final

from .store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NAME: Final = "memories.sqlite3"
_WAIT_SECONDS: Final = 10.0
"""How long a writer waits for another process."""
_EMPTY_MS: Final = 200
"""How long a writer waits for readers, to empty the log; if they take longer, the next writer does it."""
_KEPT: Final = 4
"""Connections that are kept: whoever closes the last one removes the log of writes, and opening makes it anew, which
takes 20 ms while others use the disk."""

_MEANINGS: Final = {
    "not a database": "it is damaged; move it away, and a new one is made",
    "malformed": "it is damaged; move it away, and a new one is made",
    "full": "the disk is full; nothing was stored",
    "disk I/O": "it cannot be read or written; is the disk full?",
    "readonly": "it cannot be written; is the home writable?",
    "unable to open": "it cannot be opened; is the home writable?",
    "locked": f"another process has kept it for {_WAIT_SECONDS:.0f} s; nothing was stored",
    "its version": "a later version of the plugin made it; use that one",
    "fts5": "the SQLite of this Python has no full-text search (FTS5)",
}


class SqliteFile:
    """Lends connections to one file. Safe to use from several threads, and after a fork.

    Args:
        directory: Returns the directory of the file, which is made, readable by its owner only, when it is first
            written.
        prepare: Makes the tables of a connection what they must be.
    """

    def __init__(self, directory: Callable[[], Path], prepare: Callable[[sqlite3.Connection], None]) -> None:
        self._directory = directory
        self._prepare = prepare
        self._idle: list[sqlite3.Connection] = []
        self._inherited: list[sqlite3.Connection] = []
        self._of: tuple[int, int, int] | None = None
        """Process, device and inode that the idle connections belong to."""
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._directory() / NAME

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to look; a file that is not there is an empty one, and is not made.

        Raises:
            StoreError: The file cannot be used; says why, and what to do.
        """
        with self._explained():
            if self.path.exists():
                with self._lent() as database:
                    yield database
                return
            with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
                self._prepare(database)
                yield database

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to write; all of it is written, or nothing.

        Raises:
            StoreError: The file cannot be used; says why, and what to do.
        """
        with self._explained(), self._lent() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                if database.in_transaction:  # a full disk has ended it already
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
            # the log of writes is emptied at once: it would hold what was forgotten, and bring back what was moved away
            database.execute(f"PRAGMA busy_timeout = {_EMPTY_MS}")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.execute(f"PRAGMA busy_timeout = {_WAIT_SECONDS * 1000:.0f}")

    def close(self) -> None:
        """Close the connections that nobody has."""
        with self._lock:
            self._drop()

    @contextlib.contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        path = self.path
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        there = path.stat()
        of = (os.getpid(), there.st_dev, there.st_ino)
        with self._lock:
            if self._of != of:  # another process, or somebody moved the file away
                self._drop()
                self._of = of
            database = self._idle.pop() if self._idle else None
        database = database or self._opened(path)
        try:
            self._prepare(database)
            yield database
        except BaseException:
            database.close()
            raise
        with self._lock:
            if self._of == of and len(self._idle) < _KEPT:
                self._idle.append(database)
                return
        database.close()

    def _opened(self, path: Path) -> sqlite3.Connection:
        database = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA secure_delete = ON")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
        return database

    def _drop(self) -> None:
        idle, self._idle = self._idle, []
        if self._of is not None and self._of[0] != os.getpid():
            self._inherited += idle  # the parent's: closing them here could take its locks
            return
        for database in idle:
            database.close()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            said = str(error)
            meaning = next((meaning for sign, meaning in _MEANINGS.items() if sign in said), "it cannot be used")
            raise StoreError(f"the memory file {self.path}: {meaning} ({said})") from error
        except OSError as error:
            raise StoreError(f"the memory file cannot be made: {error}; is the home writable?") from error
