"""A call that runs in another thread than the one that waits for it."""

from __future__ import annotations

import inspect
import threading
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Pending:
    """What a call will give, and who wants to know when it has ended."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self._outcome: tuple[bool, Any] | None = None
        self._lock = threading.Lock()
        self._when_done: list[Callable[[], None]] = []

    def settle(self, succeeded: bool, value: Any) -> None:
        """Keep what came of it: a value, of whatever type, or an exception."""
        self._outcome = (succeeded, value)

    def end(self) -> None:
        """Let everybody know that it has ended."""
        with self._lock:
            self.done.set()
            waiting, self._when_done = self._when_done, []
        for notify in waiting:
            notify()

    def when_done(self, notify: Callable[[], None]) -> None:
        """Call `notify` in the thread of the call when that has ended, at once if it has."""
        with self._lock:
            if not self.done.is_set():
                self._when_done.append(notify)
                return
        notify()

    def result(self) -> Any:
        """Return the value of a call that has ended, or raise its exception; once, since nothing is kept.

        Raises:
            RuntimeError: It ended before it began.
            BaseException: Whatever the call raised.
        """
        # an exception that stayed here would keep its frames, and these would keep this
        outcome, self._outcome = self._outcome, None
        if outcome is None:
            raise RuntimeError("the call was given up before it began")
        succeeded, value = outcome
        if succeeded:
            return value
        try:
            raise value
        finally:
            del outcome, value


def discard(value: object) -> None:
    """Do without what a callback returned (any type); a coroutine that never started would warn."""
    if isinstance(value, types.CoroutineType) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED:
        value.close()
