"""Keeps what plugins print away from stdout: a sink gets it, line by line, with the plugin that printed it.

Both `print` in a callback and bytes that a child process writes to file descriptor 1 are caught. Who printed
is read from the call stack, from the innermost frame whose module belongs to a plugin. What comes through the
descriptor has no such frame and is nobody's.
"""

from __future__ import annotations

import inspect
import io
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO, TypeAlias

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

Sink: TypeAlias = Callable[[str, str], None]
"""Gets the plugin's name ("" when unknown) and one printed line without its end."""

Owner: TypeAlias = Callable[[str], str | None]
"""Gets a module's name and returns the plugin that it belongs to."""

_STDOUT: Final = 1
_STDERR: Final = 2
_LAST_WORDS: Final = 0.2
"""Seconds to wait at the end for what is still in the pipe; a child process may hold it open for ever."""


class StdoutCapture:
    """While entered, stdout goes to its `sink`; what is written to `terminal` always reaches the real stdout.

    It may be entered again and again, and is closed once.
    """

    def __init__(self) -> None:
        self.sink: Sink = _nowhere
        """Gets each printed line, from whichever thread printed it."""
        self.owner: Owner = _nobody
        """Says whose a module is."""
        self._stdout: TextIO = sys.stdout
        self._real = os.dup(_STDOUT) if _is_descriptor_one(self._stdout) else -1
        self._reader: threading.Thread | None = None
        self.terminal: TextIO = self._stdout
        """The stream that reaches the real stdout."""
        if self._real >= 0:
            encoding = self._stdout.encoding or "utf-8"
            self.terminal = os.fdopen(self._real, "w", 1, encoding, "backslashreplace", closefd=False)

    def __enter__(self) -> Self:
        """Start to capture."""
        self._stdout.flush()
        if self._real >= 0:
            self._redirect_descriptor()
        sys.stdout = PrintedLines(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hand on what is left and give stdout back."""
        sys.stdout.flush()
        sys.stdout = self._stdout
        if self._reader is not None:
            os.dup2(self._real, _STDOUT)
            self._reader.join(_LAST_WORDS)
            self._reader = None
        self.terminal.flush()

    def close(self, *, rest_to_stderr: bool = False) -> None:
        """Close `terminal`; after this nothing can be captured any more.

        Args:
            rest_to_stderr: What the process still prints, at exit or from threads, goes to stderr, so that a document
                on stdout stays complete and alone.
        """
        if self._real >= 0:
            if rest_to_stderr:
                os.dup2(_STDERR, _STDOUT)
            self.terminal.close()
            os.close(self._real)
            self._real = -1
            self.terminal = self._stdout

    def _redirect_descriptor(self) -> None:
        reading, writing = os.pipe()
        os.dup2(writing, _STDOUT)
        os.close(writing)
        self._reader = threading.Thread(
            target=self._drain, args=(os.fdopen(reading, "rb"),), name="hermes-sdk-stdout", daemon=True
        )
        self._reader.start()

    def _drain(self, pipe: BinaryIO) -> None:
        with pipe:
            for line in pipe:
                self.sink("", line.decode("utf-8", "replace").rstrip("\r\n"))


class PrintedLines(io.TextIOBase):
    """A text stream whose complete lines go to a sink, each with the plugin whose code wrote its end."""

    def __init__(self, capture: StdoutCapture) -> None:
        self._capture = capture
        self._unfinished = threading.local()

    @property
    def encoding(self) -> str:  # type: ignore[override] # typeshed has a plain attribute
        """Encoding of the stream: UTF-8."""
        return "utf-8"

    @property
    def buffer(self) -> BinaryIO:
        """A stream for bytes, which reach the sink through the descriptor."""
        return os.fdopen(_STDOUT, "wb", 0, closefd=False)

    def fileno(self) -> int:
        """Return stdout's descriptor, for child processes that are given this stream."""
        return _STDOUT

    def writable(self) -> bool:
        """Whether the stream takes text: it does."""
        return True

    def write(self, text: str) -> int:
        """Take `text`; its complete lines go to the sink."""
        *lines, rest = (getattr(self._unfinished, "text", "") + text).split("\n")
        self._unfinished.text = rest
        if lines:
            printer = self._printer()
            for line in lines:
                self._capture.sink(printer, line)
        return len(text)

    def flush(self) -> None:
        """Hand on a line that has no end yet."""
        rest, self._unfinished.text = getattr(self._unfinished, "text", ""), ""
        if rest:
            self._capture.sink(self._printer(), rest)

    def _printer(self) -> str:
        frame = inspect.currentframe()
        while frame is not None:
            owner = self._capture.owner(frame.f_globals.get("__name__", ""))
            if owner is not None:
                return owner
            frame = frame.f_back
        return ""


def _nowhere(plugin: str, line: str) -> None:
    """Drop a line: nobody is listening yet."""


def _nobody(module: str) -> str | None:  # noqa: ARG001 - the shape of an Owner
    """Know no plugin yet."""
    return None


def _is_descriptor_one(stream: TextIO) -> bool:
    try:
        return stream.fileno() == _STDOUT
    except (OSError, ValueError):
        return False
