"""Wrappers: round the whole folded call, once, and never able to break or weaken it (semantics 2, "Wrappers")."""

import asyncio
import contextlib
import logging

import pluggy
import pytest

from hermes_hookspecs import HOOKS, Approve, Block, Continue, Modify, Skip, hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.outcomes import (
    AddedContext,
    DispatchDecision,
    Observed,
    Step,
    ToolDecision,
    Transformed,
    VerifyDecision,
)
from hermes_sdk.dispatch.policy import PluginPolicy


def told(outcome):
    return [(step.plugin, step.what) for step in outcome.steps]


@pytest.fixture
def wrap(manager):
    """Return a function that registers a wrapper: `change` gets the outcome and says what the wrapper returns."""

    def wrap(name, hook, change=lambda outcome: None, *, old_style=False, before=lambda: None, policy=None, **options):
        class Wrapper:
            if old_style:

                @hookimpl(hookwrapper=True, specname=hook, **options)
                def wraps(self):
                    before()
                    result = yield
                    answer = change(result.get_result())
                    if answer is not None:
                        result.force_result(answer)
            else:

                @hookimpl(wrapper=True, specname=hook, **options)
                def wraps(self):
                    before()
                    return change((yield))

        manager.register(Wrapper(), name, policy=policy)

    return wrap


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def start(request, manager):
    """Return a function that calls a hook, in each of the two ways."""

    def start(hook, **values):
        payload = HOOKS[hook].sample(**values)
        if not request.param:
            return getattr(manager.hook, hook)(**payload)

        async def call():
            return await getattr(manager.ahook, hook)(**payload)

        return asyncio.run(call())

    return start


styles = pytest.mark.parametrize("old_style", [False, True], ids=["new", "old"])


@styles
def test_a_wrapper_sees_the_folded_outcome_once_and_may_leave_it(wrap, plugin, start, old_style):
    seen = []
    plugin("a", pre_tool_call=[lambda: Approve("sure?"), lambda: Block("no")])
    wrap("w", "pre_tool_call", seen.append, old_style=old_style)
    outcome = start("pre_tool_call")
    assert seen == [outcome]
    assert isinstance(outcome, ToolDecision)
    assert told(outcome) == [("a", "approve"), ("a", "block")]


@styles
def test_a_forgotten_return_does_not_drop_a_block(wrap, plugin, start, old_style):
    plugin("a", pre_tool_call=lambda: Block("no"))
    wrap("w", "pre_tool_call", lambda outcome: None, old_style=old_style)
    assert start("pre_tool_call").blocked_by("a")


@styles
def test_the_first_in_calling_order_is_outermost(manager, plugin, start, old_style):
    seen = []

    def wrapper(name, **options):
        class Wrapper:
            if old_style:

                @hookimpl(hookwrapper=True, specname="post_tool_call", **options)
                def wraps(self):
                    seen.append(f"{name} in")
                    yield
                    seen.append(f"{name} out")
            else:

                @hookimpl(wrapper=True, specname="post_tool_call", **options)
                def wraps(self):
                    seen.append(f"{name} in")
                    yield
                    seen.append(f"{name} out")

        return Wrapper()

    manager.register(wrapper("last", trylast=True), "a")
    manager.register(wrapper("c"), "c")
    manager.register(wrapper("b"), "b")
    manager.register(wrapper("first", tryfirst=True), "z")
    plugin("m", post_tool_call=lambda: seen.append("callback"))
    start("post_tool_call")
    assert seen == [
        *("first in", "b in", "c in", "last in"),
        "callback",
        *("last out", "c out", "b out", "first out"),
    ]
    assert [name for name, _, _ in manager.calling_order("post_tool_call")] == ["z", "b", "c", "m", "a"]


