"""Isolation: nothing that a plugin does in its own call ends the host (semantics 3.1).

The guard decides what is contained (every BaseException) and what is not (KeyboardInterrupt, and the cancellation of
the host's own task), and says once what went wrong.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from hermes_sdk.dispatch.deadline import SuspendedError, with_async_deadline, with_deadline
from hermes_sdk.dispatch.failures import FailureLog, describe
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

    def failed(self, impl: Implementation, error: BaseException) -> str:
        """Contain a failure of `impl` and return it as text.

        Raises:
            BaseException: `error` itself, where it is not the plugin's to swallow.
        """
        if must_propagate(error):
            raise error
        level = logging.ERROR if impl.fail_closed else logging.WARNING
        if isinstance(error, SuspendedError) and not self.log.once(impl.plugin, impl.hook, "suspended"):
            return describe(error)  # the suspension itself was logged; every skipped call would be noise
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
        if impl.asynchronous:
            run, callback, timeout = self.loop.run, impl.call, impl.timeout
            return lambda **arguments: run(callback(**arguments), timeout)
        if impl.in_worker:
            return with_deadline(impl, self.log.of(impl.plugin))
        return impl.call

    def asynchronous(self, impl: Implementation) -> Callable[..., Any]:
        """Return what an asynchronous call calls for `impl`."""
        if impl.in_worker:
            return with_async_deadline(impl, self.log.of(impl.plugin))
        return impl.call


def must_propagate(error: BaseException) -> bool:
    """Whether an exception is addressed to the host: Ctrl-C, or the cancellation of its own task."""
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        return True
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0
