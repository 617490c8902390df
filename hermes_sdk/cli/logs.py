"""The process's log: everything goes to a file in the home, warnings also to the screen, as one line each."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli import problems
from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOG_FILE: Final = "logs/hermes-sdk.log"
"""Where the log is, in the home; tracebacks of plugins are only there."""
_LARGEST: Final = 2_000_000
"""Bytes after which the file is put aside; three such files are kept."""


class ScreenLog(logging.Handler):
    """Shows the first line of each warning to a person; `show` may be changed while it is in use."""

    def __init__(self, *, whole: bool = False) -> None:
        super().__init__(logging.WARNING)
        self.show: Callable[[str], None] = problems.warn
        """Gets the text of each warning."""
        self.muted: tuple[str, ...] = ()
        """Loggers, named by their beginning, whose warnings the screen shows in another form."""
        self._whole = whole

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record."""
        if record.name.startswith(self.muted or ("\0",)):
            return
        try:
            text = record.getMessage()
            self.show(text if self._whole else text.partition("\n")[0])
        except Exception:
            self.handleError(record)


@contextmanager
def logging_to(home: Path, *, debug: bool = False) -> Iterator[ScreenLog]:
    """Log to the file in `home` and to the screen; with `debug` the screen shows whole messages."""
    screen = ScreenLog(whole=debug)
    file = _file_handler(home)
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    handlers = [handler for handler in (screen, file) if handler is not None]
    for handler in handlers:
        root.addHandler(handler)
    try:
        yield screen
    finally:
        root.setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()


class _PlainFormatter(logging.Formatter):
    """Formats a record with its control characters spelled out."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text that is safe to print in a terminal later."""
        return plain(super().format(record))


def _file_handler(home: Path) -> logging.Handler | None:
    from logging.handlers import RotatingFileHandler

    path = home / LOG_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LARGEST, backupCount=2, encoding="utf-8", delay=True)
    except OSError:
        return None
    handler.setFormatter(_PlainFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler
