"""Whose memory is meant. A memory is only ever read under the scope that it was stored under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LOCAL_PLATFORMS: Final = frozenset({"", "cli", "tui"})
"""Surfaces of the machine's own user; every other one is a chat that many people can reach."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of memories."""

    platform: str
    owner: str

    @property
    def key(self) -> str:
        """Both parts as one text, in which neither can pass for the other."""
        return f"{len(self.platform)}:{self.platform}:{self.owner}"


LOCAL: Final = Scope("local", "")


def scope_of(platform: str | None, sender_id: str | None, session_id: str | None) -> Scope:
    """Return the scope of a session: its user, or the session alone where the host names nobody.

    Args:
        platform: Surface of the session, as the hooks name it.
        sender_id: Who writes; empty on local surfaces, and everywhere on hosts that do not tell.
        session_id: The session.
    """
    surface = (platform or "").lower()
    if surface in LOCAL_PLATFORMS:
        return LOCAL
    return Scope(surface, sender_id) if sender_id else Scope("session", session_id or "")
