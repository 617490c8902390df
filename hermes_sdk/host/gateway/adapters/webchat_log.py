"""What the web chat has shown, chat by chat: a page that comes back, after a restart too, gets it again."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.gateway.sqlite_file import SqliteFile

if TYPE_CHECKING:
    import sqlite3

KEPT: Final = 500
"""Entries of one chat that are kept."""
_IDS_KEPT: Final = 7 * 86_400.0
"""Seconds for which the id of a message is remembered: a page that was away may send it again."""

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


class WebChatLog(SqliteFile):
    """Entries by chat."""

    NAME = "webchat.db"
    WHAT = "what the web chat has shown"

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.executescript(_SCHEMA)
        if "revision" not in {column[1] for column in connection.execute("PRAGMA table_info(entries)")}:
            connection.executescript(_ADD_REVISIONS)
        self._close_open(connection)

    def _close_open(self, connection: sqlite3.Connection) -> None:
        """Close what another process left open: nobody waits for those answers any more."""
        for number, text in connection.execute("SELECT number, entry FROM entries").fetchall():
            entry = json.loads(text)
            if entry["kind"] == "approval" and entry["choice"] is None:
                self.change(number, entry | {"choice": "closed", "closed": "The gateway was restarted."})
            elif entry.get("status") == "running":
                self.change(number, entry | {"status": "cancelled", "text": "The gateway was restarted."})

    # -- entries ---------------------------------------------------------------------------------------

    def add(self, chat: str, entry: dict[str, Any]) -> LogEntry:
        """Keep an entry, JSON-ready values; of many, the oldest are forgotten."""
        with self.writing() as connection:
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
        with self.writing() as connection:
            revision = _next_revision(connection)
            connection.execute(
                "UPDATE entries SET entry = ?, revision = ? WHERE number = ?", (json.dumps(entry), revision, number)
            )
        return LogEntry(number, revision, entry)

    def since(self, chat: str, revision: int = 0) -> list[LogEntry]:
        """Return the entries of a chat that are new, or were changed, behind a revision; in the chat's order."""
        query = "SELECT number, revision, entry FROM entries WHERE chat = ? AND revision > ? ORDER BY number"
        with self.reading() as connection:
            rows = connection.execute(query, (chat, revision)).fetchall()
        return [LogEntry(number, found, json.loads(entry)) for number, found, entry in rows]

    # -- messages --------------------------------------------------------------------------------------

    def is_new(self, chat: str, message_id: str) -> bool:
        """Whether a message comes for the first time; a page sends again what nobody acknowledged."""
        now = time.time()
        with self.writing() as connection:
            connection.execute("DELETE FROM messages WHERE received_at < ?", (now - _IDS_KEPT,))
            cursor = connection.execute(
                "INSERT OR IGNORE INTO messages (chat, id, received_at) VALUES (?, ?, ?)", (chat, message_id, now)
            )
        return cursor.rowcount == 1

    def is_taken(self, chat: str, message_id: str) -> bool:
        """Whether the gateway has stored a message."""
        query = "SELECT taken FROM messages WHERE chat = ? AND id = ?"
        with self.reading() as connection:
            row = connection.execute(query, (chat, message_id)).fetchone()
        return row is not None and bool(row[0])

    def take(self, chat: str, message_id: str) -> None:
        """Remember that the gateway has stored a message."""
        with self.writing() as connection:
            connection.execute("UPDATE messages SET taken = 1 WHERE chat = ? AND id = ?", (chat, message_id))

    def forget(self, chat: str, message_id: str) -> None:
        """Let a message count as new again, because the gateway did not take it."""
        with self.writing() as connection:
            connection.execute("DELETE FROM messages WHERE chat = ? AND id = ?", (chat, message_id))


def _next_revision(connection: sqlite3.Connection) -> int:
    """Return a number that was never given out, also where the entry that had the last one is forgotten."""
    cursor = connection.execute("INSERT INTO revisions DEFAULT VALUES")
    connection.execute("DELETE FROM revisions")
    return int(cursor.lastrowid or 0)
