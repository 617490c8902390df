"""Slow work off the agent's path: a bounded queue for each plugin, emptied before the host ends."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

QUEUE_LIMIT: Final = 1_000
FLUSH_SECONDS: Final = 10.0

_Job = tuple["Callable[..., Any]", tuple[Any, ...], dict[str, Any]]


class BackgroundQueue:
    """`ctx.background`: runs jobs one after another in a thread of its own.

    The thread lives while there is work, so an idle plugin has none. A job that fails is counted as any other
    failure of the plugin; what it returns is ignored.

    Args:
        plugin: Whose jobs.
        run: How to run a job contained: `manager.call_isolated`.
        limit: How many jobs may wait.
    """

    def __init__(self, plugin: str, run: Callable[..., tuple[Any, str | None]], *, limit: int = QUEUE_LIMIT) -> None:
        self.dropped = 0
        """How many jobs were refused because the queue was full or closed."""
        self._plugin = plugin
        self._run = run
        self._limit = limit
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._closed = False

    @property
    def pending(self) -> int:
        """How many jobs wait or run."""
        with self._changed:
            return len(self._jobs) + (self._worker is not None)

    def submit(self, job: Callable[..., Any], /, *args: Any, **kwargs: Any) -> bool:
        """Queue a job, synchronous or asynchronous, and return whether there was room.

        Args:
            job: What to call.
            args: Its positional arguments, of whatever types it takes.
            kwargs: Its keyword arguments.
        """
        with self._changed:
            if self._closed or len(self._jobs) >= self._limit:
                self.dropped += 1
                if self.dropped == 1:
                    reason = "is closed" if self._closed else f"holds {self._limit} jobs already"
                    logger.warning("plugin %r: background work is dropped, its queue %s", self._plugin, reason)
                return False
            self._jobs.append((job, args, kwargs))
            if self._worker is None:
                self._worker = threading.Thread(
                    target=self._work, name=f"hermes-sdk-background-{self._plugin}", daemon=True
                )
                self._worker.start()
            return True

    def flush(self, timeout: float = FLUSH_SECONDS) -> bool:
        """Wait until everything queued is done and return whether that was in time.

        Args:
            timeout: How long to wait, in seconds.
        """
        if threading.current_thread() is self._worker:
            return False  # a job that waits for itself
        deadline = time.monotonic() + timeout
        with self._changed:
            while self._worker is not None:
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    return False
        return True

    def close(self, timeout: float = FLUSH_SECONDS) -> None:
        """Take no more jobs, wait for those that are queued, and say what was left over.

        Args:
            timeout: How long to wait, in seconds.
        """
        with self._changed:
            self._closed = True
        if not self.flush(timeout) and threading.current_thread() is not self._worker:
            logger.warning("plugin %r: %d background jobs are given up", self._plugin, self.pending)
            with self._changed:
                self._jobs.clear()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._worker = None
                    self._changed.notify_all()
                    return
                job, args, kwargs = self._jobs.popleft()
            try:
                self._run(self._plugin, "background work", job, *args, **kwargs)
            except BaseException:  # a KeyboardInterrupt raised by the job: nobody is there to take it
                logger.exception("plugin %r: background work was interrupted", self._plugin)
