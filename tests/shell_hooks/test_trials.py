"""A trial: the firing that is made up, whom it concerns, and what an answer means; with real scripts."""

import json
from pathlib import Path

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk import ConfigError
from hermes_sdk.config import Config
from hermes_sdk.shell_hooks.entries import read_entries
from hermes_sdk.shell_hooks.payload import payload_of
from hermes_sdk.shell_hooks.runner import EntryRunner
from hermes_sdk.shell_hooks.trial import (
    SAMPLE_CALLS,
    read_given,
    sample_firing,
    try_entry,
    why_not_concerned,
)


@pytest.fixture
def entry_of(tmp_path):
    """Return a function that makes an entry of an event, with these keys."""

    def entry_of(event, **keys):
        (entry,) = read_entries(Config.of(tmp_path, {"hooks": {event: [{"command": "true"} | keys]}})).entries
        return entry

    return entry_of


@pytest.fixture
def tried(tmp_path, entry_of):
    """Return a function that tries a shell script on an event and gives the trial."""

    def tried(event, script, tool="", **keys):
        path = tmp_path / "hook.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        entry = entry_of(event, command=str(path), **keys)
        runner = EntryRunner(tmp_path, lambda: str(tmp_path))
        try:
            return try_entry(runner, entry, sample_firing(event, tool=tool).arguments)
        finally:
            runner.close()

    return tried


# -- the firing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", HOOKS)
def test_a_firing_has_every_argument_of_the_hook_and_no_other(event):
    assert set(sample_firing(event).arguments) == HOOKS[event].argument_names


def test_a_tool_brings_the_arguments_of_a_harmless_call():
    arguments = sample_firing("pre_tool_call", tool="write_file").arguments
    assert arguments["tool_name"] == "write_file"
    assert arguments["args"] == {"path": "notes.txt", "content": "hello\n"}
    assert sample_firing("pre_tool_call", tool="mcp__x__y").arguments["args"] == {}
    aliased = sample_firing("transform_tool_result", tool="terminal").arguments
    assert aliased["args"] == aliased["arguments"] == SAMPLE_CALLS["terminal"]


def test_every_sample_call_is_one_that_the_tool_takes(tmp_path):
    from hermes_sdk import PluginManager
    from hermes_sdk.host import Agent
    from hermes_sdk.host.models import ScriptedModel

    manager = PluginManager(tmp_path, entry_points=False)
    agent = Agent(manager, ScriptedModel(), workdir=tmp_path)
    try:
        tools = {
            tool["function"]["name"]: tool["function"]["parameters"] for tool in agent._bench.toolbox.definitions()
        }
    finally:
        agent.close()
        manager.shutdown()
    assert set(SAMPLE_CALLS) == set(tools)
    for name, arguments in SAMPLE_CALLS.items():
        assert set(tools[name].get("required", ())) <= set(arguments) <= set(tools[name]["properties"]), name


def test_a_tool_means_nothing_where_there_is_none():
    assert "means nothing" in sample_firing("pre_llm_call", tool="terminal").remarks[0]


def test_given_arguments_take_the_place_of_the_samples():
    firing = sample_firing("pre_tool_call", given={"args": {"command": "rm x"}, "session_id": "s", "tol_name": 1})
    assert firing.arguments["args"] == {"command": "rm x"}
    assert firing.arguments["session_id"] == "s"
    assert firing.arguments["tool_call_id"] == HOOKS["pre_tool_call"].sample()["tool_call_id"]
    assert "tol_name" not in firing.arguments
    assert firing.remarks == ("pre_tool_call sends no 'tol_name', so it is left out; did you mean 'tool_name'?",)


def test_the_tool_of_the_command_line_keeps_given_arguments():
    firing = sample_firing("pre_tool_call", tool="patch", given={"args": {"path": "x"}})
    assert firing.arguments["tool_name"] == "patch"
    assert firing.arguments["args"] == {"path": "x"}


@pytest.mark.parametrize("event", HOOKS)
def test_a_payload_that_a_script_read_gives_the_same_payload_again(event):
    wire = json.loads(json.dumps(payload_of(event, HOOKS[event].sample(), "/x"), default=lambda value: None))
    firing = sample_firing(event, given=wire)
    again = json.loads(json.dumps(payload_of(event, firing.arguments, "/x"), default=lambda value: None))
    assert again == wire
    assert firing.remarks == (
        "the payload's cwd is not used: scripts run, and are told so, where you are or where --cwd says",
    )


def test_a_payload_of_another_event_is_an_error():
    with pytest.raises(ConfigError, match="one of 'pre_llm_call', not of 'pre_tool_call'"):
        sample_firing("pre_tool_call", given={"hook_event_name": "pre_llm_call"})


def test_an_unknown_event_is_an_error_with_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'pre_tool_call'"):
        sample_firing("pre_tool_cal")


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff"])
def test_a_payload_file_that_is_no_object_is_an_error(tmp_path, content):
    path = tmp_path / "p.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"HS132.*p\.json"):
        read_given(path)


# -- whom it concerns --------------------------------------------------------------------------------------------------


def test_matcher_and_conditions_are_respected_and_named(entry_of):
    terminal = sample_firing("pre_tool_call", tool="terminal").arguments
    other = entry_of("pre_tool_call", matcher="write_file|patch")
    said = "its matcher 'write_file|patch' does not match 'terminal'; try --for-tool write_file"
    assert why_not_concerned(other, terminal) == said
    conditional = entry_of("pre_tool_call", matcher="terminal", when={"args.command": "rm .*"})
    assert why_not_concerned(conditional, terminal) == "its condition on args.command does not hold"
    dangerous = sample_firing("pre_tool_call", tool="terminal", given={"args": {"command": "rm x"}}).arguments
    assert why_not_concerned(conditional, dangerous) == ""


