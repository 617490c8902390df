"""What a script reads: strict JSON whatever the values are, and the same keys for every event (semantics 8.1)."""

import json
import pathlib
from enum import Enum
from types import SimpleNamespace

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk import json_values
from hermes_sdk.json_values import MAX_DEPTH, json_safe
from hermes_sdk.shell_hooks.claude import to_claude
from hermes_sdk.shell_hooks.payload import Message, encode, payload_of


def refuse(token):
    raise AssertionError(f"{token} is no JSON")


def sent(value):
    """Return a value as a script would read it, which fails for anything but strict JSON."""
    line = encode({"value": value})
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line.decode("utf-8", "strict"), parse_constant=refuse)["value"]


def sample(event, /, **values):
    return payload_of(event, HOOKS[event].sample(**values), "/work")


def test_a_payload_has_the_six_keys_of_the_seed():
    """Seed S19 to S21, K9."""
    payload = sample("pre_tool_call", args={"command": "rm -rf /"}, session_id="sess_abc123", task_id="t")
    assert list(payload) == ["hook_event_name", "tool_name", "tool_input", "session_id", "cwd", "extra"]
    assert payload["hook_event_name"] == "pre_tool_call"
    assert payload["tool_input"] == {"command": "rm -rf /"}
    assert payload["session_id"] == "sess_abc123"
    assert payload["cwd"] == "/work"
    assert payload["extra"]["task_id"] == "t"
    assert {"already_blocked", "judgement", "tool_call_id"} <= payload["extra"].keys()


@pytest.mark.parametrize("event", [name for name, hook in HOOKS.items() if "tool_name" not in hook.argument_names])
def test_events_without_a_tool_have_null_in_its_place(event):
    """Seed S22."""
    payload = sample(event)
    assert payload["tool_name"] is None
    assert payload["tool_input"] is None


@pytest.mark.parametrize("event", HOOKS)
def test_extra_has_every_other_argument_under_its_seed_name_and_no_alias(event):
    """Seed S23."""
    hook = HOOKS[event]
    names = {argument.name for argument in hook.arguments if argument.alias_of is None}
    assert set(sample(event)["extra"]) == names - {"tool_name", "args", "arguments", "session_id"}


def test_the_session_is_the_parents_where_the_event_knows_no_other():
    """Seed X38: the worked example logs it as the parent."""
    assert sample("subagent_stop", parent_session_id="parent")["session_id"] == "parent"
    assert sample("on_session_finalize", session_id=None)["session_id"] == ""


def test_a_gateway_message_is_sent_as_plain_fields_and_live_objects_as_null():
    class Platform(Enum):
        TELEGRAM = "telegram"

    source = SimpleNamespace(platform=Platform.TELEGRAM, chat_id="c", user_id="u", secret=object())
    event = SimpleNamespace(text="hi", message_id="m", internal=False, source=source)
    extra = sample("pre_gateway_dispatch", event=event, gateway=object(), session_store=object())["extra"]
    assert extra["gateway"] is None
    assert extra["session_store"] is None
    assert extra["event"].keys() == {"text", "message_id", "internal", "source"}
    assert extra["event"]["text"] == "hi"
    assert extra["event"]["source"]["platform"] == "telegram"
    assert "secret" not in extra["event"]["source"]


# -- values that JSON cannot carry -----------------------------------------------------------------------------------


class Stubborn:
    def __str__(self):
        raise RuntimeError("no")


class Named:
    def __repr__(self):
        return "a name"


class Text(str):
    __slots__ = ()

    def __str__(self):
        return "another text"


