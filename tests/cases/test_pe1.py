r"""PE1: backslashes in a Windows command are eaten by the splitting that Unix shells do."""

import pytest

from hermes_sdk.config import Config
from hermes_sdk.shell_hooks import command as command_module
from hermes_sdk.shell_hooks.command import CommandError, split_command
from hermes_sdk.shell_hooks.entries import read_entries

PROGRAM = r"C:\Tools\My Guard\g.exe"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (f'"{PROGRAM}" --mode strict', [PROGRAM, "--mode", "strict"]),
        (r"C:\Tools\g.exe --dir C:\data\x", [r"C:\Tools\g.exe", "--dir", r"C:\data\x"]),
        (r'python "C:\My Hooks\h.py"', ["python", r"C:\My Hooks\h.py"]),
        (r'g.exe --name="a b"', ["g.exe", "--name=a b"]),
    ],
)
def test_pe1_backslashes_stay_and_quotes_keep_blanks(command, words):
    assert split_command(command, windows=True) == words


def test_pe1_an_unquoted_path_with_a_blank_is_an_error_not_another_path():
    with pytest.raises(CommandError, match=r"looks cut at a blank: put the path into double quotes"):
        split_command(f"{PROGRAM} --mode strict", windows=True)
    with pytest.raises(CommandError, match="quotation mark without its partner"):
        split_command(f'"{PROGRAM} --mode', windows=True)


def test_pe1_a_list_of_words_needs_no_quotes_anywhere(tmp_path):
    listed = {"hooks": {"pre_tool_call": [{"command": [PROGRAM, "--mode", "two words"]}]}}
    (entry,) = read_entries(Config.of(tmp_path, listed)).entries
    assert entry.argv == (PROGRAM, "--mode", "two words")


def test_pe1_the_error_stands_in_the_configuration(tmp_path, monkeypatch):
    monkeypatch.setattr(command_module, "IS_WINDOWS", True)
    listed = {"hooks": {"pre_tool_call": [{"command": f"{PROGRAM} --mode strict"}]}}
    found = read_entries(Config.of(tmp_path, listed))
    assert found.entries == []
    assert "looks cut at a blank" in str(found.problems[0])
