"""pre_tool_call: arguments that change on the way, by `modify` and in place (semantics 2 and 4.6)."""

import copy
import logging
from collections import OrderedDict

import pytest

from hermes_hookspecs import Block, Modify
from hermes_sdk.dispatch.policy import PluginPolicy

ONCE = PluginPolicy(rejudge=False)


def changed(outcome):
    """Return (plugin, names) of every step that changed arguments."""
    return [(step.plugin, step.detail) for step in outcome.steps if step.what == "modify"]


@pytest.mark.parametrize("answer", [Modify, lambda args: {"action": "modify", "args": args}], ids=["typed", "dict"])
def test_a_modify_merges_key_by_key_into_the_dict_that_was_sent(plugin, fire, answer):
    seen = []
    plugin("a", ONCE, pre_tool_call=lambda: answer({"timeout": 5, "new": {"x": [1]}}))
    plugin("b", ONCE, pre_tool_call=lambda args: seen.append(dict(args)))
    args = {"command": "ls", "timeout": 60}
    outcome = fire("pre_tool_call", args=args)
    expected = {"command": "ls", "timeout": 5, "new": {"x": [1]}}
    assert outcome[:4] == ("run", None, None, expected)
    assert outcome.args is args
    assert seen == [expected]
    assert changed(outcome) == [("a", "new, timeout")]


def test_a_modify_replaces_the_value_of_a_key_as_a_whole(plugin, fire):
    plugin("a", pre_tool_call=lambda: Modify({"env": {"B": "2"}}))
    assert fire("pre_tool_call", args={"env": {"A": "1"}}).args == {"env": {"B": "2"}}


@pytest.mark.parametrize("answer", [Modify(), Modify({"command": "ls"}), {"action": "modify", "args": {}}])
def test_a_modify_that_changes_nothing_leaves_no_step_and_asks_nobody_again(plugin, fire, answer):
    judged = []
    plugin("a", pre_tool_call=lambda **everything: judged.append(everything["judgement"]))
    plugin("b", pre_tool_call=lambda args, judgement: judged.append(judgement))
    plugin("c", pre_tool_call=lambda: answer)
    assert fire("pre_tool_call", args={"command": "ls"}) == ("run", None, None, {"command": "ls"}, ())
    assert judged == [1, 1]


def test_what_a_plugin_does_to_its_answer_later_does_not_reach_the_arguments(plugin, fire):
    answer = {"env": {"A": "1"}}
    plugin("a", pre_tool_call=lambda: Modify(answer))
    plugin("b", ONCE, pre_tool_call=lambda args: answer["env"].update(A="stolen"))
    assert fire("pre_tool_call", args={}).args == {"env": {"A": "1"}}


def test_the_last_writer_of_a_key_wins_and_the_overwritten_one_is_logged(plugin, fire, logged):
    plugin("a", ONCE, pre_tool_call=lambda: Modify({"command": "from a", "cwd": "/a"}))
    plugin("b", ONCE, pre_tool_call=lambda: Modify({"command": "from b"}))
    plugin("c", ONCE, pre_tool_call=lambda args: args.update(command="from c"))
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome.args == {"command": "from c", "cwd": "/a"}
    assert changed(outcome) == [("a", "command, cwd"), ("b", "command"), ("c", "command")]
    lines = logged()
    assert [("'a'" in line, "'b'" in line, "'c'" in line) for line in lines] == [
        (True, True, False),
        (False, True, True),
    ]
    assert all("'command'" in line and "from" not in line for line in lines)


def test_overwriting_what_the_model_sent_or_oneself_is_not_worth_a_line(plugin, fire, logged):
    plugin("a", ONCE, pre_tool_call=[lambda: Modify({"command": "1"}), lambda: None])
    fire("pre_tool_call", args={"command": "ls"})
    assert logged() == []


def _set(key, value):
    return lambda args: args.__setitem__(key, value)


