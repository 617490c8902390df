"""Memories in one SQLite file with a full-text index, shared by the threads and processes of one home."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from .places import LOCAL, key_of
from .sqlite_file import SqliteFile
from .sqlite_schema import VERSION, prepare
from .store import Candidate, Memory
from .words import WORDS_KEPT, alike, parts_of, words_of
from .worth import NOTE_CHARS, kept

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

_SPELLED: Final = 400
"""Words that share a trigram with a word, so many for each of its trigrams, are compared with it."""
_COMPARED: Final = 20

_COLUMNS: Final = "memories.id, rooms.key, person, session, note, text, created, uses"
_FROM: Final = "FROM memories JOIN rooms ON rooms.id = memories.room"


class SqliteStore:
    """A store in a file.

    Args:
        directory: Returns the directory of the file.
    """

    def __init__(self, directory: Callable[[], Path]) -> None:
        self._file = SqliteFile(directory, _prepared)

    def add(
        self, room: str, person: str, texts: Sequence[str], *, session: str = "", note: bool = False, keep: int
    ) -> list[int]:
        """Store texts and return their numbers, without those that the room has already. See `Store.add`."""
        with self._file.writing() as database:
            now = time.time()
            numbers = [_add(database, Memory(0, room, person, session, note, text, now)) for text in texts]
            _drop_surplus(database, room, keep, "memories.id DESC")
            return [number for number in numbers if number is not None]

    def restore(self, memories: Iterable[Memory], *, keep: int) -> tuple[int, int]:
        """Store memories as they are, all or none. See `Store.restore`."""
        rooms: Counter[str] = Counter()
        held = 0
        with self._file.writing() as database:
            for memory in memories:
                if _add(database, memory) is None:
                    held += 1
                else:
                    rooms[memory.room] += 1
            for room in rooms:
                _drop_surplus(database, room, keep, "created DESC, memories.id DESC")
        return rooms.total(), held

    @contextlib.contextmanager
    def reading(self, rooms: Iterable[str]) -> Iterator[_Reader]:
        """Look at some rooms."""
        with self._file.reading() as database:
            yield _Reader(database, list(rooms))

    def used(self, numbers: Collection[int]) -> None:
        """Count one more use of memories."""
        with self._file.writing() as database:
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
        with self._file.reading() as database:
            rows = database.execute(
                f"SELECT {_COLUMNS} {_FROM} WHERE {' AND '.join(conditions)} ORDER BY memories.id DESC LIMIT ?",
                (*values, -1 if most is None else most),
            )
            return [_memory(row) for row in rows]

    def forget(self, numbers: Collection[int]) -> int:
        """Delete memories, their words from all indexes too, and return how many there were."""
        if not self.rooms():
            return 0
        with self._file.writing() as database:
            gone = _remove(database, list(numbers))
            if gone:
                # an index only marks what is deleted: merging it all drops the words themselves
                for index in ("memory_words", "word_parts"):
                    database.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")  # noqa: S608 - constants
            return gone

    def rooms(self) -> dict[str, int]:
        """Return all rooms that hold something, and how many memories."""
        with self._file.reading() as database:
            return dict(database.execute("SELECT key, held FROM rooms WHERE held > 0 ORDER BY key"))

    def describe(self) -> dict[str, str]:
        """Return what the store is, where it is and how large."""
        path = self._file.path
        files = [path.with_name(path.name + ending) for ending in ("", "-wal")]
        size = sum(file.stat().st_size for file in files if file.exists())
        return {"store": "SQLite", "where": str(path), "bytes": str(size)}

    def close(self) -> None:
        """Close what is open; what is asked later opens it again."""
        self._file.close()


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
        shared: Counter[int] = Counter()
        for part in parts_of(word):
            query = " OR ".join(f'"{_of_room(room, part)}"' for room in self._rooms)
            shared.update(self._matching("word_parts", query, _SPELLED))
        numbers = [number for number, count in shared.most_common(_COMPARED) if count > 1]
        rows = self._database.execute(
            "SELECT word FROM words WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
        )
        return alike(word, [_without_room(found) for (found,) in rows])

    def holders(self, words: Sequence[Sequence[str]], most: int) -> list[int]:
        """Return the numbers of the newest memories in which all words of any of these groups stand."""
        query = " OR ".join(
            "(" + " AND ".join(f'"{_of_room(room, word)}"' for word in group) + ")"
            for group in words
            for room in self._rooms
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


def _add(database: sqlite3.Connection, memory: Memory) -> int | None:
    """Add a memory and return the number that it gets; None where the room has it."""
    database.execute("INSERT INTO rooms (key) VALUES (?) ON CONFLICT DO NOTHING", (memory.room,))
    (room,) = database.execute("SELECT id FROM rooms WHERE key = ?", (memory.room,)).fetchone()
    words = [_of_room(room, word) for word in words_of(memory.text, WORDS_KEPT)]
    joined = " ".join(words)
    digest = hashlib.sha256(memory.text.encode()).digest()
    added = database.execute(
        "INSERT INTO memories (room, person, session, note, text, words, digest, created, uses) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
        (
            room,
            memory.person,
            memory.session,
            int(memory.note),
            memory.text,
            joined,
            digest,
            memory.created,
            memory.uses,
        ),
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


def _drop_surplus(database: sqlite3.Connection, room: str, keep: int, newest: str) -> None:
    """Remove the oldest statements of a room that has more memories than it may; `newest` is what to sort by."""
    surplus = database.execute(
        "SELECT memories.id FROM memories JOIN rooms ON rooms.id = memories.room "  # noqa: S608 - constants
        f"WHERE rooms.key = ? AND rooms.held > ? AND note = 0 ORDER BY {newest} LIMIT -1 OFFSET ?",
        (room, keep, keep),
    ).fetchall()
    _remove(database, [number for (number,) in surplus])


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
    if database.execute("PRAGMA user_version").fetchone() == (VERSION,):
        return
    try:
        for owner, session, note, text, created in prepare(database):
            platform, _, user = owner.partition("\0")
            person = LOCAL if platform == LOCAL else key_of(platform, user)
            _add(database, Memory(0, f"user:{person}", person, session, note, kept(text, NOTE_CHARS), created))
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
