"""An event loop in a daemon thread, and the jobs that synchronous callers give it."""

from __future__ import annotations

import contextlib
import logging
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.awaiting import GRACE, in_time
from hermes_sdk.dispatch.failures import describe
from hermes_sdk.dispatch.nesting import copied_context
from hermes_sdk.dispatch.pending import Pending, discard

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from hermes_sdk.dispatch.deadline import Deadline

logger = logging.getLogger(__name__)

THREAD_NAME: Final = "hermes-sdk-loop"

ON_A_LOOP: ContextVar[bool] = ContextVar("hermes_on_a_loop", default=False)
"""Whether this code descends from a job: the loop may be waiting for it, so it must not wait for the loop."""


class Job(Pending):
    """One awaitable that a synchronous caller waits for."""

    def __init__(self, awaitable: Awaitable[Any], deadline: Deadline | None) -> None:
        super().__init__()
        self.deadline = deadline
        self._awaitable = awaitable
        self._claim = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._context = copied_context()
        self._context.run(ON_A_LOOP.set, True)

    @property
    def started(self) -> bool:
        """Whether a loop has begun with it."""
        return self._claim.locked()

    def start(self) -> None:
        """Begin, in the thread of the running loop; of several loops that it was given to only the first does."""
        import asyncio

        if self._claim.acquire(blocking=False):
            self._task = asyncio.get_running_loop().create_task(self._await(), context=self._context)
            self._task.add_done_callback(self._ended)

    async def _await(self) -> None:
        # nothing may leave this coroutine: a SystemExit in a task would end the loop
        try:
            if self.deadline is None:
                value = await self._awaitable
            else:
                value = await in_time(self._awaitable, self.deadline)
        except BaseException as error:
            self.settle(False, error)
        else:
            self.settle(True, value)

    def _ended(self, _task: object) -> None:
        discard(self._awaitable)
        self.end()

    async def here(self) -> None:
        """Begin, and wait for the end, on the running loop."""
        import asyncio

        self.start()
        if self._task is not None:
            await asyncio.wait({self._task})

    def cancel(self) -> None:
        """Ask it to end, from any thread."""
        if self._task is not None:
            with contextlib.suppress(RuntimeError):  # its loop has ended meanwhile
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)


class LoopThread:
    """An event loop and the thread that serves it."""

    def __init__(self) -> None:
        """Start the thread.

        Raises:
            RuntimeError: No thread can be started: the interpreter is shutting down.
        """
        import asyncio

        self._ending = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name=THREAD_NAME, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._loop.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the thread runs; not in a process that was forked off."""
        return self._thread.is_alive()

    def submit(self, job: Job) -> None:
        """Have a job started."""
        self._loop.call_soon_threadsafe(job.start)

    def end_when_idle(self) -> None:
        """Serve what has begun, and end then."""
        self._soon(self._end_or_look_again)

    def _end_or_look_again(self) -> None:
        import asyncio

        pending = asyncio.all_tasks(self._loop)
        if not pending:
            self._ending = True
            self._loop.stop()
        for task in pending:
            task.add_done_callback(lambda _: self._loop.call_soon(self._end_or_look_again))

    def end(self) -> None:
        """Cancel everything and end."""
        self._ending = True
        self._soon(self._loop.stop)

    def _soon(self, call: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            self._loop.call_soon_threadsafe(call)

    def join(self, timeout: float) -> None:
        """Wait for the end of the thread, unless this is it."""
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _serve(self) -> None:
        import asyncio

        asyncio.set_event_loop(self._loop)
        while not self._ending:
            self._contained(self._loop.run_forever)
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._contained(lambda: self._loop.run_until_complete(_wind_up()))
        self._loop.close()

    @staticmethod
    def _contained(run: Callable[[], object]) -> None:
        try:
            run()
        except BaseException as error:  # a SystemExit in a task that a callback started leaves the loop
            logger.warning("a task that an asynchronous callback started is over: %s", describe(error))


async def _wind_up() -> None:
    import asyncio

    rest = asyncio.all_tasks() - {asyncio.current_task()}
    if rest:
        await asyncio.wait(rest, timeout=GRACE)
    await asyncio.get_running_loop().shutdown_asyncgens()
