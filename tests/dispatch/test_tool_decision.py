"""pre_tool_call: what counts as an answer, and how the answers become one verdict (semantics 2)."""

import asyncio
import logging
from types import MappingProxyType

import pytest

from hermes_hookspecs import HOOKS, Allow, Approve, Block, Modify, hookimpl
from hermes_sdk.dispatch.outcomes import ToolDecision
from hermes_sdk.dispatch.policy import PluginPolicy


def told(outcome):
    """Return (plugin, what, detail) of every step."""
    return [(step.plugin, step.what, step.detail) for step in outcome.steps]


def test_nobody_there_lets_the_tool_run(fire):
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome == ToolDecision("run", None, None, {"command": "ls"}, ())
    assert not outcome.blocked
    assert not outcome.needs_approval


def test_silence_lets_the_tool_run_with_the_very_dict_that_was_sent(plugin, fire):
    plugin("quiet", pre_tool_call=[lambda **_: None, lambda args: None])
    args = {"command": "ls"}
    outcome = fire("pre_tool_call", args=args)
    assert outcome == ToolDecision("run", None, None, {"command": "ls"}, ())
    assert outcome.args is args


@pytest.mark.parametrize(
    "answer",
    [
        Block("no rm"),
        {"action": "block", "message": "no rm"},
        MappingProxyType({"action": "block", "message": "no rm", "more": 1}),
    ],
    ids=["typed", "dict", "mapping"],
)
def test_a_block_stops_the_tool_in_every_form(plugin, fire, answer):
    """Seed H1.4: the model gets the message."""
    plugin("guard", pre_tool_call=lambda: answer)
    outcome = fire("pre_tool_call")
    assert (outcome.action, outcome.message, outcome.rule_key) == ("block", "no rm", None)
    assert outcome.blocked
    assert outcome.blocked_by("guard")
    assert told(outcome) == [("guard", "block", "no rm")]


def test_the_first_block_is_the_verdict_and_everyone_still_runs(plugin, fire):
    """Seed H1.5: the first block directive wins."""
    seen = []

    def judge(name, answer):
        def callback(already_blocked):
            seen.append((name, already_blocked))
            return answer

        return callback

    plugin("a", pre_tool_call=judge("a", None))
    plugin("b", pre_tool_call=judge("b", {"action": "block", "message": "first"}))
    plugin("c", pre_tool_call=judge("c", Block("second")))
    plugin("d", pre_tool_call=judge("d", None))
    outcome = fire("pre_tool_call")
    assert outcome.message == "first"
    assert seen == [("a", False), ("b", False), ("c", True), ("d", True)]
    assert told(outcome) == [("b", "block", "first"), ("c", "block", "second")]
    assert outcome.blocked_by("b")
    assert not outcome.blocked_by("c")


def test_already_blocked_reaches_callbacks_that_take_everything(plugin, fire):
    seen = []
    plugin("a", pre_tool_call=lambda: Block("no"))
    plugin("b", pre_tool_call=lambda **everything: seen.append(everything["already_blocked"]))
    plugin("c", pre_tool_call=lambda tool_name, **rest: seen.append(rest["already_blocked"]))
    fire("pre_tool_call")
    assert seen == [True, True]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_block_beats_an_approve_wherever_it_stands(plugin, fire, swapped):
    answers = [Approve("sure?", "rule"), Block("no")]
    first, second = reversed(answers) if swapped else answers
    plugin("a", pre_tool_call=lambda: first)
    plugin("b", pre_tool_call=lambda: second)
    outcome = fire("pre_tool_call")
    assert (outcome.action, outcome.message, outcome.rule_key) == ("block", "no", None)


def test_an_approve_beats_a_modify_and_keeps_its_arguments(plugin, fire):
    plugin("a", PluginPolicy(rejudge=False), pre_tool_call=lambda: Approve("sure?", "rm"))
    plugin("b", pre_tool_call=lambda: Modify({"command": "ls -l"}))
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert (outcome.action, outcome.message, outcome.rule_key) == ("approve", "sure?", "rm")
    assert outcome.args == {"command": "ls -l"}
    assert outcome.needs_approval


def test_the_first_of_several_approves_gives_reason_and_rule(plugin, fire):
    plugin("a", pre_tool_call=lambda: {"action": "approve"})
    plugin("b", pre_tool_call=lambda: Approve("later", "key"))
    outcome = fire("pre_tool_call")
    assert (outcome.action, outcome.message, outcome.rule_key) == ("approve", None, None)
    steps = [(step.plugin, step.detail, step.rule_key) for step in outcome.steps]
    assert steps == [("a", "", None), ("b", "later", "key")]


