"""Stores of memories for tests: one of each kind. PostgreSQL has a database of its own, where it is reachable."""

import atexit
import functools
import os
import uuid
from contextlib import contextmanager

import psycopg
import pytest
from memory_recall.postgres_store import PostgresStore
from memory_recall.sqlite_store import SqliteStore
from psycopg import sql
from psycopg.conninfo import make_conninfo

SERVER = os.environ.get("HERMES_TEST_POSTGRES", "host=127.0.0.1 port=5432 user=postgres dbname=postgres")


@functools.cache
def postgres_address():
    """Make a database for this process and return how to connect; it is dropped at the end."""
    name = f"hermes_sdk_test_{uuid.uuid4().hex[:12]}"
    try:
        with psycopg.connect(SERVER, autocommit=True, connect_timeout=3) as server:
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg.Error as error:
        return str(error).strip().splitlines()[0]
    atexit.register(_drop, name)
    return make_conninfo(SERVER, dbname=name)


def _drop(name):
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def reachable_postgres():
    """Return how to connect to PostgreSQL; skips the test where there is none."""
    address = postgres_address()
    if "dbname=" not in address:
        pytest.skip(f"no PostgreSQL at {SERVER!r} (HERMES_TEST_POSTGRES): {address}")
    return address


@contextmanager
def sqlite(directory):
    """Give a store in a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    store = SqliteStore(lambda: directory)
    yield store
    store.close()


@contextmanager
def postgres(_):
    """Give a store in a schema of its own."""
    store = PostgresStore(reachable_postgres(), f"memory_{uuid.uuid4().hex[:12]}")
    yield store
    store.close()


KINDS = {"sqlite": sqlite, "postgres": postgres}
