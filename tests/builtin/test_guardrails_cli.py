"""`hermes-sdk guardrails`: real processes, against a recording that `hermes-sdk run --record` made."""

import json
import os
import subprocess
import sys

import pytest

SESSION = """
files: {build/a.o: x}
approvals: [deny, once]
turns:
  - user: Clean up.
    model:
      - tools: [{name: terminal, args: {command: "rm build/a.o"}}]
      - tools: [{name: terminal, args: {command: "r\\\\m -rf $HOME"}}]
      - tools: [{name: terminal, args: {command: "sudo true"}}]
      - tools: [{name: delegate_task, args: {goal: look}}]
      - say: Done.
children:
  look:
    - tools: [{name: read_file, args: {path: build/a.o}}]
    - say: There is nothing.
"""


@pytest.fixture
def sdk(tmp_path):
    """Return a function that runs `hermes-sdk` with guardrails enabled, and gives what it printed."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("plugins: {enabled: ['builtin:guardrails']}\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
    env = {**kept, "HERMES_HOME": str(home), "HOME": str(tmp_path / "me"), "COLUMNS": "200", "NO_COLOR": "1"}

    def sdk(*arguments, code=0, **more):
        command = [sys.executable, "-m", "hermes_sdk", *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=env | more, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    return sdk


@pytest.fixture
def recording(sdk, tmp_path):
    """A real recording."""
    (tmp_path / "session.yaml").write_text(SESSION)
    sdk("run", "session.yaml", "--record", "recording.jsonl", "--quiet")
    return "recording.jsonl"


def test_a_recording_says_what_a_policy_would_have_done(sdk, recording, tmp_path):
    (tmp_path / "policy.yaml").write_text(
        "rules:\n"
        "  - {name: no-root, action: block, does: privilege}\n"
        "  - {name: children, action: approve, platform: subagent, does: read, message: ask}\n"
        "limits: [{name: few, limit: 1/hour, does: delete}]\n"
    )
    lines = sdk("guardrails", "check", "policy.yaml", "--against", recording).splitlines()
    assert lines[0] == f"{tmp_path}/policy.yaml: 2 rules, 1 rate limits, in order".replace(f"{tmp_path}/", "")
    assert [line.split()[1] for line in lines[1:-1]] == ["allow", "block", "block", "allow", "approve"]
    assert "more than 1/hour of these" in lines[2]
    assert "rule no-root, policy.yaml:2:5" in lines[3]
    assert lines[-1] == "5 calls: 2 allowed, 1 asked about, 2 blocked"


def test_the_same_as_json(sdk, recording):
    checked = json.loads(sdk("guardrails", "check", "--against", recording, "--json"))
    assert checked["counts"] == {"allow": 3, "approve": 1, "block": 1}
    blocked = checked["calls"][1]
    assert (blocked["tool"], blocked["user"], blocked["action"]) == ("terminal", "local", "block")
    assert blocked["reasons"][0]["rule"] == "root-and-home"


def test_calls_can_be_written_by_hand(sdk, tmp_path):
    (tmp_path / "calls.jsonl").write_text(
        '// two calls\n{"tool": "terminal", "args": {"command": "rm -rf /etc \\u001b[2J"}, "user": "anna"}\n\n'
        '{"tool": "read_file", "args": {"path": "x"}}\n'
    )
    printed = sdk("guardrails", "check", "--against", "calls.jsonl")
    assert printed.endswith("2 calls: 1 allowed, 0 asked about, 1 blocked\n")
    assert "\x1b" not in printed


def test_explain_says_what_a_command_does(sdk):
    *acts, verdict = sdk("guardrails", "explain", "cd /etc && r\\m passwd").splitlines()
    assert acts == ["- runs cd /etc", "- runs rm passwd", "- deletes passwd (/etc/passwd)"]
    assert verdict.startswith("blocked: this would delete files of the operating system: deletes passwd (/etc/passwd) ")


def test_the_default_policy_can_be_copied_and_is_then_in_force(sdk, tmp_path):
    (tmp_path / "home" / "guardrails.yaml").write_text(sdk("guardrails", "default"))
    assert sdk("guardrails", "check").startswith(str(tmp_path / "home" / "guardrails.yaml"))
    assert "rule root-and-home, guardrails.yaml:" in sdk("guardrails", "explain", "rm -rf /")


def test_the_schema_is_json(sdk):
    assert json.loads(sdk("guardrails", "schema"))["title"] == "Policy"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.yaml"], "there is no policy"),
        (["broken.yaml"], "broken.yaml:1:19"),
        (["--against", "nowhere.jsonl"], "the calls cannot be read"),
        (["--against", "broken.yaml"], "broken.yaml:1"),
    ],
)
def test_what_cannot_be_checked_is_an_error_that_says_so(sdk, tmp_path, arguments, said):
    (tmp_path / "broken.yaml").write_text("rules: [{name: a, action: blok}]")
    error = sdk("guardrails", "check", *arguments, code=1)
    assert said in error
    assert "Traceback" not in error
    assert "failed in command" not in error


def test_without_the_extra_what_cannot_be_judged_is_blocked_and_the_way_out_is_named(sdk, tmp_path):
    missing = tmp_path / "missing"
    missing.mkdir()
    (missing / "tree_sitter.py").write_text("raise ModuleNotFoundError('no tree_sitter', name='tree_sitter')\n")
    (tmp_path / "session.yaml").write_text(
        "turns:\n  - user: Look.\n    model:\n      - tools: [{name: terminal, args: {command: touch made}}]\n"
        "      - say: Done.\n    expect: {tools: [blocked]}\n"
    )
    shown = sdk("run", "session.yaml", PYTHONPATH=str(missing), COLUMNS="300")
    assert "packages are missing: pip install 'hermes-sdk[guardrails]'" in shown
    error = sdk("guardrails", "explain", "ls", code=1, PYTHONPATH=str(missing))
    assert "tree_sitter is not installed" in error
    assert "pip install 'hermes-sdk[guardrails]'" in error
