"""Work that is off the agent's path: one after another in a thread of its own, drained when the host ends."""

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
"""Pieces of work that may wait; beyond that the oldest is dropped."""


class BackgroundRuns:
    """A bounded queue with one worker thread, which exists only while there is work."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._working = False
        self._closed = False
        self.dropped = 0
        """How many were dropped because the queue was full, or the host ended."""

    def put(self, work: Callable[[], None]) -> bool:
        """Add work; return False where the oldest had to go for it. After `close` it is done here and now."""
        with self._changed:
            if not self._closed:
                kept = len(self._waiting) < LIMIT
                if not kept:
                    self._waiting.popleft()
                    self.dropped += 1
                self._waiting.append(work)
                if not self._working:
                    self._working = True
                    threading.Thread(target=self._serve, name="hermes-hook-background", daemon=True).start()
                return kept
        _do(work)
        return True

    def _serve(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._working = False
                    self._changed.notify_all()
                    return
                work = self._waiting.popleft()
            _do(work)

    def close(self, timeout: float) -> None:
        """Wait until everything is done, `timeout` seconds at most; what still waits then is dropped."""
        deadline = time.monotonic() + timeout
        with self._changed:
            self._closed = True
            while self._working and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            if self._waiting:
                logger.warning("%d background runs are dropped: the host ends", len(self._waiting))
                self.dropped += len(self._waiting)
                self._waiting.clear()


def _do(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:
        logger.exception("a background run failed")