@styles
def test_wrappers_get_the_payload_like_callbacks(manager, plugin, start, old_style):
    seen = []

    class Wrapper:
        @hookimpl(wrapper=not old_style, hookwrapper=old_style)
        def pre_llm_call(self, user_message, conversation_history, *, is_first_turn, task_id="x", future="absent"):
            seen.append((user_message, is_first_turn, task_id, future))
            conversation_history[0]["content"] = "spoilt"
            yield

    class Greedy:
        @hookimpl(wrapper=not old_style, hookwrapper=old_style)
        def pre_llm_call(self, **everything):
            seen.append(sorted(everything))
            yield

    manager.register(Wrapper(), "a")
    manager.register(Greedy(), "b")
    history = [{"role": "user", "content": "hello"}]
    values = {"user_message": "hi", "conversation_history": history, "is_first_turn": True, "task_id": "t"}
    start("pre_llm_call", **values)
    assert seen == [("hi", True, "t", "absent"), sorted(HOOKS["pre_llm_call"].argument_names)]
    assert history == [{"role": "user", "content": "hello"}]
    seen.clear()
    start("pre_llm_call", **values, future="here")
    assert seen == [("hi", True, "t", "here"), sorted({*HOOKS["pre_llm_call"].argument_names, "future"})]


# -- what may replace an outcome -------------------------------------------------------------------------------

RUN, APPROVE, BLOCK = Modify({"x": 1}), Approve("sure?", "rule"), Block("no")


def replacing(action, message="changed"):
    return lambda outcome: outcome._replace(action=action, message=message)


@styles
@pytest.mark.parametrize(
    ("answer", "inner", "action", "accepted"),
    [
        (RUN, "run", "run", True),
        (RUN, "run", "approve", True),
        (RUN, "run", "block", True),
        (APPROVE, "approve", "run", False),
        (APPROVE, "approve", "approve", True),
        (APPROVE, "approve", "block", True),
        (BLOCK, "block", "run", False),
        (BLOCK, "block", "approve", False),
        (BLOCK, "block", "block", True),
        (RUN, "run", "explode", False),
        (BLOCK, "block", None, False),
    ],
)
def test_a_tool_decision_is_replaced_by_one_as_strict_or_stricter_only(
    wrap, plugin, start, logged, old_style, answer, inner, action, accepted
):
    plugin("a", PluginPolicy(rejudge=False), pre_tool_call=lambda: answer)
    wrap("w", "pre_tool_call", replacing(action), old_style=old_style)
    outcome = start("pre_tool_call")
    first = "modify" if answer is RUN else inner
    if accepted:
        assert outcome[:2] == (action, "changed")
        assert told(outcome) == [("a", first), ("w", "wrapped")]
        assert logged() == []
    else:
        assert outcome.action == inner
        assert outcome.message != "changed"
        assert told(outcome) == [("a", first), ("w", "ignored")]
        (line,) = logged(logging.WARNING)
        assert "'w'" in line


@pytest.mark.parametrize("message", [None, "", "  ", 5])
def test_a_wrappers_block_needs_a_message(wrap, start, message):
    wrap("w", "pre_tool_call", replacing("block", message))
    outcome = start("pre_tool_call")
    assert outcome.action == "run"
    assert told(outcome) == [("w", "ignored")]


@styles
def test_whoever_blocked_is_named_a_wrapper_too(wrap, plugin, start, old_style):
    plugin("a", pre_tool_call=lambda **_: Approve())
    wrap("w", "pre_tool_call", replacing("block", "said the wrapper"), old_style=old_style)
    outcome = start("pre_tool_call")
    assert outcome.message == "said the wrapper"
    assert outcome.blocked_by("w")
    assert not outcome.blocked_by("a")


def test_a_wrapper_that_rewords_a_block_is_who_blocks(wrap, plugin, start):
    plugin("a", pre_tool_call=lambda: Block("no"))
    wrap("w", "pre_tool_call", replacing("block", "no, sorry"))
    outcome = start("pre_tool_call")
    assert outcome.message == "no, sorry"
    assert outcome.blocked_by("w")
    assert not outcome.blocked_by("a")


