"""pre_gateway_dispatch and pre_verify: the first recognised answer is applied (semantics 2)."""

import asyncio
import logging

import pytest

from hermes_hookspecs import Allow, Block, Continue, Rewrite, Skip
from hermes_sdk.dispatch.outcomes import NO_DISPATCH, NO_VERIFY, DispatchDecision, VerifyDecision


def told(outcome):
    return [(step.plugin, step.what) for step in outcome.steps]


DISPATCH = [
    (Skip("not for us"), ("skip", None, "not for us")),
    (Skip(), ("skip", None, None)),
    ({"action": "skip"}, ("skip", None, None)),
    ({"action": "skip", "reason": "quiet hours"}, ("skip", None, "quiet hours")),
    ({"action": "skip", "reason": 5}, ("skip", None, None)),
    (Rewrite("hello"), ("rewrite", "hello", None)),
    ({"action": "rewrite", "text": "hello"}, ("rewrite", "hello", None)),
    ({"action": "rewrite", "text": ""}, ("rewrite", "", None)),
    (Allow(), ("allow", None, None)),
    ({"action": "allow"}, ("allow", None, None)),
]


@pytest.mark.parametrize(("answer", "expected"), DISPATCH)
def test_the_documented_answers_are_applied(plugin, fire, answer, expected):
    """Seed H10.6, H10.7 and H10.8."""
    plugin("a", pre_gateway_dispatch=lambda: answer)
    outcome = fire("pre_gateway_dispatch")
    assert isinstance(outcome, DispatchDecision)
    assert outcome[:3] == expected
    assert told(outcome) == [("a", expected[0])]


@pytest.mark.parametrize(("answer", "expected"), DISPATCH)
def test_the_first_recognised_answer_is_applied_and_a_different_one_logged(plugin, fire, logged, answer, expected):
    """Seed H10.4: the first recognised action wins."""
    ran = []
    plugin("a", pre_gateway_dispatch=lambda: "no opinion")
    plugin("b", pre_gateway_dispatch=lambda: answer)
    plugin("c", pre_gateway_dispatch=lambda: answer)
    plugin("d", pre_gateway_dispatch=lambda: Rewrite("something else"))
    plugin("e", pre_gateway_dispatch=lambda event: ran.append(event.text))
    outcome = fire("pre_gateway_dispatch")
    assert outcome[:3] == expected
    assert told(outcome) == [("b", expected[0]), ("c", "ignored"), ("d", "ignored")]
    (line,) = logged()
    assert "'d'" in line
    assert "'b'" in line
    assert "something else" not in line
    assert len(ran) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"action": "rewrite"}, "text"),
        ({"action": "rewrite", "text": None}, "text"),
        ({"action": "rewrite", "text": 5}, "int"),
        ({"action": "block", "message": "x"}, "unknown action"),
        ({"action": "Skip"}, "unknown action"),
        ({"action": None}, "unknown action"),
    ],
)
def test_a_malformed_answer_is_no_opinion_with_one_warning(plugin, fire, logged, answer, said):
    plugin("a", pre_gateway_dispatch=lambda: answer)
    plugin("b", pre_gateway_dispatch=lambda: Skip("next"))
    for _ in range(2):
        outcome = fire("pre_gateway_dispatch")
        assert outcome[:3] == ("skip", None, "next")
        assert told(outcome) == [("a", "ignored"), ("b", "skip")]
    (warning,) = logged(logging.WARNING)
    assert said in warning


@pytest.mark.parametrize("answer", [True, "skip", ["skip"], {}, {"text": "x"}, {"reason": "x"}, Block("no"), object()])
def test_anything_unrelated_is_no_opinion(plugin, fire, logged, answer):
    plugin("a", pre_gateway_dispatch=lambda: answer)
    assert fire("pre_gateway_dispatch") == NO_DISPATCH
    assert logged() == []


