"""Doing something in a thread of its own, with a future for what comes of it."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def in_thread(work: Callable[[], T], name: str) -> Future[T]:
    """Do something in a daemon thread and return the future of its result.

    A pool would keep its threads for the next call, but also keep the process alive until they are done.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # a caller that stops waiting does not cancel it

    def target() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=target, name=name, daemon=True).start()
    return future


def done(value: T) -> Future[T]:
    """Return a future that has its result already."""
    future: Future[T] = Future()
    future.set_result(value)
    return future
