"""The code in the documentation runs, and prints what the page says.

The blocks of a page are played in order in one temporary home: files are written, Python is run as a script with the
real manager, commands are run, configuration is loaded. CONTRIBUTING.md explains the markers.
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from hermes_sdk.config import Config
from hermes_sdk.plugins.section import read_section
from hermes_sdk.shell_hooks.entries import read_entries

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("builtin_plugins/*/README.md")])
    if "_build" not in path.parts and not path.read_text("utf-8").startswith("<!-- Written by")
]
"""Every page that people write; the generated ones have tests of their own."""

_FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINTS = re.compile(r"<!-- prints -->\n\Z")
_FILE = re.compile(r"(?:#|//) (~/\S+|[\w./-]+\.\w+)\n")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    language: str
    text: str
    line: int
    """Number of its first line in the page, from 1."""
    prints: bool
    """Whether it is what the block before it prints."""

    @property
    def file(self):
        """The file that the block is the content of, as its first line says it; None if it is no file."""
        found = _FILE.match(self.text)
        return found[1] if found else None


def page_name(path):
    return path.relative_to(ROOT).as_posix().removeprefix("docs/")


def blocks_of(path):
    """Return the blocks of a page in order."""
    text = path.read_text("utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        line = text.count("\n", 0, fence.start(2)) + 1
        prints = _PRINTS.search(text[: fence.start()]) is not None
        found.append(Block(fence[1], fence[2], line, prints))
    return found


def console_commands(text):
    """Yield (command, lines shown below it) of a console block."""
    command, shown = None, []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command is not None:
        yield command, shown


def is_shown(shown, printed):
    """Whether `printed` is what a page shows, where a line ``...`` stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + r" *\n" for line in shown)
    return re.fullmatch(pattern, printed.rstrip() + "\n" if printed.strip() else "") is not None


class Page:
    """Plays one page in a home of its own."""

    def __init__(self, path, tmp_path):
        self.blocks = blocks_of(path)
        self.name = page_name(path)
        self.home = tmp_path / "home"
        self.work = tmp_path / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.printed = ""

    def play(self):
        for block in self.blocks:
            if block.file:
                self.write(block)
            elif block.language == "python":
                self.run_python(block)
            elif block.language == "console":
                self.run_console(block)
            elif block.language == "yaml":
                self.load_yaml(block)
            elif block.prints:
                assert is_shown(block.text.splitlines(), self.printed), f"{self.at(block)}: {self.printed}"

    def at(self, block):
        return f"{self.name}:{block.line}"

    def write(self, block):
        path = self.home / block.file[2:] if block.file.startswith("~/") else self.work / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        # JSON has no comments: there the line with the name is for readers only
        path.write_text(block.text.partition("\n")[2] if path.suffix == ".json" else block.text, "utf-8")
        if path.name == "config.yaml":
            self.load_config(block, yaml.safe_load(block.text))

    def run_python(self, block):
        script = self.work / "script.py"
        # on the page's own lines, so that a traceback points into the page
        script.write_text("\n" * (block.line - 1) + block.text, "utf-8")
        done = self.run([sys.executable, "-W", "error", str(script)])
        assert done.returncode == 0, f"{self.at(block)}:\n{done.stderr}"
        self.printed = done.stdout

    def run_console(self, block):
        for command, shown in console_commands(block.text):
            program, *arguments = shlex.split(command, comments=True)
            if program != "hermes-sdk":
                continue
            done = self.run([sys.executable, "-m", "hermes_sdk", *arguments])
            assert done.returncode == 0, f"{self.at(block)}: {command}\n{done.stdout}{done.stderr}"
            self.printed = done.stdout
            assert not shown or is_shown(shown, done.stdout), f"{self.at(block)}: {command}\n{done.stdout}"

    def run(self, command):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HERMES_", "COV_"))}
        variables = kept | {"HOME": str(self.home), "COLUMNS": "100", "NO_COLOR": "1"}
        return subprocess.run(
            command, cwd=self.work, env=variables, capture_output=True, text=True, check=False, timeout=60
        )

    def load_yaml(self, block):
        data = yaml.safe_load(block.text)
        if isinstance(data, dict) and "plugins" in data:
            self.load_config(block, data)

    def load_config(self, block, data):
        config = Config.of(self.home / ".hermes", data)
        problems = [*config.problems, *read_section(config).problems, *read_entries(config).problems]
        assert problems == [], f"{self.at(block)}: {[str(problem) for problem in problems]}"


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(path, tmp_path):
    Page(path, tmp_path).play()


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_a_block_of_code_says_its_language(path):
    assert [block.line for block in blocks_of(path) if not block.language] == []


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        (["a", "b"], "a\nb\n", True),
        (["a", "..."], "a\nb\nc\n", True),
        (["...", "c"], "a\nb\nc\n", True),
        (["..."], "", True),
        (["a"], "a\nb\n", False),
        (["a", "...", "d"], "a\nb\nc\n", False),
        ([], "a\n", False),
    ],
)
def test_shown_output_stands_for_printed_output(shown, printed, expected):
    assert is_shown(shown, printed) is expected
