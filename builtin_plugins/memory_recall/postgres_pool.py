"""A few connections to PostgreSQL that are kept, because each costs the server a process."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from .store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_KEPT: Final = 4
_CONNECT_SECONDS: Final = 5
_STATEMENT_SECONDS: Final = 30
_AGAIN_SECONDS: Final = 30.0
"""After a failure to connect no turn waits for another one so long."""


class Pool:
    """Connections to one database. Safe to use from several threads, and after a fork.

    Args:
        address: How to connect, as libpq takes it.
        prepare: Makes a new connection ready.
    """

    def __init__(self, address: str, prepare: Callable[[psycopg.Connection[Any]], None]) -> None:
        self._address = address
        self._prepare = prepare
        self._idle: list[psycopg.Connection[Any]] = []
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._failed: tuple[float, str] | None = None
        self.where = _where(address)
        """Host, port and database, for messages: never the password."""

    @contextlib.contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Lend a connection.

        Raises:
            StoreError: The database cannot be reached, or refuses what is asked.
        """
        connection = self._taken()
        try:
            yield connection
        except psycopg.Error as error:
            raise StoreError(f"PostgreSQL at {self.where}: {_first_line(error)}") from error
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close the connections that nobody has."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _taken(self) -> psycopg.Connection[Any]:
        while True:
            with self._lock:
                if self._process != os.getpid():  # the parent's connections are the parent's
                    self._idle, self._process = [], os.getpid()
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._made()
            try:
                connection.execute("SELECT 1")  # the server may have been started anew
            except psycopg.Error:
                connection.close()
            else:
                return connection

    def _made(self) -> psycopg.Connection[Any]:
        failed = self._failed
        if failed is not None and time.monotonic() - failed[0] < _AGAIN_SECONDS:
            raise StoreError(failed[1])
        try:
            connection = psycopg.connect(
                self._address,
                autocommit=True,
                connect_timeout=_CONNECT_SECONDS,
                prepare_threshold=None,  # a plan that was made for one word is bad for another
                options=f"-c statement_timeout={_STATEMENT_SECONDS}s",
                application_name="hermes-sdk memory_recall",
            )
        except psycopg.Error as error:
            said = f"PostgreSQL at {self.where} cannot be reached: {_first_line(error)}"
            self._failed = (time.monotonic(), said)
            raise StoreError(said) from error
        self._failed = None
        try:
            self._prepare(connection)
        except BaseException as error:
            connection.close()
            if isinstance(error, psycopg.Error):
                raise StoreError(f"PostgreSQL at {self.where}: {_first_line(error)}") from error
            raise
        return connection

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            if idle and not connection.closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close()


def _where(address: str) -> str:
    try:
        parts = conninfo_to_dict(address)
    except psycopg.ProgrammingError:
        # what libpq says about it shows it, password and all
        raise StoreError("the address of PostgreSQL cannot be read; write postgresql://user@host/database") from None
    if any("@" in str(parts.get(part, "")) for part in ("host", "port", "dbname")):
        raise StoreError("the address of postgresql has a second @; write %40 and %2F for @ and / in the password")
    host = parts.get("host") or os.environ.get("PGHOST") or "the local socket"
    port = parts.get("port") or os.environ.get("PGPORT") or 5432
    return f"{host}:{port}, database {parts.get('dbname') or os.environ.get('PGDATABASE') or 'of the user'}"


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
