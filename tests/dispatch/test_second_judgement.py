"""pre_tool_call: who is asked once more when the arguments changed, and what counts then (semantics 2)."""

import asyncio

import pluggy
import pytest

from hermes_hookspecs import Approve, Block, Modify, hookimpl
from hermes_sdk.dispatch.policy import PluginPolicy

CLOSED = frozenset({"pre_tool_call"})


def told(outcome):
    return [(step.plugin, step.what) for step in outcome.steps]


@pytest.fixture
def judge(plugin):
    """Return a function that adds a plugin which notes what it was asked, and answers by judgement."""
    asked = []

    def judge(name, first=None, second=None, policy=None):
        def callback(args, judgement):
            asked.append((name, judgement, dict(args)))
            answer = first if judgement == 1 else second
            return answer(args) if callable(answer) else answer

        plugin(name, policy, pre_tool_call=callback)
        return asked

    judge.asked = asked
    return judge


def test_who_judged_other_arguments_judges_the_final_ones(judge, fire):
    judge("a")
    judge("b", first=Modify({"command": "rm -rf /"}))
    judge("c")
    fire("pre_tool_call", args={"command": "ls"})
    assert judge.asked == [
        ("a", 1, {"command": "ls"}),
        ("b", 1, {"command": "ls"}),
        ("c", 1, {"command": "rm -rf /"}),
        ("a", 2, {"command": "rm -rf /"}),
    ]


def test_nobody_is_asked_again_when_nothing_changed(judge, fire):
    judge("a", first=Approve("sure?"))
    judge("b")
    fire("pre_tool_call")
    assert [judgement for _, judgement, _ in judge.asked] == [1, 1]


def test_a_guard_in_front_of_a_rewrite_is_not_blind_to_it(judge, fire):
    judge("a guard", second=Block("I saw that"))
    judge("b rewriter", first=lambda args: args.update(command="rm -rf /"))
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome[:2] == ("block", "I saw that")
    assert outcome.blocked_by("a guard")
    assert outcome.args == {"command": "rm -rf /"}
    assert told(outcome) == [("b rewriter", "modify"), ("a guard", "block")]


def test_two_rewriters_of_different_keys_judge_each_others_change(judge, fire):
    judge("a", first=Modify({"x": 1}))
    judge("b", first=Modify({"y": 1}))
    fire("pre_tool_call", args={})
    assert judge.asked[2:] == [("a", 2, {"x": 1, "y": 1})]


def test_a_rewriter_whose_change_was_overwritten_is_asked_again(judge, fire):
    judge("a", first=Modify({"x": "a"}))
    judge("b", first=Modify({"x": "b"}))
    fire("pre_tool_call", args={})
    assert judge.asked[2:] == [("a", 2, {"x": "b"})]


def test_a_change_that_was_taken_back_asks_only_those_who_saw_it(judge, fire):
    judge("a")
    judge("b", first=Modify({"x": "new"}))
    judge("c")
    judge("d", first=Modify({"x": "old"}))
    judge("e")
    fire("pre_tool_call", args={"x": "old"})
    assert judge.asked[5:] == [("b", 2, {"x": "old"}), ("c", 2, {"x": "old"})]


def test_a_change_of_type_alone_is_judged_again(judge, fire):
    judge("a")
    judge("b", first=Modify({"force": True}))
    fire("pre_tool_call", args={"force": 1})
    assert judge.asked[2:] == [("a", 2, {"force": True})]


def test_only_who_can_see_the_arguments_is_asked_again(plugin, fire):
    asked = []

    class Callable:
        def __call__(self, args, judgement):
            asked.append(("object", judgement))

    plugin("a", pre_tool_call=lambda tool_name, judgement: asked.append(("blind", judgement)))
    plugin("b", pre_tool_call=lambda **everything: asked.append(("kwargs", everything["judgement"])))
    plugin("c", pre_tool_call=lambda *, args, judgement: asked.append(("keyword", judgement)))
    plugin("d", pre_tool_call=lambda args=None, judgement=1: asked.append(("default", judgement)))
    plugin("e", pre_tool_call=Callable())
    plugin("f", pre_tool_call=lambda *args, judgement=1: asked.append(("star args", judgement)))
    plugin("z", pre_tool_call=lambda: Modify({"x": 1}))
    fire("pre_tool_call")
    assert [name for name, judgement in asked if judgement == 2] == ["kwargs", "keyword", "default", "object"]


