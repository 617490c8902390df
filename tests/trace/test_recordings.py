"""Recordings: what is written, what is left out, what can be read again."""

import io
import json
from pathlib import Path

import pytest

from hermes_sdk.errors import SessionError
from hermes_sdk.trace.recording import FORMAT, LONGEST, VERSION, Recorder, kept, read_recording

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "r.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return path

    return write


HEADER = {"format": FORMAT, "version": VERSION}


def recorded(*entries, **options):
    stream = io.StringIO()
    stream.close_really, stream.close = stream.close, lambda: None
    recorder = Recorder(stream, {"title": "t"}, **options)
    for entry in entries:
        recorder.add(entry)
    recorder.close()
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_the_first_line_says_what_it_is_and_entries_are_numbered():
    header, one, two = recorded({"a": 1}, {"a": 2})
    assert header == {"format": FORMAT, "version": VERSION, "redacted": True, "title": "t"}
    assert (one, two) == ({"n": 1, "a": 1}, {"n": 2, "a": 2})


def test_secrets_are_masked_wherever_they_stand_unless_asked_otherwise():
    entry = {"payload": {"args": {"command": f"curl -H {SECRET}"}}, "list": [[SECRET]], "text": f"x={SECRET}"}
    assert SECRET not in json.dumps(recorded(entry))
    header, kept = recorded(entry, redacted=False)
    assert header["redacted"] is False
    assert json.dumps(kept).count(SECRET) == 3


def test_a_secret_is_masked_by_the_name_of_its_key():
    entry = {"env": {"API_KEY": "correct horse battery", "PATH": "/usr/bin"}, "list": [{"password": "hunter2hunter2"}]}
    _, masked = recorded(entry)
    assert masked["env"] == {"API_KEY": "[REDACTED]", "PATH": "/usr/bin"}
    assert masked["list"] == [{"password": "[REDACTED]"}]
    assert recorded(entry, redacted=False)[1]["env"] == entry["env"]


def test_what_names_a_secret_without_showing_it_stays():
    entry = {"token": "$TOKEN", "api_key": "[redacted:api-key:1]", "max_tokens": 4096, "password": ""}
    assert recorded(entry)[1] == {"n": 1} | entry


def test_a_secret_as_a_key_is_masked():
    assert SECRET not in json.dumps(recorded({"seen": {SECRET: 1}}))


def test_a_secret_across_the_cut_leaves_no_half():
    _, entry = recorded({"t": "a" * (LONGEST - 20) + " " + SECRET + " " + "b" * 100})
    assert SECRET[:12] not in entry["t"]


def test_what_is_kept_already_stays_as_it_is():
    once = kept({"t": "a" * (2 * LONGEST), "key": {"secret": "correct horse"}}, redacted=True)
    assert kept(once, redacted=True) == once


def test_a_full_disk_ends_the_recording_and_not_the_session(caplog):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")

    class Filling(io.StringIO):
        def flush(self):
            if self.getvalue().count("\n") > 1:
                Path("/dev/full").write_text("x")

    recorder = Recorder(Filling(), {})
    recorder.add({"a": 1})
    recorder.add({"a": 2})
    recorder.close()
    assert [record.getMessage() for record in caplog.records] == [
        "the recording ends before entry 1: No space left on device"
    ]


def test_a_long_text_is_cut_and_a_digest_says_which_it_was():
    _, one, two = recorded({"t": "a" * LONGEST + "b"}, {"t": "a" * LONGEST + "c"})
    assert len(one["t"]) < LONGEST + 100
    assert "1 characters more, sha256 " in one["t"]
    assert one["t"] != two["t"]


def test_what_json_cannot_carry_becomes_text():
    (_, entry) = recorded({"v": b"\xff", "o": object(), "s": {1, 2}, "n": float("nan")})
    assert (
        entry == {"n": 1, "v": "<bytes: ff>", "o": "<object: object>", "s": [1, 2]} | {"n": "<float: nan>"}
        or entry["v"]
    )


def test_a_recording_is_read_again(write):
    path = write(
        HEADER | {"title": "t"}, {"n": 1, "type": "hook", "hook": "pre_tool_call"}, "", {"n": 2, "type": "event"}
    )
    recording = read_recording(path)
    assert (recording.header["title"], [entry.name for entry in recording.hooks()]) == ("t", ["pre_tool_call"])
    assert len(recording.entries) == 2
    assert recording.warnings == []


