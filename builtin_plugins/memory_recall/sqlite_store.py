"""Memories in one SQLite file with a full-text index, shared by the threads and processes of one home."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from .places import LOCAL, key_of
from .sqlite_schema import VERSION, prepare
from .store import Candidate, Memory, StoreError
from .words import parts_of, words_of
from .worth import NOTE_CHARS, kept

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

_WAIT_SECONDS: Final = 10.0
"""How long a writer waits for another process."""
WORDS_KEPT: Final = 200
"""Different words of one memory that it is found by."""
_SPELLED: Final = 400
"""Words that share a trigram with a word, so many for each of its trigrams, are compared with it."""
ALIKE: Final = 0.37
"""Two words are spelled alike when they share this many of all their trigrams."""
MOST_ALIKE: Final = 3

_COLUMNS: Final = "memories.id, rooms.key, person, session, note, text, created, uses"
_FROM: Final = "FROM memories JOIN rooms ON rooms.id = memories.room"


class SqliteStore:
    """A store in a file. Every call opens and closes it, so any thread may use it.

    Args:
        directory: Returns the directory of the file; the file is made, readable by its owner only, with the first
            memory.
    """

    def __init__(self, directory: Callable[[], Path]) -> None:
        self._directory = directory

    def add(
        self, room: str, person: str, texts: Sequence[str], *, session: str = "", note: bool = False, keep: int
    ) -> list[int]:
        """Store texts and return their numbers, without those that the room has already. See `Store.add`."""
        with self._write() as database:
            now = time.time()
            numbers = [_add(database, (room, person, session, note, text, now)) for text in texts]
            surplus = database.execute(
                "SELECT memories.id FROM memories JOIN rooms ON rooms.id = memories.room "
                "WHERE rooms.key = ? AND note = 0 ORDER BY memories.id DESC LIMIT -1 OFFSET ?",
                (room, keep),
            ).fetchall()
            _remove(database, [number for (number,) in surplus])
            return [number for number in numbers if number is not None]

    @contextlib.contextmanager
    def reading(self, rooms: Iterable[str]) -> Iterator[_Reader]:
        """Look at some rooms."""
        with self._read() as database:
            yield _Reader(database, list(rooms))

    def used(self, numbers: Collection[int]) -> None:
        """Count one more use of memories."""
        with self._write() as database:
            database.execute(
                "UPDATE memories SET uses = uses + 1 WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(numbers)),),
            )

    def select(
        self, *, person: str | None = None, rooms: Collection[str] | None = None, most: int | None = None
    ) -> list[Memory]:
        """Return memories, the newest first. See `Store.select`."""
        conditions = ["1"]
        values: list[Any] = []
        if person is not None:
            conditions.append("person = ?")
            values.append(person)
        if rooms is not None:
            conditions.append("memories.room IN (SELECT id FROM rooms WHERE key IN (SELECT value FROM json_each(?)))")
            values.append(json.dumps(list(rooms)))
        with self._read() as database:
            rows = database.execute(
                f"SELECT {_COLUMNS} {_FROM} WHERE {' AND '.join(conditions)} ORDER BY memories.id DESC LIMIT ?",
                (*values, -1 if most is None else most),
            )
            return [_memory(row) for row in rows]

    def forget(self, numbers: Collection[int]) -> int:
        """Delete memories, their words from all indexes too, and return how many there were."""
        if not self._path.exists():
            return 0
        with self._write() as database:
            gone = _remove(database, list(numbers))
            if gone:
                # an index only marks what is deleted: merging it all drops the words themselves
                for index in ("memory_words", "word_parts"):
                    database.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")  # noqa: S608 - constants
        if gone:
            with self._read() as database:  # what went still stands in the log of writes
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def rooms(self) -> dict[str, int]:
        """Return all rooms that hold something, and how many memories."""
        with self._read() as database:
            return dict(database.execute("SELECT key, held FROM rooms WHERE held > 0 ORDER BY key"))

    def describe(self) -> dict[str, str]:
        """Return what the store is, where it is and how large."""
        files = [self._path.with_name(self._path.name + ending) for ending in ("", "-wal")]
        size = sum(file.stat().st_size for file in files if file.exists())
        return {"store": "SQLite", "where": str(self._path), "bytes": str(size)}

    def close(self) -> None:
        """Do nothing: nothing stays open."""

    @property
    def _path(self) -> Path:
        return self._directory() / "memories.sqlite3"

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                if database.in_transaction:  # a full disk has ended it already
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    @contextlib.contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with _explained(self._directory):
            there = self._path.exists()
        if there:
            with self._open() as database:
                yield database
            return
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
            _prepared(database)  # nothing was remembered yet, and a look makes no file
            yield database

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with _explained(self._directory):
            path = self._path
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            opened = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
            with contextlib.closing(opened) as database:
                database.execute("PRAGMA secure_delete = ON")
                database.execute("PRAGMA synchronous = NORMAL")
                if database.execute("PRAGMA user_version").fetchone() != (VERSION,):
                    _prepared(database)
                yield database


class _Reader:
    """Implements `store.Reader`."""

    def __init__(self, database: sqlite3.Connection, rooms: list[str]) -> None:
        self._database = database
        rows = database.execute(
            "SELECT id, held FROM rooms WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(rooms),)
        ).fetchall()
        self._rooms = [number for number, _ in rows]
        self.held = sum(held for _, held in rows)

    def frequencies(self, words: Collection[str]) -> dict[str, int]:
        """Return in how many memories each word stands that stands in any."""
        rows = self._database.execute(
            "SELECT word, held FROM words WHERE word IN (SELECT value FROM json_each(?))",
            (json.dumps([_of_room(room, word) for word in words for room in self._rooms]),),
        )
        counted: Counter[str] = Counter()
        for word, held in rows:
            counted[_without_room(word)] += held
        return dict(counted)

    def near(self, word: str) -> dict[str, float]:
        """Return words of these rooms that are spelled alike, and how much."""
        own = parts_of(word)
        shared: Counter[int] = Counter()
        for part in own:
            shared.update(self._matching("word_parts", self._any_room(part), _SPELLED))
        numbers = [number for number, count in shared.most_common(20) if count > 1]
        rows = self._database.execute(
            "SELECT word FROM words WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
        )
        likeness: dict[str, float] = {}
        for (found,) in rows:
            parts = parts_of(_without_room(found))
            share = len(own & parts) / len(own | parts)
            if share >= ALIKE:
                likeness[_without_room(found)] = share
        return dict(sorted(likeness.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_ALIKE])

    def holders(self, words: Sequence[str], most: int) -> list[int]:
        """Return the numbers of the newest memories in which all of `words` stand."""
        query = " OR ".join(
            "(" + " AND ".join(f'"{_of_room(room, word)}"' for word in words) + ")" for room in self._rooms
        )
        return self._matching("memory_words", query, most)

    def weigh(self, numbers: Collection[int], words: Collection[str]) -> list[Candidate]:
        """Return what memories are weighed by."""
        asked = {_of_room(room, word): word for word in words for room in self._rooms}
        rows = self._database.execute(
            "SELECT id, session, note, created, uses, words FROM memories WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(numbers)),),
        )
        return [
            Candidate(
                number, session, bool(note), created, uses, [asked[word] for word in held.split() if word in asked]
            )
            for number, session, note, created, uses, held in rows
        ]

    def load(self, numbers: Collection[int]) -> list[Memory]:
        """Return memories whole, in any order."""
        rows = self._database.execute(
            f"SELECT {_COLUMNS} {_FROM} WHERE memories.id IN (SELECT value FROM json_each(?))",  # noqa: S608 - constants
            (json.dumps(list(numbers)),),
        )
        return [_memory(row) for row in rows]

    def _any_room(self, word: str) -> str:
        return " OR ".join(f'"{_of_room(room, word)}"' for room in self._rooms)

    def _matching(self, index: str, query: str, most: int) -> list[int]:
        if not query:
            return []
        rows = self._database.execute(
            f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rowid DESC LIMIT ?",  # noqa: S608 - constants
            (query, most),
        )
        return [number for (number,) in rows]


def _memory(row: Sequence[Any]) -> Memory:
    number, room, person, session, note, text, created, uses = row
    return Memory(number, room, person, session, bool(note), text, created, uses)


def _of_room(room: int, word: str) -> str:
    return f"{room}_{word}"


def _without_room(word: str) -> str:
    return word.partition("_")[2]


def _add(database: sqlite3.Connection, memory: tuple[str, str, str, bool, str, float]) -> int | None:
    """Add a memory (room, person, session, whether a note, text, when) and return its number."""
    room_key, person, session, note, text, created = memory
    database.execute("INSERT INTO rooms (key) VALUES (?) ON CONFLICT DO NOTHING", (room_key,))
    (room,) = database.execute("SELECT id FROM rooms WHERE key = ?", (room_key,)).fetchone()
    words = [_of_room(room, word) for word in words_of(text, WORDS_KEPT)]
    joined = " ".join(words)
    added = database.execute(
        "INSERT INTO memories (room, person, session, note, text, words, digest, created) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
        (room, person, session, int(note), text, joined, hashlib.sha256(text.encode()).digest(), created),
    ).fetchone()
    if added is None:
        return None
    database.execute("UPDATE rooms SET held = held + 1 WHERE id = ?", (room,))
    database.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (added[0], joined))
    for word in words:
        number, held = database.execute(
            "INSERT INTO words (word, held) VALUES (?, 1) ON CONFLICT DO UPDATE SET held = held + 1 RETURNING id, held",
            (word,),
        ).fetchone()
        if held == 1 and (parts := _parts(word)):
            database.execute("INSERT INTO word_parts (rowid, parts) VALUES (?, ?)", (number, parts))
    return int(added[0])


def _remove(database: sqlite3.Connection, numbers: list[int]) -> int:
    """Remove memories and everything that is known by them, and return how many there were."""
    gone = 0
    for number in numbers:
        row = database.execute("DELETE FROM memories WHERE id = ? RETURNING room, words", (number,)).fetchone()
        if row is None:
            continue
        gone += 1
        room, joined = row
        database.execute(
            "INSERT INTO memory_words (memory_words, rowid, words) VALUES ('delete', ?, ?)", (number, joined)
        )
        for word in joined.split():
            of_word, held = database.execute(
                "UPDATE words SET held = held - 1 WHERE word = ? RETURNING id, held", (word,)
            ).fetchone()
            if held == 0:
                database.execute("DELETE FROM words WHERE id = ?", (of_word,))
                if parts := _parts(word):
                    database.execute(
                        "INSERT INTO word_parts (word_parts, rowid, parts) VALUES ('delete', ?, ?)", (of_word, parts)
                    )
        (held,) = database.execute("UPDATE rooms SET held = held - 1 WHERE id = ? RETURNING held", (room,)).fetchone()
        if held == 0:
            database.execute("DELETE FROM rooms WHERE id = ?", (room,))
    return gone


def _parts(word: str) -> str:
    """Return the trigrams of a room's word as the index has them."""
    room, _, plain = word.partition("_")
    return " ".join(f"{room}_{part}" for part in sorted(parts_of(plain)))


def _prepared(database: sqlite3.Connection) -> None:
    """Make or bring up to date the tables of a file."""
    try:
        for owner, session, note, text, created in prepare(database):
            platform, _, user = owner.partition("\0")
            person = LOCAL if platform == LOCAL else key_of(platform, user)
            _add(database, (f"user:{person}", person, session, note, kept(text, NOTE_CHARS), created))
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def _explained(directory: Callable[[], Path]) -> Iterator[None]:
    """Say what a failure means and what to do about it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        said = str(error)
        meaning = next((meaning for sign, meaning in _MEANINGS.items() if sign in said), "it cannot be used")
        raise StoreError(f"the memory file {directory() / 'memories.sqlite3'}: {meaning} ({said})") from error
    except OSError as error:
        raise StoreError(f"the memory file cannot be made: {error}; is the home writable?") from error


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