def test_no_second_judgement_behind_a_block(judge, fire):
    judge("a")
    judge("b", first=Modify({"x": 1}))
    judge("c", first=Block("no"))
    judge("d")
    assert fire("pre_tool_call").message == "no"
    assert [judgement for _, judgement, _ in judge.asked] == [1, 1, 1, 1]


def test_rejudge_false_opts_out_by_policy_and_by_marker(judge, manager, fire):
    asked = judge.asked

    class Marked:
        @hookimpl(rejudge=False)
        def pre_tool_call(self, args, judgement):
            asked.append(("marked", judgement, dict(args)))

    class Plain:
        @pluggy.HookimplMarker("hermes")
        def pre_tool_call(self, args, judgement):
            asked.append(("plain", judgement, dict(args)))

    manager.register(Marked(), "marked")
    manager.register(Plain(), "plain")
    judge("policy", policy=PluginPolicy(rejudge=False))
    judge("z", first=Modify({"x": 1}))
    fire("pre_tool_call")
    assert [name for name, judgement, _ in asked if judgement == 2] == ["plain"]
    manager.set_policy("policy", PluginPolicy(rejudge=True))
    fire("pre_tool_call")
    assert [name for name, judgement, _ in asked if judgement == 2] == ["plain", "plain", "policy"]


@pytest.mark.parametrize(
    "second",
    [
        Modify({"x": 2}),
        {"action": "modify", "args": {"y": 3}},
        lambda args: args.update(x=2),
        lambda args: args.clear(),
    ],
    ids=["typed", "dict", "in place", "cleared"],
)
def test_a_second_judgement_changes_no_arguments(judge, fire, logged, second):
    judge("a", second=second)
    judge("b", second=None)
    judge("c", first=Modify({"x": 1}))
    outcome = fire("pre_tool_call", args={"nested": [1]})
    assert outcome.args == {"nested": [1], "x": 1}
    assert judge.asked[3:] == [("a", 2, outcome.args), ("b", 2, outcome.args)]
    assert told(outcome) == [("c", "modify"), ("a", "ignored")]
    (line,) = logged()
    assert "'a'" in line
    assert "dropped" in line
    assert "final" in line


def test_approve_counts_in_the_second_judgement_and_the_first_one_stays(judge, fire):
    judge("a", second=Approve("because of the change", "a-rule"))
    judge("b", first=Modify({"x": 1}))
    assert fire("pre_tool_call")[:3] == ("approve", "because of the change", "a-rule")
    judge("c", first=Approve("earlier", "c-rule"))
    assert fire("pre_tool_call")[:3] == ("approve", "earlier", "c-rule")


def test_an_approve_of_other_arguments_stands_whatever_the_second_answer_is(judge, fire):
    judge("a", first=Approve("sure?"), second=None)
    judge("b", first=Modify({"x": 1}))
    assert fire("pre_tool_call").action == "approve"


def test_a_block_of_the_second_judgement_is_seen_by_those_behind(plugin, fire):
    asked = []

    def judge(name, answer):
        def callback(args, judgement, already_blocked):
            asked.append((name, judgement, already_blocked))
            return answer if judgement == 2 else None

        return callback

    plugin("a", pre_tool_call=judge("a", None))
    plugin("b", pre_tool_call=judge("b", Block("first")))
    plugin("c", pre_tool_call=judge("c", Block("second")))
    plugin("d", pre_tool_call=lambda **rest: asked.append(("d", rest["judgement"], rest["already_blocked"])))
    plugin("e", pre_tool_call=lambda: Modify({"x": 1}))
    outcome = fire("pre_tool_call")
    assert outcome.message == "first"
    assert asked[4:] == [("a", 2, False), ("b", 2, False), ("c", 2, True), ("d", 2, True)]
    assert told(outcome) == [("e", "modify"), ("b", "block"), ("c", "block")]


@pytest.mark.parametrize("closed", [False, True])
def test_a_failure_in_the_second_judgement_is_a_failure_like_any_other(judge, fire, closed):
    def fails(args):
        args["x"] = "spoilt"
        raise ValueError("second")

    judge("a", second=fails, policy=PluginPolicy(fail_closed=CLOSED if closed else frozenset()))
    judge("b", first=Modify({"x": 1}))
    outcome = fire("pre_tool_call")
    assert outcome.args["x"] == 1
    assert outcome.blocked is closed
    assert told(outcome) == [("b", "modify"), ("a", "failed"), *([("a", "block")] if closed else [])]
    assert outcome.steps[1].error == "ValueError: second"