@styles
def test_a_wrappers_outcome_cannot_lose_the_steps_of_the_others(wrap, plugin, start, old_style):
    """Who did what is ours to say: a wrapper's own idea of it does not count."""
    made_up = (Step("someone", "user", "block", "made up"),)
    plugin("a", pre_tool_call=lambda: Block("no"), pre_llm_call=lambda: "note", transform_tool_result=lambda: "text")
    for hook, answer in {
        "pre_tool_call": ToolDecision("block", "mine", None, {}, made_up),
        "pre_llm_call": AddedContext("mine", made_up),
        "transform_tool_result": Transformed("mine"),
        "pre_gateway_dispatch": DispatchDecision("skip", steps=made_up),
        "pre_verify": VerifyDecision("mine", made_up),
    }.items():
        wrap(f"w {hook}", hook, lambda outcome, answer=answer: answer, old_style=old_style)
    for hook, inner in {
        "pre_tool_call": ("a", "block"),
        "pre_llm_call": ("a", "context"),
        "transform_tool_result": ("a", "transform"),
        "pre_gateway_dispatch": None,
        "pre_verify": None,
    }.items():
        assert told(start(hook)) == [*([inner] if inner else []), (f"w {hook}", "wrapped")]
    wrap("w", "post_tool_call", lambda outcome: Observed(made_up), old_style=old_style)
    assert start("post_tool_call") == Observed()


@styles
def test_a_wrapper_cannot_change_arguments_that_were_judged(wrap, plugin, start, logged, old_style):
    """Neither by what it returns nor in place: nobody would judge them any more."""
    plugin("a", pre_tool_call=lambda args: Block("no") if "rm" in args["command"] else None)

    def in_place(outcome):
        outcome.args["command"] = "rm -rf /"
        outcome.args["nested"].append(1)

    wrap("v", "pre_tool_call", in_place, old_style=old_style)
    wrap("w", "pre_tool_call", lambda outcome: outcome._replace(args={"command": "rm -rf /"}), old_style=old_style)
    sent = {"command": "ls", "nested": []}
    outcome = start("pre_tool_call", args=sent)
    assert outcome.action == "run"
    assert outcome.args is sent
    assert sent == {"command": "ls", "nested": []}
    assert [(step.plugin, step.what) for step in outcome.steps if step.what != "wrapped"] == [
        ("w", "ignored"),
        ("v", "ignored"),
    ]
    assert len([line for line in logged() if "arguments" in line]) == 2


def test_what_a_wrapper_changes_before_its_yield_is_judged_and_told(manager, plugin, start):
    class Wrapper:
        @hookimpl(wrapper=True)
        def pre_tool_call(self, args):
            args["command"] = "rm -rf /"
            yield

    manager.register(Wrapper(), "w")
    plugin("a", pre_tool_call=lambda args: Block("no") if "rm" in args["command"] else None)
    outcome = start("pre_tool_call", args={"command": "ls"})
    assert outcome.blocked_by("a")
    assert told(outcome) == [("w", "modify"), ("a", "block")]


def test_what_a_wrapper_changed_before_it_failed_is_undone(manager, plugin, start):
    class Wrapper:
        @hookimpl(wrapper=True)
        def pre_tool_call(self, args):
            args["command"] = "rm -rf /"
            raise ValueError
            yield

    manager.register(Wrapper(), "w")
    outcome = start("pre_tool_call", args={"command": "ls"})
    assert outcome[:4] == ("run", None, None, {"command": "ls"})
    assert told(outcome) == [("w", "failed")]


DISPATCH = {"allow": 0, "rewrite": 1, "skip": 2}


