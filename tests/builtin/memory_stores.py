"""Stores of memories for tests: one of each kind."""

from contextlib import contextmanager

from memory_recall.sqlite_store import SqliteStore


@contextmanager
def sqlite(directory):
    """Give a store in a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    yield SqliteStore(lambda: directory)


KINDS = {"sqlite": sqlite}
