"""Awaiting what callbacks return: in place where nothing limits it, in a task of its own where a deadline does.

Two things must not depend on what a callback does with a cancellation. The host's own, which asks the host's task to
end, goes on even if a callback swallows it or raises something else instead. And a deadline is kept: a callback that
does not end when it is cancelled is left to itself.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.failures import missed
from hermes_sdk.dispatch.nesting import CHAIN, copied_context
from hermes_sdk.dispatch.pending import discard

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable

    from hermes_sdk.dispatch.deadline import Deadline
    from hermes_sdk.dispatch.nesting import Link

GRACE: Final = 0.25
"""How long a cancelled callback may take to end, in seconds."""

_OF_THE_HOST: Final = "hermes_cancels_host"
"""Attribute of a `CancelledError` that is addressed to the host's task."""


def is_awaitable(value: object) -> bool:
    """Whether a callback returned something to await; its class decides, as it does for ``await``."""
    return hasattr(type(value), "__await__")


async def awaited(awaitable: Awaitable[Any], link: Link) -> Any:
    """Await in place, in the host's task, and return the value, of whatever type.

    Args:
        awaitable: What a callback returned.
        link: Whose it is: a hook fired in a task that it starts must know that it comes from inside of it.
    """
    task = _current_task()
    before = task.cancelling() if task else 0
    outer = CHAIN.get()
    CHAIN.set((*outer, link))
    try:
        return await awaitable
    finally:
        CHAIN.set(outer)
        if task is not None and task.cancelling() > before:
            raise _cancellation_of_host(sys.exc_info()[1])


async def in_time(awaitable: Awaitable[Any], deadline: Deadline) -> Any:
    """Await with a deadline, in a task of its own, and return the value, of whatever type.

    What does not end when it is cancelled at its deadline goes on in its task, and is reported as late.

    Raises:
        DeadlineMissedError: The deadline passed.
    """
    import asyncio

    outcome: list[Any] = []

    async def settle() -> None:
        # nothing may leave this coroutine: a SystemExit in a task would end the loop
        try:
            outcome.extend((True, await awaitable))
        except BaseException as error:
            outcome.extend((False, error))

    task = asyncio.get_running_loop().create_task(settle(), context=copied_context())
    task.add_done_callback(lambda _: discard(awaitable))
    try:
        await asyncio.wait({task}, timeout=deadline.left)
        returned = task.done()
        if not returned:
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not task.done():
        ended = deadline.went_late()
        task.add_done_callback(lambda _: ended())
    if not returned:
        raise missed(deadline.seconds)
    succeeded, value = outcome
    outcome.clear()  # it would keep an error, that error this frame, and this frame it
    if succeeded:
        return value
    raise value


def is_cancellation_of_host(error: BaseException) -> bool:
    """Whether an exception asks the host's own task to end."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and isinstance(error, asyncio.CancelledError) and _OF_THE_HOST in vars(error)


def _cancellation_of_host(error: BaseException | None) -> BaseException:
    import asyncio

    cancellation = error if isinstance(error, asyncio.CancelledError) else asyncio.CancelledError()
    setattr(cancellation, _OF_THE_HOST, True)
    return cancellation


def _current_task() -> asyncio.Task[Any] | None:
    import asyncio

    try:
        return asyncio.current_task()
    except RuntimeError:  # the host drives its coroutines without asyncio
        return None
