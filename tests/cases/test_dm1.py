"""DM1: an earlier "approve" masks a later "block"; the outcome depends on the load order."""

import pytest

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

ANSWERS = {
    "approve": '{"action":"approve"}',
    "block": '{"action":"block","message":"no"}',
    "modify": '{"action":"modify","args":{"command":"true # changed"}}',
    "nothing": "None",
}
PLUGIN = """
calls = []
def f(judgement, **k):
    calls.append(judgement)
    return {answer} if judgement == 1 else None
def register(ctx):
    ctx.register_hook("pre_tool_call", f)
"""
CALL = {"tool_name": "terminal", "args": {"command": "true"}}


@pytest.fixture
def decide(plugin_home):
    """Return a function: two answers in calling order -> (decision, how often each was asked at first)."""

    def decide(first, second):
        for name, answer in (("a", first), ("b", second)):
            plugin_home.plugin(name, PLUGIN.format(answer=ANSWERS[answer]))
        manager = plugin_home.loaded()
        decision = manager.hook.pre_tool_call(**{**CALL, "args": {**CALL["args"]}})
        return decision, [manager.plugins[name].module.calls.count(1) for name in "ab"]

    return decide


@pytest.mark.parametrize(("first", "second"), [("approve", "block"), ("block", "approve")])
def test_dm1_a_block_stands_in_both_orders_and_everybody_is_asked_once(decide, first, second):
    decision, asked = decide(first, second)
    assert (decision.action, decision.message) == ("block", "no")
    assert asked == [1, 1]
    assert [(step.plugin, step.what) for step in decision.steps] == [("a", first), ("b", second)]


@pytest.mark.parametrize("first", ANSWERS)
@pytest.mark.parametrize("second", ANSWERS)
def test_dm1_the_strictest_answer_wins_wherever_it_stands(decide, first, second):
    decision, asked = decide(first, second)
    if "block" in (first, second):
        assert decision.action == "block"
    elif "approve" in (first, second):
        assert decision.action == "approve"
    else:
        assert decision.action == "run"
    if "modify" in (first, second) and first != "block":
        assert decision.args == {"command": "true # changed" if "modify" in (first, second) else "true"}
    assert asked == [1, 1]


@pytest.mark.parametrize(("first", "second"), [("approve", "block"), ("block", "approve")])
def test_dm1_the_host_runs_nothing_and_asks_nobody(plugin_home, tmp_path, first, second):
    for name, answer in (("a", first), ("b", second)):
        plugin_home.plugin(name, PLUGIN.format(answer=ANSWERS[answer]))
    call = ScriptedCall("terminal", {"command": "touch was-run"})
    agent = Agent(
        plugin_home.loaded(), ScriptedModel([ScriptStep(tools=(call,)), ScriptStep(say="done")]), workdir=tmp_path
    )
    agent.run_turn("go")
    agent.close()
    assert not (tmp_path / "was-run").exists()
