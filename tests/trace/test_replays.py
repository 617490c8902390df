"""A recorded session, replayed, explained and drawn."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.trace.chrome import chrome_trace
from hermes_sdk.trace.page import page
from hermes_sdk.trace.recording import LONGEST, Recorder, read_recording
from hermes_sdk.trace.replaying import replay
from hermes_sdk.trace.stepwise import difference, steps_of, verdict

GUARD = """
def pre(tool_name, args, **kw):
    if "rm" in str(args.get("command")):
        return {"action": "block", "message": "no rm"}
    if "log" in str(args.get("command")):
        return {"action": "modify", "args": {"command": args["command"] + " --oneline"}}
def result(result, **kw):
    return result.replace("heron", "[bird]")
def llm(user_message, **kw):
    return {"context": "it is Monday"}
def register(ctx):
    ctx.register_hook("pre_tool_call", pre)
    ctx.register_hook("transform_tool_result", result)
    ctx.register_hook("pre_llm_call", llm)
"""
SESSION = """
title: <b>a</b> </script><script>document.title='owned'</script>
turns:
  - user: go
    model:
      - tools: [{name: terminal, args: {command: "echo a heron; echo log"}}]
      - tools: [{name: terminal, args: {command: "rm x"}}]
      - say: done
"""


def run(*arguments, cwd, home):
    import os

    env = {name: value for name, value in os.environ.items() if not name.startswith(("HERMES_", "COLUMNS"))}
    command = [sys.executable, "-W", "error", "-m", "hermes_sdk", *map(str, arguments)]
    env |= {"HERMES_HOME": str(home), "COLUMNS": "200"}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A directory with a home, a plugin, and the recording of a session."""
    directory = tmp_path_factory.mktemp("recorded")
    plugin = directory / "guard"
    plugin.mkdir()
    (directory / "home").mkdir()
    (plugin / "plugin.yaml").write_text("name: guard\nversion: '1.2'\n")
    (plugin / "__init__.py").write_text(GUARD)
    (directory / "session.yaml").write_text(SESSION)
    done = run(
        "run", "session.yaml", "--plugin", plugin, "--record", "r.jsonl", "-q", cwd=directory, home=directory / "home"
    )
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture
def recording(recorded):
    return read_recording(recorded / "r.jsonl")


def entries(recording, hook):
    return [entry for entry in recording.hooks() if entry.name == hook]


def test_every_hook_call_is_there_with_what_was_sent_before_anybody_changed_it(recording):
    assert recording.header["plugins"] == [{"key": "guard", "version": "1.2", "source": "direct"}]
    first = entries(recording, "pre_tool_call")[0].data
    assert first["payload"]["args"] == {"command": "echo a heron; echo log"}
    assert first["outcome"]["args"] == {"command": "echo a heron; echo log --oneline"}
    assert next((step["plugin"], step["what"], step["value"]) for step in first["steps"]) == (
        "guard",
        "modify",
        {"command": "echo a heron; echo log --oneline"},
    )
    assert {entry.name for entry in recording.entries} > {
        "TurnStarted",
        "ToolFinished",
        "on_session_end",
        "post_tool_call",
    }


def test_a_call_is_explained_step_by_step(recording):
    change, block = entries(recording, "pre_tool_call")
    (step, *_) = steps_of(change)
    assert step.diff == (
        "...",
        "  {",
        '-  "command": "echo a heron; echo log"',
        '+  "command": "echo a heron; echo log --oneline"',
        "  }",
    )
    assert verdict(block) == "block: no rm"
    (context,) = entries(recording, "pre_llm_call")
    assert next(steps_of(context)).diff == ("+ it is Monday",)
    masked = entries(recording, "transform_tool_result")[0]
    assert any(line.startswith("+") and "[bird]" in line for line in next(steps_of(masked)).diff)
    assert list(difference("a", "a")) == []
    assert list(difference(None, "a")) == ["...", "+ a"]


def test_the_same_plugins_give_the_same(recorded, recording, plugin_home):
    manager = plugin_home.loaded()
    manager.load_plugin(recorded / "guard")
    report = replay(recording, manager)
    assert report
    assert report.same
    assert report.calls == len(list(recording.hooks()))


def test_what_differs_is_named_with_who_did_it_then_and_now(recording, plugin_home):
    plugin_home.plugin("guard", GUARD.replace("no rm", "never").replace("it is Monday", "it is Tuesday"))
    plugin_home.config("plugins: {enabled: [guard]}\n")
    report = replay(recording, plugin_home.loaded())
    assert not report
    found = {(each.entry.name, each.field): (each.before, each.after) for each in report.differences}
    assert found == {
        ("pre_tool_call", "message"): ("no rm", "never"),
        ("pre_llm_call", "text"): ("it is Monday", "it is Tuesday"),
    }
    assert report.differences[-1].before_steps == ("guard block",)
    assert "pre_tool_call of terminal: message was" in repr(report)


