"""Isolation: nothing that a plugin does in its own call ends the host (semantics 3.1).

The guard decides what is contained (every BaseException) and what is not (KeyboardInterrupt, and the cancellation of
the host's own task), and says once what went wrong.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from hermes_sdk.dispatch.awaiting import in_time, is_awaitable, is_cancellation_of_host
from hermes_sdk.dispatch.deadline import Deadline, with_async_deadline, with_deadline
from hermes_sdk.dispatch.failures import FailureLog, SuspendedError, describe
from hermes_sdk.dispatch.loop import CallbackLoop

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hermes_sdk.dispatch.implementation import Implementation

logger = logging.getLogger(__name__)


class Guard:
    """Contains and counts the failures of one manager's plugins, and bridges synchronous and asynchronous calls."""

    def __init__(self) -> None:
        self.log = FailureLog()
        self.loop = CallbackLoop()
        self.running: list[None] = []
        """A mark for each hook call under way, and for each late callback: a hook fired meanwhile may be nested."""

    def failed(self, impl: Implementation, error: BaseException) -> str:
        """Contain a failure of `impl` and return it as text.

        Raises:
            BaseException: `error` itself, where it is not the plugin's to swallow.
        """
        if must_propagate(error):
            raise error
        level = logging.ERROR if impl.fail_closed else logging.WARNING
        if isinstance(error, SuspendedError):
            return describe(error)  # the suspension itself was logged and counted; every skipped call would be noise
        return self.log.record(impl.plugin, impl.hook, error, impl.place, level=level)

    def ignored(self, impl: Implementation, problem: str) -> None:
        """Say once for each implementation and kind of problem, the text up to a colon, that an answer is no use."""
        if self.log.once(impl.plugin, impl.hook, impl.place, problem.partition(":")[0]):
            logger.warning(
                "plugin %r: its answer to %s at %s is ignored: %s",
                impl.plugin,
                impl.hook,
                impl.place,
                problem,
            )

    def synchronous(self, impl: Implementation) -> Callable[..., Any]:
        """Return what a synchronous call calls for `impl`: the callback itself where nothing stands between."""
        if impl.timeout is not None:
            return self._unless_suspended(impl, self._in_time(impl, impl.timeout))
        if impl.asynchronous:
            run, callback = self.loop.run, impl.call
            return self._unless_suspended(impl, lambda **arguments: run(callback(**arguments)))
        return self._unless_suspended(impl, impl.call)

    def asynchronous(self, impl: Implementation) -> Callable[..., Any]:
        """Return what an asynchronous call calls for `impl`."""
        if impl.notes.asynchronous is not None:
            return impl.notes.asynchronous
        if impl.timeout is not None:
            return self._unless_suspended(impl, self._async_in_time(impl, impl.timeout))
        return self._unless_suspended(impl, impl.call)

    def _in_time(self, impl: Implementation, timeout: float) -> Callable[..., Any]:
        """Return the callback with a deadline, for what it does itself and what it returns to await together."""
        work = with_deadline(impl, lambda: self._went_late(impl)) if impl.in_worker else impl.call

        def call(**arguments: Any) -> Any:
            started = time.monotonic()
            value = work(**arguments)
            if value is None or not is_awaitable(value):
                return value
            return self.loop.run(value, self._rest_of(timeout, started, impl))

        return call

    def _async_in_time(self, impl: Implementation, timeout: float) -> Callable[..., Any]:
        work = with_async_deadline(impl, lambda: self._went_late(impl)) if impl.in_worker else None
        callback = impl.call

        async def call(**arguments: Any) -> Any:
            started = time.monotonic()
            value = callback(**arguments) if work is None else await work(**arguments)
            if value is None or not is_awaitable(value):
                return value
            return await in_time(value, self._rest_of(timeout, started, impl))

        return call

    def _rest_of(self, timeout: float, started: float, impl: Implementation) -> Deadline:
        left = max(0.0, timeout - (time.monotonic() - started))
        return Deadline(timeout, left, lambda: self._went_late(impl))

    def _went_late(self, impl: Implementation) -> Callable[[], None]:
        """Count a callback that missed its deadline and goes on; return what to call when it ends after all."""
        no_longer_late = self.log.went_late(impl)
        self.running.append(None)  # what it fires from now on still comes from inside of it

        def ended() -> None:
            self.running.pop()
            no_longer_late()

        return ended

    def refuse_suspended(self, plugin: str) -> None:
        """Raise where a plugin is left out at the moment.

        Raises:
            SuspendedError: It is.
        """
        if self.log.is_suspended(plugin):
            raise SuspendedError("suspended: too many of its callbacks did not return")

    def _unless_suspended(self, impl: Implementation, usual: Callable[..., Any]) -> Callable[..., Any]:
        """Return the way to a callback; for a plugin that is suspended, one that looks whether it still is."""
        if not self.log.is_suspended(impl.plugin):
            return usual

        def call(**arguments: Any) -> Any:
            self.refuse_suspended(impl.plugin)
            self.log.when_suspended()  # no longer: have the usual way taken again
            return usual(**arguments)

        return call


def must_propagate(error: BaseException) -> bool:
    """Whether an exception is addressed to the host: Ctrl-C, the cancellation of its task, the end of its coroutine."""
    if isinstance(error, GeneratorExit):
        # closing a coroutine raises at its `await`, without a frame of a callback behind that
        return error.__traceback__ is None or error.__traceback__.tb_next is None
    return isinstance(error, KeyboardInterrupt) or is_cancellation_of_host(error)
