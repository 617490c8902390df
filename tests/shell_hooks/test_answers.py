"""What a script's output and exit status mean, for every kind of event (semantics 8.2 and 8.4)."""

import pytest

from hermes_hookspecs import AddContext, Allow, Approve, Block, Continue, Modify, Rewrite, Skip
from hermes_sdk.shell_hooks.answer import Answer, Replace, json_objects, quoted, read_answer
from hermes_sdk.shell_hooks.process import Run

NAME = "shell:g.sh"


def read(event, stdout="", returncode=0, stderr="", failure="", **options):
    return read_answer(event, Run(returncode, stdout, stderr, 0.0, failure), NAME, **options)


@pytest.mark.parametrize(
    ("said", "directive"),
    [
        ('{"action": "block", "message": "no"}', Block("no")),
        ('{"decision": "block", "reason": "no"}', Block("no")),
        ('{"action": "deny", "reason": "no"}', Block("no")),
        ('{"decision": "deny", "message": "no"}', Block("no")),
        (
            '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}',
            Block("no"),
        ),
        ('{"action": "approve", "message": "sure?", "rule_key": "k"}', Approve("sure?", "k")),
        ('{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "why"}}', Approve("why")),
        ('{"decision": "approve", "reason": "fine"}', None),
        ('{"hookSpecificOutput": {"permissionDecision": "allow"}}', None),
        ('{"action": "modify", "args": {"a": 1}}', Modify({"a": 1})),
        ('{"action": "modify", "tool_input": {"a": 1}}', Modify({"a": 1})),
        ('{"updatedInput": {"a": 1}}', Replace({"a": 1})),
        ('{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"a": 1}}}', Replace({"a": 1})),
        (
            '{"hookSpecificOutput": {"permissionDecision": "ask", "updatedInput": {"a": 1}}}',
            Replace({"a": 1}, Approve("")),
        ),
        ("{}", None),
        ('{"note": "nothing of interest"}', None),
        ("", None),
        (" \n", None),
    ],
)
def test_answers_to_pre_tool_call_are_read_in_both_languages(said, directive):
    """Seed S25 to S27."""
    assert read("pre_tool_call", said) == Answer(directive)


@pytest.mark.parametrize("message", ["", ', "message": ""', ', "message": null', ', "message": 0', ', "message": []'])
def test_a_block_without_a_usable_message_blocks_with_one_that_names_the_command(message):
    """Seed S45 says otherwise; semantics 8.2."""
    assert read("pre_tool_call", f'{{"action": "block"{message}}}').directive == Block(f"blocked by {NAME}")


@pytest.mark.parametrize(
    ("said", "directive"),
    [
        ('{"action": "allow", "decision": "block", "reason": "no"}', Block("no")),
        ('{"action": "modify", "args": {}, "decision": "deny", "message": "no"}', Block("no")),
        ('{"action": "approve", "hookSpecificOutput": {"permissionDecision": "deny"}}', Block(f"blocked by {NAME}")),
        ('{"decision": "approve", "action": "approve", "message": "ask"}', Approve("ask")),
    ],
)
def test_of_contradictory_fields_the_stricter_counts(said, directive):
    assert read("pre_tool_call", said).directive == directive


@pytest.mark.parametrize(
    ("event", "said", "directive"),
    [
        ("pre_llm_call", '{"context": "Today is Friday"}', AddContext("Today is Friday")),
        ("pre_llm_call", '{"hookSpecificOutput": {"additionalContext": "x"}}', AddContext("x")),
        ("pre_llm_call", '{"context": "  "}', None),
        ("pre_verify", '{"action": "continue", "message": "test it"}', Continue("test it")),
        ("pre_verify", '{"decision": "block", "reason": "test it"}', Continue("test it")),
        ("pre_verify", '{"decision": "approve"}', None),
        ("pre_gateway_dispatch", '{"action": "skip", "reason": "spam"}', Skip("spam")),
        ("pre_gateway_dispatch", '{"action": "rewrite", "text": ""}', Rewrite("")),
        ("pre_gateway_dispatch", '{"action": "allow"}', Allow()),
        ("transform_terminal_output", '{"output": "x"}', "x"),
        ("transform_tool_result", '{"result": ""}', ""),
        ("transform_llm_output", '{"response_text": "x"}', "x"),
        ("transform_llm_output", '{"output": "x"}', "x"),
        ("transform_llm_output", '{"output": null}', None),
        ("post_tool_call", '{"action": "block", "message": "too late"}', None),
        ("subagent_stop", '{"context": "nobody listens"}', None),
    ],
)
def test_each_kind_of_event_has_its_own_answers(event, said, directive):
    """Seed S28."""
    assert read(event, said) == Answer(directive)


