"""PE5: ~, $VAR, pipes and relative paths in a command mean something else than its author expects, and it never starts.

A tilde is expanded, a variable and an operator are refused with the way out, and a relative path means the home. None
is silently inert.
"""

import pytest

from hermes_sdk.shell_hooks.doctor import general_checks
from hermes_sdk.shell_hooks.listing import list_hooks

BLOCK = """#!/bin/sh\ncat >/dev/null\necho '{"action": "block", "message": "no"}'\n"""
CALL = {"tool_name": "terminal", "args": {}}


@pytest.fixture
def elsewhere(shell_home, tmp_path, monkeypatch):
    """A working directory with harmless scripts of the names that the home has."""
    work = tmp_path / "work"
    work.mkdir()
    for directory, text in ((work, "#!/bin/sh\necho '{}'\n"), (shell_home.path, BLOCK)):
        (directory / "h.sh").write_text(text)
        (directory / "h.sh").chmod(0o755)
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(shell_home.path))
    return work


@pytest.mark.parametrize("command", ["./h.sh", "sh ./h.sh", "~/h.sh", "sh ~/h.sh", "../shell-home/h.sh"])
def test_pe5_a_tilde_and_a_relative_path_find_the_script_from_any_directory(shell_home, elsewhere, command):
    manager = shell_home.started({"pre_tool_call": [{"command": command, "fail_closed": True}]})
    assert manager.hook.pre_tool_call(**CALL)[:2] == ("block", "no"), elsewhere


@pytest.mark.parametrize("command", ["$HOME/h.sh", "cat | ./h.sh", "./h.sh > log", "./h.sh && true"])
def test_pe5_what_needs_a_shell_is_refused_where_everybody_sees_it(shell_home, caplog, command):
    shell_home.config(f"hooks:\n  pre_tool_call:\n    - command: '{command}'\n")
    _, in_force = shell_home.start()
    assert in_force.entries == []
    (record,) = caplog.records
    assert "config.yaml:3:7" in record.getMessage()
    assert "sh -c" in record.getMessage()
    assert any("sh -c" in check.text for check in general_checks(list_hooks(shell_home.path)))


def test_pe5_a_gate_that_needs_a_shell_blocks(shell_home):
    manager = shell_home.started({"pre_tool_call": [{"command": "cat | ./h.sh", "fail_closed": True}]})
    decision = manager.hook.pre_tool_call(**CALL)
    assert decision.blocked
    assert "cat | ./h.sh" in decision.message
    assert "sh -c" in decision.message


def test_pe5_the_way_out_works(shell_home, elsewhere):
    manager = shell_home.started({"pre_tool_call": [{"command": "sh -c 'cat | \"$HOME\"/h.sh'"}]})
    assert manager.hook.pre_tool_call(**CALL)[:2] == ("block", "no"), elsewhere
