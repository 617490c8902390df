"""Implementations that are for certain tools only: asked for these, and passed over without any cost for others."""

import asyncio

import pytest

from hermes_sdk import DispatchManager, PluginPolicy
from hermes_sdk.dispatch.concerns import _KEPT, Concerned
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.implementation import CallbackNotes, note


@pytest.fixture
def judged():
    """Return a function that registers callbacks for a tool each (None: for all) and gives who is asked for one."""

    def judged(*tools, way="hook", traced=False):
        manager = DispatchManager()
        holder = PluginHolder("some")
        asked = []
        for number, tool in enumerate(tools):

            def callback(number=number, **arguments):
                asked.append(number)

            if tool is not None:
                note(callback, CallbackNotes(f"for {tool}", concerns=tool.__eq__))
            holder.add_callback("pre_tool_call", callback)
        manager.register(holder, "some", policy=PluginPolicy(source="shell"))
        manager.tracing = traced

        def call(tool_name):
            asked.clear()
            payload = {"tool_name": tool_name, "args": {}}
            if way == "ahook":
                outcome = asyncio.run(manager.ahook.pre_tool_call(**payload))
            elif way == "invoke_hook":
                manager.invoke_hook("pre_tool_call", **payload)
                outcome = None
            else:
                outcome = manager.hook.pre_tool_call(**payload)
            return list(asked), outcome

        return call

    return judged


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("way", ["hook", "ahook", "invoke_hook"])
def test_each_is_asked_for_its_tool_only(judged, way, traced):
    call = judged("a", None, "b", "a", way=way, traced=traced)
    assert call("a")[0] == [0, 1, 3]
    assert call("b")[0] == [1, 2]
    assert call("c")[0] == [1]
    assert call("")[0] == [1]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("way", ["hook", "ahook"])
def test_where_nobody_is_concerned_the_outcome_is_that_of_nobody(judged, way, traced):
    call = judged("a", "b", way=way, traced=traced)
    asked, outcome = call("c")
    assert asked == []
    assert outcome.action == "run"
    assert outcome.args == {}
    assert outcome.steps == ()
    assert call("b")[0] == [1]


def test_no_more_than_some_names_are_remembered():
    looked_at = []
    concerned = Concerned([lambda name: looked_at.append(name) or name == "x"])
    for number in range(3 * _KEPT):
        assert concerned[str(number)] is concerned.nobody
    assert len(concerned) <= _KEPT
    assert concerned["x"] == (True,)
    before = len(looked_at)
    assert concerned["x"] == (True,)
    assert len(looked_at) == before
