"""``<home>/gateway-received.db``: which signed requests were taken. A signature is good once, also after a restart."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

DATABASE_NAME: Final = "gateway-received.db"
_WAIT_FOR_OTHERS: Final = 10.0

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS received (
    route TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    signature TEXT NOT NULL UNIQUE,
    signed_at REAL NOT NULL,
    PRIMARY KEY (route, delivery_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS received_by_age ON received (signed_at);
"""


class ReceivedRequests:
    """Remembers requests for as long as their timestamps would let them in again.

    A request is known by its id on its route, and by its signature wherever it comes in: the signature says nothing of
    the route, so that a route that was given another name would otherwise take an old request again.

    Args:
        home: The home that the file is in.
        kept: Seconds behind its timestamp for which a request is remembered.

    Raises:
        SessionError: The file cannot be opened.
    """

    def __init__(self, home: Path, kept: float) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        path = home / DATABASE_NAME
        try:
            home.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=_WAIT_FOR_OTHERS, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise SessionError(
                "received webhooks cannot be remembered",
                where=str(path),
                why=str(error),
                fix="put the file aside; a new one is made",
                code="HS440",
            ) from error

    def _prepare(self) -> None:
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.Error:
            self._connection.close()
            raise

    def knows(self, route: str, delivery_id: str, signature: str) -> bool:
        """Whether a request was taken before."""
        query = "SELECT 1 FROM received WHERE (route = ? AND delivery_id = ?) OR signature = ?"
        with self._lock:
            return self._connection.execute(query, (route, delivery_id, signature)).fetchone() is not None

    def remember(self, route: str, delivery_id: str, signature: str, signed_at: float, now: float) -> None:
        """Keep a request that was taken, and forget those that are too old to be taken again.

        Args:
            route: The route.
            delivery_id: Its id there.
            signature: Of its body.
            signed_at: Its timestamp, in seconds since 1970.
            now: The time, in seconds since 1970.
        """
        with self._lock:
            self._connection.execute("DELETE FROM received WHERE signed_at < ?", (now - self._kept,))
            self._connection.execute(
                "INSERT OR IGNORE INTO received VALUES (?, ?, ?, ?)", (route, delivery_id, signature, signed_at)
            )

    def __len__(self) -> int:
        """Requests that are remembered."""
        with self._lock:
            (found,) = self._connection.execute("SELECT count(*) FROM received").fetchone()
        return int(found)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
