"""``<home>/gateway-received.db``: which signed requests were taken. A signature is good once, also after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_sdk.host.gateway.sqlite_file import SqliteFile

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

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


class ReceivedRequests(SqliteFile):
    """Remembers requests for as long as their timestamps would let them in again.

    A request is known by its id on its route, and by its signature wherever it comes in: the signature says nothing of
    the route, so that a route that was given another name would otherwise take an old request again.

    Args:
        home: The home that the file is in.
        kept: Seconds behind its timestamp for which a request is remembered.

    Raises:
        SessionError: The file cannot be opened.
    """

    NAME = "gateway-received.db"
    WHAT = "the list of received webhooks"

    def __init__(self, home: Path, kept: float) -> None:
        self._kept = kept
        super().__init__(home)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.executescript(_SCHEMA)

    def knows(self, route: str, delivery_id: str, signature: str) -> bool:
        """Whether a request was taken before."""
        query = "SELECT 1 FROM received WHERE (route = ? AND delivery_id = ?) OR signature = ?"
        with self.reading() as connection:
            return connection.execute(query, (route, delivery_id, signature)).fetchone() is not None

    def remember(self, route: str, delivery_id: str, signature: str, signed_at: float, now: float) -> None:
        """Keep a request that was taken, and forget those that are too old to be taken again.

        Args:
            route: The route.
            delivery_id: Its id there.
            signature: Of its body.
            signed_at: Its timestamp, in seconds since 1970.
            now: The time, in seconds since 1970.
        """
        with self.writing() as connection:
            connection.execute("DELETE FROM received WHERE signed_at < ?", (now - self._kept,))
            connection.execute(
                "INSERT OR IGNORE INTO received VALUES (?, ?, ?, ?)", (route, delivery_id, signature, signed_at)
            )

    def __len__(self) -> int:
        """Requests that are remembered."""
        with self.reading() as connection:
            (found,) = connection.execute("SELECT count(*) FROM received").fetchone()
        return int(found)
