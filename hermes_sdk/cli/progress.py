"""How far a long session is, on stderr: a bar on a terminal, else a line every tenth of the way."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final, Self

from hermes_sdk.host.events import ToolFinished

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console

    from hermes_sdk.host.events import Event

LONG: Final = 50
"""Tool calls from which on a session is long enough for progress."""
_LINES: Final = 10


class Progress:
    """A listener that counts tool calls against how many there will be; child agents are not counted.

    Args:
        total: Tool calls of the whole session.
        console: Where to draw a bar; None prints plain lines on stderr.
    """

    def __init__(self, total: int, console: Console | None = None) -> None:
        self._total = total
        self._console = console
        self._done = 0
        self._bar: Any = None  # a rich progress bar; rich is imported only when one is drawn
        self._task: Any = None
        self._started = time.monotonic()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Begin to show progress."""
        if self._console is not None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

            self._bar = Progress(
                BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=self._console, transient=True
            )
            self._bar.start()
            self._task = self._bar.add_task("tool calls", total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Count a tool call that is over."""
        if not isinstance(event, ToolFinished) or event.depth:
            return
        with self._lock:
            self._done += 1
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done)
            elif self._done * _LINES // self._total > (self._done - 1) * _LINES // self._total:
                seconds = time.monotonic() - self._started
                sys.stderr.write(f"{self._done} of {self._total} tool calls, {seconds:.1f} s\n")
