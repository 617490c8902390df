"""GF2: a fail-closed gate that fails is treated as "allow".

Whatever keeps a gate from giving its verdict blocks, and names the entry and the cause. A gate that is not declared
fail-closed lets the call through, with one warning. (Exit status 2 is an answer, not a failure.)
"""

import logging

import pytest

READ = "cat >/dev/null\n"
VARIANTS = {
    "a status": (READ + "exit 1", "exit status 1"),
    "a status with a word": (READ + "echo broken >&2; exit 1", "exit status 1: broken"),
    "killed": (READ + "kill -9 $$", "signal 9"),
    "no such file": (None, "there is no program"),
    "not executable": (READ, "may not be executed"),
    "no interpreter": ("#!/nowhere/sh\n", "names an interpreter that there is not"),
    "windows line ends": ("#!/bin/sh\r\n" + READ, "names an interpreter that there is not"),
    "no json": (READ + "echo fine", "no JSON object: fine"),
    "cut json": (READ + """printf '{"action": "bl'""", "no JSON object"),
    "too late": (READ + "exec sleep 60", "did not end within 0.2 s"),
    "unknown word": (READ + """echo '{"action": "stop"}'""", "unknown answer: stop"),
    "malformed": (READ + """echo '{"action": "modify", "args": []}'""", "'modify' needs an object"),
    "allows, then fails": (READ + "echo '{}'; exit 1", "exit status 1"),
}


def call(shell_home, variant, **entry):
    text, cause = VARIANTS[variant]
    command = str(shell_home.path / "gone.sh")
    if text is not None:
        command = shell_home.script("g.sh", text, executable=variant != "not executable")
    manager = shell_home.started(
        {"pre_tool_call": [{"command": command, "matcher": "terminal", "timeout": 0.2, **entry}]}
    )
    return manager, command, cause


def terminal(manager):
    return manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ls"})


@pytest.mark.parametrize("variant", VARIANTS)
def test_gf2_a_failing_gate_blocks_and_names_entry_and_cause(shell_home, variant):
    manager, command, cause = call(shell_home, variant, fail_closed=True)
    decision = terminal(manager)
    assert decision.blocked
    assert command in decision.message
    assert cause in decision.message
    assert manager.hook.pre_tool_call(tool_name="read_file", args={}).action == "run"


@pytest.mark.parametrize("variant", VARIANTS)
def test_gf2_without_fail_closed_it_allows_with_one_warning(shell_home, caplog, variant):
    manager, command, cause = call(shell_home, variant)
    with caplog.at_level(logging.WARNING):
        assert [terminal(manager).action for _ in range(3)] == ["run"] * 3
    (record,) = caplog.records
    assert command in record.getMessage()
    assert cause in record.getMessage()
    assert "config.yaml:1:" in record.getMessage()
    assert "Traceback" not in record.getMessage()


def test_gf2_exit_status_2_is_an_answer(shell_home):
    manager = shell_home.started({"pre_tool_call": [{"command": shell_home.script("g.sh", "echo why >&2; exit 2")}]})
    assert terminal(manager)[:2] == ("block", "why")


def test_gf2_exit_status_2_that_is_to_warn_is_a_failure(shell_home):
    entry = {"command": shell_home.script("g.sh", "exit 2"), "exit_code_2": "warn"}
    assert terminal(shell_home.started({"pre_tool_call": [entry]})).action == "run"
    assert terminal(shell_home.started({"pre_tool_call": [entry | {"fail_closed": True}]})).blocked
