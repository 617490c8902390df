"""Fail-open by default; what is declared fail-closed blocks or withholds, and says who and why (semantics 3.2)."""

import asyncio
import logging

import pytest

from hermes_hookspecs import Block, hookimpl
from hermes_sdk.dispatch.policy import GATED_HOOKS, PluginPolicy

TRANSFORMS = [hook for hook in GATED_HOOKS if hook != "pre_tool_call"]


def policy(hook):
    return PluginPolicy(fail_closed=frozenset({hook}))


def raises(**_):
    raise KeyError("cmd")


async def araises(**_):
    raise KeyError("cmd")


@pytest.mark.parametrize("callback", [raises, araises])
def test_a_failing_observer_of_tool_calls_does_not_stop_the_tool(plugin, fire, callback):
    """Seed P6."""
    plugin("guard", pre_tool_call=callback)
    decision = fire("pre_tool_call")
    assert (decision.action, decision.message) == ("run", None)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("callback", [raises, araises])
def test_a_failing_gate_blocks_and_names_plugin_hook_and_cause(plugin, fire, afire, callback, asynchronous):
    plugin("guard", policy("pre_tool_call"), pre_tool_call=callback)
    decision = asyncio.run(afire("pre_tool_call")) if asynchronous else fire("pre_tool_call")
    assert decision.blocked
    assert decision.blocked_by("guard")
    for part in ("'guard'", "pre_tool_call", "fail-closed", "KeyError: 'cmd'"):
        assert part in decision.message


def test_the_marker_declares_it_too(manager, fire):
    class Guard:
        @hookimpl(fail_closed=True)
        def pre_tool_call(self, tool_name):
            raise ValueError("broken")

        @hookimpl
        def transform_tool_result(self, result):
            raise ValueError("broken")

    manager.register(Guard(), "guard")
    assert fire("pre_tool_call").blocked
    assert fire("transform_tool_result", result="kept").value == "kept"  # declared for the other one only


def test_a_declaration_for_one_hook_leaves_the_others_open(plugin, fire):
    plugin("p", policy("transform_tool_result"), pre_tool_call=raises, transform_tool_result=raises)
    assert fire("pre_tool_call").action == "run"
    assert "withheld" in fire("transform_tool_result").value


@pytest.mark.parametrize("hook", TRANSFORMS)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_failing_masker_withholds_the_output_from_everybody_behind_it(plugin, fire, afire, hook, asynchronous):
    seen = []
    value = {"transform_tool_result": "result", "transform_terminal_output": "output"}.get(hook, "response_text")

    def looks(**given):
        seen.append(given[value])

    plugin("masker", policy(hook), **{hook: raises})
    plugin("z", **{hook: looks})
    secret = {value: "the secret"}
    outcome = asyncio.run(afire(hook, **secret)) if asynchronous else fire(hook, **secret)
    for text in (outcome.value, *seen):
        assert "secret" not in text
        for part in ("'masker'", hook, "KeyError: 'cmd'"):
            assert part in text
    assert [(step.plugin, step.what) for step in outcome.steps] == [("masker", "failed"), ("masker", "withhold")]


MALFORMED = [
    {"action": "block"},
    {"action": "block", "message": ""},
    {"action": "block", "message": None},
    {"action": "block", "message": 0},
    {"action": "modify", "args": "ls"},
    {"action": "deny", "message": "no such action"},
]


@pytest.mark.parametrize("answer", MALFORMED, ids=str)
def test_a_malformed_directive_is_ignored_when_fail_open_and_blocks_when_fail_closed(
    manager, plugin, fire, logged, answer
):
    plugin("g", pre_tool_call=lambda **_: answer)
    assert fire("pre_tool_call").action == "run"
    (warning,) = logged(logging.WARNING)
    assert "'g'" in warning
    manager.set_policy("g", policy("pre_tool_call"))
    decision = fire("pre_tool_call")
    assert decision.blocked
    assert "'g'" in decision.message
    assert manager.failures.get("g") is None  # an answer that is no use is no failure


@pytest.mark.parametrize("answer", [None, True, [], "text", {"context": "x"}, {"message": "no action"}], ids=repr)
def test_an_answer_that_is_no_directive_at_all_blocks_nothing(plugin, fire, answer):
    """Seed H1.6."""
    plugin("g", policy("pre_tool_call"), pre_tool_call=lambda **_: answer)
    assert fire("pre_tool_call").action == "run"


def test_a_typed_directive_that_cannot_be_made_is_a_failure_of_its_plugin(plugin, fire):
    plugin("g", policy("pre_tool_call"), pre_tool_call=lambda **_: Block(""))
    decision = fire("pre_tool_call")
    assert decision.blocked
    assert "ValueError" in decision.message


@pytest.mark.parametrize("answer", [b"bytes", 7, ["text"], {"result": "text"}], ids=repr)
def test_a_masker_that_answers_something_else_than_text_withholds(plugin, fire, answer):
    plugin("masker", policy("transform_tool_result"), transform_tool_result=lambda **_: answer)
    outcome = fire("transform_tool_result", result="the secret")
    assert "secret" not in outcome.value
    assert "'masker'" in outcome.value


def test_a_failing_gate_blocks_behind_an_approve_and_in_front_of_a_modify(plugin, fire):
    plugin("a", pre_tool_call=lambda **_: {"action": "approve", "message": "ask"})
    plugin("b", policy("pre_tool_call"), pre_tool_call=raises)
    plugin("c", pre_tool_call=lambda **_: {"action": "modify", "args": {"command": "rm"}})
    decision = fire("pre_tool_call", args={"command": "ls"})
    assert decision.blocked_by("b")
    assert decision.args == {"command": "ls"}


def test_a_gate_that_fails_in_the_second_judgement_blocks(plugin, fire):
    def judges_once(args, judgement):
        if judgement == 2:
            raise ValueError("never saw such arguments")

    plugin("a", policy("pre_tool_call"), pre_tool_call=judges_once)
    plugin("b", pre_tool_call=lambda **_: {"action": "modify", "args": {"command": "rm"}})
    decision = fire("pre_tool_call", args={"command": "ls"})
    assert decision.blocked_by("a")
    assert "never saw such arguments" in decision.message


def test_raw_answers_hold_the_block_or_the_notice_that_a_failure_means(manager, plugin):
    from hermes_hookspecs import HOOKS

    plugin("g", policy("pre_tool_call"), pre_tool_call=raises)
    plugin("m", policy("transform_tool_result"), transform_tool_result=raises)
    (block,) = manager.invoke_hook("pre_tool_call", **HOOKS["pre_tool_call"].sample())
    assert block["action"] == "block"
    assert "'g'" in block["message"]
    (notice,) = manager.invoke_hook("transform_tool_result", **HOOKS["transform_tool_result"].sample())
    assert "'m'" in notice


def test_a_failure_of_a_gate_is_logged_as_an_error(plugin, fire, logged):
    plugin("g", policy("pre_tool_call"), pre_tool_call=raises)
    fire("pre_tool_call")
    assert len(logged(logging.ERROR)) == 1


def test_the_declaration_changes_with_the_policy(manager, plugin, fire):
    plugin("g", policy("pre_tool_call"), pre_tool_call=raises)
    assert fire("pre_tool_call").blocked
    manager.set_policy("g", PluginPolicy())
    assert not fire("pre_tool_call").blocked
