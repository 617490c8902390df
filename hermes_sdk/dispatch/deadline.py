"""Deadlines, and how that of a synchronous callback is kept: it runs in a worker thread, and nobody waits longer.

A thread cannot be stopped, so a late callback is left to itself: it gets a private copy of the mutable arguments that
nobody reads any more, runs on in a daemon thread, and is counted. A plugin with four of them is suspended for a while
(semantics 3.4). Every call has a thread of its own: overlapping calls of a healthy callback are never taken for hung.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.dispatch.failures import missed
from hermes_sdk.dispatch.nesting import copied_context
from hermes_sdk.dispatch.pending import Pending, discard
from hermes_sdk.dispatch.watch import any_copy

if TYPE_CHECKING:
    from hermes_sdk.dispatch.implementation import Implementation

logger = logging.getLogger(__name__)

WentLate = Callable[[], Callable[[], None]]
"""Told that a callback missed its deadline and goes on; gives what to call when it ends after all."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """How long what a callback returned may take, and who is told when it takes longer."""

    seconds: float
    """The deadline of the whole call."""
    left: float
    """What is left of it, in seconds."""
    went_late: WentLate


class Worker(Pending):
    """One call of a synchronous callback in a thread of its own."""

    def __init__(self, impl: Implementation, went_late: WentLate, arguments: dict[str, Any]) -> None:
        super().__init__()
        self._impl = impl
        self._went_late = went_late
        self._shared = arguments
        copies = {id(value): any_copy(value) for value in arguments.values()}  # two names may mean one object
        self._private = {name: copies[id(value)] for name, value in arguments.items()}

    def start(self) -> None:
        """Start the callback, with the caller's context variables."""
        context = copied_context()
        name = f"hermes-hook-{self._impl.plugin}"
        try:
            threading.Thread(target=context.run, args=(self._run,), name=name, daemon=True).start()
        except RuntimeError:  # no thread can be started any more: a hook is fired while the interpreter ends
            context.run(self._run)

    def _run(self) -> None:
        try:
            value = self._impl.call(**self._private)
        except BaseException as error:
            self.settle(False, error)
        else:
            self.settle(True, value)
        self.end()

    def take(self) -> Any:
        """Return what the callback returned, or raise what it raised, once the wait is over.

        Raises:
            DeadlineMissedError: It has not ended; whatever it still does reaches nobody.
        """
        if not self.done.is_set():
            self.when_done(self._went_late())
            self.when_done(self._discard)
            raise missed(self._impl.timeout or 0.0)
        value = self.result()  # or raise: what a failing callback changed stays in its private copy
        self._merge()
        return value

    def _discard(self) -> None:
        if self._outcome is not None:
            discard(self._outcome[1])

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


def with_deadline(impl: Implementation, went_late: WentLate) -> Callable[..., Any]:
    """Return a callable that runs a synchronous callback in a worker and waits no longer than its deadline.

    Args:
        impl: The callback.
        went_late: Called if it does not end then; what it returns is called when it ends after all.
    """

    def call(**arguments: Any) -> Any:
        worker = Worker(impl, went_late, arguments)
        worker.start()
        worker.done.wait(impl.timeout)
        return worker.take()

    return call


def with_async_deadline(impl: Implementation, went_late: WentLate) -> Callable[..., Any]:
    """Return the asynchronous form of `with_deadline`: the event loop goes on while the worker runs."""

    async def call(**arguments: Any) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        worker = Worker(impl, went_late, arguments)
        worker.start()
        worker.when_done(lambda: _notify(loop.call_soon_threadsafe, done.set))
        try:
            async with asyncio.timeout(impl.timeout):
                await done.wait()
        except TimeoutError:
            pass  # `take` says whether it ended after all
        return worker.take()

    return call


def _notify(schedule: Callable[..., Any], wake: Callable[[], None]) -> None:
    try:
        schedule(wake)
    except RuntimeError:
        logger.debug("the event loop of a late callback is closed")
