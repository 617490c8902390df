"""DM4: several hooks block; only one reason reaches the model and the log."""

import json

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

TWO = """
def register(ctx):
    ctx.register_hook("pre_tool_call", lambda **k: {"action":"block","message":"reason-A"})
    ctx.register_hook("pre_tool_call", lambda **k: {"action":"block","message":"reason-B"})
"""
AUDIT = """
before, after = [], []
def register(ctx):
    ctx.register_hook("pre_tool_call", lambda already_blocked, **k: before.append(already_blocked))
    ctx.register_hook("post_tool_call", lambda status, result, **k: after.append((status, result)))
"""
OBSERVED = """
seen = []
def blocks(message):
    def callback(already_blocked, **k):
        seen.append((message, already_blocked))
        return {"action": "block", "message": message}
    return callback
def register(ctx):
    ctx.register_hook("pre_tool_call", blocks("reason-A"))
    ctx.register_hook("pre_tool_call", blocks("reason-B"))
"""


def test_dm4_the_first_reason_is_the_verdict_and_the_steps_list_both(plugin_home):
    plugin_home.plugin("two", TWO)
    decision = plugin_home.loaded().hook.pre_tool_call(tool_name="terminal", args={"command": "ls"})
    assert (decision.action, decision.message) == ("block", "reason-A")
    assert [(step.plugin, step.what, step.detail) for step in decision.steps] == [
        ("two", "block", "reason-A"),
        ("two", "block", "reason-B"),
    ]
    assert decision.blocked_by("two")


def test_dm4_the_second_callback_runs_and_knows(plugin_home):
    plugin_home.plugin("two", OBSERVED)
    manager = plugin_home.loaded()
    manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ls"})
    assert manager.plugins["two"].module.seen == [("reason-A", False), ("reason-B", True)]


def test_dm4_the_model_reads_the_first_reason_and_an_auditor_sees_the_attempt(plugin_home, tmp_path):
    plugin_home.plugin("two", TWO)
    plugin_home.plugin("zz_audit", AUDIT)
    manager = plugin_home.loaded()
    call = ScriptedCall("terminal", {"command": "touch was-run"})
    agent = Agent(manager, ScriptedModel([ScriptStep(tools=(call,)), ScriptStep(say="done")]), workdir=tmp_path)
    agent.run_turn("go")
    agent.close()
    audit = manager.plugins["zz_audit"].module
    assert audit.before == [True]
    ((status, result),) = audit.after
    assert status == "blocked"
    assert "reason-A" in json.loads(result)["error"]
    assert "reason-B" not in result
    assert not (tmp_path / "was-run").exists()
