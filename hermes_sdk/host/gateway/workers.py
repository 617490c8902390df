"""Threads for what blocks: the agents' turns and plugins' slash commands, so many at a time."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


class Workers:
    """Runs functions in daemon threads.

    Threads of `concurrent.futures` are joined at exit, so that one turn that hangs would keep the process alive.

    Args:
        most: How many run at a time; others wait for their turn.
    """

    def __init__(self, most: int) -> None:
        self._slots = asyncio.Semaphore(most)
        self.running = 0

    async def run(self, name: str, function: Callable[[], _T]) -> _T:
        """Run `function` in a thread with this task's context, and return what it returns.

        Raises:
            Exception: What the function raised. A `BaseException` that is none arrives as RuntimeError: it must not
                end the event loop.
        """
        async with self._slots:
            loop = asyncio.get_running_loop()
            done: asyncio.Future[_T] = loop.create_future()
            context = contextvars.copy_context()

            def settle(value: _T | None, error: BaseException | None) -> None:
                self.running -= 1
                if done.done():
                    return
                if error is None:
                    done.set_result(value)  # type: ignore[arg-type] # the function's own type
                else:
                    done.set_exception(error)

            def work() -> None:
                value, error = None, None
                try:
                    value = context.run(function)
                except Exception as raised:
                    error = raised
                except BaseException as raised:
                    error = RuntimeError(f"{type(raised).__name__}: {raised}")
                with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                    loop.call_soon_threadsafe(settle, value, error)

            self.running += 1
            threading.Thread(target=work, name=f"hermes-gateway-{name}", daemon=True).start()
            return await done
