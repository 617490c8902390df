"""Words of a command without a shell, and where its files are (semantics 8, `command`)."""

from pathlib import Path

import pytest

from hermes_sdk.shell_hooks.command import (
    CommandError,
    find_program,
    joined,
    resolve,
    script_of,
    split_command,
)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("a b", ["a", "b"]),
        ("'my hook.sh' --mode \"two words\"", ["my hook.sh", "--mode", "two words"]),
        ("curl http://x/?a=1&b=2", ["curl", "http://x/?a=1&b=2"]),
        ("grep 'a|b' \"$HOME\"", ["grep", "a|b", "$HOME"]),
        ("sh -c 'cat | tee \"$LOG\" > /dev/null'", ["sh", "-c", 'cat | tee "$LOG" > /dev/null']),
        (r"echo \$HOME \|", ["echo", "$HOME", "|"]),
    ],
)
def test_a_command_is_split_as_a_shell_would_and_quoted_words_are_left_alone(command, words):
    """Seed S9, K10."""
    assert split_command(command, windows=False) == words


@pytest.mark.parametrize(
    "command",
    ["cat | h.sh", "cat|h.sh", "h.sh > log", "h.sh 2>&1", "h.sh 2>/dev/null", "a && b", "a; b", "a;", "h.sh &", "< in"],
)
def test_an_operator_of_the_shell_is_refused_with_the_way_out(command):
    """Seed K10."""
    with pytest.raises(CommandError, match=r"put it into a script, or write: sh -c"):
        split_command(command, windows=False)


@pytest.mark.parametrize("command", ["$HOME/h.sh", "h.sh ${X}", "h.sh $(date)", "h.sh `date`"])
def test_a_variable_that_nobody_expands_is_refused(command):
    with pytest.raises(CommandError, match="no shell reads it"):
        split_command(command, windows=False)


@pytest.mark.parametrize("command", ["", "  ", "''", "'a", 'x "y'])
def test_an_empty_or_unfinished_command_is_refused(command):
    with pytest.raises(CommandError):
        split_command(command, windows=False)


@pytest.mark.parametrize(
    ("words", "resolved"),
    [
        (["~/h.sh", "~/x", "a/b"], ["/me/h.sh", "/me/x", "a/b"]),
        (["./h.sh"], ["/home/h.sh"]),
        (["agent-hooks/h.sh", "./data"], ["/home/agent-hooks/h.sh", "./data"]),
        (["h.sh"], ["h.sh"]),
        (["/abs/h.sh"], ["/abs/h.sh"]),
        (["python3", "hooks/h.py", "a/b"], ["python3", "/home/hooks/h.py", "a/b"]),
        (["python3.12", "-u", "./h.py"], ["python3.12", "-u", "/home/h.py"]),
        (["bash", "-e", "./h.sh"], ["bash", "-e", "/home/h.sh"]),
        (["bash", "--norc", "./h.sh"], ["bash", "--norc", "/home/h.sh"]),
        (["sh", "-c", "cat ./x"], ["sh", "-c", "cat ./x"]),
        (["sh", "-ec", "cat ./x"], ["sh", "-ec", "cat ./x"]),
        (["python3", "-m", "a/b"], ["python3", "-m", "a/b"]),
        (["python3", "-", "./x"], ["python3", "-", "./x"]),
        (["node", "-e", "a/b"], ["node", "-e", "a/b"]),
        (["node", "./h.js"], ["node", "/home/h.js"]),
        (["/usr/bin/perl", "./h.pl"], ["/usr/bin/perl", "/home/h.pl"]),
        (["ruby", "h.rb"], ["ruby", "h.rb"]),
    ],
)
def test_relative_programs_and_scripts_are_the_homes_and_other_words_stay(monkeypatch, words, resolved):
    """Seed X39: the tilde in a command works."""
    monkeypatch.setenv("HOME", "/me")
    assert resolve(words, Path("/home")) == resolved


def test_a_bare_program_is_found_by_absolute_parts_of_path_only(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "guard"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("guard", f"bin::.:{tmp_path}/bin") == str(program)
    assert find_program("guard", "bin::.") is None
    assert find_program("guard", "") is None
    assert find_program(str(program), "") == str(program)
    assert find_program(str(tmp_path / "gone"), "/bin") is None


@pytest.mark.parametrize(
    ("words", "script"),
    [
        (["/h/a.sh", "x"], "/h/a.sh"),
        (["python3", "-u", "/h/a.py"], "/h/a.py"),
        (["bash", "-c", "x"], None),
        (["jq", "/x"], None),
        (["python3"], None),
    ],
)
def test_the_script_of_a_command_is_the_interpreters_first_argument_or_the_program(words, script):
    found = script_of(words)
    assert (found and str(found)) == script


@pytest.mark.parametrize("words", [["~/h.sh"], ["a b", "c"], ["x", "$HOME", "'"], ["x", ""], ["x", "a|b"]])
def test_a_list_of_words_has_one_text_that_means_the_same(words):
    assert split_command(joined(words), windows=False) == words


def test_a_plain_list_of_words_is_the_text_that_a_person_would_write():
    assert joined(["~/hooks/h.sh", "--mode=strict", "a,b"]) == "~/hooks/h.sh --mode=strict a,b"
