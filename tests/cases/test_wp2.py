"""WP2: two JSON objects on standard output, and neither is used."""

import pytest

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
NOTICE = '{"type":"notice"}'
BLOCK = '{"action":"block","message":"no"}'
APPROVE = '{"action":"approve","message":"sure?"}'
ALLOW = '{"hookSpecificOutput":{"permissionDecision":"allow"}}'


@pytest.mark.parametrize("fail_closed", [False, True])
@pytest.mark.parametrize(
    ("lines", "action"),
    [
        ([NOTICE, BLOCK], "block"),
        ([BLOCK, NOTICE], "block"),
        ([BLOCK, ALLOW], "block"),
        ([ALLOW, BLOCK], "block"),
        ([APPROVE, BLOCK, '{"action":"block","message":"second"}'], "block"),
        ([NOTICE, APPROVE, ALLOW], "approve"),
        ([NOTICE, ALLOW], "run"),
    ],
)
def test_wp2_a_verdict_in_any_object_counts_and_the_strictest_wins(shell_home, lines, action, fail_closed):
    script = shell_home.answering("two.sh", "\n".join(lines))
    manager = shell_home.started({"pre_tool_call": [{"command": script, "fail_closed": fail_closed}]})
    decision = manager.hook.pre_tool_call(**CALL)
    assert decision.action == action
    if action == "block":
        assert decision.message == "no"
