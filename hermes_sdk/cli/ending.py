"""SIGTERM and SIGHUP end a session as Ctrl-C does: its commands are ended with it, and plugins are told."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli.problems import TerminatedError
from hermes_sdk.host.process_exit import interrupt_agents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class Ending:
    """Handles the signals that end a process, and remembers that one came: a turn that it ended goes on to the next."""

    def __init__(self) -> None:
        self._came: signal.Signals | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Be the handler."""
        del frame
        self._came = signal.Signals(number)
        interrupt_agents(self._came.name)
        self.end_if_asked()

    def end_if_asked(self) -> None:
        """Break out of the session; only its own thread can.

        Raises:
            TerminatedError: A signal came.
        """
        if self._came is not None and threading.current_thread() is threading.main_thread():
            raise TerminatedError(self._came)


@contextmanager
def ending_properly() -> Iterator[Ending]:
    """Handle SIGTERM and SIGHUP in a block; one that is ignored, as under nohup, stays so."""
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in taken:
        signal.signal(number, ending)
    try:
        yield ending
    finally:
        for number in taken:
            signal.signal(number, before[number])
