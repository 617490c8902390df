"""Memories in PostgreSQL, shared by the gateways of several machines: the same as in the file, by the same words."""

from __future__ import annotations

import contextlib
import hashlib
import math
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, LiteralString

import psycopg

from .postgres_pool import Pool
from .postgres_schema import prepare
from .store import Candidate, Memory
from .words import WORDS_KEPT, alike, parts_of, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_COMPARED: Final = 20
_COLUMNS: Final = "memories.id, rooms.key, person, session, note, text, created, uses"
_FROM: Final = "FROM memories JOIN rooms ON rooms.id = memories.room"


class PostgresStore:
    """A store in a database. A few connections stay open.

    Args:
        address: How to connect: a URL or ``key=value`` pairs, as libpq takes them.
        schema: The schema that holds the tables; it is made with the first connection.
    """

    def __init__(self, address: str, schema: str) -> None:
        self._schema = schema
        self._pool = Pool(address, lambda connection: prepare(connection, schema))

    def add(
        self, room: str, person: str, texts: Sequence[str], *, session: str = "", note: bool = False, keep: int
    ) -> list[int]:
        """Store texts and return their numbers, without those that the room has already. See `Store.add`."""
        now = time.time()
        memories = [Memory(0, room, person, session, note, text, now) for text in texts]
        with self._pool.connection() as connection, connection.transaction():
            number = _locked_room(connection, room)
            added = _add(connection, number, memories)
            _drop_surplus(connection, number, keep, "id DESC")
        return added

    def restore(self, memories: Iterable[Memory], *, keep: int) -> tuple[int, int]:
        """Store memories as they are, all or none. See `Store.restore`."""
        rooms: dict[str, list[Memory]] = {}
        for memory in memories:
            rooms.setdefault(memory.room, []).append(memory)
        added = 0
        with self._pool.connection() as connection, connection.transaction():
            for room in sorted(rooms):  # in one order: two that do this wait for each other at the first room
                number = _locked_room(connection, room)
                added += len(_add(connection, number, rooms[room]))
                _drop_surplus(connection, number, keep, "created DESC, id DESC")
        return added, sum(map(len, rooms.values())) - added

    @contextlib.contextmanager
    def reading(self, rooms: Iterable[str]) -> Iterator[_Reader]:
        """Look at some rooms."""
        with self._pool.connection() as connection:
            yield _Reader(connection, list(rooms))

    def used(self, numbers: Collection[int]) -> None:
        """Count one more use of memories."""
        with self._pool.connection() as connection:
            connection.execute(
                "UPDATE memories SET uses = uses + 1 WHERE id IN "
                "(SELECT id FROM memories WHERE id = ANY(%s) ORDER BY id FOR UPDATE)",
                (list(numbers),),
            )

    def select(
        self, *, person: str | None = None, rooms: Collection[str] | None = None, most: int | None = None
    ) -> list[Memory]:
        """Return memories, the newest first. See `Store.select`."""
        with self._pool.connection() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} {_FROM} WHERE (%(person)s::text IS NULL OR person = %(person)s) "
                "AND (%(rooms)s::text[] IS NULL OR rooms.key = ANY(%(rooms)s)) "
                "ORDER BY memories.id DESC LIMIT %(most)s",
                {"person": person, "rooms": None if rooms is None else list(rooms), "most": most},
            )
            return [Memory(*row) for row in rows]

    def forget(self, numbers: Collection[int]) -> int:
        """Delete memories and their words, and return how many there were."""
        with self._pool.connection() as connection, connection.transaction():
            return _remove(connection, list(numbers))

    def rooms(self) -> dict[str, int]:
        """Return all rooms that hold something, and how many memories."""
        with self._pool.connection() as connection:
            return dict(connection.execute("SELECT key, held FROM rooms WHERE held > 0 ORDER BY key").fetchall())

    def describe(self) -> dict[str, str]:
        """Return what the store is, where it is and how large."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = %s::regnamespace",
                (self._schema,),
            ).fetchone()
        return {
            "store": "PostgreSQL",
            "where": f"{self._pool.where}, schema {self._schema}",
            "bytes": str(row[0] if row else 0),
        }

    def close(self) -> None:
        """Close what is open; what is asked later opens it again."""
        self._pool.close()


class _Reader:
    """Implements `store.Reader`."""

    def __init__(self, connection: psycopg.Connection[Any], rooms: list[str]) -> None:
        self._connection = connection
        rows = connection.execute("SELECT id, held FROM rooms WHERE key = ANY(%s)", (rooms,)).fetchall()
        self._rooms = [number for number, _ in rows]
        self.held = sum(held for _, held in rows)
        self._counted: dict[str, int] = {}

    def frequencies(self, words: Collection[str]) -> dict[str, int]:
        """Return in how many memories each word stands that stands in any."""
        rows = self._connection.execute(
            "SELECT word, sum(held)::int FROM words WHERE room = ANY(%s) AND word = ANY(%s) GROUP BY word",
            (self._rooms, list(words)),
        )
        counted = dict(rows.fetchall())
        self._counted |= counted
        return counted

    def near(self, word: str) -> dict[str, float]:
        """Return words of these rooms that are spelled alike, and how much."""
        if not parts_of(word):
            return {}
        rows = self._connection.execute(
            # by the index of trigrams first, whatever the planner thinks of the number of rooms
            "WITH alike AS MATERIALIZED (SELECT room, word FROM words WHERE word %% %s) "
            "SELECT word FROM alike WHERE room = ANY(%s) GROUP BY word ORDER BY similarity(word, %s) DESC LIMIT %s",
            (word, self._rooms, word, _COMPARED),
        )
        return alike(word, [found for (found,) in rows])

    def holders(self, words: Sequence[Sequence[str]], most: int) -> list[int]:
        """Return the numbers of the newest memories in which all words of any of these groups stand."""
        query = " | ".join(
            "(" + " & ".join(f"'{_of_room(room, word)}'" for word in group) + ")"
            for group in words
            for room in self._rooms
        )
        if self._is_everywhere(words, most):
            statement = "SELECT id FROM memories WHERE words @@ %s::tsquery ORDER BY id DESC LIMIT %s"
        else:
            statement = (
                "WITH found AS MATERIALIZED (SELECT id FROM memories WHERE words @@ %s::tsquery) "
                "SELECT id FROM found ORDER BY id DESC LIMIT %s"
            )
        return [number for (number,) in self._connection.execute(statement, (query, most))]

    def _is_everywhere(self, words: Sequence[Sequence[str]], most: int) -> bool:
        """Whether the newest memories, looked at one by one, have enough of what the index would find.

        The planner does not know how common a word is, and takes this way for rare words too: 80 ms for 100,000.
        """
        row = self._connection.execute("SELECT max(id) FROM memories").fetchone()
        newest: int = (row and row[0]) or 0
        expected: float = sum(
            self.held * math.prod(self._counted.get(word, 0) / self.held for word in group) for group in words
        )
        return expected * expected > most * newest

    def weigh(self, numbers: Collection[int], words: Collection[str]) -> list[Candidate]:
        """Return what memories are weighed by."""
        asked = {_of_room(room, word): word for word in words for room in self._rooms}
        rows = self._connection.execute(
            "SELECT id, session, note, created, uses, tsvector_to_array(words) FROM memories WHERE id = ANY(%s)",
            (list(numbers),),
        )
        return [
            Candidate(number, session, note, created, uses, [asked[word] for word in held if word in asked])
            for number, session, note, created, uses, held in rows
        ]

    def load(self, numbers: Collection[int]) -> list[Memory]:
        """Return memories whole, in any order."""
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} {_FROM} WHERE memories.id = ANY(%s)",
            (list(numbers),),
        )
        return [Memory(*row) for row in rows]


def _of_room(room: int, word: str) -> str:
    return f"{room}_{word}"


def _locked_room(connection: psycopg.Connection[Any], key: str) -> int:
    """Return the number of a room, which nobody else changes until this transaction ends."""
    row = connection.execute(
        "INSERT INTO rooms (key) VALUES (%s) ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id", (key,)
    ).fetchone()
    if row is None:
        raise psycopg.DataError(f"no room {key!r} was made")
    return int(row[0])


def _add(connection: psycopg.Connection[Any], room: int, memories: Sequence[Memory]) -> list[int]:
    """Add memories to a room that is locked, and return the numbers of those that it had not."""
    new: dict[bytes, Memory] = {}
    for memory in memories:
        new.setdefault(hashlib.sha256(memory.text.encode()).digest(), memory)
    words = {digest: words_of(memory.text, WORDS_KEPT) for digest, memory in new.items()}
    added = connection.execute(
        """
        INSERT INTO memories (room, person, session, note, text, words, digest, created, uses)
        SELECT %(room)s, one.person, one.session, one.note, one.text,
               array_to_tsvector(string_to_array(one.words, ' ')), one.digest, one.created, one.uses
        FROM unnest(%(persons)s::text[], %(sessions)s::text[], %(notes)s::boolean[], %(texts)s::text[],
                    %(words)s::text[], %(digests)s::bytea[], %(created)s::float8[], %(uses)s::int[])
             WITH ORDINALITY AS one (person, session, note, text, words, digest, created, uses, place)
        ORDER BY one.place
        ON CONFLICT DO NOTHING RETURNING id, digest
        """,
        {
            "room": room,
            "persons": [memory.person for memory in new.values()],
            "sessions": [memory.session for memory in new.values()],
            "notes": [memory.note for memory in new.values()],
            "texts": [memory.text for memory in new.values()],
            "words": [" ".join(_of_room(room, word) for word in held) for held in words.values()],
            "digests": list(new),
            "created": [memory.created for memory in new.values()],
            "uses": [memory.uses for memory in new.values()],
        },
    ).fetchall()
    counted = Counter(word for _, digest in added for word in words[bytes(digest)])
    connection.execute(
        "INSERT INTO words (room, word, held) "
        "SELECT %s, word, held FROM unnest(%s::text[], %s::int[]) AS new (word, held) "
        "ON CONFLICT (room, word) DO UPDATE SET held = words.held + excluded.held",
        (room, list(counted), list(counted.values())),
    )
    connection.execute("UPDATE rooms SET held = held + %s WHERE id = %s", (len(added), room))
    return sorted(number for number, _ in added)


def _drop_surplus(connection: psycopg.Connection[Any], room: int, keep: int, newest: LiteralString) -> None:
    """Remove the oldest statements of a room that has more memories than it may; `newest` is what to sort by."""
    surplus = connection.execute(
        "SELECT id FROM memories "  # noqa: S608 - constants
        "WHERE room = %s AND NOT note AND (SELECT held FROM rooms WHERE id = %s) > %s "
        f"ORDER BY {newest} OFFSET %s",
        (room, room, keep, keep),
    ).fetchall()
    _remove(connection, [one for (one,) in surplus])


def _remove(connection: psycopg.Connection[Any], numbers: list[int]) -> int:
    """Remove memories and everything that is known by them, and return how many there were."""
    if not numbers:
        return 0
    # rooms first, in one order: whoever adds to one waits, and nobody waits for each other
    connection.execute(
        "SELECT 1 FROM rooms WHERE id IN (SELECT room FROM memories WHERE id = ANY(%s)) ORDER BY id FOR UPDATE",
        (numbers,),
    )
    gone = connection.execute(
        "DELETE FROM memories WHERE id = ANY(%s) RETURNING room, tsvector_to_array(words)", (numbers,)
    ).fetchall()
    rooms = Counter(room for room, _ in gone)
    words = Counter((room, word.partition("_")[2]) for room, held in gone for word in held)
    connection.execute(
        "UPDATE words SET held = words.held - gone.held "
        "FROM unnest(%s::int[], %s::text[], %s::int[]) AS gone (room, word, held) "
        "WHERE words.room = gone.room AND words.word = gone.word",
        ([room for room, _ in words], [word for _, word in words], list(words.values())),
    )
    connection.execute("DELETE FROM words WHERE room = ANY(%s) AND held <= 0", (list(rooms),))
    connection.execute(
        "UPDATE rooms SET held = rooms.held - gone.held FROM unnest(%s::int[], %s::int[]) AS gone (room, held) "
        "WHERE rooms.id = gone.room",
        (list(rooms), list(rooms.values())),
    )
    connection.execute("DELETE FROM rooms WHERE id = ANY(%s) AND held <= 0", (list(rooms),))
    return len(gone)
