"""Ending a run early: what an interrupt of a session, or the end of the host, holds every run by."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Stop:
    """Asks one run to end, from any thread; a run that starts only afterwards ends at once.

    Args:
        session_id: The session that the run is for.
    """

    def __init__(self, session_id: str = "") -> None:
        self.session_id = session_id
        self._lock = threading.Lock()
        self._callback: Callable[[], None] | None = None
        self._asked = False

    @property
    def asked(self) -> bool:
        """Whether the run was asked to end."""
        return self._asked

    def ask(self) -> None:
        """Ask it to end."""
        with self._lock:
            self._asked = True
            if self._callback is not None:
                self._callback()

    def when_asked(self, callback: Callable[[], None] | None) -> None:
        """Have a function called when it is asked, in place of the one before; at once where it was asked already.

        After `when_asked(None)` returned, the function before is neither running nor called any more.
        """
        with self._lock:
            self._callback = callback
            if self._asked and callback is not None:
                callback()


class Stops:
    """The stops of everything that runs for one host."""

    def __init__(self) -> None:
        self._running: set[Stop] = set()
        self._lock = threading.Lock()

    def add(self, stop: Stop) -> None:
        """Note that a run begins."""
        with self._lock:
            self._running.add(stop)

    def remove(self, stop: Stop) -> None:
        """Note that a run has ended."""
        with self._lock:
            self._running.discard(stop)

    def ask(self, session_id: str | None = None) -> int:
        """Ask every run to end, or those of one session, and return how many there were."""
        with self._lock:
            found = [stop for stop in self._running if session_id in (None, stop.session_id)]
        for stop in found:
            stop.ask()
        return len(found)
