"""What the pages about the command line say is what the program does; the code on them is run by tests/docs."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from hermes_sdk.cli.app import app
from hermes_sdk.host import session_format

ROOT = Path(__file__).parents[2]
TABLES = [name for name in vars(session_format) if name.isupper() and isinstance(vars(session_format)[name], tuple)]


def commands(command, path="hermes-sdk"):
    children = getattr(command, "commands", {})
    if not children:
        yield path, command
    for name, child in children.items():
        yield from commands(child, f"{path} {name}")


def test_the_committed_reference_of_the_command_line_is_the_generated_one():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate", "--check", "cli"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("path", "command"), list(commands(typer.main.get_command(app))))
def test_every_command_and_option_is_on_the_page_and_explained(path, command):
    page = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    section = page.partition(f"\n## {path}")[2].partition("\n## ")[0]
    assert command.help
    assert command.help.splitlines()[0] in section
    for parameter in command.params:
        assert parameter.help, f"{path} {parameter.name}"
        assert parameter.help in section


@pytest.mark.parametrize("table", TABLES)
def test_every_key_of_a_session_file_is_on_its_page(table):
    page = (ROOT / "docs" / "reference" / "session-files.md").read_text("utf-8")
    for field in vars(session_format)[table]:
        assert f"`{field.name}`" in page
        assert f"{field.name}:" in page