@pytest.mark.parametrize("closed", [False, True])
def test_a_malformed_second_answer_is_ignored_or_blocks(judge, fire, closed):
    judge("a", second={"action": "block"}, policy=PluginPolicy(fail_closed=CLOSED if closed else frozenset()))
    judge("b", first=Modify({"x": 1}))
    outcome = fire("pre_tool_call")
    assert outcome.blocked is closed
    assert told(outcome)[1] == ("a", "ignored")


def test_who_failed_on_the_first_arguments_is_asked_about_the_final_ones(judge, fire):
    judge("a", first=lambda args: 1 / 0, second=Block("now I can tell"))
    judge("b", first=Modify({"x": 1}))
    outcome = fire("pre_tool_call")
    assert outcome.message == "now I can tell"
    assert told(outcome) == [("a", "failed"), ("b", "modify"), ("a", "block")]


def test_several_callbacks_of_one_plugin_are_asked_each_for_itself(plugin, fire):
    asked = []
    plugin(
        "a",
        pre_tool_call=[
            lambda args, judgement: asked.append((1, judgement, dict(args))),
            lambda args, judgement: args.update(x=1) if judgement == 1 else asked.append((2, judgement, dict(args))),
            lambda args, judgement: asked.append((3, judgement, dict(args))),
        ],
    )
    fire("pre_tool_call", args={})
    assert asked == [(1, 1, {}), (3, 1, {"x": 1}), (1, 2, {"x": 1})]


def test_a_rewriter_may_rewrite_again_in_vain_only_once(judge, fire):
    """Whoever insists on its own arguments gets a second look and no loop."""
    judge("a", first=Modify({"x": "a"}), second=Modify({"x": "a"}))
    judge("b", first=Modify({"x": "b"}), second=Modify({"x": "b"}))
    outcome = fire("pre_tool_call")
    assert outcome.args["x"] == "b"
    assert [(name, judgement) for name, judgement, _ in judge.asked] == [("a", 1), ("b", 1), ("a", 2)]


def test_asynchronous_callbacks_are_judged_again_in_both_ways_to_call(plugin, fire, afire):
    asked = []

    async def judge(args, judgement):
        await asyncio.sleep(0)
        asked.append((judgement, dict(args)))
        return Block("async") if judgement == 2 else None

    plugin("a", pre_tool_call=judge)
    plugin("b", pre_tool_call=lambda **rest: judge(rest["args"], rest["judgement"]) if rest["judgement"] == 2 else None)
    plugin("c", pre_tool_call=lambda args: args.update(x=1))
    outcome = fire("pre_tool_call", args={})
    assert outcome.blocked_by("a")
    assert asked == [(1, {}), (2, {"x": 1}), (2, {"x": 1})]
    asked.clear()
    assert asyncio.run(afire("pre_tool_call", args={})) == outcome
    assert asked == [(1, {}), (2, {"x": 1}), (2, {"x": 1})]


def test_further_arguments_of_the_host_come_along(plugin, fire):
    asked = []
    plugin("a", pre_tool_call=lambda args, judgement, future=None: asked.append((judgement, future)))
    plugin("b", pre_tool_call=lambda **rest: asked.append((rest["judgement"], rest["future"], rest["tool_name"])))
    plugin("c", pre_tool_call=lambda: Modify({"x": 1}))
    fire("pre_tool_call", future="soon", tool_name="patch")
    assert asked == [(1, "soon"), (1, "soon", "patch"), (2, "soon"), (2, "soon", "patch")]


def test_a_deadline_holds_in_the_second_judgement_too(plugin, fire, afire):
    import threading

    threads = []

    def judge(args, judgement):
        threads.append((judgement, threading.current_thread() is threading.main_thread()))
        args["y"] = 1
        return Block("in time") if judgement == 2 else None

    plugin("a", PluginPolicy(timeout=30), pre_tool_call=judge)
    plugin("b", pre_tool_call=lambda: Modify({"x": 1}))
    outcome = fire("pre_tool_call", args={})
    assert outcome.message == "in time"
    assert outcome.args == {"x": 1, "y": 1}
    assert threads == [(1, False), (2, False)]
    assert asyncio.run(afire("pre_tool_call", args={})) == outcome


def test_raw_returns_include_those_of_the_second_judgement(judge, manager, fire):
    judge("a", first=Approve("first"), second=Block("second"))
    judge("b", first=Modify({"x": 1}))
    raw = manager.invoke_hook("pre_tool_call", tool_name="terminal", args={})
    assert raw == [Approve("first"), Modify({"x": 1}), Block("second")]
