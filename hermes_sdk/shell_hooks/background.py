"""Runs that are off the agent's path: one after another in a thread of their own, drained when the host ends."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

LIMIT: Final = 1000
"""Runs that may wait; beyond that the oldest is dropped."""


class BackgroundRuns:
    """A bounded queue with one worker thread, which exists only while there is work."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._working = False
        self.dropped = 0
        """How many runs were dropped because the queue was full."""

    def put(self, work: Callable[[], None]) -> bool:
        """Add a run; return False where the oldest one had to go for it."""
        with self._lock:
            kept = len(self._waiting) < LIMIT
            if not kept:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append(work)
            if not self._working:
                self._working = True
                threading.Thread(target=self._serve, name="hermes-hook-background", daemon=True).start()
            return kept

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._working = False
                    self._idle.notify_all()
                    return
                work = self._waiting.popleft()
            try:
                work()
            except Exception:
                logger.exception("a background run failed")

    def close(self, timeout: float) -> None:
        """Wait until everything ran, `timeout` seconds at most; what still waits then is dropped."""
        deadline = time.monotonic() + timeout
        with self._lock:
            while self._working and self._idle.wait(max(deadline - time.monotonic(), 0.0)):
                pass
            if self._waiting:
                logger.warning("%d background runs are dropped: the host ends", len(self._waiting))
                self.dropped += len(self._waiting)
                self._waiting.clear()
