"""CV5: unknown keys and wrong container types are accepted silently, so that a safety option is quietly off."""

import pytest

CALL = {"tool_name": "terminal", "args": {}}


def test_cv5_a_misspelt_gate_blocks_and_every_unknown_key_is_named_with_the_nearest(shell_home, caplog):
    gate = shell_home.answering("g.sh", "{}")
    shell_home.config(f"hooks:\n  pre_tool_call:\n    - {{command: {gate}, fail_closd: true, matchr: terminal}}\n")
    manager, in_force = shell_home.start()
    decision = manager.hook.pre_tool_call(**CALL)
    assert decision.blocked
    assert gate in decision.message
    assert "fail_closd" in decision.message
    problems = [str(problem) for problem in in_force.found.problems]
    assert any("fail_closd" in text and "did you mean 'fail_closed'?" in text for text in problems)
    assert any("matchr" in text and "did you mean 'matcher'?" in text for text in problems)
    assert all("config.yaml:3:" in text for text in problems)
    assert all(text in caplog.text for text in problems)


@pytest.mark.parametrize("key", ["fail-closed", "failclosed", "fail_close", "FailClosed", "fail_closed "])
@pytest.mark.parametrize("value", [True, False])
def test_cv5_every_near_miss_of_fail_closed_blocks(shell_home, key, value):
    """Seed S13 says that unknown keys are ignored; semantics 8."""
    manager = shell_home.started({"pre_tool_call": [{"command": shell_home.answering("g.sh", "{}"), key: value}]})
    assert manager.hook.pre_tool_call(**CALL).blocked


@pytest.mark.parametrize("value", ["yes", 1, None, []])
def test_cv5_a_fail_closed_that_is_neither_true_nor_false_blocks(shell_home, value):
    entry = {"command": shell_home.answering("g.sh", "{}"), "fail_closed": value}
    assert shell_home.started({"pre_tool_call": [entry]}).hook.pre_tool_call(**CALL).blocked


def test_cv5_the_other_spelling_of_fail_closed_is_one(shell_home):
    entry = {"command": shell_home.script("g.sh", "exit 1"), "failClosed": True}
    manager = shell_home.started({"pre_tool_call": [entry]})
    assert "exit status 1" in manager.hook.pre_tool_call(**CALL).message


def test_cv5_a_mapping_instead_of_a_list_is_one_entry(shell_home):
    manager = shell_home.started({"pre_tool_call": {"command": shell_home.answering("g.sh", '{"action": "block"}')}})
    assert manager.hook.pre_tool_call(**CALL).blocked


@pytest.mark.parametrize(
    ("hooks", "found"),
    [
        ({"pre_tool_call": "g.sh"}, "found text, wanted a list of entries"),
        ({"pre_tool_call": ["g.sh"]}, "found text, wanted a mapping with a command"),
        (["pre_tool_call"], "found a list, wanted a mapping of events to lists of entries"),
        ({"pre_tool_call": [{"command": "x", "matcher": ["terminal"]}]}, "found a list, wanted text"),
        ({"pre_tool_call": [{"command": "x", "env": "PATH"}]}, "found text, wanted a list of names"),
        ({"pre_tool_call": [{"command": ""}]}, "it has no command"),
        ({"pre_tool_call": [{"matcher": "terminal"}]}, "it has no command"),
    ],
)
def test_cv5_other_wrong_types_leave_the_entry_out_with_an_error(shell_home, caplog, hooks, found):
    """Seed S14."""
    shell_home.hooks(hooks)
    _, in_force = shell_home.start()
    assert in_force.entries == []
    assert found in caplog.text
