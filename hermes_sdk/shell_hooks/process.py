"""One run of a script: start it, feed it, collect what it says, end it in time, leave nothing behind.

The script gets a session and process group of its own, and its input as an unnamed file in memory: feeding it never
blocks, however large the payload is and whether or not the script reads it. The run is over when the script itself has
exited; a background child that holds its streams open neither delays nor loses the answer (semantics 8.3).
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STDOUT_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of standard output beyond which a run has failed; an answer is never cut."""

STDERR_LIMIT: Final = 64 * 1024
"""Bytes of standard error that are kept; the rest is read and dropped."""

GRACE: Final = 0.5
"""Seconds between asking a group to end and killing it."""

_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run."""

    returncode: int | None
    """Exit status, negative for a signal; None when it could not be started."""
    stdout: str
    stderr: str
    duration: float
    """Seconds from start to end."""
    failure: str = ""
    """Why it has no exit status of its own: not started, timed out, interrupted, too much output."""


@dataclass(slots=True)
class _Output:
    """What is read of one stream."""

    limit: int
    data: bytearray = field(default_factory=bytearray)
    overflowed: bool = False

    def take(self, chunk: bytes) -> None:
        room = self.limit - len(self.data)
        self.data += chunk[:room]
        self.overflowed = self.overflowed or len(chunk) > room

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


class ProcessTable:
    """The scripts that are running for one host, so that an interrupt or the host's end can end them all."""

    def __init__(self) -> None:
        self._running: dict[int, _Running] = {}
        self._lock = threading.Lock()

    def run(
        self, argv: Sequence[str], payload: bytes, *, cwd: str | None, env: Mapping[str, str], timeout: float
    ) -> Run:
        """Run a script to its end.

        Args:
            argv: The program and its arguments.
            payload: What it reads on standard input.
            cwd: Its working directory; None or one that is gone: the host's.
            env: Its whole environment.
            timeout: Seconds until its process group is ended.

        Returns:
            The exit status and both streams; it never raises for what a script does.
        """
        started = time.monotonic()
        try:
            running = _start(argv, payload, cwd, env)
        except (OSError, ValueError) as error:
            return Run(None, "", "", time.monotonic() - started, f"cannot start {argv[0]}: {error}")
        with self._lock:
            self._running[running.process.pid] = running
        try:
            failure = running.collect(started + timeout, timeout)
        except BaseException:  # Ctrl-C, or whatever else ends the wait: the group does not outlive it
            running.end_group()
            raise
        finally:
            with self._lock:
                del self._running[running.process.pid]
            running.close()
        out, err = running.stdout, running.stderr
        if out.overflowed and not failure:
            failure = f"it wrote more than {STDOUT_LIMIT} bytes to standard output"
        return Run(running.process.returncode, out.text, err.text, time.monotonic() - started, failure)

    def interrupt(self) -> int:
        """End every running script, from any thread, and return how many there were."""
        with self._lock:
            running = list(self._running.values())
        for one in running:
            one.interrupt()
        return len(running)


class _Running:
    """A started script and the pipes that it writes to."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.stdout = _Output(STDOUT_LIMIT)
        self.stderr = _Output(STDERR_LIMIT)
        self._interrupted = False
        self._exit = _ExitSignal(process)
        self._selector = selectors.DefaultSelector()
        for stream, output in ((process.stdout, self.stdout), (process.stderr, self.stderr)):
            assert stream is not None  # noqa: S101 - both are pipes
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, output)
        self._selector.register(self._exit.fileno(), selectors.EVENT_READ, None)

    def collect(self, deadline: float, timeout: float) -> str:
        """Read until the script has exited; return why it was ended, or an empty string."""
        while True:
            ready = self._selector.select(max(deadline - time.monotonic(), 0))
            for key, _ in ready:
                if key.data is not None:
                    self._read(key)
            if any(key.data is None for key, _ in ready):
                self.process.wait()
                self._drain()
                return "interrupted" if self._interrupted else ""
            if self.stdout.overflowed:
                self.end_group()
                return ""
            if time.monotonic() >= deadline:
                self.end_group()
                self._drain()
                return f"it did not end within {timeout:g} s"

    def _read(self, key: selectors.SelectorKey) -> bool:
        """Read what one stream has at the moment; return whether there was anything."""
        try:
            chunk = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(key.fileobj)
            return False
        output: _Output = key.data
        output.take(chunk)
        return True

    def _drain(self) -> None:
        """Read what the script wrote before it ended, without waiting for children that hold its streams."""
        for key in list(self._selector.get_map().values()):
            while key.data is not None and not self.stdout.overflowed and self._read(key):
                pass

    def interrupt(self) -> None:
        self._interrupted = True
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGKILL)

    def end_group(self) -> None:
        """Ask the group to end, kill it, and reap the script."""
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)
        self._signal(signal.SIGKILL)  # the script may be gone, its children need not
        self.process.wait()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def close(self) -> None:
        self._selector.close()
        self._exit.close()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


class _ExitSignal:
    """A file descriptor that becomes readable when a process has exited."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._thread: threading.Thread | None = None
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # a kernel or sandbox without it
                self._fd = os.pidfd_open(process.pid)
                return
        self._fd, written = os.pipe()

        def watch() -> None:
            # leaves the process waitable: reaping is the main thread's
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            os.close(written)

        self._thread = threading.Thread(target=watch, name="hermes-hook-exit", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        if self._thread is not None:
            self._thread.join()
        os.close(self._fd)


def _start(argv: Sequence[str], payload: bytes, cwd: str | None, env: Mapping[str, str]) -> _Running:
    directory = cwd if cwd and os.path.isdir(cwd) else None  # noqa: PTH112 - one stat, on the way of every hook call
    with _input(payload) as stdin:
        process = subprocess.Popen(  # noqa: S603 - a command of the user's own configuration, without a shell
            list(argv),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=dict(env),
            start_new_session=True,
            bufsize=0,
        )
    try:
        return _Running(process)
    except BaseException:
        process.kill()
        process.wait()
        raise


def _input(payload: bytes) -> IO[bytes]:
    """Return an unnamed file that holds the payload, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("hermes-hook"), "w+b", buffering=0)
    else:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
    written = memoryview(payload)
    while written:
        written = written[file.write(written) :]
    file.seek(0)
    return file
