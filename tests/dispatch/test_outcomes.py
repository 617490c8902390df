"""Outcomes and their provenance: who is named, what tracing adds, what raw hosts get (semantics 2)."""

import asyncio
import copy
import gc
import weakref

import pytest

from hermes_hookspecs import HOOKS, AddContext, Approve, Block, Continue, Modify, Rewrite, Skip
from hermes_sdk.dispatch.outcomes import (
    NO_CONTEXT,
    NO_DISPATCH,
    NO_VERIFY,
    NOTHING_OBSERVED,
    AddedContext,
    DispatchDecision,
    Observed,
    Step,
    ToolDecision,
    Transformed,
    VerifyDecision,
)
from hermes_sdk.dispatch.policy import PluginPolicy

TYPES = {
    "observer": Observed,
    "context": AddedContext,
    "transform": Transformed,
    "pre_tool_call": ToolDecision,
    "pre_gateway_dispatch": DispatchDecision,
    "pre_verify": VerifyDecision,
}
SHARED = {
    "observer": NOTHING_OBSERVED,
    "context": NO_CONTEXT,
    "pre_gateway_dispatch": NO_DISPATCH,
    "pre_verify": NO_VERIFY,
}
ANSWERS = {
    "observer": [],
    "context": ["text", AddContext("typed")],
    "transform": ["a text"],
    "pre_tool_call": [Approve("why"), Modify({"x": 1}), Block("no")],
    "pre_gateway_dispatch": [Rewrite("text"), Skip("no")],
    "pre_verify": [Continue("more"), {"action": "continue", "message": "again"}],
}


def of_kind(table, hook):
    return table[hook] if hook in table else table.get(HOOKS[hook].kind)


def call(manager, hook, **values):
    return getattr(manager.hook, hook)(**HOOKS[hook].sample(**values))


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("traced", [False, True])
def test_the_outcome_is_of_the_hooks_type(manager, plugin, fire, afire, hook, traced):
    manager.tracing = traced
    kind = of_kind(TYPES, hook)
    assert type(fire(hook)) is kind
    assert type(asyncio.run(afire(hook))) is kind
    plugin("a", **{hook: lambda: None})
    assert type(fire(hook)) is kind
    assert type(asyncio.run(afire(hook))) is kind
    plugin("b", **{hook: lambda: 1 / 0})
    assert type(fire(hook)) is kind
    assert type(asyncio.run(afire(hook))) is kind


@pytest.mark.parametrize("hook", [hook for hook in HOOKS if of_kind(SHARED, hook) is not None])
def test_silence_gives_one_shared_outcome(plugin, fire, afire, hook):
    plugin("a", **{hook: [lambda: None, lambda **rest: None]})
    assert fire(hook) is of_kind(SHARED, hook)
    assert fire(hook, future=1) is of_kind(SHARED, hook)
    assert asyncio.run(afire(hook)) is of_kind(SHARED, hook)


@pytest.mark.parametrize("hook", HOOKS)
def test_without_tracing_only_those_are_named_who_did_something(manager, plugin, fire, hook):
    answers = of_kind(ANSWERS, hook)
    plugin("a", PluginPolicy(rejudge=False), **{hook: lambda: None})
    for number, answer in enumerate(answers):
        plugin(f"b{number}", PluginPolicy(rejudge=False), **{hook: lambda answer=answer: copy.deepcopy(answer)})
    plugin("c", PluginPolicy(source="shell"), **{hook: lambda: 1 / 0})
    outcome = fire(hook)
    assert [step.plugin for step in outcome.steps] == [*(f"b{n}" for n in range(len(answers))), "c"]
    assert all(step.duration_ms is None for step in outcome.steps)
    assert outcome.steps[-1] == Step("c", "shell", "failed", error="ZeroDivisionError: division by zero")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("extra", [{}, {"future": 1}], ids=["", "wide"])