@pytest.mark.parametrize("inner", DISPATCH)
@pytest.mark.parametrize("action", DISPATCH)
def test_a_dispatch_decision_is_replaced_by_one_as_strict_or_stricter_only(wrap, plugin, start, inner, action):
    plugin("a", pre_gateway_dispatch=lambda: {"action": inner, "text": "inner"})
    text = "changed" if action == "rewrite" else None
    wrap("w", "pre_gateway_dispatch", lambda outcome: DispatchDecision(action, text, "changed"))
    outcome = start("pre_gateway_dispatch")
    if DISPATCH[action] >= DISPATCH[inner]:
        assert outcome[:3] == (action, text, "changed")
    else:
        assert outcome.action == inner
        assert told(outcome) == [("a", inner), ("w", "ignored")]


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("pre_gateway_dispatch", DispatchDecision("rewrite")),
        ("pre_gateway_dispatch", DispatchDecision("rewrite", text=5)),
        ("pre_gateway_dispatch", DispatchDecision("skip", reason=5)),
        ("pre_gateway_dispatch", DispatchDecision("later")),
        ("pre_verify", VerifyDecision(5)),
        ("pre_verify", VerifyDecision("  ")),
        ("pre_llm_call", AddedContext(5)),
        ("pre_llm_call", AddedContext(["x"])),
        ("transform_tool_result", Transformed(5)),
        ("transform_tool_result", Transformed(None)),
        ("pre_tool_call", ToolDecision("approve", 5, None, {})),
        ("pre_tool_call", ToolDecision("approve", "why", 5, {})),
    ],
)
def test_an_outcome_that_no_host_could_use_is_ignored(wrap, start, logged, hook, answer):
    value = {"result": "text"} if hook == "transform_tool_result" else {}
    expected = start(hook, **value)
    wrap("w", hook, lambda outcome: answer)
    outcome = start(hook, **value)
    assert outcome[:-1] == expected[:-1] or outcome[:1] == expected[:1]
    assert told(outcome) == [("w", "ignored")]
    (line,) = logged(logging.WARNING)
    assert "'w'" in line


@pytest.mark.parametrize("hook", [name for name, contract in HOOKS.items() if contract.kind != "transform"])
@pytest.mark.parametrize(
    "answer", [True, "text", {"action": "block", "message": "x"}, [], Block("no"), Skip(), ("run",)]
)
def test_anything_but_an_outcome_of_the_same_kind_is_logged_and_ignored(wrap, start, logged, hook, answer):
    expected = start(hook)
    wrap("w", hook, lambda outcome: answer)
    for _ in range(2):
        outcome = start(hook)
        assert outcome[:1] == expected[:1] or hook.startswith("on_") or outcome[0]
        assert outcome._replace(steps=()) == expected
        assert told(outcome) == [("w", "ignored")]
    (line,) = logged(logging.WARNING)
    assert type(answer).__name__ in line


@styles
@pytest.mark.parametrize("hook", [name for name, contract in HOOKS.items() if contract.kind == "transform"])
def test_a_wrapper_of_a_transform_may_return_the_text(wrap, plugin, start, hook, old_style):
    value = HOOKS[hook].value
    plugin("a", **{hook: lambda **payload: payload[value] + " inner"})
    wrap("w", hook, lambda outcome: outcome.value + " outer", old_style=old_style)
    outcome = start(hook, **{value: "text"})
    assert outcome.value == "text inner outer"
    assert told(outcome) == [("a", "transform"), ("w", "wrapped")]


@pytest.mark.parametrize("answer", [5, b"x", {"result": "x"}, ["x"], False])
def test_a_wrapper_of_a_transform_may_return_nothing_else(wrap, start, answer):
    wrap("w", "transform_tool_result", lambda outcome: answer)
    outcome = start("transform_tool_result", result="text")
    assert outcome.value == "text"
    assert told(outcome) == [("w", "ignored")]


def test_the_empty_text_of_a_wrapper_counts_where_that_of_a_callback_does(wrap, start):
    wrap("w", "transform_tool_result", lambda outcome: "")
    wrap("v", "transform_llm_output", lambda outcome: "")
    assert start("transform_tool_result", result="text").value == ""
    assert start("transform_llm_output", response_text="text").value == "text"


def test_a_wrapper_may_replace_context_and_its_pieces_follow(wrap, plugin, start):
    plugin("a", pre_llm_call=["one", "two"] and [lambda: "one", lambda **_: "two"])
    wrap("w", "pre_llm_call", lambda outcome: outcome._replace(text=outcome.text.upper()))
    outcome = start("pre_llm_call")
    assert outcome.text == "ONE\n\nTWO"
    assert outcome.pieces == ("ONE\n\nTWO",)


