"""Session files: what they may say, and that every mistake is named with its place."""

import json
import textwrap

import pytest

from hermes_sdk.errors import SessionError
from hermes_sdk.host.session_file import load_session


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and gives its path."""

    def write(name, text):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


FULL = """\
title: a day at work
model: scripted/test
platform: cli
system: Be brief.
max_iterations: 5
files:
  notes/todo.txt: buy milk
approvals: [once]
llm: [a summary]
children:
  "count *":
    - say: three
turns:
  - user: What is to do?
    approvals: [deny]
    model:
      - tools:
          - {name: read_file, args: {path: notes/todo.txt}}
          - {name: terminal, args: {command: date}, id: call_a}
        sees: milk
        not_sees: [secret]
      - error: {message: overloaded, status: 529, retryable: true}
      - interrupt: true
      - Buy milk.
    expect:
      answer: milk
      tools: [ok, blocked]
  - new_session: true
    model: [{say: hello}]
    expect: {reason: iteration_limit}
expect:
  files: {notes/todo.txt: milk}
"""


def test_every_key_of_a_script_is_read(write):
    script = load_session(write("day.yaml", FULL))
    assert (script.kind, script.title, script.model, script.system) == (
        "script",
        "a day at work",
        "scripted/test",
        "Be brief.",
    )
    assert (script.max_iterations, script.approvals, script.plugin_answers) == (5, ("once",), ("a summary",))
    assert script.children["count *"][0].say == "three"
    first, second = script.turns
    assert (first.user, first.approvals, first.where.endswith("day.yaml:14")) == ("What is to do?", ("deny",), True)
    tools, error, interrupt, say = first.steps
    assert [call.name for call in tools.tools] == ["read_file", "terminal"]
    assert (tools.tools[1].id, tools.sees, tools.not_sees) == ("call_a", ("milk",), ("secret",))
    assert (error.error.status, error.error.retryable) == (529, True)
    assert (interrupt.interrupt, say.say) == (True, "Buy milk.")
    assert (first.expect.answer, first.expect.tools) == (("milk",), ("ok", "blocked"))
    assert (second.user, second.new_session, second.expect.completed) == (None, True, False)
    assert (script.tool_call_count, script.turn_count) == (2, 2)
    assert script.expect_files == {"notes/todo.txt": "milk"}


def test_every_mistake_is_named_with_its_place_and_the_nearest_name(write):
    path = write(
        "bad.yaml",
        """\
        titel: x
        files: {../up: x}
        approvals: [onec]
        turns:
          - user: [1]
            model:
              - sya: x
              - tools:
                  - {nam: terminal}
                  - just text
              - {say: x, interrupt: true}
              - interrupt: false
            expect: {tools: [okay]}
          - user: y
            model: 5
        """,
    )
    with pytest.raises(SessionError) as caught:
        load_session(path)
    text = str(caught.value)
    assert caught.value.code == "HS430"
    for place, word in (
        (":1:1", "did you mean 'title'?"),
        (":2:9", "a path below the work directory"),
        (":3:13", "did you mean 'once'?"),
        (":5:5", "text or a list of content parts"),
        (":7:9", "did you mean 'say'?"),
        (":9:14", "did you mean 'name'?"),
        (":9:13", "a call without a name"),
        (":10:13", "a mapping"),
        (":11:9", "say and interrupt in one step"),
        (":12:9", "a step that does nothing"),
        (":13:22", "did you mean 'ok'?"),
        (":15:5", "a list"),
    ):
        (line,) = [line for line in text.splitlines() if f"bad.yaml{place})" in line and word in line] or [None]
        assert line, (place, word, text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("broken.yaml", "turns: [", "valid YAML"),
        ("list.yaml", "- 1", "a mapping"),
        ("empty.yaml", "", "a mapping"),
        ("none.yaml", "title: x", "add `turns:`"),
        ("session.txt", "x", "scripts are .yaml, transcripts .json or .jsonl"),
    ],
)
def test_what_is_no_script_is_refused(write, name, text, message):
    with pytest.raises(SessionError, match=message):
        load_session(write(name, text))


def test_a_missing_file_is_named_with_the_nearest(write):
    near = write("session.yaml", "")
    with pytest.raises(SessionError, match=r"did you mean .*session\.yaml\?"):
        load_session(near.with_name("sesion.yaml"))


CONVERSATION = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "hello"},
    {"role": "user", "content": "are you there"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a b"},
    {"role": "assistant", "content": "yes"},
    {"role": "user", "content": "bye"},
    {"role": "assistant", "content": "bye"},
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.json", json.dumps(CONVERSATION)),
        ("object.json", json.dumps({"model": "m/1", "title": "t", "messages": CONVERSATION})),
        ("lines.jsonl", "\n".join(json.dumps(message) for message in CONVERSATION) + "\n\n"),
        ("lines2.jsonl", "\r\n".join(json.dumps(row | {"x": "a\u2028b"}, ensure_ascii=False) for row in CONVERSATION)),
        ("about.jsonl", "\n".join(json.dumps(row) for row in [{"model": "m/1", "title": "t"}, *CONVERSATION])),
        ("one.jsonl", json.dumps({"model": "m/1", "title": "t", "messages": CONVERSATION})),
    ],
)
def test_conversations_are_read_in_every_form(write, name, text):
    script = load_session(write(name, text))
    assert (script.kind, script.system, script.turn_count, script.tool_call_count) == ("transcript", "Be kind.", 2, 1)
    first, second = script.transcript
    assert (first.user, second.user) == ("hello\n\nare you there", "bye")
    assert first.results == {"c1": ["a b"]}
    named = "list" not in name and "lines" not in name
    assert (script.model, script.title) == (("m/1", "t") if named else ("transcript/replay", name.partition(".")[0]))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "it is not JSON"),
        ("a.json", '{"messages": 1}', "there is no list of messages"),
        ("a.json", '[{"role": "usr"}]', r"a\.json: message 1.*did you mean 'user'\?"),
        ("a.jsonl", '{"role": "user", "content": "x"}\nnonsense', r"a\.jsonl:2"),
        ("a.jsonl", '"x"', "a message is an object, not str"),
        ("a.json", '[{"role": "assistant", "tool_calls": 1}]', "tool_calls is no list of calls"),
        ("a.json", "[]", "it has no user message"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(write, name, text, message):
    with pytest.raises(SessionError, match=message):
        load_session(write(name, text))
