"""Run shell commands: each in a process group of its own, which ends whole on timeout, interrupt and exit."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from hermes_sdk.host.session import Interrupt

MAX_CAPTURE: Final = 32 * 1024 * 1024
"""Bytes of output that one command may hand over; what comes behind is read and dropped."""

_TERM_GRACE: Final = 1.0
"""Seconds between asking a group to end and killing it."""

_PIPE_GRACE: Final = 0.2
"""Seconds that output is awaited after the shell ended, when a child of it holds the pipe open."""

_POLL: Final = 0.05


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a foreground command ended."""

    output: str
    """Stdout and stderr together, as they came."""
    exit_code: int
    """As shells count: 128 + n after signal n."""
    ended: Literal["exit", "timeout", "interrupt"] = "exit"
    dropped: int = 0
    """Bytes beyond `MAX_CAPTURE`."""


def run_command(command: str, *, cwd: Path, timeout: float, interrupt: Interrupt) -> CommandResult:
    """Run `command` with bash (sh where there is none) and wait for it.

    Args:
        command: Shell text.
        cwd: Where it runs.
        timeout: Seconds after which its process group is ended.
        interrupt: Ends it early; Ctrl-C here raises this flag.

    Raises:
        OSError: The shell cannot be started, or `cwd` does not exist.
    """
    process = _start(command, cwd, subprocess.PIPE)
    watch = _Watch(process, interrupt, time.monotonic() + timeout)
    try:
        ended = watch.wait()
    except KeyboardInterrupt:
        interrupt.set("Ctrl-C")
        ended = "interrupt"
    finally:
        if process.poll() is None:
            end_group(process)
            watch.drain(_PIPE_GRACE)
        if process.stdout is not None:
            process.stdout.close()
    code = process.returncode
    return CommandResult(
        output=bytes(watch.captured).decode("utf-8", errors="replace"),
        exit_code=128 - code if code < 0 else code,
        ended=ended,
        dropped=watch.dropped,
    )


def end_group(process: subprocess.Popen[bytes], grace: float = _TERM_GRACE) -> None:
    """Ask a process group to end, then kill it; returns when its first process is gone."""
    for sent, wait in ((signal.SIGTERM, grace), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(wait)
    # the shell may be gone at once while what it started ignores SIGTERM: the second signal went to these


def _start(command: str, cwd: Path, output: int) -> subprocess.Popen[bytes]:
    shell = shutil.which("bash") or "/bin/sh"
    return subprocess.Popen(  # noqa: S603 - commands are what the tool is for
        [shell, "-c", command],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


class _Watch:
    """Reads a running command's output until it ends."""

    def __init__(self, process: subprocess.Popen[bytes], interrupt: Interrupt, deadline: float) -> None:
        self._process = process
        self._interrupt = interrupt
        self._deadline = deadline
        self._open = True
        self.captured = bytearray()
        self.dropped = 0

    def wait(self) -> Literal["exit", "timeout", "interrupt"]:
        while self._process.poll() is None:
            if self._interrupt.is_set():
                return "interrupt"
            left = self._deadline - time.monotonic()
            if left <= 0:
                return "timeout"
            if self._open:
                self._read(min(left, _POLL))
            else:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(min(left, _POLL))
        self.drain(_PIPE_GRACE)
        return "exit"

    def drain(self, seconds: float) -> None:
        """Read what is left, for at most `seconds` while nothing comes."""
        while self._open and self._read(seconds):
            pass

    def _read(self, seconds: float) -> bool:
        stream = self._process.stdout
        if stream is None or not select.select([stream], [], [], seconds)[0]:
            return False
        chunk = os.read(stream.fileno(), 65536)
        self._open = bool(chunk)
        room = MAX_CAPTURE - len(self.captured)
        self.captured += chunk[:room]
        self.dropped += max(0, len(chunk) - room)
        return self._open


@dataclass(slots=True)
class BackgroundProcess:
    """A command that runs beside the conversation; its output goes to a file."""

    id: str
    shown: str
    """The command as hooks may see it: placeholders are not put back in this one."""
    process: subprocess.Popen[bytes]
    log: Path
    started: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def tail(self, limit: int) -> str:
        """Return the last `limit` bytes of its output."""
        with self.log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit))
            return file.read().decode("utf-8", errors="replace")


class BackgroundProcesses:
    """The background commands of one session; `close` ends them all."""

    def __init__(self) -> None:
        self._processes: dict[str, BackgroundProcess] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    def start(self, command: str, cwd: Path, *, shown: str) -> BackgroundProcess:
        """Start a command and return at once.

        Raises:
            OSError: The shell cannot be started.
        """
        process_id = f"proc_{uuid.uuid4().hex[:8]}"
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="hermes-background-")
            log = Path(self._folder.name) / f"{process_id}.log"
        with log.open("wb") as file:
            process = _start(command, cwd, file.fileno())
        started = BackgroundProcess(process_id, shown, process, log)
        self._processes[process_id] = started
        return started

    def get(self, process_id: str) -> BackgroundProcess | None:
        """Return one by its id."""
        return self._processes.get(process_id)

    def all(self) -> list[BackgroundProcess]:
        """Return every one that this session started."""
        return list(self._processes.values())

    def close(self) -> None:
        """End what still runs and drop the logs."""
        for background in self.all():
            if background.running:
                end_group(background.process)
        self._processes.clear()
        with self._lock:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None
