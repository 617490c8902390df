"""Memories and questions that are made up, and the plain searches that memory_recall is compared with."""

from __future__ import annotations

import itertools
import random
import re
import sqlite3
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Recall = Callable[[str], object]
    """Takes a question and looks for what fits."""

_WORDS: Final = 40_000
_CONSONANTS: Final = "bcdfghklmnprstvz"
_VOWELS: Final = "aeiou"
_WORD: Final = re.compile(r"\w+")
MOST: Final = 8
"""Memories that a question brings back."""


class Language:
    """Made-up words, the n-th of which is 1/n as common as the first, as in human languages; always the same ones."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        self.words = [_word(number) for number in range(_WORDS)]
        self._weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(_WORDS)))

    def sentence(self, length: int) -> str:
        """Return so many words."""
        return " ".join(self._random.choices(self.words, cum_weights=self._weights, k=length))

    def memories(self, count: int) -> list[str]:
        """Return so many texts of 6 to 18 words, no two alike."""
        return [f"{self.sentence(self._random.randint(6, 18))} no{number}" for number in range(count)]

    def questions(self, count: int) -> dict[str, list[str]]:
        """Return questions of three kinds, so many of each."""
        common = [self._random.sample(self.words[:60], 4) for _ in range(count)]
        misspelled = [f"{self._random.choice(self.words[500:20_000])}q {self.sentence(2)}" for _ in range(count)]
        return {
            "question": [self.sentence(self._random.randint(4, 12)) for _ in range(count)],
            "common words": [" ".join(words) for words in common],
            "misspelled": misspelled,
        }


def _word(number: int) -> str:
    number += 30
    syllables = []
    while number:
        number, rest = divmod(number, len(_CONSONANTS) * len(_VOWELS))
        syllables.append(_CONSONANTS[rest % len(_CONSONANTS)] + _VOWELS[rest // len(_CONSONANTS)])
    return "".join(syllables)


def plain_sqlite(path: Path, texts: Sequence[str]) -> tuple[sqlite3.Connection, Recall]:
    """Return what anybody writes first: FTS5, and a query for any of the words, the best first."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE VIRTUAL TABLE memories USING fts5 (room UNINDEXED, text)")
    database.execute("BEGIN")
    database.executemany("INSERT INTO memories VALUES ('user:local', ?)", [(text,) for text in texts])
    database.execute("COMMIT")

    def recall(question: str) -> list[Any]:
        query = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        return database.execute(
            "SELECT rowid, text FROM memories WHERE memories MATCH ? AND room = 'user:local' ORDER BY rank LIMIT ?",
            (query, MOST),
        ).fetchall()

    return database, recall


def plain_postgres(connection: Any, texts: Sequence[str]) -> Recall:
    """Return the same for PostgreSQL (the connection is psycopg's): a GIN index, any of the words, the best first."""
    connection.execute("CREATE TABLE plain (id serial PRIMARY KEY, room text, text text, words tsvector)")
    connection.execute(
        "INSERT INTO plain (room, text, words) SELECT 'user:local', text, to_tsvector('simple', text) "
        "FROM unnest(%s::text[]) AS one (text)",
        (list(texts),),
    )
    connection.execute("CREATE INDEX ON plain USING gin (words)")
    connection.execute("ANALYZE plain")

    def recall(question: str) -> list[Any]:
        query = " | ".join(_WORD.findall(question))
        rows = connection.execute(
            "SELECT id, text FROM plain, to_tsquery('simple', %s) AS query "
            "WHERE words @@ query AND room = 'user:local' ORDER BY ts_rank(words, query) DESC LIMIT %s",
            (query, MOST),
        ).fetchall()
        return list(rows)

    return recall