IN_PLACE = {
    "addition": ({"command": "ls"}, _set("cwd", "/"), {"command": "ls", "cwd": "/"}, "cwd"),
    "change": ({"command": "ls"}, _set("command", "pwd"), {"command": "pwd"}, "command"),
    "deletion": ({"command": "ls", "x": "y"}, lambda args: args.pop("x") and None, {"command": "ls"}, "x"),
    "everything": ({"a": "1", "b": "2"}, lambda args: args.clear(), {}, "a, b"),
    "nested change": ({"a": {"b": [1, {"c": 1}]}}, lambda args: args["a"]["b"][1].update(c=2),
                      {"a": {"b": [1, {"c": 2}]}}, "a"),
    "nested addition": ({"a": [1]}, lambda args: args["a"].append(2), {"a": [1, 2]}, "a"),
    "nested deletion": ({"a": {"b": 1}}, lambda args: args["a"].clear(), {"a": {}}, "a"),
    "nested order": ({"a": [1, 2]}, lambda args: args["a"].reverse(), {"a": [2, 1]}, "a"),
    "number to bool": ({"a": 1}, _set("a", True), {"a": True}, "a"),
    "nested number to bool": ({"a": [0]}, lambda args: args["a"].__setitem__(0, False), {"a": [False]}, "a"),
    "number to float": ({"a": 1}, _set("a", 1.0), {"a": 1.0}, "a"),
    "text to None": ({"a": "x"}, _set("a", None), {"a": None}, "a"),
    "text to number": ({"a": "1"}, _set("a", 1), {"a": 1}, "a"),
    "text to container": ({"a": "x"}, _set("a", {"b": "x"}), {"a": {"b": "x"}}, "a"),
    "list to tuple": ({"a": [1]}, _set("a", (1,)), {"a": (1,)}, "a"),
    "set": ({"a": {1}}, lambda args: args["a"].add(2), {"a": {1, 2}}, "a"),
    "beside an object": ({"a": [1], "o": object}, lambda args: args["a"].append(2), {"a": [1, 2], "o": object}, "a"),
    "number to bool beside an object": ({"a": [1], "o": object}, _set("a", [True]), {"a": [True], "o": object}, "a"),
    "ordered dict": (OrderedDict(a=[1]), lambda args: args["a"].append(2), {"a": [1, 2]}, "a"),
    "nested ordered dict": ({"a": OrderedDict(b=1)}, lambda args: args["a"].update(b=2), {"a": {"b": 2}}, "a"),
    "key that is no str": ({1: "x", "a": "y"}, _set(1, "z"), {1: "z", "a": "y"}, "1"),
}  # fmt: skip


@pytest.mark.parametrize(("args", "change", "expected", "names"), IN_PLACE.values(), ids=IN_PLACE)
def test_a_change_in_place_is_that_implementations_modify(plugin, fire, args, change, expected, names):
    args = copy.deepcopy(args)
    judged = []
    plugin("a", pre_tool_call=lambda args, judgement: judged.append((repr(dict(args)), judgement)))
    plugin("b", pre_tool_call=change)
    before = repr(dict(args))
    outcome = fire("pre_tool_call", args=args)
    assert changed(outcome) == [("b", names)]
    assert outcome.action == "run"
    assert outcome.args is args
    assert args == expected
    assert repr(_plain(args)) == repr(_plain(expected))
    assert judged == [(before, 1), (repr(dict(args)), 2)]


