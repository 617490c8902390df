"""``mode: serve``: a script that is started once and answers one JSON line with another.

A request is the usual payload with an ``id``; its answer is the usual answer with the same ``id``. Answers may come in
any order, so several calls may be under way. A script that dies, or misses a deadline, is ended with its group and
started again at the next call, after a pause that doubles from 0.1 s up to 5 s while it keeps dying.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

from hermes_sdk.shell_hooks.payload import encode
from hermes_sdk.shell_hooks.process import GRACE, STDERR_LIMIT, STDOUT_LIMIT, Run

logger = logging.getLogger(__name__)

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0
"""Seconds between starts of a script that keeps dying."""

Start = tuple[Sequence[str], str | None, Mapping[str, str]]
"""The words, working directory and environment of a script."""


class Server:
    """One long-lived script.

    Args:
        start: Says how it is started, asked at each start.
    """

    def __init__(self, start: Callable[[], Start]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._process: _Served | None = None
        self._pause = 0.0
        self._not_before = 0.0
        self.starts = 0
        """How often the script was started."""

    def request(self, payload: Mapping[str, Any], timeout: float) -> Run:
        """Send a payload and wait for its answer, `timeout` seconds at most; it never raises for the script."""
        began = time.monotonic()
        deadline = began + timeout
        try:
            process = self._running(deadline)
            answer = process.ask(next(self._ids), payload, deadline)
        except (TimeoutError, OSError) as error:
            late = isinstance(error, TimeoutError)
            text = f"it did not answer within {timeout:g} s" if late else str(error)
            if late:
                self._drop()
            return Run(None, "", self._said(), time.monotonic() - began, text)
        self._pause = 0.0
        return Run(0, json.dumps(answer), "", time.monotonic() - began)

    def _running(self, deadline: float) -> _Served:
        with self._lock:
            if self._process is not None and self._process.alive:
                return self._process
            self._end()
            wait = self._not_before - time.monotonic()
            if wait > 0:
                if time.monotonic() + wait >= deadline:
                    raise TimeoutError
                time.sleep(wait)
            self._pause = min(max(self._pause * 2, FIRST_PAUSE), LONGEST_PAUSE)
            self._not_before = time.monotonic() + self._pause
            self.starts += 1
            self._process = _Served(*self._start())
            return self._process

    def _drop(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _said(self) -> str:
        process = self._process
        return process.stderr if process is not None else ""

    def close(self) -> None:
        """End the script."""
        self._drop()


class _Served:
    """A started script, with a thread that reads each of its streams."""

    def __init__(self, argv: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> None:
        directory = cwd if cwd and os.path.isdir(cwd) else None  # noqa: PTH112 - as for a single run
        self._process = subprocess.Popen(  # noqa: S603 - a command of the user's own configuration, without a shell
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=dict(env),
            start_new_session=True,
            bufsize=0,
        )
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._stderr: deque[bytes] = deque(maxlen=16)
        self.alive = True
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._stdin = self._process.stdin
        os.set_blocking(self._stdin.fileno(), False)
        for target in (self._read_answers, self._read_errors):
            threading.Thread(target=target, name="hermes-hook-serve", daemon=True).start()

    @property
    def stderr(self) -> str:
        return b"".join(self._stderr)[-STDERR_LIMIT:].decode("utf-8", "replace")

    def ask(self, number: int, payload: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        future: Future[dict[str, Any]] = Future()
        with self._lock:
            self._waiting[number] = future
        try:
            self._send(encode({"id": number, **payload}), deadline)
            return future.result(max(deadline - time.monotonic(), 0.0))
        finally:
            with self._lock:
                self._waiting.pop(number, None)

    def _send(self, line: bytes, deadline: float) -> None:
        rest = memoryview(line)
        with self._writing:
            while rest:
                _, ready, _ = select.select([], [self._stdin], [], max(deadline - time.monotonic(), 0.0))
                if not ready:
                    raise TimeoutError
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(self._stdin.fileno(), rest[:65536]) :]

    def _read_answers(self) -> None:
        stream = self._process.stdout
        assert stream is not None  # noqa: S101 - it is a pipe
        buffer = bytearray()
        while chunk := _read(stream.fileno()):
            buffer += chunk
            *lines, rest = buffer.split(b"\n")
            buffer = bytearray(rest)
            for line in lines:
                self._answered(bytes(line))
            if len(buffer) > STDOUT_LIMIT:
                break
        self.alive = False
        with self._lock:
            waiting, self._waiting = dict(self._waiting), {}
        for future in waiting.values():
            future.set_exception(ConnectionResetError("it ended without an answer"))

    def _answered(self, line: bytes) -> None:
        try:
            answer = json.loads(line)
            number = answer.pop("id")
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            if line.strip():
                logger.warning("a served script wrote a line that is no answer with an id (%d bytes)", len(line))
            return
        with self._lock:
            future = self._waiting.pop(number, None)
        if future is not None:
            future.set_result(answer)

    def _read_errors(self) -> None:
        stream = self._process.stderr
        assert stream is not None  # noqa: S101 - it is a pipe
        while chunk := _read(stream.fileno()):
            self._stderr.append(chunk)

    def end(self) -> None:
        """End the script and its group, and reap it."""
        self.alive = False
        with contextlib.suppress(OSError):
            self._stdin.close()  # the polite way to say that no more is coming
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._signal(signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except (OSError, ValueError):
        return b""
