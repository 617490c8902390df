"""Homes, real `hermes-sdk` processes and real terminals."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LEFT_OUT = ("HERMES_", "OPENAI_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONPATH")


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
