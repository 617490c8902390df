"""Scripts written for Claude Code, imported from its settings, run unchanged in a real session."""

import json

import pytest

from hermes_sdk import PluginManager
from hermes_sdk.config import Config
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.shell_hooks.answer import Answer
from hermes_sdk.shell_hooks.entries import read_entries
from hermes_sdk.shell_hooks.importing import import_settings, write_block
from hermes_sdk.shell_hooks.register import register_from_config
from hermes_sdk.shell_hooks.runner import EntryRunner
from hermes_sdk.shell_hooks.trial import sample_firing, try_entry

NO_PUSH = """#!/bin/bash
command=$(jq -r '.tool_input.command // ""')
if [[ "$command" == *"git push"* ]]; then
  echo "pushing is for people" >&2
  exit 2
fi
exit 0
"""
ONLY_HERE = """#!/usr/bin/env bash
path=$(jq -r '.tool_input.file_path')
case "$path" in
  *secret*)
    jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
            permissionDecisionReason: "secrets stay as they are"}}' ;;
esac
"""
SHORTER = """#!/usr/bin/env bash
jq '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "allow",
     updatedInput: (.tool_input + {content: "shorter"})}}'
"""
LOG = """#!/bin/sh
jq -c '[.hook_event_name, .tool_name, .tool_input.file_path, (.tool_response | length > 0)]' \\
  >> "$CLAUDE_PROJECT_DIR/log"
"""
STAMP = """#!/bin/sh
cat > /dev/null
echo "today is Friday"
"""
TESTS_FIRST = """#!/bin/sh
if jq -e .stop_hook_active > /dev/null; then exit 0; fi
echo "run the tests first" >&2
exit 2
"""
SETTINGS = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/no_push.sh'}],
            },
            {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./.claude/hooks/only_here.sh"}]},
            {
                "matcher": "Write",
                "hooks": [{"type": "command", "command": "./.claude/hooks/shorter.sh", "if": "Write(long/**)"}],
            },
        ],
        "PostToolUse": [
            {"matcher": "^(Write|Edit)$", "hooks": [{"type": "command", "command": "sh .claude/hooks/log.sh; true"}]}
        ],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": ".claude/hooks/stamp.sh | cat"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/tests_first.sh"}]}],
    }
}
SCRIPTS = {
    "no_push": NO_PUSH,
    "only_here": ONLY_HERE,
    "shorter": SHORTER,
    "log": LOG,
    "stamp": STAMP,
    "tests_first": TESTS_FIRST,
}


@pytest.fixture
def project(tmp_path):
    """A project with hooks of Claude Code."""
    project = tmp_path / "project"
    (project / ".claude/hooks").mkdir(parents=True)
    for name, text in SCRIPTS.items():
        (project / f".claude/hooks/{name}.sh").write_text(text)
        (project / f".claude/hooks/{name}.sh").chmod(0o755)
    (project / ".claude/settings.json").write_text(json.dumps(SETTINGS))
    return project


@pytest.fixture
def turn(project, tmp_path):
    """Return a function that runs one turn of a session in the project, with its hooks imported."""
    home = tmp_path / "home"
    home.mkdir()
    imported = import_settings(project / ".claude/settings.json", home)
    assert [remark for remark in imported.remarks if remark.kind == "left out"] == []
    write_block(imported.block, home)
    manager = PluginManager(home, entry_points=False)
    manager.discover_and_load()
    hooks = register_from_config(manager=manager, accept_hooks=True)
    assert hooks.not_in_order() == []

    def turn(*steps):
        model = ScriptedModel(steps)
        agent = Agent(manager, model, workdir=project)
        result = agent.run_turn("go")
        agent.close()
        assert model.mismatches == []
        return result, [message["content"] for message in agent.history if message["role"] == "tool"]

    yield turn
    manager.shutdown()


def call(name, **args):
    return ScriptStep(tools=(ScriptedCall(name, args),))


DONE = ScriptStep(say="done")


def test_a_script_that_exits_with_2_blocks_the_command(turn):
    _, results = turn(call("terminal", command="git push"), call("terminal", command="echo fine"), DONE)
    assert "pushing is for people" in results[0]
    assert "fine" in results[1]


def test_a_script_that_denies_reads_the_path_under_its_own_name(turn, project):
    _, results = turn(call("write_file", path="secret.txt", content="x"), DONE)
    assert "secrets stay as they are" in results[0]
    assert not (project / "secret.txt").exists()


def test_a_script_changes_the_arguments_where_its_condition_holds(turn, project):
    turn(
        call("write_file", path="long/a.txt", content="very long"),
        call("write_file", path="b.txt", content="very long"),
        DONE,
        DONE,
    )
    assert (project / "long/a.txt").read_text() == "shorter"
    assert (project / "b.txt").read_text() == "very long"


def test_a_script_behind_a_shell_sees_what_was_done_and_where(turn, project):
    turn(call("write_file", path="a.txt", content="x"), call("terminal", command="true"), DONE, DONE)
    assert [json.loads(line) for line in (project / "log").read_text().splitlines()] == [
        ["PostToolUse", "Write", "a.txt", True]
    ]


def test_plain_text_of_a_script_is_context(turn):
    turn(ScriptStep(say="done", sees=("today is Friday",)))


@pytest.mark.parametrize("event", ["pre_tool_call", "post_tool_call", "on_session_start", "pre_verify"])
def test_text_that_is_a_note_there_is_no_failure_here(tmp_path, event):
    entry = {"command": "echo remember the tests", "dialect": "claude"}
    (entry,) = read_entries(Config.of(tmp_path, {"hooks": {event: [entry]}})).entries
    trial = try_entry(EntryRunner(tmp_path, lambda: str(tmp_path)), entry, sample_firing(event).arguments)
    assert trial.answer == Answer()
    assert "remember the tests" in trial.run.stdout


def test_a_verdict_behind_other_text_is_not_lost(tmp_path):
    command = ["sh", "-c", """echo ready; echo '{"decision": "block", "reason": "no"}'"""]
    entry = {"command": command, "dialect": "claude"}
    (entry,) = read_entries(Config.of(tmp_path, {"hooks": {"pre_tool_call": [entry]}})).entries
    trial = try_entry(EntryRunner(tmp_path, lambda: str(tmp_path)), entry, sample_firing("pre_tool_call").arguments)
    assert trial.meaning.text == 'blocks the call with message "no"'


def test_a_script_keeps_the_agent_at_work_once(turn):
    result, _ = turn(
        call("write_file", path="a.py", content="x = 1\n"),
        ScriptStep(say="finished"),
        ScriptStep(say="tested", sees=("run the tests first",)),
    )
    assert result.answer == "tested"
