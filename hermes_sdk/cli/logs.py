"""The process's log: everything goes to a file in the home, warnings also to the screen, as one line each."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli import problems
from hermes_sdk.cli.screen import plain
from hermes_sdk.home import hermes_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOG_FILE: Final = "logs/hermes-sdk.log"
"""Where the log is, in the home; tracebacks of plugins are only there."""
GATEWAY_LOG_FILE: Final = "logs/gateway.log"
"""Where a gateway has its own."""
_LARGEST: Final = 2_000_000
"""Bytes after which the file is put aside; three such files are kept."""


class ScreenLog(logging.Handler):
    """Shows the first line of each warning to a person; its attributes may be changed while it is in use."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.show: Callable[[str], None] = problems.warn
        """Gets the text of each warning."""
        self.muted: tuple[str, ...] = ()
        """Loggers, named by their beginning, whose warnings the screen shows in another form."""
        self.whole = False
        """Show every line, tracebacks too."""

    @contextmanager
    def shown_by(self, show: Callable[[str], None]) -> Iterator[None]:
        """Have `show` draw the warnings for as long as the block runs."""
        before = self.show, self.muted
        self.show = show
        try:
            yield
        finally:
            self.show, self.muted = before

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record."""
        if record.name.startswith(self.muted or ("\0",)):
            return
        try:
            text = record.getMessage()
            self.show(text if self.whole else text.partition("\n")[0])
        except Exception:
            self.handleError(record)


class HomeLog(logging.Handler):
    """Writes to a log file of the home that is active when the first record comes.

    Args:
        name: Where the file is in the home.
    """

    def __init__(self, name: str = LOG_FILE) -> None:
        super().__init__()
        self._name = name
        self._file: logging.Handler | None = None
        self._formatter = _PlainFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; a home that cannot be written to has no log."""
        if self._file is None:
            self._file = self._open()
        self._file.handle(record)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()

    def _open(self) -> logging.Handler:
        path = hermes_home() / self._name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = RotatingFileHandler(path, maxBytes=_LARGEST, backupCount=2, encoding="utf-8")
        except OSError:
            return logging.NullHandler()
        file.setFormatter(self._formatter)
        return file


class _PlainFormatter(logging.Formatter):
    """Formats a record with its control characters spelled out, and all lines but the first indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text that is safe to print in a terminal later, and that cannot pose as another one."""
        return plain(super().format(record)).replace("\n", "\n    ")


@contextmanager
def logging_to(screen: ScreenLog) -> Iterator[None]:
    """Log to the home's file and to `screen` for as long as the block runs."""
    root = logging.getLogger()
    level = root.level
    handlers: tuple[logging.Handler, ...] = (screen, HomeLog())
    root.setLevel(logging.INFO)
    for handler in handlers:
        root.addHandler(handler)
    try:
        yield
    finally:
        root.setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()


@contextmanager
def logging_to_gateway_log() -> Iterator[None]:
    """Log to the gateway's file instead of the command line's for as long as the block runs."""
    root = logging.getLogger()
    usual = [handler for handler in root.handlers if isinstance(handler, HomeLog)]
    log = HomeLog(GATEWAY_LOG_FILE)
    root.addHandler(log)
    for handler in usual:
        root.removeHandler(handler)
    try:
        yield
    finally:
        for handler in usual:
            root.addHandler(handler)
        root.removeHandler(log)
        log.close()
