"""``<home>/gateway.db``: what survives the gateway's process. One SQLite file in WAL mode."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATABASE_NAME: Final = "gateway.db"
_VERSION: Final = 1
_WAIT_FOR_OTHERS: Final = 10.0
"""Seconds to wait for another process, such as `gateway pair approve`, to finish writing."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS chats (
    session_key TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    source TEXT NOT NULL,
    active_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY,
    session_key TEXT NOT NULL,
    user_id TEXT NOT NULL,
    system_prompt TEXT,
    turns INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    ended_at REAL,
    end_reason TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_of_a_chat ON sessions (session_key, created_at);
CREATE TABLE IF NOT EXISTS messages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    message TEXT NOT NULL,
    written_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_of_a_session ON messages (session_id, number);
CREATE TABLE IF NOT EXISTS inbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_key TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    message_id TEXT NOT NULL,
    internal INTEGER NOT NULL,
    begun INTEGER NOT NULL DEFAULT 0,
    received_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    text TEXT NOT NULL,
    reply_to TEXT NOT NULL,
    written_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS pairing_requests (
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    user_name TEXT NOT NULL,
    code_digest TEXT NOT NULL,
    requested_at REAL NOT NULL,
    PRIMARY KEY (platform, user_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS paired_users (
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    user_name TEXT NOT NULL,
    approved_at REAL NOT NULL,
    PRIMARY KEY (platform, user_id)
) WITHOUT ROWID;
"""


class Database:
    """One connection, for any thread.

    A write is with the operating system when it returns: it survives the end of the process, whatever ended it.

    Args:
        home: The home that the file is in.

    Raises:
        SessionError: The file is none of ours, or was written by a newer version.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / DATABASE_NAME
        self._lock = threading.Lock()
        home.mkdir(parents=True, exist_ok=True)
        try:
            self.path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                self.path, timeout=_WAIT_FOR_OTHERS, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise SessionError(
                "the gateway's database cannot be opened",
                where=str(self.path),
                why=str(error),
                fix="put the file aside; a new one is made",
                code="HS440",
            ) from error

    def _prepare(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if found > _VERSION:
            connection.close()
            raise SessionError(
                "the gateway's database was written by a newer version",
                where=str(self.path),
                why=f"it has form {found}, this version knows {_VERSION}",
                fix="use the newer version, or put the file aside",
                code="HS440",
            )
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {_VERSION}")

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