def test_with_tracing_everybody_is_named_in_calling_order_with_a_duration(
    manager, plugin, fire, afire, hook, asynchronous, extra
):
    manager.tracing = True

    async def later():
        await asyncio.sleep(0)

    plugin("a", **{hook: [lambda: None, later, lambda **rest: None]})
    plugin("b", PluginPolicy(rejudge=False, timeout=30), **{hook: lambda: None})
    for number, answer in enumerate(of_kind(ANSWERS, hook)):
        plugin(f"c{number}", PluginPolicy(rejudge=False), **{hook: lambda answer=answer: copy.deepcopy(answer)})
    plugin("d", **{hook: lambda: 1 / 0})
    outcome = asyncio.run(afire(hook, **extra)) if asynchronous else fire(hook, **extra)
    answered = [f"c{number}" for number in range(len(of_kind(ANSWERS, hook)))]
    assert [step.plugin for step in outcome.steps] == ["a", "a", "a", "b", *answered, "d"]
    assert [step.what for step in outcome.steps[:4]] == ["observed"] * 4
    assert outcome.steps[-1].what == "failed"
    assert all(step.duration_ms >= 0 for step in outcome.steps)


@pytest.mark.parametrize("hook", HOOKS)
def test_tracing_changes_nothing_but_steps(manager, plugin, fire, hook):
    for number, answer in enumerate(of_kind(ANSWERS, hook)):
        plugin(f"a{number}", **{hook: lambda answer=answer: copy.deepcopy(answer)})
    plugin("b", **{hook: lambda: 1 / 0})
    plain = fire(hook)
    manager.tracing = True
    traced = fire(hook)
    assert traced._replace(steps=()) == plain._replace(steps=())
    manager.tracing = False
    assert fire(hook) == plain


def test_tracing_stays_on_as_long_as_somebody_keeps_it(manager, plugin, fire):
    plugin("a", on_session_start=lambda: None)
    mine, yours = manager.keep_tracing(), manager.keep_tracing()
    manager.tracing = False
    assert [step.what for step in fire("on_session_start").steps] == ["observed"]
    mine()
    mine()
    assert manager.tracing is True
    yours()
    assert manager.tracing is False
    assert fire("on_session_start").steps == ()
    manager.tracing = True
    manager.keep_tracing()()
    assert manager.tracing is True


def test_tracing_counts_for_a_captured_hook_from_the_next_call(manager, plugin):
    plugin("a", post_tool_call=lambda: None)
    hook = manager.hook.post_tool_call
    payload = HOOKS["post_tool_call"].sample()
    assert hook(**payload).steps == ()
    manager.tracing = True
    assert manager.tracing
    assert [step.what for step in hook(**payload).steps] == ["observed"]
    manager.tracing = True
    manager.tracing = False
    assert hook(**payload).steps == ()


def test_a_plugin_with_several_steps_has_one_duration_each_time_it_ran(manager, plugin, fire):
    manager.tracing = True

    def changes_and_approves(args):
        args["x"] = 1
        return Approve("sure?")

    plugin(
        "a", PluginPolicy(fail_closed=frozenset({"pre_tool_call"})), pre_tool_call=[changes_and_approves, lambda: 1 / 0]
    )
    steps = fire("pre_tool_call").steps
    assert [(step.what, step.duration_ms is not None) for step in steps] == [
        ("approve", True),
        ("modify", False),
        ("failed", True),
        ("block", False),
    ]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_second_judgement_is_traced_too(manager, plugin, fire, afire, asynchronous):
    manager.tracing = True

    async def judges_later(args, judgement):
        await asyncio.sleep(0)

    plugin("a", pre_tool_call=[lambda args, judgement: Block("2") if judgement == 2 else None, judges_later])
    plugin("b", pre_tool_call=lambda: Modify({"x": 1}))
    outcome = asyncio.run(afire("pre_tool_call")) if asynchronous else fire("pre_tool_call")
    assert [(step.plugin, step.what) for step in outcome.steps] == [
        *(("a", "observed"), ("a", "observed"), ("b", "modify")),
        *(("a", "block"), ("a", "observed")),
    ]
    assert all(step.duration_ms >= 0 for step in outcome.steps)


def test_an_error_is_text_and_keeps_nothing_alive(plugin, fire):
    class Payload:
        """Something that a traceback would keep."""

    def fails(result):
        raise ValueError("text only")

    plugin("a", post_tool_call=fails)
    payload = Payload()
    outcome = fire("post_tool_call", result=payload)
    gone = weakref.ref(payload)
    del payload
    gc.collect()
    assert gone() is None
    assert outcome.steps[0].error == "ValueError: text only"


