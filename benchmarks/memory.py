"""How long memory_recall takes to find what fits a question among many memories, in SQLite and in PostgreSQL.

    python benchmarks/memory.py [--json] [--rounds 3] [--memories 100000] [--questions 60]

All memories are one person's, which is the hardest case: no room keeps a search short. The peer is a plain full-text
query for any of the words, the best first, on the same texts. PostgreSQL is the server that HERMES_TEST_POSTGRES names,
by default 127.0.0.1:5432; without one its rows are left out, and the output says so.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from _harness.machine import describe
from _harness.measure import stay_on_one_cpu
from _harness.memories import MOST, Language, plain_postgres, plain_sqlite
from _harness.options import parser, positive
from _harness.rows import Row, as_json, as_table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "builtin_plugins"))  # in front of this file's name
from memory_recall.search import Search
from memory_recall.sqlite_store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from _harness.memories import Recall
    from memory_recall.store import Store

PEER: Final = "plain OR"
WANTED: Final = "10 ms"
SERVER: Final = os.environ.get("HERMES_TEST_POSTGRES", "host=127.0.0.1 port=5432 user=postgres dbname=postgres")
_ROOM: Final = "user:local"
_BATCH: Final = 2_000


def filled(store: Store, texts: Sequence[str]) -> Recall:
    """Fill a store and return its recall."""
    for start in range(0, len(texts), _BATCH):
        store.add(_ROOM, "local", texts[start : start + _BATCH], keep=len(texts))
    search = Search(store, half_life_days=90)
    return lambda question: search.find([_ROOM], question, MOST)


def times(contestants: Sequence[Recall], questions: Sequence[str], rounds: int) -> list[list[float]]:
    """Return what each question takes each contestant, sorted, in ms: the best of rounds in which they take turns."""
    best = [[float("inf")] * len(questions) for _ in contestants]
    for _ in range(rounds):
        for place, question in enumerate(questions):
            for contestant, recall in enumerate(contestants):
                started = time.perf_counter()
                recall(question)
                took = (time.perf_counter() - started) * 1e3
                best[contestant][place] = min(best[contestant][place], took)
    return [sorted(one) for one in best]


def rows(name: str, ours: Recall, peer: Recall, questions: Mapping[str, Sequence[str]], rounds: int) -> Iterator[Row]:
    """Yield the rows of one store."""
    for kind, asked in questions.items():
        took, theirs = times((ours, peer), asked, rounds)
        middle, late = len(asked) // 2, int(len(asked) * 0.95)
        yield Row(f"{name}, {kind}, median vs {PEER}", took[middle], "ms", PEER, theirs[middle])
        yield Row(f"{name}, {kind}, p95 vs {PEER}", took[late], "ms", PEER, theirs[late])
        reach = 1.0 if name == "SQLite" else None
        yield Row(f"{name}, {kind}, p95 vs {WANTED}", took[late], "ms", WANTED, 10.0, reach)


def postgres(stack: ExitStack) -> tuple[Any, str]:
    """Return a connection to a database of its own (psycopg's) and its address, or None and why there is none."""
    try:
        import psycopg
        from psycopg.conninfo import make_conninfo

        server = stack.enter_context(psycopg.connect(SERVER, autocommit=True, connect_timeout=3))
    except (ImportError, OSError) as error:
        return None, str(error)
    except psycopg.Error as error:
        return None, str(error).strip().splitlines()[0]
    name = f"hermes_sdk_benchmark_{uuid.uuid4().hex[:8]}"
    server.execute(f"CREATE DATABASE {name}")
    stack.callback(lambda: server.execute(f"DROP DATABASE {name} WITH (FORCE)"))
    address = make_conninfo(SERVER, dbname=name)
    return stack.enter_context(psycopg.connect(address, autocommit=True)), address


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parser(__doc__ or "", rounds=3)
    options.add_argument("--memories", type=positive, default=100_000, help="how many are remembered (100,000)")
    options.add_argument("--questions", type=positive, default=60, help="questions of each kind (60)")
    given = options.parse_args(arguments)
    stay_on_one_cpu()
    language = Language()
    texts, questions = language.memories(given.memories), language.questions(given.questions)
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database, peer = plain_sqlite(directory / "plain.sqlite3", texts)
        stack.callback(database.close)
        file = SqliteStore(lambda: directory)
        stack.callback(file.close)
        measured = list(rows("SQLite", filled(file, texts), peer, questions, given.rounds))
        connection, said = postgres(stack)
        if connection is None:
            version = f"left out ({said})"
        else:
            from memory_recall.postgres_store import PostgresStore

            version = connection.execute("SHOW server_version").fetchone()[0].split()[0]
            store = PostgresStore(said, "hermes_memory")
            stack.callback(store.close)
            ours, peer = filled(store, texts), plain_postgres(connection, texts)
            measured += rows("PostgreSQL", ours, peer, questions, given.rounds)
    machine = describe(memories=f"{given.memories:,}", PostgreSQL=version)
    print((as_json if given.json else as_table)(machine, measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
