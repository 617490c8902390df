"""Pairing: a stranger's code, approved on the machine that the gateway runs on, makes them a known user."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import SessionError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.host.gateway.database import Database
    from hermes_sdk.host.gateway.messages import Source

_ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without 0 and O, 1 and I: people read codes aloud."""
_CODE_LENGTH: Final = 8
CODE_SECONDS: Final = 3600.0
"""How long a code can be approved."""
_ASK_AGAIN: Final = 600.0
"""Seconds in which a stranger who keeps writing gets no second code."""
_MOST_REQUESTS: Final = 50
"""Open requests of one platform; more strangers than that at a time are no visitors."""


@dataclass(frozen=True, slots=True)
class PairingUser:
    """Somebody who asked to be known, or is."""

    platform: str
    user_id: str
    user_name: str
    since: float
    """When they asked, or were approved, as seconds since 1970."""


class Pairing:
    """Requests and known users. For any thread, and for the command line beside a running gateway.

    Args:
        database: Where they are kept; of a code only a digest is.
        clock: Returns seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def knows(self, platform: str, user_id: str) -> bool:
        """Whether a user was approved."""
        with self._database.reading() as connection:
            query = "SELECT 1 FROM paired_users WHERE platform = ? AND user_id = ?"
            return connection.execute(query, (platform, user_id)).fetchone() is not None

    def request(self, source: Source) -> str | None:
        """Return a code for a stranger; None where they got one just now, or too many ask at a time."""
        now = self._clock()
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
        platform, user_id = str(source.platform), source.user_id
        with self._database.writing() as connection:
            connection.execute("DELETE FROM pairing_requests WHERE requested_at <= ?", (now - CODE_SECONDS,))
            asked = connection.execute(
                "SELECT requested_at FROM pairing_requests WHERE platform = ? AND user_id = ?", (platform, user_id)
            ).fetchone()
            if asked is not None and now - asked[0] < _ASK_AGAIN:
                return None
            (open_requests,) = connection.execute(
                "SELECT count(*) FROM pairing_requests WHERE platform = ?", (platform,)
            ).fetchone()
            if asked is None and open_requests >= _MOST_REQUESTS:
                return None
            connection.execute(
                "INSERT OR REPLACE INTO pairing_requests VALUES (?, ?, ?, ?, ?)",
                (platform, user_id, source.user_name, _digest(code), now),
            )
        return code

    def approve(self, code: str) -> PairingUser:
        """Make the user of a code a known one.

        Raises:
            SessionError: No open request has this code.
        """
        now = self._clock()
        with self._database.writing() as connection:
            row = connection.execute(
                "SELECT platform, user_id, user_name FROM pairing_requests WHERE code_digest = ? AND requested_at > ?",
                (_digest(code), now - CODE_SECONDS),
            ).fetchone()
            if row is None:
                raise SessionError(
                    "no pairing request has this code",
                    why=f"it is mistyped, or older than {CODE_SECONDS / 60:.0f} minutes",
                    fix="let the user write again for a new one; `hermes-sdk gateway pair list` shows who asked",
                    code="HS441",
                )
            connection.execute("DELETE FROM pairing_requests WHERE platform = ? AND user_id = ?", row[:2])
            connection.execute("INSERT OR REPLACE INTO paired_users VALUES (?, ?, ?, ?)", (*row, now))
        platform, user_id, user_name = row
        return PairingUser(platform, user_id, user_name, now)

    def revoke(self, platform: str, user_id: str) -> PairingUser:
        """Forget a known user.

        Raises:
            SessionError: No such user is known.
        """
        known = self.users()
        for user in known:
            if (user.platform, user.user_id) == (platform, user_id):
                with self._database.writing() as connection:
                    query = "DELETE FROM paired_users WHERE platform = ? AND user_id = ?"
                    connection.execute(query, (platform, user_id))
                return user
        hint = did_you_mean(f"{platform} {user_id}", [f"{user.platform} {user.user_id}" for user in known])
        raise SessionError(
            f"user {user_id!r} of {platform} is not paired",
            fix=hint or "`hermes-sdk gateway pair list` shows who is",
            code="HS442",
        )

    def users(self) -> list[PairingUser]:
        """Return the known users."""
        return self._listed("SELECT platform, user_id, user_name, approved_at FROM paired_users", 0.0)

    def requests(self) -> list[PairingUser]:
        """Return who asked and can still be approved; their codes are theirs alone."""
        query = "SELECT platform, user_id, user_name, requested_at FROM pairing_requests"
        return self._listed(query, self._clock() - CODE_SECONDS)

    def _listed(self, query: str, after: float) -> list[PairingUser]:
        with self._database.reading() as connection:
            rows = connection.execute(f"{query} ORDER BY platform, user_id").fetchall()
        return [user for user in (PairingUser(*row) for row in rows) if user.since > after]


def _digest(code: str) -> str:
    plain = code.strip().upper().replace("-", "")
    return hashlib.sha256(plain.encode()).hexdigest()
