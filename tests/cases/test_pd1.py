"""PD1: an id is missing from one hook of a pair, so what belongs together is never matched."""

import json
from collections import Counter

import pytest

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.commands import run_command
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.plugins.manager import PluginManager

IDS = """
rows = []
HOOKS = ("pre_tool_call", "post_tool_call", "transform_tool_result", "pre_llm_call", "post_llm_call",
         "pre_api_request", "post_api_request", "on_session_end")
NAMES = ("session_id", "turn_id", "task_id", "tool_call_id", "api_request_id")
def register(ctx):
    for h in HOOKS:
        ctx.register_hook(h, lambda h=h, **k: rows.append([h, {name: k[name] for name in NAMES if name in k}]))
    ctx.register_command("rows", lambda args: __import__("json").dumps(rows))
"""
TOOL_HOOKS = ("pre_tool_call", "post_tool_call", "transform_tool_result")


@pytest.fixture
def rows(tmp_path):
    """The ids of every hook of one turn with two parallel tool calls."""
    plugin = tmp_path / "home" / "plugins" / "ids"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: ids\n")
    (plugin / "__init__.py").write_text(IDS)
    manager = PluginManager(tmp_path / "home", entry_points=False)
    manager.discover_and_load()
    pair = tuple(ScriptedCall("terminal", {"command": f"echo {number}"}) for number in range(2))
    agent = Agent(manager, ScriptedModel([ScriptStep(tools=pair), ScriptStep(say="done")]), workdir=tmp_path)
    agent.run_turn("go")
    yield json.loads(run_command(agent, "/rows").text)
    agent.close()
    manager.shutdown()


def test_pd1_no_id_is_empty(rows):
    assert len(rows) == 6 + 2 + 4 + 1
    for hook, ids in rows:
        assert all(isinstance(value, str) and value for value in ids.values()), (hook, ids)


def test_pd1_the_ids_of_a_turn_are_the_same_in_every_hook(rows):
    for name in ("session_id", "turn_id", "task_id"):
        assert len({ids[name] for _, ids in rows if name in ids}) == 1, name


def test_pd1_the_call_ids_pair_up_one_to_one(rows):
    by_hook = {hook: Counter(ids["tool_call_id"] for name, ids in rows if name == hook) for hook in TOOL_HOOKS}
    assert by_hook["pre_tool_call"] == by_hook["post_tool_call"] == by_hook["transform_tool_result"]
    assert sorted(by_hook["pre_tool_call"].values()) == [1, 1]


def test_pd1_the_request_ids_pair_up_and_reach_the_calls(rows):
    before = [ids["api_request_id"] for hook, ids in rows if hook == "pre_api_request"]
    after = [ids["api_request_id"] for hook, ids in rows if hook == "post_api_request"]
    assert before == after
    assert len(set(before)) == 2
    assert {ids["api_request_id"] for hook, ids in rows if hook in TOOL_HOOKS} == {before[0]}