def test_a_recording_that_masked_is_compared_by_where_masks_stand(plugin_home, tmp_path):
    path = tmp_path / "r.jsonl"
    entry = {
        "type": "hook",
        "hook": "transform_tool_result",
        "payload": {"result": "token=[REDACTED]", "tool_name": "t", "arguments": {}},
        "outcome": {"value": "token=[redacted:secret:1]"},
        "steps": [],
    }
    header = {"format": "hermes-sdk-recording", "version": 1, "redacted": True}
    path.write_text(json.dumps(header) + "\n" + json.dumps(entry) + "\n")
    assert replay(read_recording(path), plugin_home.loaded()).same


def test_hooks_of_another_contract_are_left_out_and_counted(plugin_home, tmp_path):
    path = tmp_path / "r.jsonl"
    header = {"format": "hermes-sdk-recording", "version": 1}
    path.write_text(json.dumps(header) + "\n" + json.dumps({"type": "hook", "hook": "on_tuesday"}) + "\n")
    report = replay(read_recording(path), plugin_home.loaded())
    assert (report.calls, report.skipped) == (0, {"on_tuesday": 1})


def test_replay_is_a_regression_test_in_one_line(recorded):
    home = recorded / "home"
    same = run("replay", "r.jsonl", "--plugin", recorded / "guard", cwd=recorded, home=home)
    assert same.returncode == 0, same.stderr
    assert "hook calls come out as they did" in same.stdout
    without = run("replay", "r.jsonl", cwd=recorded, home=home)
    assert without.returncode == 1
    assert "then: guard block" in without.stdout
    assert "now:  nobody acts" in without.stdout
    document = json.loads(run("replay", "r.jsonl", "--json", cwd=recorded, home=home).stdout)
    assert (document["same"], document["differences"][0]["hook"]) == (False, "pre_llm_call")


def test_explain_says_who_blocked_what_and_why(recorded, recording):
    home = recorded / "home"
    text = run("explain", "r.jsonl", "--tool", "terminal", cwd=recorded, home=home).stdout
    assert "pre_tool_call terminal" in text
    assert "block: no rm" in text
    assert '+  "command": "echo a heron; echo log --oneline"' in text
    call = entries(recording, "pre_tool_call")[1].data["call"]
    document = json.loads(run("explain", "r.jsonl", "--call", call, "--json", cwd=recorded, home=home).stdout)
    assert [each["verdict"] for each in document["calls"]] == ["block: no rm"]
    nobody = run("explain", "r.jsonl", "--by", "nobody", cwd=recorded, home=home)
    assert nobody.returncode == 1
    broken = run("explain", "session.yaml", cwd=recorded, home=home)
    assert (broken.returncode, "this is no recording" in broken.stderr) == (1, True)


def test_explain_takes_the_calls_of_one_turn(recorded, recording):
    home = recorded / "home"
    first = run("explain", "r.jsonl", "--turn", "1", cwd=recorded, home=home)
    assert first.stdout == run("explain", "r.jsonl", cwd=recorded, home=home).stdout
    second = run("explain", "r.jsonl", "--turn", "2", cwd=recorded, home=home)
    assert (second.returncode, "no hook call is as wanted" in second.stdout) == (1, True)


def test_a_recording_is_its_users_alone_and_takes_no_other_files_place(recorded):
    home = recorded / "home"
    assert (recorded / "r.jsonl").stat().st_mode & 0o777 == 0o600
    done = run("run", "session.yaml", "--record", "session.yaml", "-q", cwd=recorded, home=home)
    assert (done.returncode, "[HS464]" in done.stderr) == (1, True)
    assert (recorded / "session.yaml").read_text() == SESSION
    done = run("run", "session.yaml", "--record", recorded, "-q", cwd=recorded, home=home)
    assert done.returncode != 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_recording_that_cannot_be_written_is_said(recorded):
    done = run("run", "session.yaml", "--record", "/dev/full", "-q", cwd=recorded, home=recorded / "home")
    assert (done.returncode, "[HS463]" in done.stderr) == (1, True)


def test_texts_that_were_cut_come_out_the_same(plugin_home, tmp_path):
    entry = {
        "type": "hook",
        "hook": "transform_tool_result",
        "payload": {"result": "a" * (3 * LONGEST), "tool_name": "t", "arguments": {}},
        "outcome": {"value": "a" * (3 * LONGEST)},
        "steps": [],
    }
    path = tmp_path / "r.jsonl"
    recorder = Recorder(path.open("w"), {})
    recorder.add(entry)
    recorder.close()
    assert replay(read_recording(path), plugin_home.loaded()).same


