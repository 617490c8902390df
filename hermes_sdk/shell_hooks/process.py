"""One run of a script: start it, feed it, collect what it says, end it in time, leave nothing behind.

The script gets a session and process group of its own, and its input as an unnamed file in memory: feeding it never
blocks, however large the payload is and whether or not the script reads it. The run is over when the script itself has
exited; a background child that holds its streams open neither delays nor loses the answer (semantics 8.3).

The script is reaped last of all. Until then its process id, and with it the id of its group, belongs to nobody else,
so that a signal never reaches a stranger.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hermes_sdk.shell_hooks.stop import Stop

STDOUT_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of standard output beyond which a run has failed; an answer is never cut."""

STDERR_LIMIT: Final = 64 * 1024
"""Bytes of standard error that are kept; the rest is read and dropped."""

GRACE: Final = 0.5
"""Seconds between asking a group to end and killing it."""

INTERRUPTED: Final = "interrupted"

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
    """Why its exit status says nothing: not started, timed out, interrupted, too much output."""


def run_process(
    argv: Sequence[str], payload: bytes, *, cwd: str | None, env: Mapping[str, str], timeout: float, stop: Stop
) -> Run:
    """Run a script to its end. It never raises for what a script does.

    Args:
        argv: The program and its arguments.
        payload: What it reads on standard input.
        cwd: Its working directory; None or one that is gone: the host's.
        env: Its whole environment.
        timeout: Seconds until its process group is ended.
        stop: Ends it early.
    """
    began = time.monotonic()
    try:
        with _input(payload) as stdin:
            script = _Script(start_group(argv, stdin, cwd=cwd, env=env))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return Run(None, "", "", time.monotonic() - began, f"cannot start {argv[0]}: {why_not_started(error)}")
    failure = ""
    try:
        stop.when_asked(script.kill)
        failure = script.collect(began + timeout, timeout)
    except BaseException:  # Ctrl-C, or whatever else ends the wait: the group does not outlive it
        script.end()
        raise
    finally:
        stop.when_asked(None)
        script.reap()
    if stop.asked:
        failure = INTERRUPTED
    return Run(script.process.returncode, script.stdout.text, script.stderr.text, time.monotonic() - began, failure)


def start_group(
    argv: Sequence[str], stdin: IO[bytes] | int, *, cwd: str | None, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a script in a session and process group of its own, its output to pipes.

    Raises:
        OSError: It cannot be started.
        ValueError: A word or variable has a NUL in it.
    """
    directory = cwd if cwd and os.path.isdir(cwd) else None  # noqa: PTH112 - one stat, on the way of every hook call
    return subprocess.Popen(  # noqa: S603 - a command of the user's own configuration, without a shell
        list(argv),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=directory,
        env=dict(env),
        start_new_session=True,
        bufsize=0,
    )


def kill_group(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the group of a script that was not reaped yet."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def why_not_started(error: Exception) -> str:
    """Return what keeps a program from starting, and what to do about it."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EACCES:
        return "it may not be executed; run: chmod +x on it"
    if number == errno.ENOEXEC:
        return "its first line names no interpreter; begin it with #!/usr/bin/env bash or so"
    if number == errno.ENOENT:
        return "its first line names an interpreter that there is not (Windows line ends have the same effect)"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


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


class _Script:
    """A started script and the pipes that it writes to."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.stdout = _Output(STDOUT_LIMIT)
        self.stderr = _Output(STDERR_LIMIT)
        try:
            self._exit = ExitSignal(process)
        except BaseException:
            kill_group(process, signal.SIGKILL)
            self._close_pipes()
            process.wait()
            raise
        self._open: dict[int, _Output] = {}
        # select.poll and not selectors, which takes a twentieth of the time that a small script takes
        self._poll = select.poll()
        self._poll.register(self._exit.fileno(), select.POLLIN)
        for stream, output in ((process.stdout, self.stdout), (process.stderr, self.stderr)):
            assert stream is not None  # noqa: S101 - both are pipes
            os.set_blocking(stream.fileno(), False)
            self._open[stream.fileno()] = output
            self._poll.register(stream.fileno(), select.POLLIN)

    def collect(self, deadline: float, timeout: float) -> str:
        """Read until the script has exited; return why it was ended, or an empty string."""
        while True:
            ready = {descriptor for descriptor, _ in self._poll.poll(max(deadline - time.monotonic(), 0) * 1000)}
            if self._exit.fileno() in ready:
                self._drain()
                return self._overflow()
            for descriptor in ready:
                self._read(descriptor)
            if self.stdout.overflowed:
                self.end()
                return self._overflow()
            if time.monotonic() >= deadline:
                self.end()
                self._drain()
                return f"it did not end within {timeout:g} s"

    def _overflow(self) -> str:
        return f"it wrote more than {STDOUT_LIMIT} bytes to standard output" if self.stdout.overflowed else ""

    def _read(self, descriptor: int, size: int = _CHUNK) -> int:
        """Read what one stream has at the moment, and return how much that was."""
        try:
            chunk = os.read(descriptor, size)
        except BlockingIOError:
            return 0
        if not chunk:
            self._poll.unregister(descriptor)
            self._open.pop(descriptor)
            return 0
        self._open[descriptor].take(chunk)
        return len(chunk)

    def _drain(self) -> None:
        """Read what was written before the script ended, and nothing that children of it go on writing."""
        for descriptor in list(self._open):
            waiting = _bytes_in(descriptor)
            while waiting > 0 and (taken := self._read(descriptor, min(waiting, _CHUNK))):
                waiting -= taken

    def kill(self) -> None:
        """Kill the group at once."""
        kill_group(self.process, signal.SIGKILL)

    def end(self) -> None:
        """Ask the group to end, wait a little for the script, and kill what is left."""
        kill_group(self.process, signal.SIGTERM)
        self._exit.wait(GRACE)
        self.kill()  # the script may be gone, its children need not

    def reap(self) -> None:
        """Wait for the script, which has exited or was killed, and close our end of everything."""
        self.process.wait()
        self._exit.close()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def _bytes_in(pipe: int) -> int:
    """Return how many bytes can be read from a pipe at the moment."""
    found: tuple[int] = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
    return found[0]


class ExitSignal:
    """A file descriptor that becomes readable when a process has exited; the process stays to be reaped."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._pid = process.pid
        self._thread: threading.Thread | None = None
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # a kernel or sandbox without it
                self._fd = os.pidfd_open(process.pid)
                return
        self._fd, written = os.pipe()

        def watch() -> None:
            try:
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            finally:
                os.close(written)

        self._thread = threading.Thread(target=watch, name="hermes-hook-exit", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._fd

    def status(self) -> int | None:
        """Return the exit status of the process, negative for a signal; None while it runs. It stays to be reaped."""
        found = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def wait(self, timeout: float) -> None:
        """Wait until the process has exited, `timeout` seconds at most."""
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.poll(timeout * 1000)

    def close(self) -> None:
        """Close the descriptor; the process has exited or was killed."""
        if self._thread is not None:
            self._thread.join()
        os.close(self._fd)


def _input(payload: bytes) -> IO[bytes]:
    """Return an unnamed file that holds the payload, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("hermes-hook"), "w+b", buffering=0)
    else:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
    try:
        rest = memoryview(payload)
        while rest:
            rest = rest[file.write(rest) :]
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