def test_half_a_line_is_left_out_with_a_warning(write):
    recording = read_recording(write(HEADER, {"n": 1, "type": "hook"}, '{"n": 2, "ty'))
    assert len(recording.entries) == 1
    assert ":3: half a line" in recording.warnings[0]


@pytest.mark.parametrize(
    ("first", "code", "text"),
    [
        ("not JSON", "HS461", "this is no recording"),
        ({"format": "other"}, "HS461", "this is no recording"),
        ("", "HS461", "this is no recording"),
        ({"format": FORMAT, "version": VERSION + 1}, "HS462", "made by a newer version"),
        ({"format": FORMAT, "version": "1"}, "HS462", "made by a newer version"),
    ],
)
def test_what_is_no_recording_is_refused(write, first, code, text):
    with pytest.raises(SessionError, match=text) as caught:
        read_recording(write(first))
    assert caught.value.code == code


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(SessionError, match="cannot be read"):
        read_recording(tmp_path / "nowhere")


def test_what_a_command_gives_an_option_is_masked():
    entry = {
        "command": "deploy --token abcdef123456 --verbose; curl --api-key='hunter2hunter2'",
        "argv": ["deploy", "--api-key", "correct horse", "--token", "--max-tokens", "4096"],
        "shown": "deploy --token TOKEN --password $PASSWORD",
    }
    _, masked = recorded(entry)
    assert masked["command"] == "deploy --token [REDACTED] --verbose; curl --api-key='[REDACTED]'"
    assert masked["argv"] == ["deploy", "--api-key", "[REDACTED]", "--token", "--max-tokens", "4096"]
    assert masked["shown"] == entry["shown"]
    assert recorded(entry, redacted=False)[1]["argv"] == entry["argv"]


def conversation(length):
    return [
        {"role": "user" if number % 2 else "assistant", "content": f"{number} " + "x" * 200} for number in range(length)
    ]


def calls(count):
    """Return the calls of a conversation, each with all that was said before it."""
    return [
        {
            "type": "hook",
            "hook": "pre_llm_call",
            "payload": {"conversation_history": conversation(length), "model": "m"},
        }
        for length in range(count)
    ]


def test_each_message_is_written_once(write):
    lines = recorded(*calls(100))
    messages = [line for line in lines if "message" in line]
    assert [line["value"] for line in messages] == conversation(99)
    assert lines[-1]["refs"] == [{"at": ["payload", "conversation_history"], "messages": [[1, 99]]}]
    sizes = [sum(len(json.dumps(line)) for line in recorded(*calls(count))) for count in (100, 200)]
    assert sizes[1] < 2.2 * sizes[0]


def test_what_was_written_once_is_read_everywhere(write):
    nested = {"type": "hook", "payload": {"request": [{"body": {"messages": conversation(3)}}], "messages": []}}
    odd = {"type": "event", "event": "x", "list": [{"role": 1}], "refs": "its own", "message": 5, "at": conversation(2)}
    entries = [*calls(20), nested, odd]
    found = read_recording(write(*recorded(*entries)))
    assert found.warnings == []
    assert [{key: value for key, value in each.data.items() if key != "n"} for each in found.entries] == [
        *entries[:-1],
        {key: value for key, value in odd.items() if key != "refs"},
    ]
    assert [each.data["n"] for each in found.entries] == list(range(1, 23))


def test_the_first_form_is_read_on(write):
    entry = {
        "n": 1,
        "type": "hook",
        "hook": "h",
        "payload": {"messages": conversation(2)},
        "refs": "a field",
        "message": 1,
    }
    (found,) = read_recording(write({"format": FORMAT, "version": 1}, entry)).entries
    assert found.data == entry


DAMAGED = [
    [{"at": ["payload", "messages"], "messages": [[1, 10**18]]}],
    [{"at": ["payload", "messages"], "messages": [[5, 6]]}],
    [{"at": ["payload", "nowhere", "messages"], "messages": [[1, 1]]}],
    [{"at": [], "messages": [[1, 1]]}],
    [{"at": ["payload"], "messages": [1]}],
    [{"at": ["payload"], "messages": [["a", "b"]]}],
    [7],
]


@pytest.mark.parametrize("refs", DAMAGED)
def test_messages_that_are_not_there_are_left_out_with_a_warning(write, refs):
    entry = {"n": 1, "type": "hook", "hook": "h", "payload": {"messages": None}, "refs": refs}
    message = {"message": 1, "value": {"role": "user", "content": "hi"}}
    recording = read_recording(write(HEADER, message, entry))
    assert len(recording.entries) == 1
    assert recording.warnings == [f"{recording.path}:3: messages that it names are not there: left out"]
