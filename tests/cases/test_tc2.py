"""TC2: a shell transform is accepted, allowlisted and healthy, and its output is thrown away.

Every transform honours a shell answer; one that is fail-closed and fails withholds the output. An entry whose answer
its event ignores loads and says so; it cannot be fail-closed.
"""

import logging

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.shell_hooks.listing import list_hooks

TRANSFORMS = [name for name, hook in HOOKS.items() if hook.value]


def test_tc2_what_a_command_printed_is_replaced(shell_home, tmp_path):
    manager = shell_home.started(
        {"transform_terminal_output": [{"command": shell_home.answering("red.sh", '{"output":"[redacted]"}')}]}
    )
    call = ScriptedCall("terminal", {"command": "echo TOKEN=abc"})
    agent = Agent(manager, ScriptedModel([ScriptStep(tools=(call,)), ScriptStep(say="done")]), workdir=tmp_path)
    agent.run_turn("print it")
    (result,) = [message["content"] for message in agent.history if message["role"] == "tool"]
    agent.close()
    assert "[redacted]" in result
    assert "abc" not in result


def transformed(manager, event):
    value = HOOKS[event].value
    return getattr(manager.hook, event)(**HOOKS[event].sample(**{value: "TOKEN=abc"})).value


@pytest.mark.parametrize("event", TRANSFORMS)
@pytest.mark.parametrize("key", ["output", "result", None])
def test_tc2_every_transform_takes_every_name_of_its_value(shell_home, event, key):
    script = shell_home.answering("red.sh", f'{{"{key or HOOKS[event].value}": "[redacted]"}}')
    assert transformed(shell_home.started({event: [{"command": script}]}), event) == "[redacted]"


@pytest.mark.parametrize("event", TRANSFORMS)
@pytest.mark.parametrize("text", ["exit 1", "echo nonsense", """echo '{"output": 3}'""", "exit 2"])
def test_tc2_a_fail_closed_redaction_that_fails_withholds_the_output(shell_home, event, text):
    script = shell_home.script("red.sh", f"cat >/dev/null\n{text}")
    shown = transformed(shell_home.started({event: [{"command": script, "fail_closed": True}]}), event)
    assert shown.startswith("[output withheld: ")
    assert script in shown
    assert "abc" not in shown
    assert transformed(shell_home.started({event: [{"command": script}]}), event) == "TOKEN=abc"


def test_tc2_transforms_of_python_and_shell_are_chained(shell_home):
    shell_home.plugin(
        "mask",
        """
        def register(ctx):
            ctx.register_hook("transform_tool_result", lambda result, **k: result.replace("one", "two"))
        """,
    )
    script = shell_home.script("up.sh", """grep -q two && echo '{"result": "three"}'""")
    manager = shell_home.started({"transform_tool_result": [{"command": script}]})
    outcome = manager.hook.transform_tool_result(**HOOKS["transform_tool_result"].sample(result="one"))
    assert outcome.value == "three"
    assert [step.plugin for step in outcome.steps] == ["mask", f"shell:{script}"]


def test_tc2_an_answer_that_is_ignored_is_said_so_and_cannot_be_fail_closed(shell_home, tmp_path, caplog):
    script = shell_home.script("o.sh", f"""cat >/dev/null; touch {tmp_path}/ran; echo '{{"action": "block"}}'""")
    shell_home.hooks({"post_tool_call": [{"command": script, "fail_closed": True}]})
    with caplog.at_level(logging.WARNING):
        manager, in_force = shell_home.start()
    assert "[HS208]" in caplog.text
    assert "fail_closed on post_tool_call" in caplog.text
    assert [entry.fail_closed for entry in in_force.entries] == [False]
    assert [listed.answer_ignored for listed in list_hooks(shell_home.path).entries] == [True]
    manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample())
    assert (tmp_path / "ran").exists()
    assert manager.hook.pre_tool_call(tool_name="terminal", args={}).action == "run"