# -- what an answer means ----------------------------------------------------------------------------------------------

MEANINGS = [
    ("pre_tool_call", """echo '{"action": "block", "message": "no"}'""", "blocks", 'blocks the call with message "no"'),
    ("pre_tool_call", "echo no >&2; exit 2", "blocks", 'blocks the call with message "no"'),
    (
        "pre_tool_call",
        """echo '{"action": "approve", "message": "sure?", "rule_key": "k"}'""",
        "asks",
        "asks a person before the call: \"sure?\", remembered under 'k'",
    ),
    (
        "pre_tool_call",
        """echo '{"action": "modify", "args": {"timeout": 5}}'""",
        "modifies",
        'changes arguments of the call: {"timeout": 5}',
    ),
    (
        "pre_tool_call",
        """echo '{"hookSpecificOutput": {"updatedInput": {"command": "ls"}}}'""",
        "replaces",
        'replaces the arguments of the call by {"command": "ls"}',
    ),
    ("pre_tool_call", "echo '{}'", "no opinion", "no opinion"),
    ("pre_tool_call", "true", "no opinion", "no opinion"),
    (
        "pre_tool_call",
        """echo '{"context": "x"}'""",
        "no opinion",
        "no opinion: nothing that it said (context) means anything here",
    ),
    ("pre_llm_call", """echo '{"context": "hi"}'""", "adds", 'adds 2 characters to the message: "hi"'),
    (
        "pre_verify",
        """echo '{"action":"continue","message":"more"}'""",
        "continues",
        'keeps the agent at work with "more"',
    ),
    ("pre_gateway_dispatch", """echo '{"action":"skip","reason":"spam"}'""", "skips", 'drops the message: "spam"'),
    ("pre_gateway_dispatch", """echo '{"action":"skip"}'""", "skips", "drops the message"),
    (
        "pre_gateway_dispatch",
        """echo '{"action":"rewrite","text":"x"}'""",
        "rewrites",
        'replaces the text of the message by "x"',
    ),
    ("pre_gateway_dispatch", """echo '{"action":"allow"}'""", "allows", "lets the message through"),
    ("transform_tool_result", """echo '{"output":"x"}'""", "replaces", 'replaces result by 1 characters: "x"'),
    (
        "transform_llm_output",
        """echo '{"output":""}'""",
        "replaces",
        "leaves the answer as it is: an empty text replaces nothing here",
    ),
    (
        "post_tool_call",
        """echo '{"action":"block","message":"no"}'""",
        "ignored",
        "answer ignored: post_tool_call takes none",
    ),
]


@pytest.mark.parametrize(("event", "script", "word", "text"), MEANINGS)
def test_an_answer_is_explained(tried, event, script, word, text):
    meaning = tried(event, script).meaning
    assert (meaning.word, meaning.text) == (word, text)
    assert meaning.level != "wrong"


@pytest.mark.parametrize(
    ("script", "keys", "said"),
    [
        (
            "echo oops >&2; exit 3",
            {},
            "fails: exit status 3: oops; the entry is fail-open, so there would be a warning",
        ),
        ("exit 3", {"fail_closed": True}, "fails: exit status 3; the entry is fail-closed, so it would block the call"),
        ("echo text", {}, "fails: its output is no JSON object: text; the entry is fail-open"),
        ("sleep 9", {"timeout": 0.2}, "fails: it did not end within 0.2 s"),
        ("kill -9 $$", {}, "fails: signal 9"),
        (
            """echo '{"action":"block","message":"no"}'; exit 1""",
            {},
            'so its answer would still count: it blocks the call with message "no"',
        ),
        ("exit 2", {"exit_code_2": "warn"}, "fails: exit status 2"),
    ],
)
def test_a_failure_is_explained_with_what_follows(tried, script, keys, said):
    trial = tried("pre_tool_call", script, **keys)
    assert said in trial.meaning.text
    assert trial.meaning.level == "wrong"


def test_a_failing_gate_of_a_transform_withholds(tried):
    assert "would withhold the output" in tried("transform_tool_result", "exit 1", fail_closed=True).meaning.text


def test_a_missing_program_fails(tmp_path, entry_of):
    runner = EntryRunner(tmp_path, lambda: str(tmp_path))
    entry = entry_of("pre_tool_call", command=str(tmp_path / "none"))
    trial = try_entry(runner, entry, sample_firing("pre_tool_call").arguments)
    assert trial.meaning.word == "fails"
    assert trial.run.returncode is None


def test_the_payload_is_what_the_script_read(tried, tmp_path):
    """Seed S36 and K12: a trial really runs the script, on what a real firing would send."""
    trial = tried("pre_tool_call", f"cat > {tmp_path}/read.json", tool="read_file")
    assert json.loads(Path(tmp_path, "read.json").read_text()) == trial.payload
    assert trial.payload["cwd"] == str(tmp_path)
    assert trial.payload["tool_input"] == {"path": "notes.txt"}


def test_a_script_of_the_other_dialect_reads_its_own_names(tried):
    answer = """echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}'"""
    trial = tried("pre_tool_call", answer, tool="terminal", dialect="claude")
    assert trial.payload["tool_name"] == "Bash"
    assert trial.meaning.text == 'blocks the call with message "no"'