def test_a_failure_falls_through_to_the_next(plugin, fire):
    """Seed H10.5: on error the gateway falls through to normal dispatch."""
    plugin("a", pre_gateway_dispatch=lambda: 1 / 0)
    outcome = fire("pre_gateway_dispatch")
    assert outcome.action == "allow"
    assert told(outcome) == [("a", "failed")]
    plugin("b", pre_gateway_dispatch=lambda event: Skip())
    assert fire("pre_gateway_dispatch").action == "skip"


def test_everybody_gets_the_event_as_it_came(plugin, fire):
    seen = []
    plugin("a", pre_gateway_dispatch=lambda event: seen.append(event.text) or Rewrite("rewritten"))
    plugin("b", pre_gateway_dispatch=lambda event: seen.append(event.text))
    fire("pre_gateway_dispatch")
    assert len(set(seen)) == 1
    assert "rewritten" not in seen


def test_the_shared_outcomes_stand_for_silence(plugin, fire):
    assert fire("pre_gateway_dispatch") is NO_DISPATCH
    assert fire("pre_verify") is NO_VERIFY
    plugin("a", pre_gateway_dispatch=lambda: None, pre_verify=lambda **_: None)
    assert fire("pre_gateway_dispatch") is NO_DISPATCH
    assert fire("pre_verify") is NO_VERIFY


@pytest.mark.parametrize(
    "answer",
    [
        Continue("add a test"),
        {"action": "continue", "message": "add a test"},
        {"decision": "block", "reason": "add a test"},
        {"action": "continue", "message": "add a test", "decision": "approve"},
        {"action": "continue", "reason": "add a test"},
        {"action": "Continue", "message": " add a test\n"},
        {"action": "block", "message": "add a test"},
        {"decision": "continue", "message": "add a test"},
        {"decision": "block", "reason": "add a test", "message": ""},
    ],
)
def test_a_continue_in_every_form_keeps_the_agent_going(plugin, fire, answer):
    plugin("a", pre_verify=lambda: answer)
    plugin("b", pre_verify=lambda: Continue("later"))
    outcome = fire("pre_verify")
    assert isinstance(outcome, VerifyDecision)
    assert outcome.message == "add a test"
    assert told(outcome) == [("a", "continue"), ("b", "ignored")]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"action": "continue"}, "message"),
        ({"action": "continue", "message": " "}, "message"),
        ({"action": "continue", "message": 5}, "int"),
        ({"decision": "block"}, "message"),
        ({"decision": "block", "reason": ""}, "message"),
        ({"action": "stop"}, "unknown action"),
        ({"action": "stop", "decision": "block", "reason": "x"}, "unknown action"),
        ({"action": 7}, "unknown action"),
    ],
)
def test_a_malformed_continue_is_ignored_with_one_warning(plugin, fire, logged, answer, said):
    plugin("a", pre_verify=lambda: answer)
    plugin("b", pre_verify=lambda: {"action": "continue", "message": "next"})
    for _ in range(2):
        outcome = fire("pre_verify")
        assert outcome.message == "next"
        assert told(outcome) == [("a", "ignored"), ("b", "continue")]
    (warning,) = logged(logging.WARNING)
    assert said in warning


@pytest.mark.parametrize("answer", [True, "continue", {"decision": "approve"}, {"message": "x"}, {}, [], Block("no")])
def test_anything_unrelated_lets_the_turn_finish(plugin, fire, logged, answer):
    plugin("a", pre_verify=lambda: answer)
    assert fire("pre_verify") == NO_VERIFY
    assert logged() == []


def test_awaitables_decide_too(plugin, fire, afire):
    async def skips():
        return {"action": "skip", "reason": "async"}

    async def goes_on():
        return {"decision": "block", "reason": "async"}

    plugin("a", pre_gateway_dispatch=skips, pre_verify=lambda **_: goes_on())
    assert fire("pre_gateway_dispatch").reason == "async"
    assert fire("pre_verify").message == "async"
    assert asyncio.run(afire("pre_gateway_dispatch")).reason == "async"
    assert asyncio.run(afire("pre_verify")).message == "async"
