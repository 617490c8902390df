"""What the web chat has shown, chat by chat: a page that comes back, after a restart too, gets it again."""

from __future__ import annotations

import json
import sqlite3
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

DATABASE_NAME: Final = "webchat.db"
KEPT: Final = 500
"""Entries of one chat that are kept."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    chat TEXT NOT NULL,
    entry TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_of_a_chat ON entries (chat, number);
CREATE TABLE IF NOT EXISTS received (chat TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (chat, id)) WITHOUT ROWID;
"""


class WebChatLog:
    """Entries by chat, in one SQLite file.

    Args:
        home: The home that the file is in.
    """

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        path = home / DATABASE_NAME
        path.touch(mode=0o600)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(_SCHEMA)

        self._close_open()

    def _close_open(self) -> None:
        """Close what another process left open: nobody waits for those answers any more."""
        for number, text in self._connection.execute("SELECT number, entry FROM entries").fetchall():
            entry = json.loads(text)
            if entry["kind"] == "approval" and entry["choice"] is None:
                self.change(number, entry | {"choice": "closed", "closed": "The gateway was restarted."})
            elif entry.get("status") == "running":
                self.change(number, entry | {"status": "cancelled", "text": "The gateway was restarted."})

    def add(self, chat: str, entry: dict[str, Any]) -> int:
        """Keep an entry, JSON-ready values, and return its number; of many, the oldest are forgotten."""
        with self._lock:
            cursor = self._connection.execute(
                "INSERT INTO entries (chat, entry) VALUES (?, ?)", (chat, json.dumps(entry))
            )
            number = int(cursor.lastrowid or 0)
            query = (
                "DELETE FROM entries WHERE chat = ? AND number <="
                " (SELECT number FROM entries WHERE chat = ? ORDER BY number DESC LIMIT 1 OFFSET ?)"
            )
            self._connection.execute(query, (chat, chat, KEPT))
        return number

    def change(self, number: int, entry: dict[str, Any]) -> None:
        """Keep an entry's new form."""
        with self._lock:
            self._connection.execute("UPDATE entries SET entry = ? WHERE number = ?", (json.dumps(entry), number))

    def since(self, chat: str, number: int = 0) -> list[tuple[int, dict[str, Any]]]:
        """Return the entries of a chat behind a number."""
        query = "SELECT number, entry FROM entries WHERE chat = ? AND number > ? ORDER BY number"
        with self._lock:
            rows = self._connection.execute(query, (chat, number)).fetchall()
        return [(number, json.loads(entry)) for number, entry in rows]

    def is_new(self, chat: str, message_id: str) -> bool:
        """Whether a message comes for the first time; a page sends again what nobody acknowledged."""
        with self._lock:
            cursor = self._connection.execute("INSERT OR IGNORE INTO received VALUES (?, ?)", (chat, message_id))
        return cursor.rowcount == 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