def test_a_wrapper_may_drop_context(wrap, plugin, start):
    plugin("a", pre_llm_call=lambda: "one")
    wrap("w", "pre_llm_call", lambda outcome: AddedContext())
    assert start("pre_llm_call")[::2] == (None, ())


def test_a_wrapper_may_ask_to_continue_and_not_drop_that(wrap, plugin, start):
    wrap("w", "pre_verify", lambda outcome: VerifyDecision("add a test"))
    assert start("pre_verify").message == "add a test"
    wrap("v", "pre_verify", lambda outcome: VerifyDecision())
    outcome = start("pre_verify")
    assert outcome.message == "add a test"
    plugin("a", pre_verify=lambda: Continue("inner"))
    assert start("pre_verify").message == "add a test"


def test_the_outer_wrapper_sees_what_the_inner_one_made_of_it(wrap, start):
    seen = []
    wrap("a", "transform_tool_result", lambda outcome: seen.append(outcome.value))
    wrap("b", "transform_tool_result", lambda outcome: outcome.value + "!")
    assert start("transform_tool_result", result="text").value == "text!"
    assert seen == ["text!"]


# -- failures --------------------------------------------------------------------------------------------------


def raising(*_):
    raise SystemExit("teardown")


@styles
def test_raising_before_the_yield_is_as_if_the_wrapper_were_absent(wrap, plugin, start, manager, old_style):
    seen = []
    plugin("a", pre_tool_call=lambda: Block("no"))
    wrap("v", "pre_tool_call", seen.append)
    wrap("w", "pre_tool_call", seen.append, before=raising, old_style=old_style)
    wrap("x", "pre_tool_call", seen.append)
    outcome = start("pre_tool_call")
    assert outcome.blocked_by("a")
    assert len(seen) == 2
    assert manager.failures["w"].count == 1
    assert [step.error for step in outcome.steps if step.plugin == "w"] == ["SystemExit: teardown"]


@styles
def test_raising_after_the_yield_leaves_the_inner_outcome(wrap, plugin, start, manager, old_style):
    seen = []
    plugin("a", pre_tool_call=lambda: Block("no"))
    wrap("v", "pre_tool_call", seen.append)
    wrap("w", "pre_tool_call", raising, old_style=old_style)
    outcome = start("pre_tool_call")
    assert outcome.blocked_by("a")
    assert told(outcome) == [("a", "block"), ("w", "failed")]
    assert seen[0].blocked_by("a")
    assert manager.failures["w"].count == 1


