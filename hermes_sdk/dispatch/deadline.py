"""Keeping a deadline: synchronous callbacks in a worker thread, asynchronous ones by cancelling them.

A thread cannot be stopped, so a late callback is left to itself: it gets a private copy of the mutable arguments that
nobody reads any more, runs on in a daemon thread, and is counted. A plugin with four of them is suspended for a while
(semantics 3.4). Every call has a thread of its own: overlapping calls of a healthy callback are never taken for hung.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.nesting import copied_context
from hermes_sdk.dispatch.watch import deep_copy

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.dispatch.failures import PluginFailures
    from hermes_sdk.dispatch.implementation import Implementation

logger = logging.getLogger(__name__)

MAX_LATE: Final = 4
"""Late callbacks of one plugin at which it is suspended."""


class DeadlineMissedError(TimeoutError):
    """A callback did not return in time."""


class SuspendedError(TimeoutError):
    """The plugin is left out because too many of its callbacks hang."""


def missed(timeout: float) -> DeadlineMissedError:
    """Return the error for a deadline of `timeout` seconds."""
    return DeadlineMissedError(f"missed its deadline of {timeout:g} s")


class Worker:
    """One call of a synchronous callback in a thread of its own."""

    def __init__(self, impl: Implementation, record: PluginFailures, arguments: dict[str, Any]) -> None:
        self._impl = impl
        self._record = record
        self._shared = arguments
        self._private = deep_copy(arguments)
        self._lock = threading.Lock()
        self._outcome: list[Any] = []
        self._late = False
        self._done: list[Callable[[], None]] = []
        self.finished = threading.Event()

    def start(self) -> None:
        """Start the callback, with the caller's context variables.

        Raises:
            SuspendedError: The plugin is suspended, so it was not started.
        """
        if self._record.suspended:
            raise SuspendedError("suspended: too many of its callbacks did not return")
        context = copied_context()
        threading.Thread(
            target=context.run, args=(self._run,), name=f"hermes-hook-{self._impl.plugin}", daemon=True
        ).start()

    def when_done(self, notify: Callable[[], None]) -> None:
        """Call `notify` from the worker's thread when it has finished, at once if it has."""
        with self._lock:
            if not self.finished.is_set():
                self._done.append(notify)
                return
        notify()

    def _run(self) -> None:
        try:
            self._outcome = [True, self._impl.call(**self._private)]
        except BaseException as error:
            self._outcome = [False, error]
        with self._lock:
            self.finished.set()
            waiting, self._done = self._done, []
            if self._late:
                self._record.late -= 1
        for notify in waiting:
            notify()

    def result(self) -> Any:
        """Return what the callback returned, or raise what it raised, once the wait is over.

        Raises:
            DeadlineMissedError: It has not finished; whatever it still does reaches nobody.
        """
        timeout = self._impl.timeout or 0.0
        with self._lock:
            if not self.finished.is_set():
                self._late = True
                self._record.late += 1
                if self._record.late >= MAX_LATE:
                    self._suspend()
                raise missed(timeout)
        succeeded, value = self._outcome
        if not succeeded:
            raise value  # what a failing callback changed stays in its private copy
        self._merge()
        return value

    def _suspend(self) -> None:
        seconds = self._impl.suspend_seconds
        self._record.suspended_until = time.monotonic() + seconds
        logger.warning(
            "plugin %r is suspended for %g s: %d of its callbacks did not return (latest: %s at %s)",
            self._impl.plugin,
            seconds,
            self._record.late,
            self._impl.hook,
            self._impl.place,
        )

    def _merge(self) -> None:
        """Make the changes that the callback made to its private copy in the shared arguments."""
        for name, shared in self._shared.items():
            private = self._private[name]
            if private is shared:
                continue
            if isinstance(shared, dict):
                shared.clear()
                shared.update(private)
            elif isinstance(shared, list):
                shared[:] = private


def with_deadline(impl: Implementation, record: PluginFailures) -> Callable[..., Any]:
    """Return a callable that runs a synchronous callback in a worker and waits no longer than its deadline."""

    def call(**arguments: Any) -> Any:
        worker = Worker(impl, record, arguments)
        worker.start()
        worker.finished.wait(impl.timeout)
        return worker.result()

    return call


def with_async_deadline(impl: Implementation, record: PluginFailures) -> Callable[..., Any]:
    """Return the asynchronous form of `with_deadline`: the event loop goes on while the worker runs."""

    async def call(**arguments: Any) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        worker = Worker(impl, record, arguments)
        worker.start()
        worker.when_done(lambda: _notify(loop.call_soon_threadsafe, done.set))
        try:
            async with asyncio.timeout(impl.timeout):
                await done.wait()
        except TimeoutError:
            pass  # `result` says whether it finished after all
        return worker.result()

    return call


def _notify(schedule: Callable[..., Any], wake: Callable[[], None]) -> None:
    try:
        schedule(wake)
    except RuntimeError:
        logger.debug("the event loop of a late callback is closed")
