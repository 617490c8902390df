"""What callbacks share and what each gets a copy of (semantics 4.6)."""

import asyncio

import pytest

from hermes_sdk.dispatch.policy import PluginPolicy

FLAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None}]
NESTED = [{"role": "user", "content": [{"type": "text", "text": "hi"}], "tool_calls": [{"function": {"name": "f"}}]}]


def noting(seen):
    def note(conversation_history):
        seen.append(conversation_history)

    return note


@pytest.mark.parametrize("history", [FLAT, NESTED, []], ids=["flat", "nested", "empty"])
@pytest.mark.parametrize("hook", ["pre_llm_call", "post_llm_call"])
@pytest.mark.parametrize("host", ["sync", "async", "extra argument", "traced", "deadline"])
def test_each_implementation_gets_its_own_copy_of_the_history(manager, plugin, fire, afire, history, hook, host):
    """Seed H3.4."""
    import copy

    before = copy.deepcopy(history)
    seen = []

    def spoils(conversation_history, **_):
        seen.append(copy.deepcopy(conversation_history))
        for message in conversation_history:
            message["content"] = "spoilt"
            for call in message.get("tool_calls", ()):
                call["function"]["name"] = "spoilt"
        conversation_history.append({"role": "user", "content": "injected"})

    def named(conversation_history):
        spoils(conversation_history)

    def rest(**kwargs):
        spoils(**kwargs)

    async def later(conversation_history):
        spoils(conversation_history)

    policy = PluginPolicy(timeout=60.0) if host == "deadline" else None
    plugin("p", policy, **{hook: [spoils, named, rest, later]})
    manager.tracing = host == "traced"
    extra = {"added_in_2027": 1} if host == "extra argument" else {}
    if host == "async":
        asyncio.run(afire(hook, conversation_history=history))
    else:
        fire(hook, conversation_history=history, **extra)
    assert not manager.failures
    assert seen == [before] * 4
    assert history == before


@pytest.mark.parametrize("history", [None, "text", ({"role": "user"},), [1, None, {"role": "user"}]], ids=repr)
def test_a_history_of_another_shape_reaches_callbacks_too(manager, plugin, fire, history):
    seen = []
    plugin(
        "p",
        pre_llm_call=[noting(seen), lambda **given: seen.append(given["conversation_history"])],
    )
    fire("pre_llm_call", conversation_history=history)
    assert seen == [history] * 2
    assert not manager.failures


def test_a_history_that_contains_itself_is_copied(manager, plugin, fire):
    message = {"role": "user", "content": []}
    message["content"].append(message)
    seen = []
    plugin("p", pre_llm_call=noting(seen))
    fire("pre_llm_call", conversation_history=[message])
    assert seen[0][0] is not message
    assert seen[0][0]["content"][0] is seen[0][0]
    assert not manager.failures


def test_pre_tool_call_shares_one_dict_and_counts_a_change_in_place(plugin, fire):
    """What a published plugin does: it rewrites the command in the dict that it is given."""

    def rewrites(tool_name, args, **_):
        if tool_name == "terminal":
            args["command"] = "rtk " + args["command"]

    seen = []
    plugin("a", pre_tool_call=rewrites)
    plugin("b", pre_tool_call=lambda **given: seen.append(given["args"]))
    args = {"command": "git status"}
    outcome = fire("pre_tool_call", tool_name="terminal", args=args)
    assert outcome.args is args
    assert args == {"command": "rtk git status"}
    assert seen[0] is args


def test_default_values_are_made_anew_for_each_call(plugin, manager):
    seen = []

    def keeps(middleware_trace):
        middleware_trace.append("spoilt")
        seen.append(middleware_trace)

    plugin("p", post_tool_call=keeps)
    for _ in range(2):
        manager.hook.post_tool_call(tool_name="t", args={}, result="", duration_ms=1)
    assert seen == [["spoilt"], ["spoilt"]]
    assert seen[0] is not seen[1]
