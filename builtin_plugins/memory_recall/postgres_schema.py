"""The tables of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from psycopg import errors, sql

from .store import StoreError
from .words import ALIKE

if TYPE_CHECKING:
    import psycopg

VERSION: Final = 1
_LOCK: Final = 5_217_094_311
"""Of the advisory lock under which tables are made; any number that nobody else has."""

_TABLES: Final = """
CREATE TABLE rooms (
    id serial PRIMARY KEY, key text COLLATE "C" NOT NULL UNIQUE, held integer NOT NULL DEFAULT 0
);
CREATE TABLE memories (
    id bigserial PRIMARY KEY,
    room integer NOT NULL,
    person text COLLATE "C" NOT NULL,
    session text NOT NULL,
    note boolean NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    digest bytea NOT NULL,
    created double precision NOT NULL,
    uses integer NOT NULL DEFAULT 0,
    UNIQUE (room, digest)
);
CREATE INDEX memories_by_age ON memories (room, note, id);
CREATE INDEX memories_by_person ON memories (person, id);
CREATE INDEX memories_by_word ON memories USING gin (words) WITH (fastupdate = off);
CREATE TABLE words (
    room integer NOT NULL, word text COLLATE "C" NOT NULL, held integer NOT NULL, PRIMARY KEY (room, word)
);
CREATE INDEX words_by_part ON words USING gin (word gin_trgm_ops) WITH (fastupdate = off);
CREATE TABLE about (version integer NOT NULL);
"""


def prepare(connection: psycopg.Connection[Any], schema: str) -> None:
    """Make a connection ready, and the tables where they are not there, also when several gateways do so at once.

    Raises:
        StoreError: The tables are of a later version, or trigrams are not to be had.
    """
    name = sql.Identifier(schema)
    connection.execute(sql.SQL("SET search_path = {}, public").format(name))
    if not _is_there(connection, schema):
        # taken before the transaction begins, which then sees what whoever had it made
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        try:
            with connection.transaction():
                if not _is_there(connection, schema):
                    _make(connection, name)
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
    version = connection.execute("SELECT version FROM about").fetchone()
    if version is None or version[0] != VERSION:
        raise StoreError(f"the schema {schema} was made by another version of the plugin; use that one")
    connection.execute("SELECT set_config('pg_trgm.similarity_threshold', %s, false)", (str(ALIKE),))


def _is_there(connection: psycopg.Connection[Any], schema: str) -> bool:
    row = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (f'"{schema}".about',)).fetchone()
    return row == (True,)


def _make(connection: psycopg.Connection[Any], name: sql.Identifier) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")
    except (errors.InsufficientPrivilege, errors.UndefinedFile, errors.FeatureNotSupported) as error:
        raise StoreError(
            f"the extension pg_trgm cannot be made ({str(error).splitlines()[0]}); ask who keeps the database for "
            "`CREATE EXTENSION pg_trgm`"
        ) from error
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
    connection.execute(_TABLES)
    connection.execute("INSERT INTO about VALUES (%s)", (VERSION,))
