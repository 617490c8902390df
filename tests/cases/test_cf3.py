"""CF3: pre_tool_call fires twice a call, once to poll for a block and once for observers."""

import importlib.util
import sys

import pytest

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.commands import run_command
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.plugins.manager import PluginManager

COUNTER = """
n = 0
def f(**k):
    global n
    n += 1
def register(ctx):
    ctx.register_hook("pre_tool_call", f)
    ctx.register_command("count", lambda args: str(n))
    ctx.register_command("call", lambda args: ctx.dispatch_tool("terminal", {"command": "true"}))
"""


@pytest.fixture
def session(tmp_path):
    """Return a function that gives an agent whose one plugin counts, under a manager of a class."""
    plugin = tmp_path / "home" / "plugins" / "cnt"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: cnt\n")
    (plugin / "__init__.py").write_text(COUNTER)
    open_ = []

    def session(*steps, manager_class=PluginManager, children=None):
        manager = manager_class(tmp_path / "home", entry_points=False)
        manager.discover_and_load()
        agent = Agent(manager, ScriptedModel(steps, children=children), workdir=tmp_path)
        open_.append((agent, manager))
        return agent

    yield session
    for agent, manager in open_:
        agent.close()
        manager.shutdown()


CALL = ScriptedCall("terminal", {"command": "true"})
ANSWER = ScriptStep(say="done")


def counted(agent):
    return int(run_command(agent, "/count").text)


def test_cf3_one_call_of_the_model_counts_one(session):
    agent = session(ScriptStep(tools=(CALL,)), ANSWER)
    agent.run_turn("go")
    assert counted(agent) == 1


def test_cf3_each_call_of_a_batch_counts_one(session):
    agent = session(ScriptStep(tools=(CALL,) * 3), ANSWER)
    agent.run_turn("go")
    assert counted(agent) == 3


def test_cf3_a_call_by_a_plugin_counts_one(session):
    agent = session()
    run_command(agent, "/call")
    assert counted(agent) == 1


def test_cf3_a_call_of_a_child_counts_one(session):
    task = ScriptedCall("delegate_task", {"goal": "child"})
    agent = session(ScriptStep(tools=(task,)), ANSWER, children={"child": [ScriptStep(tools=(CALL,)), ANSWER]})
    agent.run_turn("go")
    assert counted(agent) == 2, "one for delegate_task, one for the child's own call"


def test_cf3_a_bare_dispatch_counts_one(session):
    agent = session()
    agent.manager.hook.pre_tool_call(tool_name="terminal", args={"command": "true"})
    assert counted(agent) == 1


def test_cf3_a_second_manager_under_another_module_name_keeps_its_own_count(session):
    origin = importlib.util.find_spec("hermes_sdk.plugins.manager").origin
    spec = importlib.util.spec_from_file_location("other_manager", origin)
    other = importlib.util.module_from_spec(spec)
    sys.modules["other_manager"] = other
    try:
        spec.loader.exec_module(other)
        first = session(ScriptStep(tools=(CALL,)), ANSWER)
        second = session(ScriptStep(tools=(CALL,)), ANSWER, manager_class=other.PluginManager)
        first.run_turn("go")
        assert counted(first) == 1
        before = counted(second)
        second.run_turn("go")
        assert counted(second) - before == 1
    finally:
        del sys.modules["other_manager"]