def _plain(value):
    """Return a value with plain dicts, so that its repr tells 1 from True whatever the class of a dict."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("args", "change", "expected", "names"), IN_PLACE.values(), ids=IN_PLACE)
def test_what_a_failing_implementation_changed_is_undone(plugin, fire, args, change, expected, names):
    seen = []

    def fails(args):
        change(args)
        raise ValueError("after the change")

    plugin("a", pre_tool_call=lambda args: seen.append(repr(_plain(args))))
    plugin("b", pre_tool_call=fails)
    plugin("c", pre_tool_call=lambda args: seen.append(repr(_plain(args))))
    sent = copy.deepcopy(args)
    outcome = fire("pre_tool_call", args=sent)
    assert outcome.args is sent
    assert repr(_plain(sent)) == repr(_plain(args))
    assert seen == [repr(_plain(args))] * 2
    assert [(step.plugin, step.what) for step in outcome.steps] == [("b", "failed")]


@pytest.mark.parametrize(("args", "change", "expected", "names"), IN_PLACE.values(), ids=IN_PLACE)
def test_a_change_behind_a_block_is_undone_and_logged(plugin, fire, logged, args, change, expected, names):
    seen = []
    plugin("a", pre_tool_call=lambda: Block("no"))
    plugin("b", pre_tool_call=change)
    plugin("c", pre_tool_call=lambda args: seen.append(repr(_plain(args))))
    sent = copy.deepcopy(args)
    outcome = fire("pre_tool_call", args=sent)
    assert outcome.args is sent
    assert repr(_plain(sent)) == repr(_plain(args)) == seen[0]
    assert [(step.plugin, step.what) for step in outcome.steps] == [("a", "block"), ("b", "ignored")]
    (line,) = logged()
    assert "'b'" in line
    assert "dropped" in line


def test_a_later_failure_does_not_undo_what_an_earlier_one_changed(plugin, fire):
    def fails(args):
        args["env"]["A"] = "spoilt"
        args.pop("command")
        raise ValueError

    plugin("a", pre_tool_call=lambda args: args["env"].update(A="2"))
    plugin("b", pre_tool_call=fails)
    outcome = fire("pre_tool_call", args={"command": "ls", "env": {"A": "1"}})
    assert outcome.args == {"command": "ls", "env": {"A": "2"}}
    assert changed(outcome) == [("a", "env")]


def test_a_change_and_a_modify_of_one_implementation_are_one_step(plugin, fire):
    def both(args):
        args["a"] = "in place"
        return Modify({"b": "by answer"})

    plugin("a", pre_tool_call=both)
    outcome = fire("pre_tool_call", args={})
    assert outcome.args == {"a": "in place", "b": "by answer"}
    assert changed(outcome) == [("a", "a, b")]


def test_a_modify_wins_over_the_change_in_place_of_the_same_key(plugin, fire):
    def both(args):
        args["a"] = "in place"
        return Modify({"a": "by answer"})

    plugin("a", pre_tool_call=both)
    assert fire("pre_tool_call", args={"a": ""}).args == {"a": "by answer"}


def test_a_change_in_place_counts_beside_an_answer_that_is_none(plugin, fire, logged):
    def returns_the_dict(args):
        args["command"] = "ls -l"
        return args

    def is_malformed(args):
        args["cwd"] = "/"
        return {"action": "modify"}

    plugin("a", pre_tool_call=returns_the_dict)
    plugin("b", pre_tool_call=is_malformed)
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome.args == {"command": "ls -l", "cwd": "/"}
    assert [(step.plugin, step.what) for step in outcome.steps] == [("a", "modify"), ("b", "ignored"), ("b", "modify")]


class Incomparable:
    """A value whose comparison ends the process, if one lets it."""

    def __eq__(self, other):
        raise SystemExit("compared")

    __hash__ = None


@pytest.mark.parametrize("args", [{"command": "ls"}, {"command": 1}, {"command": [1]}], ids=["text", "number", "list"])
def test_a_value_that_cannot_be_compared_never_ends_the_host(plugin, fire, manager, args):
    for key in ("command", "other"):
        for name in ("a", "b"):
            plugin(f"{name}{key}", pre_tool_call=_set(key, Incomparable()))
    plugin("z", pre_tool_call=lambda args: {"action": "block", "message": "end"} if "end" in args else None)
    outcome = fire("pre_tool_call", args=args)
    assert outcome.action == "run"
    assert {"command", "other"} == set(outcome.args)
    manager.unregister(name="acommand")
    assert fire("pre_tool_call", args={**args, "end": "now"}).blocked_by("z")


def test_arguments_that_contain_themselves_are_contained(plugin, fire):
    def loops(args):
        args["me"] = args

    def loops_and_fails(args):
        args["list"] = []
        args["list"].append(args["list"])
        raise ValueError

    plugin("a", pre_tool_call=loops_and_fails)
    outcome = fire("pre_tool_call", args={"n": 1})
    assert outcome.args == {"n": 1}
    plugin("b", pre_tool_call=loops)
    outcome = fire("pre_tool_call", args={"n": 1})
    assert outcome.args["me"] is outcome.args
    assert changed(outcome) == [("b", "me")]


def test_a_modify_whose_arguments_cannot_be_copied_is_a_failure(plugin, fire):
    endless = {}
    endless["me"] = endless
    plugin("a", pre_tool_call=lambda: Modify(endless))
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome.args == {"command": "ls"}
    assert [step.what for step in outcome.steps] == ["failed"]


def test_a_blocking_plugin_may_change_arguments_and_still_blocks(plugin, fire):
    def both(args):
        args["command"] = "safe"
        return Block("no")

    plugin("a", pre_tool_call=both)
    outcome = fire("pre_tool_call", args={"command": "ls"})
    assert outcome.blocked_by("a")
    assert {step.what for step in outcome.steps} == {"block", "modify"}


def test_no_value_of_an_argument_is_logged(plugin, fire, logged):
    secret = "sk-0123456789"
    plugin("a", ONCE, pre_tool_call=lambda: Modify({"token": secret + "1"}))
    plugin("b", ONCE, pre_tool_call=lambda: Modify({"token": secret + "2"}))
    plugin("c", pre_tool_call=lambda: {"action": "modify", "args": secret})
    plugin("d", pre_tool_call=lambda: Block("no"))
    plugin("e", pre_tool_call=lambda: Modify({"token": secret + "3"}))
    outcome = fire("pre_tool_call", args={"token": secret})
    lines = logged(logging.DEBUG)
    assert len(lines) == 3
    assert not any(secret in line for line in lines)
    assert not any(secret in step.detail for step in outcome.steps)


def test_a_failure_that_changed_nothing_leaves_the_very_values(plugin, fire):
    """Whatever they are: only what was changed is put back from a copy."""
    nested, odd = {"a": [1]}, bytearray(b"x")
    plugin("a", pre_tool_call=lambda args: 1 / 0)
    outcome = fire("pre_tool_call", args={"nested": nested, "odd": odd})
    assert outcome.args["nested"] is nested
    assert outcome.args["odd"] is odd
