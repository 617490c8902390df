"""Windows of time, as a policy writes them: ``mon-fri 09:00-18:00 Europe/Berlin``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS: Final = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)-([01]?\d|2[0-4]):([0-5]\d)")
_FORM: Final = "write days, hours and a zone, each where needed: mon-fri 09:00-18:00 Europe/Berlin"


@dataclass(frozen=True, slots=True)
class Window:
    """Hours of some days of the week."""

    days: frozenset[int]
    """0 is Monday: the day on which the window opens."""
    opens: time
    closes: time
    zone: ZoneInfo | None
    """None: the machine's own."""

    @classmethod
    def parse(cls, text: str) -> Window:
        """Read a window.

        Raises:
            ValueError: It is none; says how to write one.
        """
        return _parsed(text)

    def holds(self, moment: datetime) -> bool:
        """Whether an aware moment is inside; hours past midnight belong to the day before."""
        here = moment.astimezone(self.zone)
        clock = here.time().replace(tzinfo=None)
        if self.opens < self.closes:
            return here.weekday() in self.days and self.opens <= clock < self.closes
        yesterday = (here - timedelta(days=1)).weekday()
        return (here.weekday() in self.days and clock >= self.opens) or (yesterday in self.days and clock < self.closes)


@lru_cache(maxsize=256)
def _parsed(text: str) -> Window:
    days: frozenset[int] = frozenset(range(7))
    opens = closes = time(0)
    zone = None
    parts = text.split()
    if not parts:
        raise ValueError(_FORM)
    for place, part in enumerate(parts):
        hours = _HOURS.fullmatch(part)
        if hours is not None:
            opens, closes = _clock(hours[1], hours[2]), _clock(hours[3], hours[4])
        elif place == 0 and part[:3].lower() in DAYS:
            days = _days(part.lower())
        elif place == len(parts) - 1 and place > 0:
            zone = _zone(part)
        else:
            raise ValueError(_FORM)
    return Window(days, opens, closes, zone)


def _clock(hour: str, minute: str) -> time:
    if int(hour) == 24:  # noqa: PLR2004 - the end of a day
        return time(0)
    return time(int(hour), int(minute))


def _days(text: str) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first not in DAYS or (last and last not in DAYS):
            raise ValueError(f"days are {', '.join(DAYS)}")
        start, end = DAYS.index(first), DAYS.index(last or first)
        found |= {day % 7 for day in range(start, end + 1 if end >= start else end + 8)}
    return frozenset(found)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"there is no time zone {name!r}: write one such as Europe/Berlin or UTC") from None
