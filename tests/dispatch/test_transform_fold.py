"""Transforms: chained, each implementation gets the previous one's output (semantics 2)."""

import asyncio
import logging

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.outcomes import Transformed
from hermes_sdk.dispatch.policy import PluginPolicy

TRANSFORMS = {name: contract.value for name, contract in HOOKS.items() if contract.kind == "transform"}
each = pytest.mark.parametrize(("hook", "value"), TRANSFORMS.items(), ids=TRANSFORMS)


def told(outcome):
    return [(step.plugin, step.what) for step in outcome.steps]


@each
def test_nobody_there_leaves_the_value(fire, hook, value):
    """Seed H13.3 and H14.3: None leaves it as is, a str replaces it."""
    assert fire(hook, **{value: "text"}) == Transformed("text", ())


@each
def test_each_implementation_gets_the_previous_output(plugin, fire, hook, value):
    """One that takes everything gets it just like one that names it."""
    seen = []

    def take(text, suffix):
        seen.append(text)
        return text + suffix

    named = eval(f"lambda {value}: take({value}, '2')", {"take": take})
    keyword = eval(f"lambda *, {value}, **rest: take({value}, '4')", {"take": take})
    plugin("a", **{hook: lambda **payload: take(payload[value], "1")})
    plugin("b", **{hook: named})
    plugin("c", **{hook: lambda **payload: take(payload[value], "3")})
    plugin("d", **{hook: keyword})
    plugin("e", **{hook: lambda **payload: seen.append(payload[value])})
    outcome = fire(hook, **{value: "0"})
    assert outcome.value == "01234"
    assert seen == ["0", "01", "012", "0123", "01234"]
    assert told(outcome) == [(name, "transform") for name in "abcd"]


@each
@pytest.mark.parametrize(
    "answer",
    [False, True, 0, 3, {}, {"result": "x"}, b"bytes", ["x"], object(), bytearray(b"x")],
    ids=lambda answer: f"{type(answer).__name__}-{bool(answer)}",
)
def test_what_is_no_str_is_ignored_with_one_warning(plugin, fire, logged, hook, value, answer):
    plugin("a", **{hook: lambda: answer})
    plugin("b", **{hook: lambda **payload: payload[value] + "!"})
    for _ in range(3):
        outcome = fire(hook, **{value: "text"})
        assert outcome.value == "text!"
        assert told(outcome) == [("a", "ignored"), ("b", "transform")]
    (warning,) = logged(logging.WARNING)
    assert "'a'" in warning
    assert type(answer).__name__ in warning


@each
def test_the_empty_text_replaces_in_tool_transforms_only(plugin, fire, logged, hook, value):
    plugin("a", **{hook: lambda: ""})
    outcome = fire(hook, **{value: "text"})
    if hook == "transform_llm_output":
        assert outcome == Transformed("text", ())
    else:
        assert outcome.value == ""
        assert told(outcome) == [("a", "transform")]
    assert logged() == []


@each
def test_a_failure_leaves_the_value_and_the_chain_goes_on(plugin, fire, hook, value):
    plugin("a", **{hook: lambda **payload: payload[value] + "a"})
    plugin("b", **{hook: lambda: 1 / 0})
    plugin("c", **{hook: lambda **payload: payload[value] + "c"})
    outcome = fire(hook, **{value: "-"})
    assert outcome.value == "-ac"
    assert told(outcome) == [("a", "transform"), ("b", "failed"), ("c", "transform")]


@each
def test_a_fail_closed_failure_withholds_the_output(plugin, fire, hook, value):
    seen = []
    plugin("b", PluginPolicy(fail_closed=frozenset({hook})), **{hook: lambda: 1 / 0})
    plugin("c", **{hook: lambda **payload: seen.append(payload[value])})
    outcome = fire(hook, **{value: "a secret"})
    assert "a secret" not in outcome.value
    assert "'b'" in outcome.value
    assert "ZeroDivisionError" in outcome.value
    assert seen == [outcome.value]
    assert told(outcome) == [("b", "failed"), ("b", "withhold")]


@each
def test_no_text_of_a_value_is_in_steps_or_log(plugin, fire, logged, hook, value):
    plugin("a", **{hook: lambda **payload: "sk-0123 " + payload[value]})
    plugin("b", **{hook: lambda: ["sk-0123"]})
    outcome = fire(hook, **{value: "sk-0123"})
    assert not any("sk-0123" in step.detail for step in outcome.steps)
    assert not any("sk-0123" in line for line in logged(logging.DEBUG))


@each
def test_awaitables_are_chained_like_any_other(plugin, fire, afire, hook, value):
    async def appends(**payload):
        await asyncio.sleep(0)
        return payload[value] + "1"

    plugin("a", **{hook: appends})
    plugin("b", **{hook: lambda **payload: payload[value] + "2"})
    plugin("c", **{hook: lambda telemetry_schema_version, **payload: appends(**payload)})
    assert fire(hook, **{value: "0"}).value == "0121"
    assert asyncio.run(afire(hook, **{value: "0"})).value == "0121"


@each
def test_extra_arguments_do_not_break_the_chain(plugin, fire, hook, value):
    plugin("a", **{hook: lambda **payload: payload[value] + payload["mood"]})
    plugin("b", **{hook: lambda mood=None, **payload: payload[value] + mood})
    assert fire(hook, **{value: "0"}, mood="!").value == "0!!"


@each
def test_a_value_that_the_host_left_out_or_that_is_no_text_blames_nobody(manager, plugin, fire, hook, value):
    plugin("a", **{hook: lambda: "made up"})
    payload = HOOKS[hook].sample()
    del payload[value]
    assert getattr(manager.hook, hook)(**payload).value == "made up"
    assert fire(hook, **{value: 5}).value == "made up"
    assert manager.failures == {}


def test_both_names_of_an_argument_stay_the_same_along_the_chain(plugin, fire):
    seen = []
    plugin("a", transform_tool_result=lambda args, arguments, result: seen.append(args is arguments) or result + "1")
    plugin("b", transform_tool_result=lambda **rest: seen.append(rest["args"] is rest["arguments"]) or "2")
    assert fire("transform_tool_result", result="0").value == "2"
    assert seen == [True, True]
