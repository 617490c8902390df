"""A notice: what a person is told, as plain, short text without secrets."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import Final, Literal

from hermes_sdk.masking import redact

LONGEST: Final = 300
"""Characters of a text; desktops show less than that."""
_READ: Final = 10_000
"""Characters that are looked at: masking comes before cutting, and a command may be megabytes."""
_UNSEEN: Final = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Colours, control characters, and what turns the order of letters round: a command must be read as it is."""

Event = Literal["approval_requested", "turn_running", "turn_finished"]


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person is told."""

    event: Event
    title: str
    text: str
    session: str = ""
    """The session or chat that it is about."""
    urgent: bool = False
    """Whether somebody waits for an answer: it stays until it is answered."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


def shown(text: str) -> str:
    """Return text as a notice may hold it: secrets masked, one space for what nobody sees, cut."""
    seen = redact(_UNSEEN.sub(" ", text[:_READ]).strip())
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 1].rstrip() + "…"


def duration(seconds: float) -> str:
    """Return a length of time in words: ``45 s``, ``3 min``, ``2 h 5 min``."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours == 0 and minutes <= 1:
        return f"{whole} s"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
