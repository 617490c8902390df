"""A clock that a test moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

START: Final = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""What it shows first."""


class Clock:
    """Shows a time until it is told another one. Calling it gives seconds since 1970, as ``time.time()`` does."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return seconds since 1970."""
        return self.now.timestamp()

    def advance(self, seconds: float = 0, **more: float) -> None:
        """Let time pass.

        Args:
            seconds: How long.
            more: ``minutes``, ``hours``, ``days``, as `datetime.timedelta` takes them.
        """
        self.now += timedelta(seconds=seconds, **more)

    def set(self, now: datetime) -> None:
        """Show another time.

        Raises:
            ValueError: It has no time zone.
        """
        if now.tzinfo is None:
            raise ValueError("give the time with a time zone: datetime(2026, 1, 15, tzinfo=UTC)")
        self.now = now
