"""How far a long session is, on stderr: a bar on a terminal, else a line every tenth of the way."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
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
        """Begin to show progress, as soon as a session turns out to be long."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep the bar off the screen while somebody is asked there."""
        bar = self._bar
        if bar is not None:
            bar.stop()
        try:
            yield
        finally:
            if bar is not None:
                bar.start()

    def __call__(self, progress: Progress) -> None:
        """Show how far the session is; nothing for a short one."""
        if progress.total_tool_calls < LONG:
            return
        with self._lock:
            if self._console is not None:
                self._draw(self._console, progress)
                return
            reached = progress.tool_calls * _LINES // progress.total_tool_calls
            if reached > self._lines:
                self._lines = reached
                sys.stderr.write(f"{progress.tool_calls} of {progress.total_tool_calls} tool calls\n")

    def _draw(self, console: Console, progress: Progress) -> None:
        if self._bar is None:
            from rich import progress as bars

            columns = (bars.BarColumn(), bars.MofNCompleteColumn(), bars.TextColumn("tool calls"))
            self._bar = bars.Progress(*columns, bars.TimeElapsedColumn(), console=console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=progress.total_tool_calls)
        self._bar.update(self._task, completed=progress.tool_calls, total=progress.total_tool_calls)
