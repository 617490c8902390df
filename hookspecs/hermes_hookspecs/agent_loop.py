"""Runs what asynchronous implementations return, in a host that calls them from plain functions.

All of them share one event loop in a daemon thread: a client that an implementation keeps finds the loop that it was
made on, and a caller with a running loop of its own can wait.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable


class _LoopThread:
    """An event loop and the thread that serves it as long as the process lives."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="hermes-hookspecs-loop", daemon=True)
        self.thread.start()


_lock = threading.Lock()
_started: list[_LoopThread] = []


def run(awaitable: Awaitable[Any]) -> Any:
    """Await something in a copy of the caller's context and return its value, of any type, to the caller."""
    serving = _serving()
    if threading.current_thread() is serving.thread:  # from inside of what the loop runs: it cannot wait for itself
        value, error = _in_another_thread(awaitable)
    else:
        value, error = asyncio.run_coroutine_threadsafe(_settled(awaitable), serving.loop).result()
    if error is not None:
        raise error
    return value


async def _settled(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    # nothing may leave this coroutine: a SystemExit in a task would end the loop
    try:
        return await awaitable, None
    except BaseException as error:
        return None, error


def _serving() -> _LoopThread:
    with _lock:
        if not _started or not _started[-1].thread.is_alive():  # not needed before, or the process was forked off
            _started.append(_LoopThread())
        return _started[-1]


def _in_another_thread(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    outcome: list[tuple[Any, BaseException | None]] = []
    context = contextvars.copy_context()
    thread = threading.Thread(target=lambda: outcome.append(context.run(asyncio.run, _settled(awaitable))))
    thread.start()
    thread.join()
    return outcome[0]
