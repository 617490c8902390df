"""The example in hermes-agent's style: it counts what it is told, and writes names, never values."""

import json

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager


@pytest.fixture
def metrics(home, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(home))
    config = {"plugins": {"enabled": ["tool_metrics"]}}
    manager = PluginManager(home, config=config, entry_points=False)
    manager.discover_and_load()
    assert list(manager.plugins) == ["tool_metrics"]
    yield manager
    manager.shutdown()


def fire(manager, hook, **overrides):
    return getattr(manager.hook, hook)(**HOOKS[hook].sample(**overrides))


def test_it_reports_calls_children_and_approvals(metrics):
    report = metrics.registrations.commands["tool-stats"].handler
    assert report("") == "no tool has been called yet"
    fire(metrics, "post_tool_call", tool_name="terminal", duration_ms=7)
    fire(metrics, "post_tool_call", tool_name="terminal", duration_ms=0, status="blocked")
    fire(metrics, "subagent_stop", child_role="reviewer", child_status="completed", duration_ms=20)
    fire(metrics, "post_approval_response", choice="deny")
    assert report("").splitlines() == [
        "terminal: 2 calls, 1 not ok, 7 ms",
        "child:reviewer: 1 calls, 0 not ok, 20 ms",
        "approvals deny: 1",
    ]


def test_the_audit_line_names_arguments_and_not_their_values(metrics, home):
    fire(
        metrics,
        "pre_tool_call",
        tool_name="write_file",
        args={"path": "a", "content": "s3cret"},
        session_id="s",
    )
    (line,) = (home / "logs" / "tool-calls.jsonl").read_text(encoding="utf-8").splitlines()
    entry = json.loads(line)
    assert entry.pop("time") > 0
    assert entry == {"session": "s", "tool": "write_file", "arguments": ["content", "path"]}