@pytest.mark.parametrize(
    ("answer", "message", "rule_key"),
    [
        ({"action": "approve", "message": "  ", "rule_key": "  "}, None, None),
        ({"action": "approve", "message": 7, "rule_key": ["x"]}, None, None),
        ({"action": "approve", "message": "why", "rule_key": " rm_rf "}, "why", "rm_rf"),
        (Approve("why"), "why", None),
    ],
)
def test_an_approve_needs_neither_message_nor_rule(plugin, fire, answer, message, rule_key):
    plugin("a", pre_tool_call=lambda: answer)
    outcome = fire("pre_tool_call")
    assert outcome[:3] == ("approve", message, rule_key)


class Odd:
    """An object that pretends to have every attribute, as some lazy proxies do."""

    def __getattr__(self, name):
        return self

    def __eq__(self, other):
        raise RuntimeError("do not compare me")

    __hash__ = None


@pytest.mark.parametrize(
    "answer",
    [
        *(True, False, 0, 1, "", "block", b"block", [], ["block"], (), {}, {"message": "no"}, {"context": "x"}),
        *(object(), Allow(), Odd(), Block, lambda: Block("no"), {"decision": "block", "reason": "in Claude's form"}),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_anything_unrelated_is_no_opinion_and_nobody_is_warned(plugin, fire, logged, answer):
    """Seed H1.6: every other return value is ignored, so that observers keep working."""
    ran = []
    plugin("a", PluginPolicy(fail_closed=frozenset({"pre_tool_call"})), pre_tool_call=lambda: answer)
    plugin("b", pre_tool_call=lambda already_blocked: ran.append(("b", already_blocked)))
    outcome = fire("pre_tool_call")
    assert (outcome.action, outcome.steps) == ("run", ())
    assert ran == [("b", False)]
    assert logged() == []


MALFORMED = [
    ({"action": "block"}, "message"),
    ({"action": "block", "message": ""}, "message"),
    ({"action": "block", "message": " \n"}, "message"),
    ({"action": "block", "message": 5}, "int"),
    ({"action": "block", "reason": "the wrong key"}, "message"),
    ({"action": "modify"}, "args"),
    ({"action": "modify", "args": None}, "args"),
    ({"action": "modify", "args": [("command", "ls")]}, "list"),
    ({"action": "deny", "message": "no"}, "unknown action"),
    ({"action": "BLOCK", "message": "no"}, "unknown action"),
    ({"action": None}, "unknown action"),
    ({"action": ["block"], "message": "no"}, "unknown action"),
]


@pytest.mark.parametrize(("answer", "said"), MALFORMED)
def test_a_malformed_directive_is_ignored_with_one_warning(plugin, fire, logged, answer, said):
    plugin("odd", pre_tool_call=lambda: answer)
    plugin("yes", pre_tool_call=lambda: Approve("later"))
    for _ in range(3):
        outcome = fire("pre_tool_call")
        assert outcome.action == "approve"
        assert [(step.plugin, step.what) for step in outcome.steps] == [("odd", "ignored"), ("yes", "approve")]
        assert said in outcome.steps[0].detail
    (warning,) = logged(logging.WARNING)
    assert "'odd'" in warning
    assert "pre_tool_call" in warning
    assert said in warning


def test_unknown_actions_are_warned_about_once_however_they_are_spelt(plugin, fire, logged):
    numbers = iter(range(100))
    plugin("odd", pre_tool_call=lambda: {"action": f"audit-{next(numbers)}" + "x" * 5000})
    for _ in range(20):
        (step,) = fire("pre_tool_call").steps
        assert len(step.detail) < 300
    assert len(logged(logging.WARNING)) == 1


@pytest.mark.parametrize(("answer", "said"), MALFORMED)
def test_a_malformed_directive_of_a_fail_closed_plugin_blocks(plugin, fire, answer, said):
    plugin("odd", PluginPolicy(fail_closed=frozenset({"pre_tool_call"})), pre_tool_call=lambda: answer)
    outcome = fire("pre_tool_call")
    assert outcome.blocked_by("odd")
    assert "'odd'" in outcome.message
    assert said in outcome.message


async def _blocks_later():
    return Block("later")


async def _is_silent():
    return None


def test_a_returned_awaitable_is_awaited_for_its_answer(plugin, fire, afire):
    plugin("a", pre_tool_call=_is_silent)
    plugin("b", pre_tool_call=lambda **_: _blocks_later())
    plugin("c", pre_tool_call=_blocks_later)
    outcome = fire("pre_tool_call")
    assert told(outcome) == [("b", "block", "later"), ("c", "block", "later")]
    assert asyncio.run(afire("pre_tool_call")) == outcome


def test_a_failing_implementation_has_no_opinion_and_the_others_run(plugin, fire, manager):
    """Seed P6: a raising callback is logged and skipped."""

    def fails():
        raise SystemExit(3)

    plugin("a", pre_tool_call=fails)
    plugin("b", pre_tool_call=lambda: Block("no"))
    outcome = fire("pre_tool_call")
    assert outcome.message == "no"
    assert [(step.plugin, step.what, step.error) for step in outcome.steps] == [
        ("a", "failed", "SystemExit: 3"),
        ("b", "block", None),
    ]
    assert manager.failures["a"].count == 1


def test_a_fail_closed_failure_blocks_and_an_earlier_block_stays_the_verdict(plugin, fire):
    closed = PluginPolicy(fail_closed=frozenset({"pre_tool_call"}))

    def fails():
        raise ValueError("database is gone")

    plugin("m", closed, pre_tool_call=fails)
    outcome = fire("pre_tool_call")
    assert outcome.blocked_by("m")
    assert "'m'" in outcome.message
    assert "ValueError: database is gone" in outcome.message
    plugin("a", pre_tool_call=lambda: Block("first"))
    outcome = fire("pre_tool_call")
    assert outcome.message == "first"
    assert [(step.plugin, step.what) for step in outcome.steps] == [("a", "block"), ("m", "failed")]


def test_a_fail_closed_block_is_seen_by_those_behind(plugin, fire):
    closed = PluginPolicy(fail_closed=frozenset({"pre_tool_call"}))
    seen = []
    plugin("a", closed, pre_tool_call=lambda: 1 / 0)
    plugin("b", pre_tool_call=lambda already_blocked, **rest: seen.append(already_blocked))
    plugin("c", pre_tool_call=lambda **rest: seen.append(rest["already_blocked"]))
    fire("pre_tool_call")
    assert seen == [True, True]


def test_answers_behind_a_block_are_noted_and_change_nothing(plugin, fire, logged):
    def changes(args):
        args["command"] = "changed in place"

    plugin("a", pre_tool_call=lambda: Block("no"))
    plugin("b", pre_tool_call=lambda: Approve("sure?"))
    plugin("c", pre_tool_call=lambda: Modify({"command": "other"}))
    plugin("d", pre_tool_call=changes)
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome[:4] == ("block", "no", None, {"command": "ls"})
    assert [(step.plugin, step.what) for step in outcome.steps] == [
        ("a", "block"),
        ("b", "approve"),
        ("c", "ignored"),
        ("d", "ignored"),
    ]
    assert all("the call is blocked" in step.detail for step in outcome.steps[2:])
    assert len([line for line in logged() if "dropped" in line]) == 2


def test_the_sources_of_steps_are_those_of_the_policies(plugin, fire, manager):
    plugin("s", PluginPolicy(source="shell"), pre_tool_call=lambda: Block("shell"))
    plugin("u", PluginPolicy(source="user"), pre_tool_call=lambda: Block("user"))

    class Direct:
        @hookimpl
        def pre_tool_call(self):
            return Block("direct")

    manager.register(Direct(), "d")
    steps = fire("pre_tool_call").steps
    assert [(step.plugin, step.source) for step in steps] == [("u", "user"), ("d", "direct"), ("s", "shell")]


def test_an_outcome_is_a_plain_tuple_that_cannot_be_changed(plugin, fire):
    plugin("a", pre_tool_call=lambda: Block("no"))
    outcome = fire("pre_tool_call")
    action, message, rule_key, args, steps = outcome
    assert (action, message, rule_key, args) == ("block", "no", None, HOOKS["pre_tool_call"].sample()["args"])
    with pytest.raises(AttributeError):
        outcome.action = "run"
    with pytest.raises(AttributeError):
        steps[0].what = "nothing"


@pytest.mark.parametrize("args", [None, "a string", 5, ["x"]])
def test_arguments_that_are_no_dict_become_an_empty_one_and_the_host_is_told(plugin, fire, logged, args):
    seen = []
    plugin("a", pre_tool_call=lambda args: seen.append(("a", args)))
    for _ in range(2):
        assert fire("pre_tool_call", args=args).args == {}
    assert seen == [("a", {}), ("a", {})]
    (warning,) = logged(logging.WARNING)
    assert "args" in warning
    assert type(args).__name__ in warning
