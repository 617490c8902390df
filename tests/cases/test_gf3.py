"""GF3: a block with no message or reason is dropped, and the tool runs."""

import logging

import pytest

G = """
def register(ctx):
    ctx.register_hook("pre_tool_call", lambda **k: {"action": "block"%s})
"""
CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
MESSAGES = ["", ', "message": ""', ', "message": " \\n"', ', "message": None', ', "message": 0', ', "message": ["no"]']


@pytest.mark.parametrize("message", MESSAGES)
def test_gf3_a_python_block_without_a_message_is_ignored_with_one_warning(plugin_home, caplog, message):
    plugin_home.plugin("g", G % message)
    manager = plugin_home.loaded()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert manager.hook.pre_tool_call(**CALL).action == "run"
    (record,) = caplog.records
    assert "'g'" in record.getMessage()
    assert "message" in record.getMessage()


@pytest.mark.parametrize("message", MESSAGES)
def test_gf3_from_a_fail_closed_plugin_it_blocks_and_names_it(plugin_home, message):
    plugin_home.plugin("g", G % message)
    plugin_home.config("plugins: {entries: {g: {fail_closed: true}}}\n")
    decision = plugin_home.loaded().hook.pre_tool_call(**CALL)
    assert decision.blocked
    assert "'g'" in decision.message
    assert "message" in decision.message


@pytest.mark.parametrize(
    "message", ["", ', "message": ""', ', "message": null', ', "message": 0', ', "message": ["no"]']
)
def test_gf3_a_shell_block_without_a_message_blocks_with_one_that_names_the_command(shell_home, message):
    command = shell_home.answering("g.sh", f'{{"action": "block"{message}}}')
    decision = shell_home.started({"pre_tool_call": [{"command": command}]}).hook.pre_tool_call(**CALL)
    assert decision.blocked
    assert command in decision.message