# -- raw returns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hook", HOOKS)
def test_raw_returns_are_everything_but_none_in_calling_order(manager, plugin, hook):
    """As hermes-agent's `invoke_hook` gives them."""
    answers = [None, {"action": "unheard of"}, "text", 0, [], None, {"context": "x"}]

    async def answers_later(**_):
        return "awaited"

    plugin("b", **{hook: [lambda answer=answer: answer for answer in answers]})
    plugin("a", **{hook: [answers_later, lambda: 1 / 0, lambda: False]})
    plugin("c", PluginPolicy(source="builtin"), **{hook: lambda **rest: "first"})
    payload = HOOKS[hook].sample()
    expected = ["first", "awaited", False, {"action": "unheard of"}, "text", 0, [], {"context": "x"}]
    assert manager.invoke_hook(hook, **payload) == expected
    assert manager.invoke_hook(hook, **payload, future=1) == expected
    manager.tracing = True
    assert manager.invoke_hook(hook, **payload) == expected


@pytest.mark.parametrize("hook", HOOKS)
def test_raw_silence_is_an_empty_list(manager, plugin, hook):
    payload = HOOKS[hook].sample()
    assert manager.invoke_hook(hook, **payload) == []
    plugin("a", **{hook: lambda: None})
    assert manager.invoke_hook(hook, **payload) == []


def test_a_raw_answer_is_the_very_object(manager, plugin):
    answer = {"action": "block", "message": "no", "own": object()}
    plugin("a", pre_tool_call=lambda: answer)
    assert manager.invoke_hook("pre_tool_call", tool_name="x", args={})[0] is answer


def test_a_tuple_as_an_answer_is_one_answer(manager, plugin):
    plugin("a", post_tool_call=lambda: ("x", "y"), greet=lambda **_: ("x", "y"))
    assert manager.invoke_hook("post_tool_call", **HOOKS["post_tool_call"].sample()) == [("x", "y")]
    assert manager.invoke_hook("greet") == [("x", "y")]


def test_raw_transforms_are_chained_all_the_same(manager, plugin):
    plugin("a", transform_tool_result=lambda result: result + "1")
    plugin("b", transform_tool_result=lambda **rest: rest["result"] + "2")
    payload = HOOKS["transform_tool_result"].sample(result="0")
    assert manager.invoke_hook("transform_tool_result", **payload) == ["01", "012"]


def test_raw_modifies_reach_the_hosts_dict(manager, plugin):
    plugin("a", pre_tool_call=lambda: Modify({"x": 1}))
    plugin("b", pre_tool_call=lambda args: args.update(y=1))
    args = {}
    assert manager.invoke_hook("pre_tool_call", tool_name="x", args=args) == [Modify({"x": 1})]
    assert args == {"x": 1, "y": 1}


@pytest.mark.parametrize("extra", [{}, {"future": 1}], ids=["", "wide"])
def test_a_raw_host_hears_of_a_fail_closed_failure_first(manager, plugin, extra):
    """It takes the first answer that it understands: an earlier approve must not hide the block."""
    plugin("a", pre_tool_call=lambda: Approve("sure?"), transform_tool_result=lambda: "a secret")
    closed = PluginPolicy(fail_closed=frozenset({"pre_tool_call", "transform_tool_result"}))
    plugin("b", closed, pre_tool_call=[lambda: 1 / 0, lambda: {"action": "block"}], transform_tool_result=lambda: 1 / 0)
    first, second, third = manager.invoke_hook("pre_tool_call", tool_name="x", args={}, **extra)
    assert first["action"] == "block"
    assert "'b'" in first["message"]
    assert "ZeroDivisionError" in first["message"]
    assert (second, third) == (Approve("sure?"), {"action": "block"})
    payload = HOOKS["transform_tool_result"].sample() | extra
    notice, answer = manager.invoke_hook("transform_tool_result", **payload)
    assert "withheld" in notice
    assert "'b'" in notice
    assert answer == "a secret"


def test_a_raw_host_may_call_an_argument_as_it_likes(manager, plugin):
    got = []
    plugin("a", greet=lambda **rest: got.append(rest))
    manager.invoke_hook("greet", hook_name="x", self="y")
    assert got == [{"hook_name": "x", "self": "y"}]
