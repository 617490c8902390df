"""DG2: `hooks test` feeds a payload that never occurs at run time: half of the events, missing keys.

For every event that the host fires, what a script reads in a session and what it reads from `hooks test` have the same
keys and types, and both fit the exported schema; the other events are held against the sample of the contract.
"""

import json
import os
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from hermes_hookspecs import HOOKS
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.api import RetrySettings
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedFailure, ScriptedModel, ScriptStep
from hermes_sdk.host.settings import HostSettings
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.shell_hooks.payload import encode, payload_of
from hermes_sdk.shell_hooks.register import register_from_config
from hermes_sdk.shell_hooks.schema import payload_schema

RECORD = '#!/bin/sh\ncat >> "$HERMES_HOME/$HERMES_HOOK_EVENT.jsonl"\n'
FIRED_ELSEWHERE = {
    "on_session_reset",
    "pre_gateway_dispatch",
    "kanban_task_claimed",
    "kanban_task_completed",
    "kanban_task_blocked",
}
"""Events of a gateway and of a task board, which a session in a terminal does not have."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home whose one script writes down what it reads, on every event, and a session that fires them."""
    home = tmp_path_factory.mktemp("home")
    work = tmp_path_factory.mktemp("work")
    (home / "record.sh").write_text(RECORD)
    (home / "record.sh").chmod(0o755)
    (home / "config.yaml").write_text(
        "hooks:\n" + "".join(f"  {event}:\n    - {{command: ./record.sh}}\n" for event in HOOKS)
    )
    play(home, work)
    return home


def play(home, work):
    (work / "build").mkdir()
    write = ScriptedCall("write_file", {"path": "a.py", "content": "x = 1\n"})
    dangerous = ScriptedCall("terminal", {"command": "rm -rf build"})
    model = ScriptedModel(
        [
            ScriptStep(error=ScriptedFailure("overloaded", 529, retryable=True)),
            ScriptStep(tools=(write, ScriptedCall("delegate_task", {"goal": "child"}))),
            ScriptStep(tools=(dangerous,)),
            ScriptStep(say="done"),
        ],
        children={"child": [ScriptStep(say="found")]},
    )
    manager = PluginManager(home, entry_points=False)
    try:
        manager.discover_and_load()
        register_from_config(manager=manager, accept_hooks=True)
        agent = Agent(
            manager,
            model,
            workdir=work,
            approver=ScriptedApprover(["once"]),
            settings=HostSettings(retry=RetrySettings(2, 0.0)),
        )
        assert agent.run_turn("go").completed
        agent.close()
    finally:
        manager.shutdown()
    assert not (work / "build").exists()


def recorded(home, event):
    path = home / f"{event}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def tried(home, event, *more):
    """Return what `hooks test` sends for an event: what the script itself wrote down."""
    before = len(recorded(home, event))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
    done = subprocess.run(
        [sys.executable, "-m", "hermes_sdk", "hooks", "test", event, "--home", str(home), *more],
        capture_output=True,
        text=True,
        env=kept,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (payload,) = recorded(home, event)[before:]
    return payload


def kinds(payload):
    """Return key -> type for a payload and its `extra`; what may be absent counts as its type too."""
    flat = {**payload, **{f"extra.{key}": value for key, value in payload["extra"].items()}}
    return {key: type(value).__name__ for key, value in flat.items()}


def test_dg2_a_session_fires_every_event_but_those_of_other_hosts(home):
    assert {event for event in HOOKS if not recorded(home, event)} == FIRED_ELSEWHERE


@pytest.mark.parametrize("event", [event for event in HOOKS if event not in FIRED_ELSEWHERE])
def test_dg2_a_trial_sends_what_a_session_sends(home, event):
    real = recorded(home, event)
    trial = tried(home, event)
    validator = Draft202012Validator(payload_schema(event))
    validator.validate(trial)
    for payload in real:
        validator.validate(payload)
        assert payload.keys() == trial.keys()
        assert payload["extra"].keys() == trial["extra"].keys()
        differing = {
            key
            for key, kind in kinds(payload).items()
            if kind != kinds(trial)[key] and "NoneType" not in (kind, kinds(trial)[key])
        }
        assert differing == set()


@pytest.mark.parametrize("event", sorted(FIRED_ELSEWHERE))
def test_dg2_a_trial_of_another_hosts_event_sends_the_sample(home, event):
    trial = tried(home, event, "--cwd", str(home))
    sample = json.loads(encode(payload_of(event, HOOKS[event].sample(), str(home))))
    assert trial == sample
    Draft202012Validator(payload_schema(event)).validate(trial)


def test_dg2_a_trial_of_each_tool_sends_what_a_call_of_it_sends(home):
    real = {payload["tool_name"]: payload["tool_input"] for payload in recorded(home, "pre_tool_call")}
    assert set(real) == {"write_file", "delegate_task", "terminal"}
    for tool, arguments in real.items():
        assert set(arguments) <= set(tried(home, "pre_tool_call", "--for-tool", tool)["tool_input"])
