"""How far a long session is, on stderr: a bar on a terminal, else a line every tenth of the way."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console

    from hermes_sdk.host.player import Progress

LONG: Final = 50
"""Tool calls from which on a session is long enough for progress."""
_LINES: Final = 10


class SessionProgress:
    """Shows the progress that `play` reports.

    Args:
        console: Where to draw a bar; None prints lines on stderr.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console
        self._bar: Any = None  # a rich progress bar: rich.progress is imported only when one is drawn
        self._task: Any = None
        self._lines = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Begin to show progress."""
        if self._console is not None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("tool calls"), TimeElapsedColumn())
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far the session is; nothing for a short one."""
        if progress.total_tool_calls < LONG:
            return
        if self._bar is not None:
            self._bar.update(self._task, completed=progress.tool_calls, total=progress.total_tool_calls)
            return
        with self._lock:
            reached = progress.tool_calls * _LINES // progress.total_tool_calls
            if reached > self._lines:
                self._lines = reached
                sys.stderr.write(f"{progress.tool_calls} of {progress.total_tool_calls} tool calls\n")
