"""Jobs one after another, in the order in which they came, in a task that lives only while there are any."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Job = Callable[[], Coroutine[Any, Any, Any]]

logger = logging.getLogger(__name__)


class JobQueue:
    """Runs jobs in order. A job that fails is logged, and the next one runs.

    Each job runs in the context of whoever put it there, not of the job that the queue was woken for: a plugin that
    keeps in a context variable who wrote must find the writer of this message, also where it had to wait.

    Not for several threads: everything happens on one event loop. What other threads bring goes through
    ``loop.call_soon_threadsafe(queue.put, job)``, which keeps its order too.

    Args:
        name: For the log.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._jobs: deque[tuple[Job, contextvars.Context]] = deque()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        """Jobs that have not begun."""
        return len(self._jobs)

    @property
    def idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        return self._task is None

    def put(self, job: Job) -> None:
        """Run `job` after those that are there."""
        self._jobs.append((job, contextvars.copy_context()))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name=self.name)

    async def do(self, job: Job) -> Any:
        """Run `job` after those that are there, and return what it returns; of any type, as the job's own is.

        Raises:
            Exception: What the job raised.
        """
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            try:
                value = await job()
            except Exception as error:
                if not done.cancelled():
                    done.set_exception(error)
            except BaseException:
                done.cancel()
                raise
            else:
                if not done.cancelled():
                    done.set_result(value)

        self.put(run)
        return await done

    async def drained(self) -> None:
        """Wait until nothing runs and nothing waits."""
        while self._task is not None:
            await asyncio.wait({self._task})

    def cancel(self) -> None:
        """Drop what waits, and cancel what runs."""
        self._jobs.clear()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._jobs:
                job, context = self._jobs.popleft()
                try:
                    await loop.create_task(job(), name=self.name, context=context)
                except Exception:
                    logger.exception("%s: a step failed, the next one follows", self.name)
        finally:
            self._task = None
