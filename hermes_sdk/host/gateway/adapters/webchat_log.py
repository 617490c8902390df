"""What the web chat has shown, chat by chat: a page that comes back, after a restart too, gets it again."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATABASE_NAME: Final = "webchat.db"
KEPT: Final = 500
"""Entries of one chat that are kept."""
_IDS_KEPT: Final = 7 * 86_400.0
"""Seconds for which the id of a message is remembered: a page that was away may send it again."""
_WAIT_FOR_OTHERS: Final = 10.0

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    chat TEXT NOT NULL,
    entry TEXT NOT NULL,
    revision INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_of_a_chat ON entries (chat, number);
CREATE TABLE IF NOT EXISTS revisions (revision INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE IF NOT EXISTS messages (
    chat TEXT NOT NULL,
    id TEXT NOT NULL,
    taken INTEGER NOT NULL DEFAULT 0,
    received_at REAL NOT NULL,
    PRIMARY KEY (chat, id)
) WITHOUT ROWID;
"""

_ADD_REVISIONS: Final = """
ALTER TABLE entries ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
UPDATE entries SET revision = number;
INSERT INTO revisions SELECT max(number) FROM entries;
DROP TABLE IF EXISTS received;
"""
"""Brings a file into form whose entries have a number only."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry as it is now."""

    number: int
    """Its place in the order of all entries."""
    revision: int
    """Raised with each new entry and each change of one: what came after a revision is what a page does not know."""
    entry: dict[str, Any]
    """What is shown, JSON-ready."""

    @property
    def document(self) -> dict[str, Any]:
        """What pages are sent."""
        return {"type": "entry", "number": self.number, "revision": self.revision, "entry": self.entry}


class WebChatLog:
    """Entries by chat, in one SQLite file.

    Args:
        home: The home that the file is in.

    Raises:
        SessionError: The file cannot be opened.
    """

    def __init__(self, home: Path) -> None:
        path = home / DATABASE_NAME
        self._lock = threading.Lock()
        try:
            home.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=_WAIT_FOR_OTHERS, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise SessionError(
                "what the web chat has shown cannot be opened",
                where=str(path),
                why=str(error),
                fix="put the file aside; a new one is made",
                code="HS440",
            ) from error

    def _prepare(self) -> None:
        connection = self._connection
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)
            if "revision" not in {column[1] for column in connection.execute("PRAGMA table_info(entries)")}:
                connection.executescript(_ADD_REVISIONS)
            self._close_open()
        except sqlite3.Error:
            connection.close()
            raise

    def _close_open(self) -> None:
        """Close what another process left open: nobody waits for those answers any more."""
        for number, text in self._connection.execute("SELECT number, entry FROM entries").fetchall():
            entry = json.loads(text)
            if entry["kind"] == "approval" and entry["choice"] is None:
                self.change(number, entry | {"choice": "closed", "closed": "The gateway was restarted."})
            elif entry.get("status") == "running":
                self.change(number, entry | {"status": "cancelled", "text": "The gateway was restarted."})

    # -- entries ---------------------------------------------------------------------------------------

    def add(self, chat: str, entry: dict[str, Any]) -> LogEntry:
        """Keep an entry, JSON-ready values; of many, the oldest are forgotten."""
        with self._writing() as connection:
            revision = _next_revision(connection)
            cursor = connection.execute(
                "INSERT INTO entries (chat, entry, revision) VALUES (?, ?, ?)", (chat, json.dumps(entry), revision)
            )
            query = (
                "DELETE FROM entries WHERE chat = ? AND number <="
                " (SELECT number FROM entries WHERE chat = ? ORDER BY number DESC LIMIT 1 OFFSET ?)"
            )
            connection.execute(query, (chat, chat, KEPT))
        return LogEntry(int(cursor.lastrowid or 0), revision, entry)

    def change(self, number: int, entry: dict[str, Any]) -> LogEntry:
        """Keep an entry's new form."""
        with self._writing() as connection:
            revision = _next_revision(connection)
            connection.execute(
                "UPDATE entries SET entry = ?, revision = ? WHERE number = ?", (json.dumps(entry), revision, number)
            )
        return LogEntry(number, revision, entry)

    def since(self, chat: str, revision: int = 0) -> list[LogEntry]:
        """Return the entries of a chat that are new, or were changed, behind a revision; in the chat's order."""
        query = "SELECT number, revision, entry FROM entries WHERE chat = ? AND revision > ? ORDER BY number"
        with self._lock:
            rows = self._connection.execute(query, (chat, revision)).fetchall()
        return [LogEntry(number, found, json.loads(entry)) for number, found, entry in rows]

    # -- messages --------------------------------------------------------------------------------------

    def is_new(self, chat: str, message_id: str) -> bool:
        """Whether a message comes for the first time; a page sends again what nobody acknowledged."""
        now = time.time()
        with self._writing() as connection:
            connection.execute("DELETE FROM messages WHERE received_at < ?", (now - _IDS_KEPT,))
            cursor = connection.execute(
                "INSERT OR IGNORE INTO messages (chat, id, received_at) VALUES (?, ?, ?)", (chat, message_id, now)
            )
        return cursor.rowcount == 1

    def is_taken(self, chat: str, message_id: str) -> bool:
        """Whether the gateway has stored a message."""
        query = "SELECT taken FROM messages WHERE chat = ? AND id = ?"
        with self._lock:
            row = self._connection.execute(query, (chat, message_id)).fetchone()
        return row is not None and bool(row[0])

    def take(self, chat: str, message_id: str) -> None:
        """Remember that the gateway has stored a message."""
        with self._writing() as connection:
            connection.execute("UPDATE messages SET taken = 1 WHERE chat = ? AND id = ?", (chat, message_id))

    def forget(self, chat: str, message_id: str) -> None:
        """Let a message count as new again, because the gateway did not take it."""
        with self._writing() as connection:
            connection.execute("DELETE FROM messages WHERE chat = ? AND id = ?", (chat, message_id))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def _next_revision(connection: sqlite3.Connection) -> int:
    """Return a number that was never given out, also where the entry that had the last one is forgotten."""
    cursor = connection.execute("INSERT INTO revisions DEFAULT VALUES")
    connection.execute("DELETE FROM revisions")
    return int(cursor.lastrowid or 0)
