"""The one background event loop on which synchronous hook calls run asynchronous callbacks.

It is started by the first call that needs it, lives in the daemon thread ``hermes-sdk-loop``, and ends at
`manager.shutdown()`; no other thread is left behind (semantics 4.4). asyncio is imported only then.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.deadline import missed
from hermes_sdk.dispatch.nesting import copied_context

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future

logger = logging.getLogger(__name__)

THREAD_NAME: Final = "hermes-sdk-loop"
_GRACE: Final = 1.0


class CallbackLoop:
    """Runs awaitables of callbacks to their end on behalf of synchronous callers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._warned = False

    def run(self, awaitable: Awaitable[Any], timeout: float | None = None) -> Any:
        """Await `awaitable` on the background loop and return its value, of whatever type.

        Args:
            awaitable: What a callback returned.
            timeout: Deadline in seconds; the awaitable is cancelled when it passes.

        Raises:
            TimeoutError: The deadline passed.
            BaseException: Whatever the awaitable raised.
        """
        if threading.current_thread() is self._thread:
            # an asynchronous callback fired a hook synchronously: waiting here would stop the loop it waits for
            return self._in_helper_thread(awaitable, timeout)
        self._warn_inside_a_running_loop()
        # one that swallows its cancellation, or blocks the loop, is waited for a moment longer and then left
        patience = None if timeout is None else timeout + _GRACE
        future = self._submit(awaitable, timeout)
        try:
            return future.result(patience)
        except TimeoutError:
            if timeout is None or future.done():  # it is the awaitable's own
                raise
            raise missed(timeout) from None

    def _submit(self, awaitable: Awaitable[Any], timeout: float | None) -> Future[Any]:
        from concurrent.futures import Future

        future: Future[Any] = Future()
        context = copied_context()

        async def settle() -> None:
            # nothing may leave this coroutine: a SystemExit in a task would end the loop's thread for everybody
            try:
                value = await within(awaitable, timeout)
            except BaseException as error:
                _settle(future.set_exception, error)
            else:
                _settle(future.set_result, value)

        loop = self._running_loop()
        tasks = set()

        def start() -> None:
            task = loop.create_task(settle(), context=context)
            tasks.add(task)  # asyncio keeps only a weak reference
            task.add_done_callback(tasks.discard)

        loop.call_soon_threadsafe(start)
        return future

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._serve, args=(self._loop,), name=THREAD_NAME, daemon=True)
                self._thread.start()
            return self._loop

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        import asyncio

        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(loop.shutdown_asyncgens())
            while pending := asyncio.all_tasks(loop):
                loop.run_until_complete(asyncio.wait(pending))
        finally:
            loop.close()

    def _in_helper_thread(self, awaitable: Awaitable[Any], timeout: float | None) -> Any:
        import asyncio

        outcome: list[Any] = []
        context = copied_context()

        def target() -> None:
            try:
                outcome.extend((True, asyncio.run(within(awaitable, timeout))))
            except BaseException as error:
                outcome.extend((False, error))

        thread = threading.Thread(target=context.run, args=(target,), name="hermes-sdk-helper", daemon=True)
        thread.start()
        thread.join()
        succeeded, value = outcome
        if succeeded:
            return value
        raise value

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
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout)


def is_awaitable(value: object) -> bool:
    """Whether a callback returned something to await; its class decides, as it does for ``await``."""
    return hasattr(type(value), "__await__")


async def within(awaitable: Awaitable[Any], timeout: float | None) -> Any:  # noqa: ASYNC109 - it is what this adds
    """Await with a deadline in seconds (None: without), in this task, and return the value, of whatever type.

    Raises:
        DeadlineMissedError: The deadline passed; the awaitable was cancelled.
    """
    import asyncio

    if timeout is None:
        return await awaitable
    scope = asyncio.timeout(timeout)
    try:
        async with scope:
            return await awaitable
    except TimeoutError as error:
        raise missed(timeout) if scope.expired() else error from None


def _settle(setter: Callable[[Any], None], value: Any) -> None:
    from concurrent.futures import InvalidStateError

    with contextlib.suppress(InvalidStateError):  # the waiting caller was interrupted
        setter(value)
