"""The tables of the memory file, and how the file of an earlier version becomes one."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION: Final = 2
_WAIT_SECONDS: Final = 10.0

_TABLES: Final = (
    "CREATE TABLE rooms (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, held INTEGER NOT NULL DEFAULT 0)",
    # numbers are never given twice: who types /forget 7 means the 7 that was shown
    """
    CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        room INTEGER NOT NULL REFERENCES rooms,
        person TEXT NOT NULL,
        session TEXT NOT NULL,
        note INTEGER NOT NULL,
        text TEXT NOT NULL,
        words TEXT NOT NULL,
        digest BLOB NOT NULL,
        created REAL NOT NULL,
        uses INTEGER NOT NULL DEFAULT 0,
        UNIQUE (room, digest)
    )
    """,
    "CREATE INDEX memories_by_age ON memories (room, note, id)",
    "CREATE INDEX memories_by_person ON memories (person, id)",
    # the words of a room carry its number, `7_heron`, so that no search reads what other rooms hold
    """
    CREATE VIRTUAL TABLE memory_words USING fts5 (
        words, content='memories', content_rowid='id', tokenize="ascii tokenchars '_'", detail=none, columnsize=0
    )
    """,
    "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, held INTEGER NOT NULL)",
    # trigrams of words, for what is spelled alike: `7__he`, `7_her`
    """
    CREATE VIRTUAL TABLE word_parts USING fts5 (
        parts, content='', tokenize="ascii tokenchars '_'", detail=none, columnsize=0
    )
    """,
)


def prepare(database: sqlite3.Connection) -> Iterator[tuple[str, str, bool, str, float]]:
    """Make the tables, in a transaction that is left open, also when several processes do so at the same moment.

    Returns:
        What the file of the first version held, to be added: owner, session, whether it is a note, text, when.
    """
    _use_wal(database)
    database.execute("BEGIN IMMEDIATE")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return iter(())
    if version > VERSION:
        raise sqlite3.NotSupportedError(f"its version is {version}, this plugin knows {VERSION}")
    earlier = _taken_out(database) if version == 1 else []
    for table in _TABLES:
        database.execute(table)
    database.execute(f"PRAGMA user_version = {VERSION}")
    return iter(earlier)


def _use_wal(database: sqlite3.Connection) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # unlike every other statement this one does not wait for another process that does the same
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _taken_out(database: sqlite3.Connection) -> list[tuple[str, str, bool, str, float]]:
    """Take the memories of the first version out of its tables; those of nameless sessions were theirs alone."""
    rows = database.execute("SELECT scope, session, note, text, created FROM memories ORDER BY id").fetchall()
    for trigger in ("memory_added", "memory_removed"):
        database.execute(f"DROP TRIGGER {trigger}")
    database.execute("DROP TABLE memory_words")
    database.execute("DROP TABLE memories")
    earlier = []
    for scope, session, note, text, created in rows:
        length, _, rest = scope.partition(":")
        platform, owner = rest[: int(length)], rest[int(length) + 1 :]
        if platform != "session":
            earlier.append((f"{platform}\0{owner}", session, bool(note), text, created))
    return earlier