@styles
@pytest.mark.parametrize("closed", ["pre_tool_call", "transform_tool_result"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_wrapper_that_is_declared_fail_closed_blocks_or_withholds(wrap, plugin, start, old_style, closed, when):
    plugin("a", transform_tool_result=lambda: "a secret")
    policy = PluginPolicy(fail_closed=frozenset({closed}))
    parts = {"before": raising} if when == "before" else {"change": raising}
    wrap("w", closed, old_style=old_style, policy=policy, **parts)
    outcome = start(closed)
    if closed == "pre_tool_call":
        assert outcome.blocked_by("w")
        text = outcome.message
    else:
        assert told(outcome)[-1] == ("w", "withhold")
        text = outcome.value
    assert "'w'" in text
    assert "SystemExit: teardown" in text
    assert "a secret" not in text


def test_a_fail_closed_wrapper_leaves_a_standing_block_as_it_is(wrap, plugin, start):
    plugin("a", pre_tool_call=lambda: Block("no"))
    wrap("w", "pre_tool_call", raising, fail_closed=True)
    outcome = start("pre_tool_call")
    assert outcome.message == "no"
    assert outcome.blocked_by("a")


def test_an_old_style_wrapper_that_forces_an_exception_has_failed(manager, plugin, start):
    class Wrapper:
        @hookimpl(hookwrapper=True)
        def pre_tool_call(self):
            result = yield
            result.force_exception(ValueError("forced"))

    manager.register(Wrapper(), "w")
    plugin("a", pre_tool_call=lambda: Block("no"))
    outcome = start("pre_tool_call")
    assert outcome.blocked_by("a")
    assert outcome.steps[-1].error == "ValueError: forced"


def test_an_old_style_wrappers_return_value_means_nothing(manager, start):
    class Wrapper:
        @hookimpl(hookwrapper=True)
        def transform_tool_result(self):
            yield
            return "returned"

    manager.register(Wrapper(), "w")
    assert start("transform_tool_result", result="text") == Transformed("text")


@styles
@pytest.mark.parametrize("yields", [0, 2])
def test_a_wrong_number_of_yields_is_a_failure_of_that_plugin(manager, plugin, start, old_style, yields):
    class Wrapper:
        @hookimpl(wrapper=not old_style, hookwrapper=old_style)
        def pre_tool_call(self):
            for _ in range(yields):
                yield

    manager.register(Wrapper(), "w")
    plugin("a", pre_tool_call=lambda: Block("no"))
    outcome = start("pre_tool_call")
    assert outcome.blocked_by("a")
    assert "did not yield" in manager.failures["w"].last or "more than once" in manager.failures["w"].last
    assert list(manager.failures) == ["w"]


def test_a_generator_that_refuses_to_be_closed_is_contained(manager, plugin, start):
    class Wrapper:
        @hookimpl(wrapper=True)
        def pre_tool_call(self):
            yield
            with contextlib.suppress(GeneratorExit):
                yield
            with contextlib.suppress(GeneratorExit):
                yield

    wrapper = Wrapper()
    manager.register(wrapper, "w")
    plugin("a", pre_tool_call=lambda: Block("no"))
    assert start("pre_tool_call").blocked_by("a")
    assert manager.failures["w"].count == 1


@styles
def test_an_interrupt_lets_wrappers_clean_up(manager, plugin, start, old_style):
    seen = []

    class Wrapper:
        @hookimpl(wrapper=not old_style, hookwrapper=old_style)
        def post_tool_call(self):
            try:
                yield
            except BaseException as error:
                seen.append(type(error))
                raise
            finally:
                seen.append("cleaned up")

    def interrupts():
        raise KeyboardInterrupt

    manager.register(Wrapper(), "w")
    plugin("a", post_tool_call=interrupts)
    with pytest.raises(KeyboardInterrupt):
        start("post_tool_call")
    assert seen == [KeyboardInterrupt, "cleaned up"]
    assert manager.failures == {}


def test_wrappers_that_misbehave_during_an_interrupt_are_contained(manager, plugin, start):
    class Swallows:
        @hookimpl(wrapper=True)
        def post_tool_call(self):
            with contextlib.suppress(BaseException):
                yield

    class Stays:
        @hookimpl(wrapper=True)
        def post_tool_call(self):
            for _ in range(3):
                with contextlib.suppress(BaseException):
                    yield

    class Raises:
        @hookimpl(wrapper=True)
        def post_tool_call(self):
            try:
                yield
            finally:
                raise ValueError

    def interrupts():
        raise KeyboardInterrupt

    for number, wrapper in enumerate((Swallows(), Stays(), Raises(), Stays(), Swallows())):
        manager.register(wrapper, f"w{number}")
    plugin("a", post_tool_call=interrupts)
    with pytest.raises(KeyboardInterrupt):
        start("post_tool_call")
    assert set(manager.failures) <= {"w1", "w2", "w3"}


@pytest.mark.parametrize("traced", [False, True])
def test_wrappers_are_steps_with_a_duration_when_somebody_watches(wrap, plugin, manager, start, traced):
    manager.tracing = traced
    wrap("w", "post_tool_call")
    plugin("a", post_tool_call=lambda: None)
    outcome = start("post_tool_call")
    assert told(outcome) == ([("a", "observed"), ("w", "observed")] if traced else [])
    assert all(step.duration_ms >= 0 for step in outcome.steps)


def test_a_traced_wrapper_that_acts_has_one_step_with_its_duration(wrap, manager, start):
    manager.tracing = True
    wrap("v", "transform_tool_result", raising)
    wrap("w", "transform_tool_result", lambda outcome: "changed")
    wrap("x", "transform_tool_result", before=raising)
    outcome = start("transform_tool_result", result="text")
    assert sorted(told(outcome)) == [("v", "failed"), ("w", "wrapped"), ("x", "failed")]
    assert all(step.duration_ms >= 0 for step in outcome.steps)


# -- raw returns, registration ---------------------------------------------------------------------------------


def test_raw_returns_begin_with_what_a_wrapper_made_stricter(wrap, plugin, manager):
    plugin(
        "a",
        pre_tool_call=lambda: Approve("sure?"),
        transform_tool_result=lambda: "inner",
        pre_gateway_dispatch=lambda: {"action": "allow"},
        pre_verify=lambda: None,
    )
    wrap("w1", "pre_tool_call", replacing("block", "wrapped"))
    wrap("w2", "transform_tool_result", lambda outcome: "wrapped")
    wrap("w3", "pre_gateway_dispatch", lambda outcome: DispatchDecision("skip", reason="wrapped"))
    wrap("w4", "pre_verify", lambda outcome: VerifyDecision("wrapped"))
    wrap("w5", "post_tool_call", lambda outcome: outcome._replace(steps=()))

    def raw(hook):
        return manager.invoke_hook(hook, **HOOKS[hook].sample())

    assert raw("pre_tool_call") == [{"action": "block", "message": "wrapped"}, Approve("sure?")]
    assert raw("transform_tool_result") == ["wrapped", "inner"]
    assert raw("pre_gateway_dispatch") == [{"action": "skip", "reason": "wrapped"}, {"action": "allow"}]
    assert raw("pre_verify") == [{"action": "continue", "message": "wrapped"}]
    assert raw("post_tool_call") == []


def test_raw_returns_are_untouched_by_a_wrapper_that_changes_nothing(wrap, plugin, manager):
    plugin("a", pre_tool_call=lambda: Approve("sure?"))
    wrap("w", "pre_tool_call", lambda outcome: outcome)
    assert manager.invoke_hook("pre_tool_call", **HOOKS["pre_tool_call"].sample()) == [Approve("sure?")]


@pytest.mark.parametrize("held", [False, True])
def test_a_wrapper_that_is_no_generator_is_refused_like_in_pluggy(manager, held):
    class Wrapper:
        @hookimpl(wrapper=True)
        def post_tool_call(self):
            """Forget the yield."""

    plugin = Wrapper()
    if held:
        plugin = PluginHolder("w")
        plugin.add_hookimpls(Wrapper())
    with pytest.raises(pluggy.PluginValidationError, match="not a generator"):
        manager.register(plugin, "w")
    assert not manager.has_plugin("w")
    assert not manager.has_hook("post_tool_call")


@styles
def test_wrappers_of_a_held_plugin_work_and_are_no_defect(manager, plugin, start, old_style):
    class Wrapper:
        @hookimpl(wrapper=not old_style, hookwrapper=old_style)
        def post_tool_call(self, tool_name):
            seen.append(tool_name)
            yield

    seen = []
    holder = PluginHolder("w")
    holder.add_hookimpls(Wrapper())
    manager.register(holder, "w")
    start("post_tool_call", tool_name="terminal")
    assert seen == ["terminal"]
    assert manager.degraded == {}


def test_a_wrapper_of_a_hook_without_a_spec_gets_the_list(manager, plugin):
    class Wrapper:
        @hookimpl(wrapper=True)
        def own_hook(self, **payload):
            answers = yield
            return [*answers, "wrapped"]

    class Spoils:
        @hookimpl(wrapper=True)
        def own_hook(self):
            yield
            return "no list"

    manager.register(Wrapper(), "w")
    plugin("a", own_hook=lambda **_: "inner")
    assert manager.hook.own_hook(x=1) == ["inner", "wrapped"]
    manager.register(Spoils(), "v")
    assert manager.hook.own_hook(x=1) == ["inner", "wrapped"]
    assert asyncio.run(_awaits(manager.ahook.own_hook)) == ["inner", "wrapped"]


async def _awaits(hook):
    return await hook(x=1)
