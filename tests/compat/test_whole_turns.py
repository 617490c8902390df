"""Whole turns: hermes-agent's real `AIAgent` and our host, with the same plugins and the same model.

This holds what a plugin manager alone cannot show: which hooks fire, in what order, with which arguments, and what the
model and the user get in the end.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from environments import environment, host_environ, is_made
from hosts import GUARD
from versions import UPSTREAM

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
TIME_LIMIT = 110
OWN = {
    "session_id",
    "task_id",
    "turn_id",
    "api_request_id",
    "started_at",
    "ended_at",
    "duration_ms",
    "api_duration",
    "base_url",
    "provider",
    "tool_count",
    "approx_input_tokens",
    "request_char_count",
    "telemetry_schema_version",
}
"""Arguments that are each host's own: names of things, times, sizes."""


def _text(content):
    return {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}


def _command(number, command):
    function = {"name": "terminal", "arguments": json.dumps({"command": command})}
    calls = [{"id": f"call_{number}", "type": "function", "index": 0, "function": function}]
    return {"message": {"role": "assistant", "content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}


TURNS = {
    "recalled": ["What is my favourite colour?", [_text("Teal.")]],
    "masked": ["Look around.", [_command(1, "echo noise and secret"), _text("Done.")]],
    "quiet": ["Listen.", [_command(2, "echo noise"), _text("Heard it.")]],
    "changed": ["Status.", [_command(3, "git status"), _text("Clean.")]],
    "blocked": ["Clean up.", [_command(4, "rm -rf build"), _text("I may not.")]],
    "failed": ["Fail.", [{"status": 400}]],
}


class Played:
    """What came of the turns in one host."""

    def __init__(self, printed, noted):
        lines = [json.loads(line) for line in printed.splitlines() if line.startswith('{"answer"')]
        self.turns = dict(zip(TURNS, lines, strict=True))
        self._noted = [json.loads(line) for line in noted.splitlines()]

    def fired(self, turn):
        """Return the hooks of a turn, `(name, arguments)` each."""
        found = [[]]
        for row in self._noted:
            if row["hook"] == "pre_llm_call" and any(name == "pre_llm_call" for name, _ in found[-1]):
                found.append([])
            found[-1].append((row["hook"], row["arguments"]))
        return dict(zip(TURNS, found, strict=True))[turn]

    def hooks(self, turn):
        """Return the names of the hooks of a turn, in order."""
        return [name for name, _ in self.fired(turn)]

    def result(self, turn):
        """Return the last tool result that the model got in a turn."""
        messages = self.turns[turn]["requests"][-1]
        return json.loads(next(each["content"] for each in reversed(messages) if each["role"] == "tool"))

    def asked(self, turn):
        """Return the user's message as the model got it."""
        messages = self.turns[turn]["requests"][0]
        return next(each["content"] for each in reversed(messages) if each["role"] == "user")


def _play(python, script, directory):
    home = directory / "home"
    shutil.copytree(HERE / "turn_plugins", home / "plugins")
    (home / "config.yaml").write_text("plugins:\n  enabled: [acts, notes]\n", "utf-8")
    environ = host_environ(home) | {
        "PYTHONPATH": os.pathsep.join(map(str, (HERE, BENCHMARKS, GUARD))),
        "HERMES_BUNDLED_PLUGINS": str(directory / "bundled"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [str(python), str(HERE / script), json.dumps(list(TURNS.values()))]
    done = subprocess.run(
        command, env=environ, cwd=home, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    return Played(done.stdout, (home / "noted.jsonl").read_text("utf-8"))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The turns in both hosts: (theirs, ours)."""
    if not is_made(UPSTREAM):
        pytest.skip(f"hermes-agent {UPSTREAM} is not installed: python tests/compat/environments.py {UPSTREAM}")
    theirs = environment(UPSTREAM) / "bin" / "python"
    return (
        _play(theirs, "their_turns.py", tmp_path_factory.mktemp("theirs")),
        _play(sys.executable, "our_turns.py", tmp_path_factory.mktemp("ours")),
    )


@pytest.mark.parametrize("turn", ["recalled", "masked", "quiet", "changed"])
def test_the_same_hooks_fire_in_the_same_order(played, turn):
    theirs, ours = played

    assert ours.hooks(turn) == theirs.hooks(turn)


def test_a_blocked_call_has_its_error_text_transformed_here(played):
    theirs, ours = played
    place = ours.hooks("blocked").index("transform_tool_result")

    assert ours.hooks("blocked")[place - 1] == "post_tool_call"
    assert [hook for hook in ours.hooks("blocked") if hook != "transform_tool_result"] == theirs.hooks("blocked")


def test_a_turn_whose_model_fails_has_its_end_here(played):
    theirs, ours = played

    assert theirs.hooks("failed") == ["pre_llm_call", "pre_api_request", "api_request_error"]
    assert ours.hooks("failed") == [*theirs.hooks("failed"), "on_session_end", "on_session_finalize"]


@pytest.mark.parametrize("turn", TURNS)
def test_every_argument_that_theirs_sends_is_sent_here(played, turn):
    theirs, ours = played
    here = iter(ours.fired(turn))
    for hook, arguments in theirs.fired(turn):
        given = next(own for name, own in here if name == hook)
        assert set(arguments) <= set(given), hook


@pytest.mark.parametrize("turn", TURNS)
def test_arguments_have_the_same_types_and_the_plain_ones_the_same_values(played, turn):
    theirs, ours = played
    here = iter(ours.fired(turn))
    for hook, arguments in theirs.fired(turn):
        given = next(own for name, own in here if name == hook)
        for name in set(arguments) - OWN:
            there, mine = arguments[name], given[name]
            where = f"{hook}: {name}"
            if name in PLAIN.get(hook, ()):
                assert mine == there, where
            elif name != "assistant_message":
                assert type(mine) is type(there), where


PLAIN = {
    "on_session_start": ("model", "platform"),
    "pre_llm_call": ("user_message", "is_first_turn", "model", "platform", "sender_id"),
    "pre_api_request": (
        "user_message",
        "platform",
        "model",
        "api_mode",
        "api_call_count",
        "message_count",
        "max_tokens",
    ),
    "post_api_request": (
        "platform",
        "model",
        "finish_reason",
        "message_count",
        "response_model",
        "assistant_content_chars",
        "assistant_tool_call_count",
    ),
    "api_request_error": ("platform", "model", "status_code", "retryable", "reason"),
    "pre_tool_call": ("tool_name", "args", "tool_call_id", "middleware_trace"),
    "post_tool_call": ("tool_name", "args", "tool_call_id", "status", "error_type", "error_message"),
    "transform_tool_result": ("tool_name", "args", "tool_call_id", "status", "error_type", "error_message"),
    "transform_terminal_output": ("command", "returncode", "env_type"),
    "transform_llm_output": ("model", "platform"),
    "post_llm_call": ("user_message", "assistant_response", "model", "platform"),
    "on_session_end": ("completed", "interrupted", "model", "platform"),
}
"""Arguments whose values must be the same."""


@pytest.mark.parametrize("turn", ["recalled", "masked", "quiet", "changed", "blocked"])
def test_the_user_gets_the_same_answer_and_the_model_the_same_message(played, turn):
    theirs, ours = played

    assert ours.turns[turn]["answer"] == theirs.turns[turn]["answer"]
    assert ours.asked(turn) == theirs.asked(turn)
    assert len(ours.turns[turn]["requests"]) == len(theirs.turns[turn]["requests"])


@pytest.mark.parametrize("turn", ["masked", "quiet", "changed", "blocked"])
def test_the_model_gets_the_same_tool_result(played, turn):
    theirs, ours = played
    there, here = theirs.result(turn), ours.result(turn)
    if "output" in here:
        here["output"] = here["output"].rstrip("\n")  # which their terminal leaves out

    assert here == there
