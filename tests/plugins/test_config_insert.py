"""Entries added to config.yaml: what is there stays byte for byte, and what cannot be done safely is not done."""

import pytest
import yaml

from hermes_sdk import ConfigError
from hermes_sdk.config.insert import append_entries

ENTRY = {"matcher": "terminal|patch", "command": "~/h.sh: x", "timeout": 5}
WRITTEN = "- matcher: terminal|patch\n  command: '~/h.sh: x'\n  timeout: 5\n"


def indented(indent, text=WRITTEN):
    return "".join(f"{indent}{line}\n" for line in text.splitlines())


CASES = {
    "no file": (None, "hooks:\n  post_tool_call:\n" + indented("    ")),
    "an empty file": ("", "hooks:\n  post_tool_call:\n" + indented("    ")),
    "no section": (
        "# mine\nplugins: {enabled: [a]}  # here",
        "# mine\nplugins: {enabled: [a]}  # here\nhooks:\n  post_tool_call:\n" + indented("    "),
    ),
    "an empty section": (
        "hooks:  # scripts\nagent: {}\n",
        "hooks:  # scripts\n  post_tool_call:\n" + indented("    ") + "agent: {}\n",
    ),
    "a section in braces": ("hooks: {}\n# end\n", "hooks:\n  post_tool_call:\n" + indented("    ") + "# end\n"),
    "another event": (
        "hooks:\n    pre_tool_call:\n    - command: a  # first\n\n# below\nagent: {}\n",
        "hooks:\n    pre_tool_call:\n    - command: a  # first\n    post_tool_call:\n"
        + indented("      ")
        + "\n# below\nagent: {}\n",
    ),
    "the event": (
        "hooks:\n  post_tool_call:\n    - command: a\n      env:\n        - X\n    # between\n  pre_tool_call: []\n",
        "hooks:\n  post_tool_call:\n    - command: a\n      env:\n        - X\n"
        + indented("    ")
        + "    # between\n  pre_tool_call: []\n",
    ),
    "the event, without an end of line": (
        "hooks:\n  post_tool_call:\n  - command: a",
        "hooks:\n  post_tool_call:\n  - command: a\n" + indented("  "),
    ),
    "the event, in flow items": (
        "hooks:\n  post_tool_call:\n    - {command: a}\n",
        "hooks:\n  post_tool_call:\n    - {command: a}\n" + indented("    "),
    ),
    "an empty event": (
        "hooks:\n  post_tool_call: []  # none\n  pre_llm_call:\n",
        "hooks:\n  post_tool_call:  # none\n" + indented("    ") + "  pre_llm_call:\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_entry_is_added_and_the_rest_stays(tmp_path, name):
    before, after = CASES[name]
    path = tmp_path / "config.yaml"
    if before is not None:
        path.write_text(before)
    append_entries(path, "hooks", {"post_tool_call": [ENTRY]})
    assert path.read_text() == after
    assert yaml.safe_load(after)["hooks"]["post_tool_call"][-1] == ENTRY


def test_several_events_and_entries_keep_their_order(tmp_path):
    path = tmp_path / "config.yaml"
    append_entries(path, "hooks", {"a": [{"command": "1"}, {"command": "2"}], "b": [{"command": "3"}]})
    append_entries(path, "hooks", {"a": [{"command": "4"}]})
    assert yaml.safe_load(path.read_text())["hooks"] == {
        "a": [{"command": "1"}, {"command": "2"}, {"command": "4"}],
        "b": [{"command": "3"}],
    }


def test_a_windows_file_keeps_its_line_ends_and_its_mark(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(b"\xef\xbb\xbfagent: {}\r\n")
    append_entries(path, "hooks", {"a": [{"command": "1"}]})
    assert path.read_bytes() == b"\xef\xbb\xbfagent: {}\r\nhooks:\r\n  a:\r\n    - command: '1'\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "{hooks: {}}\n",
        "hooks: {pre_tool_call: []}\n",
        "hooks: [a]\n",
        "hooks: text\n",
        "hooks:\n  post_tool_call: {command: a}\n",
        "hooks:\n  post_tool_call: [{command: a}]\n",
        "x: &x\n  post_tool_call:\n    - {command: a}\nhooks: *x\n",
        "hooks:\n  <<: {post_tool_call: [{command: a}]}\n",
        "a: 1\n---\nb: 2\n",
        "a: [\n",
        "- a\n",
        "a: b\n...\n",
    ],
)
def test_what_cannot_be_done_safely_is_refused_and_nothing_is_written(tmp_path, text):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"HS109.*left as it is"):
        append_entries(path, "hooks", {"post_tool_call": [ENTRY]})
    assert path.read_text() == text


def test_a_file_that_is_not_utf_8_is_left_alone(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(ConfigError, match="HS101"):
        append_entries(path, "hooks", {"post_tool_call": [ENTRY]})
    assert path.read_bytes() == b"a: \xff\n"
