"""DM2: two hooks rewrite the same arguments, and whichever process ends last wins.

Both start on the original arguments; they are folded in declared order; who answered on other arguments is asked
again, where a change is dropped.
"""

import asyncio
import json
import logging

import pytest


@pytest.fixture
def entries(shell_home, tmp_path):
    def modifying(name, pause):
        script = f"""
            cat >> {tmp_path}/{name}.read
            {pause}
            echo '{{"action": "modify", "args": {{"command": "echo {name}"}}}}'
        """
        return {"command": shell_home.script(f"{name}.sh", script)}

    return [modifying("SLOW", "sleep 0.2"), modifying("FAST", "")]


def asked(tmp_path, name):
    return [json.loads(line) for line in (tmp_path / f"{name}.read").read_text().splitlines()]


def test_dm2_the_last_declared_wins_each_time(shell_home, entries):
    manager = shell_home.started({"pre_tool_call": entries})
    for _ in range(20):
        decision = manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ls"})
        assert decision.args == {"command": "echo FAST"}


@pytest.mark.parametrize("way", ["hook", "ahook"])
def test_dm2_both_start_on_the_original_and_the_first_judges_again(shell_home, entries, tmp_path, caplog, way):
    manager = shell_home.started({"pre_tool_call": entries})
    payload = {"tool_name": "terminal", "args": {"command": "ls"}}
    with caplog.at_level(logging.INFO):
        if way == "hook":
            decision = manager.hook.pre_tool_call(**payload)
        else:
            decision = asyncio.run(manager.ahook.pre_tool_call(**payload))
    slow, fast = asked(tmp_path, "SLOW"), asked(tmp_path, "FAST")
    assert [(each["tool_input"], each["extra"]["judgement"]) for each in slow] == [
        ({"command": "ls"}, 1),
        ({"command": "echo FAST"}, 2),
    ]
    assert [each["tool_input"] for each in fast] == [{"command": "ls"}]
    assert decision.args == {"command": "echo FAST"}
    assert [step.what for step in decision.steps] == ["modify", "modify", "ignored"]
    assert "'command'" in caplog.text
    assert "is overwritten" in caplog.text


def test_dm2_who_knew_nothing_of_anothers_change_judges_again_too(shell_home, tmp_path):
    """The second one answered beside the first: it has not seen what the first one changed."""

    def modifying(key):
        return {
            "command": shell_home.script(
                f"{key}.sh",
                f"""cat >> {tmp_path}/{key}.read; echo '{{"action": "modify", "args": {{"{key}": 1}}}}'""",
            )
        }

    manager = shell_home.started({"pre_tool_call": [modifying("a"), modifying("b")]})
    assert manager.hook.pre_tool_call(tool_name="t", args={"x": 0}).args == {"x": 0, "a": 1, "b": 1}
    for key in ("a", "b"):
        assert [each["tool_input"] for each in asked(tmp_path, key)] == [{"x": 0}, {"x": 0, "a": 1, "b": 1}]
