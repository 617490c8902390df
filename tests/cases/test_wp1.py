"""WP1: one line of banner before the JSON makes the whole answer unreadable, so that a block is lost."""

import logging

import pytest

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
BANNER = 'echo "toolchain ready"\n'
BLOCK = """echo '{"action":"block","message":"no"}'\n"""


@pytest.mark.parametrize("fail_closed", [False, True])
@pytest.mark.parametrize("text", [BANNER + BLOCK, BLOCK + BANNER, BANNER + BLOCK + BANNER])
def test_wp1_a_block_is_never_lost_and_the_stray_line_is_quoted(shell_home, caplog, text, fail_closed):
    script = shell_home.script("b.sh", "cat >/dev/null\n" + text)
    manager = shell_home.started({"pre_tool_call": [{"command": script, "fail_closed": fail_closed}]})
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert manager.hook.pre_tool_call(**CALL)[:2] == ("block", "no")
    (record,) = caplog.records
    assert "toolchain ready" in record.getMessage()
    assert script in record.getMessage()


def test_wp1_plain_text_is_no_context_and_is_warned_about(shell_home, caplog):
    manager = shell_home.started({"pre_llm_call": [{"command": shell_home.script("c.sh", "echo today is friday")}]})
    with caplog.at_level(logging.WARNING):
        added = manager.hook.pre_llm_call(
            session_id="s", user_message="hi", conversation_history=[], is_first_turn=True, model="m", platform="cli"
        )
    assert added.text is None
    assert "its output is no JSON object: today is friday" in caplog.text
