"""Context and observers: what is joined, what is ignored, what an outcome looks like (semantics 2)."""

import asyncio
import logging

import pytest

from hermes_hookspecs import HOOKS, AddContext
from hermes_sdk.dispatch.outcomes import NO_CONTEXT, NOTHING_OBSERVED, AddedContext, Observed

OBSERVERS = [name for name, contract in HOOKS.items() if contract.kind == "observer"]


def told(outcome):
    return [(step.plugin, step.what) for step in outcome.steps]


def test_every_contribution_is_joined_with_one_blank_line_in_calling_order(plugin, fire):
    """Seed H3.8: several contexts are joined in the order of the plugins' names."""
    plugin("c", pre_llm_call=lambda: "from c")
    plugin("B", pre_llm_call=[lambda: {"context": "from b"}, lambda: AddContext("more from b")])
    plugin("a", pre_llm_call=lambda **rest: {"context": "from a", "else": 1})
    outcome = fire("pre_llm_call")
    assert outcome.text == "from a\n\nfrom b\n\nmore from b\n\nfrom c"
    assert outcome.pieces == ("from a", "from b", "more from b", "from c")
    assert told(outcome) == [("a", "context"), ("B", "context"), ("B", "context"), ("c", "context")]


@pytest.mark.parametrize("answer", ["note", {"context": "note"}, AddContext("note")], ids=["str", "dict", "typed"])
def test_a_str_a_dict_and_a_directive_are_equivalent(plugin, fire, answer):
    """Seed H3.5."""
    plugin("a", pre_llm_call=lambda: answer)
    assert fire("pre_llm_call")[::2] == ("note", ("note",))


@pytest.mark.parametrize(
    "answer",
    [
        *(None, "", "  \n\t", {"context": ""}, {"context": "\n"}, {"context": None}, {"context": 5}, {}, {"text": "x"}),
        *({"context": {"context": "nested"}}, {"context": ["x"]}, True, 7, b"bytes", ["x"], object(), Ellipsis),
    ],
    ids=lambda answer: "object" if type(answer) is object else repr(answer),  # no address: workers compare names
)
def test_what_is_no_text_adds_nothing_and_warns_nobody(plugin, fire, logged, answer):
    plugin("a", pre_llm_call=lambda: answer)
    outcome = fire("pre_llm_call")
    assert outcome == AddedContext(None, (), ())
    assert logged() == []


def test_texts_are_joined_as_they_are(plugin, fire):
    plugin("a", pre_llm_call=lambda: "  indented\n")
    plugin("b", pre_llm_call=lambda: "next")
    assert fire("pre_llm_call").text == "  indented\n\n\nnext"


def test_a_failure_drops_one_contribution_only(plugin, fire, manager):
    plugin("a", pre_llm_call=lambda: "from a")
    plugin("b", pre_llm_call=lambda: 1 / 0)
    plugin("c", pre_llm_call=lambda: "from c")
    outcome = fire("pre_llm_call")
    assert outcome.text == "from a\n\nfrom c"
    assert told(outcome) == [("a", "context"), ("b", "failed"), ("c", "context")]
    assert manager.failures["b"].count == 1


def test_awaitables_contribute_what_they_give(plugin, fire, afire):
    async def recalls():
        await asyncio.sleep(0)
        return "recalled"

    plugin("a", pre_llm_call=[recalls, lambda **_: recalls(), lambda: "at once"])
    assert fire("pre_llm_call").text == "recalled\n\nrecalled\n\nat once"
    assert asyncio.run(afire("pre_llm_call")).pieces == ("recalled", "recalled", "at once")


def test_nobody_with_context_gives_the_shared_outcome(plugin, fire):
    assert fire("pre_llm_call") is NO_CONTEXT
    plugin("a", pre_llm_call=lambda: None)
    assert fire("pre_llm_call") is NO_CONTEXT


@pytest.mark.parametrize("hook", OBSERVERS)
@pytest.mark.parametrize(
    "answer",
    [{"action": "block", "message": "no"}, "text", True, 0, {"context": "x"}, [1]],
    ids=["block", "str", "true", "zero", "context", "list"],
)
def test_observers_are_all_called_and_their_answers_ignored(plugin, fire, logged, hook, answer):
    """Seed P10: the return of these hooks is ignored."""
    ran = []

    def observe(name):
        def callback(**payload):
            ran.append((name, payload))
            return answer

        return callback

    plugin("a", **{hook: observe("a")})
    plugin("b", **{hook: [observe("b1"), observe("b2")]})
    assert fire(hook) is NOTHING_OBSERVED
    assert [name for name, _ in ran] == ["a", "b1", "b2"]
    assert all(payload == HOOKS[hook].sample() for _, payload in ran)
    assert logged() == []


@pytest.mark.parametrize("hook", OBSERVERS)
def test_a_failing_observer_is_a_step_and_the_others_get_every_argument(plugin, fire, logged, hook):
    """Seed P6 and G2: a raising callback is logged and skipped, the others carry on."""
    names = [argument.name for argument in HOOKS[hook].arguments]
    got = []
    namespace = {}
    text = f"lambda {', '.join(names)}: got.append(dict({', '.join(f'{name}={name}' for name in names)}))"
    plugin("a", **{hook: [lambda: 1 / 0, eval(text, {"got": got}, namespace)]})
    plugin("b", **{hook: lambda **payload: got.append(payload)})
    outcome = fire(hook)
    assert isinstance(outcome, Observed)
    assert [(step.plugin, step.what, step.error) for step in outcome.steps] == [
        ("a", "failed", "ZeroDivisionError: division by zero")
    ]
    assert got == [HOOKS[hook].sample()] * 2
    assert len(logged(logging.WARNING)) == 1
