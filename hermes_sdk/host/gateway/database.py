"""``<home>/gateway.db``: what survives the gateway's process. One SQLite file in WAL mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import SessionError
from hermes_sdk.host.gateway.sqlite_file import SqliteFile

if TYPE_CHECKING:
    import sqlite3

_VERSION: Final = 1

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


class Database(SqliteFile):
    """The conversations, messages and people of a gateway."""

    NAME = "gateway.db"
    WHAT = "the gateway's database"

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables.

        Raises:
            SessionError: The file was written by a newer version.
        """
        connection.execute("PRAGMA synchronous = NORMAL")
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if found > _VERSION:
            raise SessionError(
                "the gateway's database was written by a newer version",
                where=str(self.path),
                why=f"it has form {found}, this version knows {_VERSION}",
                fix="use the newer version, or put the file aside",
                code="HS440",
            )
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
