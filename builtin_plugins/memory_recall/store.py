"""The memory file: SQLite with a full-text index, shared by the threads and processes of one home."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WAIT_SECONDS: Final = 10.0
"""How long a writer waits for another process."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS memories (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    session TEXT NOT NULL,
    note INTEGER NOT NULL,
    text TEXT NOT NULL,
    digest BLOB NOT NULL,
    created REAL NOT NULL,
    UNIQUE (scope, digest)
);
CREATE INDEX IF NOT EXISTS memories_by_age ON memories (scope, note, id);
CREATE VIRTUAL TABLE IF NOT EXISTS memory_words USING fts5 (
    text, content='memories', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS memory_added AFTER INSERT ON memories BEGIN
    INSERT INTO memory_words (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS memory_removed AFTER DELETE ON memories BEGIN
    INSERT INTO memory_words (memory_words, rowid, text) VALUES ('delete', old.id, old.text);
END;
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered text."""

    number: int
    text: str
    note: bool
    """Whether a person asked for it, with `/remember`; else it is a finished turn."""
    created: float
    """Seconds since the epoch."""


class MemoryStore:
    """Reads and writes one memory file. Every call opens and closes it, so any thread may use it.

    Args:
        path: The file; its directory is made, readable by its owner only, at the first use.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, scope: str, session: str, text: str, *, note: bool, keep_turns: int) -> int | None:
        """Store `text` and return its number; None when the scope has it already.

        Args:
            scope: Whose memory it is.
            session: Where it was said.
            text: What to remember.
            note: Whether a person asked for it.
            keep_turns: The oldest turns of this scope go when there are more than this many.
        """
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        text = text.encode("utf-8", "replace").decode()
        with self._write() as database:
            added = database.execute(
                "INSERT OR IGNORE INTO memories (scope, session, note, text, digest, created) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (scope, session, int(note), text, digest, time.time()),
            )
            if added.rowcount < 1:
                return None
            database.execute(
                "DELETE FROM memories WHERE scope = ? AND note = 0 AND id <= ("
                "SELECT id FROM memories WHERE scope = ? AND note = 0 ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (scope, scope, keep_turns),
            )
            return added.lastrowid

    def search(self, scope: str, query: str, *, limit: int, outside_session: str | None = None) -> list[Memory]:
        """Return the memories of `scope` that fit best, then the newest.

        Args:
            scope: Whose memories.
            query: An FTS5 query.
            limit: At most so many.
            outside_session: Leave out turns of this session: the conversation has them already.
        """
        with self._connect() as database:
            rows = database.execute(
                "SELECT memories.id, memories.text, note, created FROM memory_words "
                "JOIN memories ON memories.id = memory_words.rowid "
                "WHERE memory_words MATCH ? AND scope = ? AND (note OR ? IS NULL OR session <> ?) "
                "ORDER BY rank, memories.id DESC LIMIT ?",
                (query, scope, outside_session, outside_session, limit),
            )
            return [Memory(number, text, bool(note), created) for number, text, note, created in rows]

    def newest(self, scope: str, *, limit: int) -> list[Memory]:
        """Return the newest memories of `scope`, newest first."""
        with self._connect() as database:
            rows = database.execute(
                "SELECT id, text, note, created FROM memories WHERE scope = ? ORDER BY id DESC LIMIT ?",
                (scope, limit),
            )
            return [Memory(number, text, bool(note), created) for number, text, note, created in rows]

    def forget(self, scope: str, number: int | None) -> int:
        """Delete one memory of `scope`, or with None all of them, and return how many went."""
        with self._write() as database:
            gone = database.execute(
                "DELETE FROM memories WHERE scope = ? AND (? IS NULL OR id = ?)", (scope, number, number)
            ).rowcount
            if gone:
                # the index only marks what is deleted: merging it all drops the words themselves
                database.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
            return gone

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._connect() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    @contextlib.contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        opened = sqlite3.connect(self._path, timeout=_WAIT_SECONDS, isolation_level=None)
        with contextlib.closing(opened) as database:
            database.execute("PRAGMA secure_delete = ON")
            database.execute("PRAGMA synchronous = NORMAL")
            if database.execute("PRAGMA user_version").fetchone() == (0,):
                _prepare(database)
            yield database


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables, also when several processes do so at the same moment."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            # unlike every other statement this one does not wait for another process that does the same
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            break
    database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = 1; COMMIT;")