BLOCKS = """
def pre(tool_name, args, **kw):
    if "hunter2hunter2" in str(args) or str(args).endswith("z'}"):
        return {"action": "block", "message": "no"}
    if "always" in str(args):
        return {"action": "block", "message": "changed"}
def register(ctx):
    ctx.register_hook("pre_tool_call", pre)
"""


@pytest.mark.parametrize(
    ("command", "redacted", "why"),
    [
        ("login --password hunter2hunter2", True, "the recording has masked what was sent"),
        ("x" * (LONGEST + 5) + "z", True, "the recording has cut what was sent"),
        ("x" * (LONGEST + 5) + "z", False, "the recording has cut what was sent"),
        ("login --password hunter2hunter2", False, ""),
        ("always", True, None),
        ("echo [REDACTED] always", False, None),  # nothing was masked: the command is like that
    ],
)
def test_what_the_recording_does_not_have_cannot_be_compared(plugin_home, tmp_path, command, redacted, why):
    plugin_home.plugin("guard", BLOCKS)
    plugin_home.config("plugins: {enabled: [guard]}\n")
    entry = {
        "type": "hook",
        "hook": "pre_tool_call",
        "tool": "terminal",
        "payload": {"tool_name": "terminal", "args": {"command": command}},
        "outcome": {"action": "block", "message": "no", "args": {"command": command}},
        "steps": [],
    }
    path = tmp_path / "r.jsonl"
    recorder = Recorder(path.open("w"), {}, redacted=redacted)
    recorder.add(entry)
    recorder.close()
    report = replay(read_recording(path), plugin_home.loaded())
    assert [each.why for each in report.incomparable] == ([why] if why else [])
    assert report.same is (why is not None)
    if why:
        assert str(report.incomparable[0]) == f"1 pre_tool_call of terminal: cannot be compared: {why}"


def test_a_call_that_cannot_be_compared_is_said_and_is_not_the_same(recorded):
    home = recorded / "home"
    entry = {
        "type": "hook",
        "hook": "pre_tool_call",
        "payload": {"tool_name": "terminal", "args": {"command": "login --password [REDACTED]"}},
        "outcome": {"action": "block", "message": "no"},
        "steps": [],
    }
    (recorded / "masked.jsonl").write_text(
        json.dumps({"format": "hermes-sdk-recording", "version": 1, "redacted": True}) + "\n" + json.dumps(entry)
    )
    done = run("replay", "masked.jsonl", cwd=recorded, home=home)
    assert (done.returncode, "0 of 1 hook calls come out as they did" in done.stdout) == (0, True)
    assert "1 pre_tool_call: cannot be compared: the recording has masked what was sent" in done.stderr
    document = json.loads(run("replay", "masked.jsonl", "--json", cwd=recorded, home=home).stdout)
    assert document["incomparable"] == [
        {"number": 1, "hook": "pre_tool_call", "tool": None, "why": "the recording has masked what was sent"}
    ]


def test_a_page_holds_everything_and_lets_nothing_in(recorded, recording):
    text = page(recording)
    assert text.count("<script") == 2
    assert "default-src 'none'" in text
    assert "http" not in text.replace("http-equiv", "")
    assert "<title>&lt;b>a&lt;/b> &lt;/script>" in text
    done = run("report", "r.jsonl", "-o", "r.html", cwd=recorded, home=recorded / "home")
    assert (recorded / "r.html").read_text() == text, done.stderr


def test_a_chrome_trace_has_slices_inside_of_slices(recording):
    trace = chrome_trace(recording)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    hook = next(event for event in slices if event["name"] == "pre_tool_call terminal")
    (inner, *_) = [event for event in slices if event["name"] == "guard: modify"]
    assert hook["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= hook["ts"] + hook["dur"] + 1
    assert {event["cat"] for event in slices} == {"hook", "plugin", "host"}
    assert json.loads(json.dumps(trace)) == trace


def test_recording_costs_nothing_when_it_is_off(plugin_home, monkeypatch):
    from hermes_sdk.host import fire
    from hermes_sdk.host.player import play
    from hermes_sdk.host.session_file import load_session

    monkeypatch.setattr(fire, "sent_payload", lambda payload: pytest.fail("a payload was copied"))
    script = Path(plugin_home.path) / "s.yaml"
    script.write_text(SESSION)
    assert play(plugin_home.loaded(), load_session(script), listener=lambda event: None).turns == 1
