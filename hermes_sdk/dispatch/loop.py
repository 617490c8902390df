"""The one background event loop on which synchronous hook calls run asynchronous callbacks.

It is started by the first call that needs it, lives in the daemon thread ``hermes-sdk-loop``, and ends at
`manager.shutdown()`; no other thread is left behind (semantics 4.4). asyncio is imported only then. A callback that
blocks the loop keeps it to itself: the others go on on a new one, and the old one ends with what it has.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.awaiting import GRACE
from hermes_sdk.dispatch.background import ON_A_LOOP, Job, LoopThread
from hermes_sdk.dispatch.failures import missed

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from hermes_sdk.dispatch.deadline import Deadline

logger = logging.getLogger(__name__)

_PATIENCE: Final = 1.0
"""How long a loop may take to begin with a job, in seconds, before it is taken for blocked."""


class CallbackLoop:
    """Runs awaitables of callbacks to their end on behalf of synchronous callers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: LoopThread | None = None
        self._replaced: list[LoopThread] = []
        self._warned = False

    def run(self, awaitable: Awaitable[Any], deadline: Deadline | None = None) -> Any:
        """Await `awaitable` on the background loop and return its value, of whatever type.

        Raises:
            DeadlineMissedError: The deadline passed.
            BaseException: Whatever the awaitable raised.
        """
        job = Job(awaitable, deadline)
        try:
            if ON_A_LOOP.get():
                # an asynchronous callback fired a hook synchronously: its loop waits, so it must be another one
                self._wait_on_a_loop_of_its_own(job)
            else:
                self._warn_inside_a_running_loop()
                self._wait(job)
        except KeyboardInterrupt:
            job.cancel()
            raise
        return job.result()

    def _wait(self, job: Job) -> None:
        thread = self._submit(job)
        while thread is not None and not self._ended(job, thread):
            thread = self._replace(thread, job)

    def _ended(self, job: Job, thread: LoopThread) -> bool:
        """Wait for a job; return False where its loop does not get round to it.

        Raises:
            DeadlineMissedError: It blocks its loop, on which its deadline should have been kept.
        """
        if job.done.wait(_PATIENCE):
            return True
        if not job.started:
            return False
        deadline = job.deadline
        if deadline is None:
            job.done.wait()
        elif not job.done.wait(max(0.0, deadline.left + 2 * GRACE - _PATIENCE)):
            job.when_done(deadline.went_late())
            self._replace(thread)
            raise missed(deadline.seconds)
        return True

    def _submit(self, job: Job) -> LoopThread | None:
        """Give a job to the current loop; None where it was done in this thread."""
        with self._lock:
            if self._current is None or not self._current.alive:
                self._current = _new_thread()
            if self._current is not None:
                self._current.submit(job)  # under the lock, so that `stop` cannot come between
                return self._current
        _do_here(job)
        return None

    def _replace(self, thread: LoopThread, job: Job | None = None) -> LoopThread | None:
        """Leave a loop to what blocks it; give `job` to the one that others go on with, and return that."""
        with self._lock:
            if self._current is thread:
                logger.warning("an asynchronous callback blocks its event loop: others go on on a new one")
                thread.end_when_idle()
                self._replaced = [*(old for old in self._replaced if old.alive), thread]
                self._current = None
        return None if job is None else self._submit(job)

    def _wait_on_a_loop_of_its_own(self, job: Job) -> None:
        thread = _new_thread()
        if thread is None:
            _do_here(job)
            return
        thread.submit(job)
        try:
            while not self._ended(job, thread):
                pass
        finally:
            thread.end_when_idle()

    def _warn_inside_a_running_loop(self) -> None:
        import asyncio

        if self._warned:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        self._warned = True
        logger.warning(
            "a hook with asynchronous callbacks was fired synchronously from a thread whose event loop is running: "
            "the loop is blocked meanwhile; await manager.ahook.<hook>(...) instead"
        )

    def stop(self, timeout: float = 5.0) -> None:
        """End the loop and its thread; running callbacks are cancelled.

        Args:
            timeout: How long to wait for the thread, in seconds.
        """
        with self._lock:
            threads = [thread for thread in (self._current, *self._replaced) if thread is not None and thread.alive]
            self._current = None
            self._replaced = []
            for thread in threads:
                thread.end()
        until = time.monotonic() + timeout
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def _new_thread() -> LoopThread | None:
    try:
        return LoopThread()
    except RuntimeError:  # no thread can be started any more: a hook is fired while the interpreter ends
        return None


def _do_here(job: Job) -> None:
    """Do a job in this thread, on an event loop for it alone."""
    import asyncio

    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(job.here())
    finally:
        loop.close()
