"""The built-in plugins, copied into the home of hermes-agent as their READMEs say, do there what they do here."""

import json
import os
import shutil
import tomllib
from pathlib import Path

import pytest
from _harness.agent_site import link_framework
from agent_process import ALL_VERSIONS, python_of, run
from otlp_collector import Collector, plain

HERE = Path(__file__).resolve().parent
BUILTIN = HERE.parents[1] / "builtin_plugins"
PLUGINS = sorted(path.parent.name for path in BUILTIN.glob("*/plugin.yaml"))
OPTIONAL = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
EXTRAS = sorted({"guardrails", "http", "otel", "postgres", "re2", "redis"} & set(OPTIONAL))
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
TURN = {"session_id": "s1", "model": "m", "platform": "cli", "sender_id": ""}
QUESTION = {
    "command": "rm -rf build",
    "description": "recursive delete",
    "pattern_key": "",
    "pattern_keys": [],
    "session_key": "s1",
    "surface": "cli",
}
CALLS = {
    "masked result": ["transform_tool_result", {"tool_name": "read_file", "args": {}, "result": f"token: {TOKEN}"}],
    "masked answer": ["transform_llm_output", {"response_text": f"it is {TOKEN}", **TURN}],
    "long output": [
        "transform_terminal_output",
        {"command": "make", "output": "line\n" * 900, "returncode": 0, "task_id": "", "env_type": "local"},
    ],
    "asked": ["pre_approval_request", QUESTION],
    "answered": ["post_approval_response", {**QUESTION, "choice": "once"}],
    "remembered": ["/remember", "staging runs on the database heron"],
    "recalled": [
        "pre_llm_call",
        {**TURN, "user_message": "staging database?", "conversation_history": [], "is_first_turn": True},
    ],
    "tool begins": ["pre_tool_call", {"tool_name": "read_file", "args": {}, "task_id": "s1"}],
    "tool ends": [
        "post_tool_call",
        {"tool_name": "read_file", "args": {}, "result": "{}", "task_id": "s1", "duration_ms": 3},
    ],
    "turn ends": ["on_session_end", {**TURN, "completed": True, "interrupted": False}],
    "judged": ["pre_tool_call", {"tool_name": "terminal", "args": {"command": f"echo {TOKEN}"}, "tool_call_id": "c1"}],
    "guarded": [
        "pre_tool_call",
        {"tool_name": "terminal", "args": {"command": "cd / && r\\m -rf etc"}, "task_id": "s1"},
    ],
    "over": [
        "post_tool_call",
        {"tool_name": "terminal", "args": {"command": f"echo {TOKEN}"}, "result": TOKEN, "tool_call_id": "c1"},
    ],
}


@pytest.fixture(scope="module", params=ALL_VERSIONS)
def there(request, tmp_path_factory):
    """What a release of hermes-agent made of all built-in plugins at once."""
    version = request.param
    directory = tmp_path_factory.mktemp(f"builtin-{version}")
    (directory / "site").mkdir()
    site = link_framework(directory / "site", python_of(version).parents[1], EXTRAS)
    home = directory / "home"
    for name in PLUGINS:
        shutil.copytree(BUILTIN / name, home / "plugins" / name, ignore=shutil.ignore_patterns("__pycache__"))
    # hermes-sdk's own entry point there is the bridge, which stays off
    collector = Collector()
    entries = {"terminal_digest": {"to": 1000}, "telemetry": {"endpoint": collector.url, "flush_seconds": 30}}
    plugins = {"enabled": PLUGINS, "entries": entries}
    (home / "config.yaml").write_text(json.dumps({"plugins": plugins}), "utf-8")
    (directory / "bundled").mkdir()
    worker = HERE / "ours_there_worker.py"
    calls = json.dumps(list(CALLS.values()))
    programs = directory / "bin"
    programs.mkdir()
    (programs / "notify-send").write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {directory}/notified\n')
    (programs / "notify-send").chmod(0o755)
    variables = {"HERMES_PLUGIN_TERMINAL_DIGEST_OVER": "2000", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    printed = run(version, worker, calls, home=home, path=[site], bundled=directory / "bundled", **variables)
    seen = json.loads(printed.splitlines()[-1])
    collector.close()
    notified = (directory / "notified").read_text("utf-8")
    calls = dict(zip(CALLS, seen["calls"], strict=True))
    return seen | {"calls": calls, "notified": notified, "home": home, "spans": collector.spans}


def answers(there, call):
    return there["calls"][call]["answers"]


def test_all_of_them_load(there):
    assert {name: there["plugins"].get(name) for name in PLUGINS} == dict.fromkeys(PLUGINS, "loaded")
    assert [line for line in there["said"] + there["said_later"] if line.startswith(("ERROR", "CRITICAL"))] == []


def test_redaction_masks_there(there):
    assert answers(there, "masked result") == ["token: [redacted:github-token:1]"]
    assert answers(there, "masked answer") == ["it is [redacted:github-token:1]"]


def test_terminal_digest_shortens_there(there):
    (shortened,) = answers(there, "long output")
    assert len(shortened) < 1100
    assert shortened.startswith("[shortened from 900 lines")  # by its settings: a file's and a variable's


def test_guardrails_blocks_there_and_lets_the_rest_through(there):
    (blocked,) = answers(there, "guarded")
    assert blocked["action"] == "block"
    assert blocked["message"].startswith(
        "guardrails: this would delete files of the operating system: deletes etc (/etc)"
    )
    assert answers(there, "judged") == []


def test_memory_recalls_there(there):
    contexts = [answer["context"] for answer in answers(there, "recalled") if "context" in answer]
    assert any("staging runs on the database heron" in context for context in contexts)


def test_notifier_tells_of_questions_there(there):
    assert "Hermes asks for approval|recursive delete\nrm -rf build|" in there["notified"]


def test_the_audit_log_is_kept_there(there):
    (file,) = (there["home"] / "plugin-data" / "audit_log").iterdir()
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [record["kind"] for record in records[:2]] == ["log_opened", "process_started"]
    assert records[1]["host"].startswith("hermes-agent ")
    calls = {record["kind"]: record for record in records if record.get("call") == "c1"}
    assert calls["pre_tool_call"]["asked"] == calls["post_tool_call"]["args"] == {"command": "echo [REDACTED]"}
    assert calls["post_tool_call"]["result"] == "[REDACTED]"
    assert records[-1]["kind"] == "process_ended"


def test_telemetry_sends_traces_from_there(there):
    named = [(span.name, span) for span in there["spans"] if "shutdown" not in plain(span.attributes).values()]
    spans = dict(named)  # beside what the worker asks of the host, which belongs to no turn and has no end
    turn, tool = spans["invoke_agent hermes"], spans["execute_tool read_file"]
    assert (tool.trace_id, tool.parent_span_id) == (turn.trace_id, turn.span_id)
    assert plain(turn.attributes)["hermes.turn.outcome"] == "completed"
    assert plain(tool.attributes)["hermes.tool.status"] == "ok"
