"""A SQLite file of the home, in WAL mode: what the gateway and its adapters keep over restarts."""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, Final

from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WAIT_FOR_OTHERS: Final = 10.0
"""Seconds to wait for another process, such as `gateway pair approve`, to finish writing."""


class SqliteFile(ABC):
    """One connection, for any thread; the file is its owner's alone.

    A write is with the operating system when it returns: it survives the end of the process, whatever ended it.

    Args:
        home: The home that the file is in.

    Raises:
        SessionError: The file cannot be opened, or is none of ours.
    """

    NAME: ClassVar[str]
    """Of the file."""
    WHAT: ClassVar[str]
    """What cannot be opened, for the message that says so."""

    def __init__(self, home: Path) -> None:
        self.path = home / self.NAME
        self._lock = threading.Lock()
        try:
            home.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                self.path, timeout=_WAIT_FOR_OTHERS, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._prepare(self._connection)
            except BaseException:
                self._connection.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise SessionError(
                f"{self.WHAT} cannot be opened",
                where=str(self.path),
                why=str(error),
                fix="put the file aside; a new one is made",
                code="HS440",
            ) from error

    @abstractmethod
    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables that are not there yet."""

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for statements that only look."""
        with self._lock:
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside of one transaction, which an exception undoes."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        with self._lock:
            self._connection.close()