@pytest.mark.parametrize(
    ("event", "said", "problem"),
    [
        ("pre_tool_call", '{"action": "modify", "args": "ls"}', "'modify' needs an object as 'args'"),
        ("pre_tool_call", '{"action": "blok"}', "unknown answer: blok"),
        ("pre_verify", '{"action": "continue"}', "'continue' needs a message"),
        ("pre_gateway_dispatch", '{"action": "rewrite"}', "'rewrite' needs a text"),
        ("pre_gateway_dispatch", '{"action": "drop"}', "unknown answer: drop"),
        ("transform_terminal_output", '{"output": 3}', "'output' must be a string"),
        ("pre_llm_call", '{"context": ["x"]}', "'context' must be a string"),
        ("pre_llm_call", '{"decision": "block", "reason": "no"}', "a message of the user cannot be blocked"),
    ],
)
def test_a_malformed_answer_is_a_failure(event, said, problem):
    assert read(event, said) == Answer(None, problem)


def test_a_malformed_line_beside_a_good_one_is_a_failure_whose_answer_counts():
    answer = read("pre_tool_call", '{"action": "blok"}\n{"action": "approve", "message": "m"}\n')
    assert answer == Answer(Approve("m"), "unknown answer: blok")


# -- what is printed around an answer --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        'ready\n{"action": "block", "message": "no"}\n',
        '{"action": "block", "message": "no"}\nbye',
        '{\n  "action": "block",\n  "message": "no"\n}\ndone',
        'ready\n{\n  "action": "block",\n  "message": "no"\n}\n',
        '{"type": "notice"\n{"action": "block", "message": "no"}',
        'ready\r\n{"action": "block", "message": "no"}\r\n',
    ],
)
def test_other_output_around_an_answer_is_quoted_in_a_remark(said):
    answer = read("pre_tool_call", said)
    assert answer.directive == Block("no")
    assert answer.failure == ""
    assert answer.remark.startswith("other output beside the answer: ")


@pytest.mark.parametrize(
    "said",
    [
        '{"type": "notice"}\n{"action": "block", "message": "no"}\n',
        '{"action": "block", "message": "no"}\n{"type": "notice"}\n',
        '{"action": "approve"}\n{"action": "block", "message": "no"}\n{"action": "modify", "args": {}}\n',
        '{\n"action": "allow"\n}\n{\n"action": "block", "message": "no"}',
        '\ufeff{"action": "block", "message": "no"}',
    ],
)
def test_of_several_objects_the_strictest_counts(said):
    assert read("pre_tool_call", said) == Answer(Block("no"))


@pytest.mark.parametrize(
    "said",
    [
        "ok",
        "[1, 2]",
        '"block"',
        "null",
        '[{"action": "block"}]',
        'log: {"action": "block"}',
        '{"action": "block"} done',
    ],
)
def test_other_text_is_never_an_answer(said):
    """Seed S30: output that is no JSON object."""
    answer = read("pre_tool_call", said)
    assert answer.directive is None
    assert answer.failure == f"its output is no JSON object: {said}"


def test_deep_nesting_and_endless_beginnings_are_no_trouble():
    assert json_objects("[" * 100_000) == ([], "")
    objects, _ = json_objects('{"a": [\n' * 5000 + '{"action": "block"}')
    assert objects == [{"action": "block"}]


def test_output_is_quoted_short_on_one_line_with_control_characters_escaped():
    assert quoted("a\nb\x1b[31m\x00 zażółć ") == "a\\nb\\x1b[31m\\x00 zażółć"
    assert quoted("x" * 500) == "x" * 200 + "..."


# -- exit status -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stdout", "stderr", "message"),
    [
        ('{"action": "block", "message": "json"}', "stderr", "json"),
        ('{"reason": "json"}', "stderr", "json"),
        ("", "on stderr\n", "on stderr"),
        ("not json", "on stderr", "on stderr"),
        ("", "two\nlines \x1b[31mred", "two\nlines [31mred"),
    ],
)
def test_exit_status_2_blocks_with_the_best_message_there_is(stdout, stderr, message):
    assert read("pre_tool_call", stdout, 2, stderr).directive == Block(message)


def test_exit_status_2_without_any_word_says_what_else_it_can_mean():
    message = read("pre_tool_call", "", 2).directive.message
    assert NAME in message
    assert "interpreters also exit with 2" in message


@pytest.mark.parametrize("event", ["pre_llm_call", "transform_tool_result", "post_tool_call", "pre_verify"])
def test_exit_status_2_is_a_failure_where_nothing_can_be_blocked(event):
    assert read(event, "", 2).failure == "exit status 2"


def test_exit_status_2_is_a_failure_for_an_entry_that_says_so():
    assert read("pre_tool_call", "", 2, exit_2_blocks=False) == Answer(None, "exit status 2")


@pytest.mark.parametrize(("status", "text"), [(1, "exit status 1"), (127, "exit status 127"), (-9, "signal 9")])
def test_other_statuses_and_signals_are_failures_that_quote_stderr(status, text):
    """Seed S30: a non-zero exit status."""
    assert read("pre_tool_call", "", status).failure == text
    assert read("pre_tool_call", "", status, "oops\n").failure == f"{text}: oops"


def test_an_answer_counts_beside_a_failure():
    said = '{"action": "block", "message": "no"}'
    assert read("pre_tool_call", said, 1) == Answer(Block("no"), "exit status 1")
    assert read("pre_tool_call", said, None, failure="late") == Answer(Block("no"), "late")
    assert read("pre_tool_call", said, 2, failure="late") == Answer(Block("no"), "late")
