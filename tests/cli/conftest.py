"""Homes, real `hermes-sdk` processes and real terminals."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from fcntl import ioctl
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

LEFT_OUT = ("HERMES_", "OPENAI_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONPATH")


ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


class Terminal:
    """Runs a command on a terminal of its own: what a person would see and type."""

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str], cwd: str | None = None, columns: int = 80
    ) -> None:
        ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**env, "TERM": "xterm"},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - makes Ctrl-C a signal
        )
        os.close(theirs)
        self._master = ours
        self.shown = ""
        self._seen = 0

    def wait_for(self, text: str, *, seconds: float = 30) -> str:
        """Wait until `text` appears behind what was waited for before; return what came up to it."""
        deadline = time.monotonic() + seconds
        while text not in self.shown[self._seen :]:
            if not self._more(deadline):
                raise AssertionError(f"{text!r} did not appear in:\n{self.shown[self._seen :]}")
        start = self._seen
        self._seen = self.shown.index(text, start) + len(text)
        return self.shown[start : self._seen]

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        os.write(self._master, f"{line}\n".encode())

    def press(self, key: str) -> None:
        """Press ``C`` or ``D`` with Ctrl."""
        os.write(self._master, bytes([ord(key) & 0x1F]))

    def interrupt_until(self, seen: Callable[[float], object], number: int = signal.SIGINT) -> None:
        """Send a signal until `seen`, which gets the seconds to wait, finds what it looks for.

        `input()` prints its prompt before it reads: a signal in between only shows at the next one.
        """
        for _ in range(10):
            if self.process.poll() is None:
                os.kill(self.process.pid, number)
            with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
                seen(3)
                return
        raise AssertionError(f"signal {number} has no effect:\n{self.shown[self._seen :]}")

    def end(self, *, seconds: float = 30) -> int:
        """Wait for the process to end, read the rest of the screen, and return the exit code."""
        deadline = time.monotonic() + seconds
        while self._more(deadline):
            pass
        return self.process.wait(max(deadline - time.monotonic(), 0.1))

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._master)

    def _more(self, deadline: float) -> bool:
        while time.monotonic() < deadline:
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    read = os.read(self._master, 65536)
                except OSError:  # the other side is closed
                    return False
                self.shown += ANSI.sub("", read.decode("utf-8", "replace")).replace("\r\n", "\n")
                return bool(read)
        return False


@dataclass
class Done:
    """What a finished process left."""

    code: int
    out: str
    err: str


class Program:
    """`hermes-sdk` in a process of its own, with a home that nothing else uses."""

    def __init__(self, home: Path, workdir: Path) -> None:
        self.home = home
        self.workdir = workdir
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
        self.env["HERMES_HOME"] = str(home)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-W", "error", "-m", "hermes_sdk", *arguments]

    def __call__(self, *arguments: str, stdin: str = "", **env: str) -> Done:
        done = subprocess.run(
            self.command(*arguments),
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.workdir,
            env={**self.env, **env},
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def config(self, text: str) -> None:
        """Write the home's config.yaml."""
        (self.home / "config.yaml").write_text(text, encoding="utf-8")

    def plugin(self, name: str, source: str, manifest: str = "") -> Path:
        """Put a directory plugin into the home."""
        directory = self.home / "plugins" / name
        directory.mkdir(parents=True)
        (directory / "plugin.yaml").write_text(f"name: {name}\n{manifest}", encoding="utf-8")
        (directory / "__init__.py").write_text(source, encoding="utf-8")
        return directory


@pytest.fixture
def program(tmp_path: Path) -> Program:
    home, workdir = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    workdir.mkdir()
    return Program(home, workdir)


@pytest.fixture
def terminal(program: Program) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_terminal(*arguments: str, columns: int = 80, command: list[str] | None = None) -> Terminal:
        opened.append(
            Terminal(
                command or program.command(*arguments),
                env=program.env,
                cwd=str(program.workdir),
                columns=columns,
            )
        )
        return opened[-1]

    yield open_terminal
    for one in opened:
        one.close()
