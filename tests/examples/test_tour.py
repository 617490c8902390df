"""The session that `make run` plays: it goes as its file expects, and shows each kind of outcome with its plugin."""

import os
import subprocess
import sys
from collections import defaultdict

import pytest

from hermes_sdk import PluginManager
from hermes_sdk.host import load_session, play
from hermes_sdk.host.events import ApprovalAnswered, ChildFinished, HookFired, Notice, ToolFinished

BUILT_IN = {"memory_recall": "builtin", "redaction": "builtin"}
SOURCES = BUILT_IN | {"tool_metrics": "user", "workspace-guard": "entrypoint"}


@pytest.fixture
def environment(installed_guard, home, monkeypatch):
    """The environment of `make run`: the example distribution is installed, the home is a copy."""
    monkeypatch.syspath_prepend(str(installed_guard))
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


@pytest.fixture
def played(environment, tour):
    """Play the tour; gives (result, events)."""
    manager = PluginManager(environment)
    manager.discover_and_load()
    assert {name: plugin.source for name, plugin in manager.plugins.items()} == SOURCES
    manager.tracing = True
    events = []
    result = play(manager, load_session(tour), listener=events.append)
    manager.shutdown()
    assert manager.failures == {}
    return result, events


def test_the_tour_goes_as_its_file_expects(played):
    result, _ = played
    assert result.problems == []
    assert result.completed == result.turns == 6


def test_each_kind_of_outcome_is_shown_with_its_plugin(played):
    _, events = played
    shown = defaultdict(set)
    for event in events:
        if isinstance(event, HookFired):
            for step in event.outcome.steps:
                shown[step.what].add(step.plugin)
    assert shown["block"] == {"workspace-guard"}
    assert shown["modify"] == {"workspace-guard"}
    assert shown["approve"] == {"workspace-guard"}
    assert shown["context"] == {"memory_recall"}
    assert shown["transform"] == {"redaction"}
    assert shown["observed"] == set(SOURCES)


def test_people_are_asked_and_children_finish(played):
    _, events = played
    answers = [event.choice for event in events if isinstance(event, ApprovalAnswered)]
    assert answers == ["once", "session", "deny"]
    children = [event for event in events if isinstance(event, ChildFinished)]
    assert [(child.role, child.status) for child in children] == [("reader", "completed")] * 2
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert any("child:reader: 2 calls, 0 not ok" in text for text in notices)


def test_no_secret_is_in_what_the_model_gets(played):
    _, events = played
    results = "\n".join(event.result for event in events if isinstance(event, ToolFinished))
    assert "[redacted:url-password:1]@heron.internal" in results
    assert "Plover-4711" not in results
    assert "example-7f3d9a1c5b" not in results


def test_the_command_plays_it_and_names_the_plugins(installed_guard, home, tour):
    environ = os.environ | {"PYTHONPATH": str(installed_guard), "COLUMNS": "160"}
    done = subprocess.run(
        [sys.executable, "-m", "hermes_sdk", "run", str(tour), "--home", str(home)],
        capture_output=True,
        text=True,
        env=environ,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    for what, plugin in [
        ("blocked", "workspace-guard"),
        ("modified", "workspace-guard"),
        ("asks", "workspace-guard"),
        ("context", "memory_recall"),
        ("transformed", "redaction"),
        ("observed", "tool_metrics"),
    ]:
        assert any(line.split()[:2] == [what, plugin] for line in lines), what