def cycle():
    value = {}
    value["me"] = value
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"\xff", "<bytes: ff>"),
        (bytes(100), f"<bytes: {'00' * 64}...>"),
        (float("nan"), "<float: nan>"),
        (float("-inf"), "<float: -inf>"),
        (10**5000, None),
        (object(), "<object: object>"),
        (Stubborn(), "<Stubborn: RuntimeError>"),
        (Named(), "<Named: a name>"),
        (pathlib.Path("/x"), "<PosixPath: /x>"),
        (cycle(), {"me": "<cycle>"}),
        ({(1, 2): 3}, {"<tuple: (1, 2)>": 3}),
        ({b"\x00": 1}, {"<bytes: 00>": 1}),
        ({True: "b", None: "c", 1.5: object()}, {"true": "b", "null": "c", "1.5": "<object: object>"}),
        ({7: 1}, {"7": 1}),
        ("a\ud800b", "a<surrogate: d800>b"),
        ({"\udfff": 1}, {"<surrogate: dfff>": 1}),
        ({1}, [1]),
        ((1, (2,)), [1, [2]]),
        ([1], [1]),
        (None, None),
        ("zażółć\n\u2028", "zażółć\n\u2028"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_cannot_carry_becomes_a_tagged_string(value, expected):
    """Seed S24."""
    found = sent(value)
    if expected is None and value is not None:
        assert found.startswith("<int: 0x")
    else:
        assert found == expected


def test_a_subclass_of_str_is_sent_as_what_it_holds():
    assert sent([Text("held"), object()]) == ["held", "<object: object>"]


def test_a_container_whose_own_code_fails_is_named():
    class Broken(dict):
        def items(self):
            raise ValueError("no")

    assert json_safe([Broken(a=object())]) == ["<Broken: ValueError>"]


def test_nesting_is_bounded_with_a_marker():
    deep = value = []
    for _ in range(500):
        value.append([])
        value = value[0]
    text = json.dumps(sent(deep))
    assert "<too deep>" in text
    assert text.count("[") <= MAX_DEPTH


def test_size_is_bounded_with_a_marker(monkeypatch):
    monkeypatch.setattr(json_values, "MAX_TEXT", 1000)
    monkeypatch.setattr("hermes_sdk.shell_hooks.payload.MAX_TEXT", 1000)
    monkeypatch.setattr(json_values, "MAX_TOTAL", 3000)
    found = sent(["x" * 1500, *(["y" * 900] * 4), {"z": 1}])
    assert found[0] == "x" * 1000 + "<500 characters more>"
    assert found[1] == "y" * 900
    assert found[-1] == "<too large>"


def test_five_megabytes_are_sent_whole():
    text = "zażółć" * 900_000
    assert sent({"content": text}) == {"content": text}


def test_a_numbered_message_is_the_same_line_with_an_id_in_front():
    message = Message(payload_of("pre_tool_call", {"tool_name": "t", "args": {}}, "/"))
    assert json.loads(message.numbered(7)) == {"id": 7, **json.loads(message.line)}


# -- Claude Code's names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "values", "expected"),
    [
        (
            "pre_tool_call",
            {"tool_name": "write_file", "args": {"path": "a", "content": "b"}, "tool_call_id": "c"},
            {
                "hook_event_name": "PreToolUse",
                "tool_name": "Write",
                "tool_input": {"file_path": "a", "content": "b"},
                "tool_use_id": "c",
            },
        ),
        ("pre_tool_call", {"tool_name": "mine", "args": {"path": "a"}}, {"tool_input": {"path": "a"}}),
        ("post_tool_call", {"tool_name": "terminal", "result": "r"}, {"tool_name": "Bash", "tool_response": "r"}),
        ("pre_llm_call", {"user_message": "hi"}, {"hook_event_name": "UserPromptSubmit", "prompt": "hi"}),
        ("pre_verify", {"attempt": 1}, {"hook_event_name": "Stop", "stop_hook_active": True}),
        ("subagent_stop", {}, {"hook_event_name": "SubagentStop", "stop_hook_active": False}),
        ("on_session_start", {}, {"hook_event_name": "SessionStart", "source": "startup"}),
        ("on_session_finalize", {"reason": "exit"}, {"hook_event_name": "SessionEnd", "reason": "exit"}),
        ("api_request_error", {}, {"hook_event_name": "api_request_error"}),
    ],
)
def test_in_the_dialect_of_claude_code_names_are_its_own(event, values, expected):
    payload = to_claude(sample(event, **values))
    assert {key: payload[key] for key in expected} == expected
    assert payload["cwd"] == "/work"
    assert ("tool_name" in payload) == (sample(event, **values)["tool_name"] is not None)
