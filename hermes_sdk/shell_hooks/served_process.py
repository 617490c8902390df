"""A started script of ``mode: serve``: requests go in from any thread, one thread of its own reads what comes out.

That thread alone reaps the script and closes its pipes, so that nobody reads from, writes to or signals a number that
has come to mean something else.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import threading
import time
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.process import (
    GRACE,
    STDERR_LIMIT,
    STDOUT_LIMIT,
    ExitSignal,
    kill_group,
    start_group,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hermes_sdk.shell_hooks.stop import Stop

logger = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16
_POLL: Final = 0.05
"""Seconds between looks at whether a request that the script does not read is still wanted."""


class InterruptedRequestError(Exception):
    """Nobody wants the answer any more."""


class GoneError(Exception):
    """The script ended without an answer."""

    def __init__(self, text: str, stderr: str, *, of_the_request: bool) -> None:
        super().__init__(text)
        self.stderr = stderr
        self.of_the_request = of_the_request
        """Whether it may be the request that it ended of."""


class ServedProcess:
    """One start of a script.

    Args:
        argv: The program and its arguments.
        cwd: Its working directory.
        env: Its whole environment.

    Raises:
        OSError, ValueError: It cannot be started.
    """

    def __init__(self, argv: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> None:
        self._process = start_group(argv, subprocess.PIPE, cwd=cwd, env=env)
        self._waiting: dict[int, SimpleQueue[dict[str, Any] | BaseException]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._line = bytearray()
        self._stderr = bytearray()
        self._why = "it ended without an answer"
        self._complained = False
        self.alive = True
        """Whether it takes requests."""
        os.set_blocking(_open(self._process.stdin).fileno(), False)
        with ExitStack() as undone:
            undone.callback(self._abandon)
            self._exited = ExitSignal(self._process)
            undone.callback(self._exited.close)
            self._ending, self._end = os.pipe()
            for descriptor in (self._ending, self._end):
                undone.callback(os.close, descriptor)
            self._reader = threading.Thread(target=self._serve, name="hermes-hook-serve", daemon=True)
            self._reader.start()
            undone.pop_all()

    def _abandon(self) -> None:
        """Undo the start of a script that nobody can read from."""
        kill_group(self._process, signal.SIGKILL)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            _open(stream).close()
        self._process.wait()

    @property
    def stderr(self) -> str:
        """The end of what it wrote to standard error."""
        return self._stderr.decode("utf-8", "replace")

    # -- requests ------------------------------------------------------------------------------------------

    def ask(self, number: int, line: bytes, deadline: float, stop: Stop) -> dict[str, Any]:
        """Send a request and return its answer.

        Raises:
            GoneError: The script ended.
            InterruptedRequestError: Nobody wants the answer any more.
            TimeoutError: It did not answer in time.
        """
        # made for this, and in C: a future takes three times as long
        answers: SimpleQueue[dict[str, Any] | BaseException] = SimpleQueue()
        with self._lock:
            if not self.alive:
                raise self._gone(of_the_request=False)
            self._waiting[number] = answers
        try:
            stop.when_asked(lambda: self._give_up(number))
            self._send(line, deadline, stop)
            answer = answers.get(timeout=max(deadline - time.monotonic(), 0.0))
        except Empty:
            raise TimeoutError from None
        finally:
            with self._lock:
                self._waiting.pop(number, None)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _gone(self, *, of_the_request: bool) -> GoneError:
        return GoneError(self._why, self.stderr, of_the_request=of_the_request)

    def _give_up(self, number: int) -> None:
        self._settle(number, InterruptedRequestError())

    def _settle(self, number: object, answer: dict[str, Any] | BaseException) -> None:
        with self._lock:
            answers = self._waiting.pop(number, None) if isinstance(number, int) else None
        if answers is not None:  # else it came too late
            answers.put(answer)

    def _send(self, line: bytes, deadline: float, stop: Stop) -> None:
        """Write a line; a script that does not read it in time cannot be talked to any more."""
        rest = memoryview(line)
        with self._writing:
            while rest:
                if not self.alive:
                    raise self._gone(of_the_request=False)
                try:
                    rest = rest[os.write(_open(self._process.stdin).fileno(), rest[:_CHUNK]) :]
                except BlockingIOError:
                    self._wait_for_room(deadline, stop)
                except OSError:
                    self.alive = False  # its reader is about to find out too
                    raise self._gone(of_the_request=False) from None

    def _wait_for_room(self, deadline: float, stop: Stop) -> None:
        left = deadline - time.monotonic()
        if left <= 0 or stop.asked:
            self._wake()  # half of a line is written: whatever comes next would be misread
            raise InterruptedRequestError if stop.asked else TimeoutError
        with selectors.PollSelector() as selector:
            selector.register(_open(self._process.stdin), selectors.EVENT_WRITE)
            selector.select(min(left, _POLL))

    # -- the thread that reads -----------------------------------------------------------------------------

    def _serve(self) -> None:
        with selectors.PollSelector() as selector:
            for stream, take in ((self._process.stdout, self._take_answers), (self._process.stderr, self._take_errors)):
                selector.register(_open(stream), selectors.EVENT_READ, take)
            for descriptor in (self._exited.fileno(), self._ending):
                selector.register(descriptor, selectors.EVENT_READ, None)
            going_on = True
            while going_on:
                ready = selector.select()
                for key, _ in ready:
                    if key.data is not None and not _read_into(key.data, key.fd):
                        selector.unregister(key.fileobj)
                going_on = self.alive and all(key.data is not None for key, _ in ready)
        self._finish()

    def _finish(self) -> None:
        with self._lock:
            self.alive = False
            waiting, self._waiting = self._waiting, {}
        # who ends with status 0 has decided to, and has not fallen over what it was asked
        fallen_over = self._exited.status() != 0
        for answers in waiting.values():
            answers.put(self._gone(of_the_request=fallen_over))
        with self._writing:
            _open(self._process.stdin).close()  # the polite way to say that no more is coming
        kill_group(self._process, signal.SIGTERM)
        self._exited.wait(GRACE)
        kill_group(self._process, signal.SIGKILL)
        self._process.wait()
        self._exited.close()
        for stream in (self._process.stdout, self._process.stderr):
            _open(stream).close()
        with self._lock:
            os.close(self._ending)
            os.close(self._end)
            self._end = -1

    def _take_answers(self, chunk: bytes) -> None:
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._answered(bytes(self._line + line))
            self._line.clear()
        self._line += rest
        if len(self._line) > STDOUT_LIMIT:
            self._why = f"it wrote more than {STDOUT_LIMIT} bytes without the end of a line"
            self.alive = False

    def _answered(self, line: bytes) -> None:
        try:
            answer = json.loads(line)
            number = answer.pop("id")
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            if line.strip() and not self._complained:
                self._complained = True
                logger.warning(
                    "%s (mode: serve) wrote %d bytes that are no JSON object with the id of a request",
                    self._process.args,
                    len(line),
                )
            return
        self._settle(number, answer)

    def _take_errors(self, chunk: bytes) -> None:
        self._stderr += chunk
        del self._stderr[:-STDERR_LIMIT]

    # -- the end -------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        self.alive = False
        with self._lock:
            if self._end >= 0:
                os.write(self._end, b"\0")

    def end(self) -> None:
        """End the script and its group, and wait until that is done."""
        self._wake()
        self._reader.join()


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream that is one of the script's three pipes."""
    assert stream is not None  # noqa: S101 - each was asked for
    return stream


def _read_into(take: Any, descriptor: int) -> bool:
    """Hand what can be read to a function; return False at the end of the stream."""
    chunk = b""
    with contextlib.suppress(OSError):
        chunk = os.read(descriptor, _CHUNK)
    if chunk:
        take(chunk)
    return bool(chunk)
