"""Every benchmark script prints what benchmarks/README.md says: tiny sizes, without the peer host where that goes."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_hookspecs.contract import HOOKS

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SMALL = {
    "audit_log.py": ["--records", "200"],
    "bridge.py": ["--turns", "1"],
    "dispatch.py": ["--sizes", "0,5", "--hooks", "pre_tool_call,post_tool_call"],
    "guardrails.py": [],
    "gateway_replies.py": ["--chats", "5", "--messages", "4"],
    "memory.py": ["--memories", "500", "--questions", "5"],
    "redaction.py": ["--megabytes", "1", "--labelled", "1", "--tree-megabytes", "2", "--without-detect-secrets"],
    "startup.py": ["--plugins", "3"],
    "replay.py": ["--calls", "8,24"],
    "shell_hooks.py": [],
}


def _run(script, *arguments):
    command = [sys.executable, str(BENCHMARKS / script), "--rounds", "1", *SMALL[script], *arguments]
    if script == "bridge.py":  # a turn of hermes-agent needs hermes-agent
        _skip_without_hermes_agent()
    elif script not in {"audit_log.py", "gateway_replies.py", "memory.py", "redaction.py", "replay.py"}:
        command.append("--without-hermes-agent")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _skip_without_hermes_agent():
    sys.path.insert(0, str(BENCHMARKS))
    from _harness.hermes_agent import PeerError, environment

    try:
        environment()
    except PeerError as error:
        pytest.skip(str(error))


def test_every_script_is_tried_here():
    assert {path.name for path in BENCHMARKS.glob("*.py")} == set(SMALL)


@pytest.mark.parametrize("script", SMALL)
def test_json_output_is_one_object_with_machine_and_rows(script):
    printed = json.loads(_run(script, "--json"))

    assert set(printed) == {"machine", "rows"}
    assert {"cpu", "cores", "python", "pluggy", "hermes-sdk"} <= set(printed["machine"])
    assert printed["rows"]
    for row in printed["rows"]:
        assert set(row) == {"name", "value", "unit", "peer", "peer_value", "ratio"}
        assert row["value"] > 0 or row["unit"] == "values"
        assert (row["peer"] is None) == (row["peer_value"] is None) == (row["ratio"] is None)
        if row["peer"] is not None:
            assert row["name"].endswith(f"vs {row['peer']}")
            assert row["ratio"] == pytest.approx(row["value"] / row["peer_value"])


def test_dispatch_compares_with_pluggy_and_a_loop_for_each_hook_and_size():
    names = {row["name"] for row in json.loads(_run("dispatch.py", "--json"))["rows"]}

    assert {
        "pre_tool_call unsubscribed vs pluggy",
        "pre_tool_call unsubscribed vs loop",
        "pre_tool_call native 5 vs pluggy",
        "pre_tool_call native 5 vs loop",
        "pre_tool_call native 5 1 KB flat args vs pluggy",
        "pre_tool_call native 5 50 KB nested args vs loop",
        "post_tool_call native 5 vs pluggy",
    } <= names


def test_the_table_says_which_rows_are_within_reach():
    printed = _run("dispatch.py")

    assert "pre_tool_call native 5 vs loop" in printed
    assert "rows with a reach are within it" in printed


@pytest.mark.parametrize("hook", ["pre_tool_call", "post_tool_call", "transform_tool_result", "pre_llm_call"])
def test_the_hand_written_loop_takes_what_the_hook_sends(hook, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from _harness.loops import loop_caller

    assert inspect.signature(loop_caller(hook, ())).parameters.keys() == HOOKS[hook].argument_names
