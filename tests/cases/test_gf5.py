"""GF5: a fail-closed gate that nobody approved is skipped in a headless process, and the policy vanishes.

The command is never executed, and what it was to guard is blocked. Other entries are left out with a warning.
"""

import logging
import shlex

from hermes_sdk.shell_hooks.consent import Allowlist


def test_gf5_an_unapproved_gate_blocks_and_is_never_executed(shell_home, tmp_path, caplog):
    gate = shell_home.script("g.sh", f"touch {tmp_path}/ran")
    other = shell_home.script("other.sh", f"touch {tmp_path}/ran")
    shell_home.hooks(
        {
            "pre_tool_call": [{"command": gate, "fail_closed": True, "matcher": "terminal"}, {"command": other}],
            "transform_terminal_output": [{"command": gate, "fail_closed": True}],
        },
        hooks_auto_accept=False,
    )
    with caplog.at_level(logging.WARNING):
        manager, in_force = shell_home.start(accept=False)
    decision = manager.hook.pre_tool_call(tool_name="terminal", args={})
    assert decision.blocked
    assert f"the gate is not approved; run: hermes-sdk hooks approve {shlex.quote(gate)}" in decision.message
    assert manager.hook.pre_tool_call(tool_name="read_file", args={}).action == "run"
    shown = manager.hook.transform_terminal_output(command="cat .env", output="TOKEN=abc", exit_code=0).value
    assert "output withheld" in shown
    assert "TOKEN" not in shown
    assert not (tmp_path / "ran").exists()
    assert not Allowlist(shell_home.path).path.exists()

    assert [entry.command for entry in in_force.unapproved_gates] == [gate, gate]
    assert len(in_force.unapproved) == 3
    levels = {record.levelname for record in caplog.records if gate in record.getMessage()}
    assert levels == {"ERROR"}
    assert any("2 gates are not approved and block" in record.getMessage() for record in caplog.records)
    (skipped,) = [record for record in caplog.records if other in record.getMessage()]
    assert skipped.levelname == "WARNING"
    assert "not registered" in skipped.getMessage()


def test_gf5_the_gate_is_in_force_once_somebody_approved_it(shell_home):
    gate = shell_home.answering("g.sh", "{}")
    shell_home.hooks({"pre_tool_call": [{"command": gate, "fail_closed": True}]})
    manager, in_force = shell_home.start(accept=False)
    assert manager.hook.pre_tool_call(tool_name="terminal", args={}).blocked
    in_force.allowlist.approve(in_force.found.entries)
    manager, in_force = shell_home.start(accept=False)
    assert in_force.unapproved_gates == []
    assert manager.hook.pre_tool_call(tool_name="terminal", args={}).action == "run"
