"""`hermes-sdk run`: the timeline, the table, the JSON document, and the exit code."""

import json
import os
import signal
import subprocess
import time

import pytest

SESSION = """
title: a small day
files: {notes.txt: "buy milk"}
approvals: [once]
children:
  "count*":
    - tools: [{name: terminal, args: {command: "echo child"}}]
    - say: there is one
turns:
  - user: What is to do?
    model:
      - say: let me look
        tools:
          - {name: read_file, args: {path: notes.txt}}
          - {name: terminal, args: {command: "rm -rf /"}}
          - {name: terminal, args: {command: "echo before"}}
      - tools: [{name: terminal, args: {command: "rm -rf ./build"}}]
      - tools: [{name: delegate_task, args: {goal: count files}}]
      - say: Buy milk.
"""
BUSY = """
import subprocess

def before(tool_name="", args=None, **kw):
    print("before", tool_name)
    if args.get("command") == "rm -rf /":
        return {"action": "block", "message": "not the root"}
    if args.get("command") == "echo before":
        return {"action": "modify", "args": {"command": "echo after"}}

def after(tool_name="", **kw):
    subprocess.run(["echo", "from a child process"])

def broken(**kw):
    raise KeyError("missing")

def register(ctx):
    ctx.register_hook("pre_tool_call", before)
    ctx.register_hook("post_tool_call", after)
    ctx.register_hook("pre_llm_call", lambda **kw: {"context": "Remember the milk."})
    ctx.register_hook("transform_tool_result", lambda result="", **kw: result.replace("milk", "[MILK]"))
    ctx.register_hook("subagent_stop", lambda **kw: None)
    ctx.register_hook("post_llm_call", broken)
"""


@pytest.fixture
def session(program):
    """Return a function that writes a session file and returns its path."""

    def write(text=SESSION, name="session.yaml"):
        path = program.workdir / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def rows(out):
    return [" ".join(line.replace("│", " ").split()) for line in out.splitlines()]


def test_the_timeline_names_the_plugin_behind_each_kind_of_outcome(program, session):
    program.plugin("busy", BUSY)
    done = program("run", session())
    assert done.code == 0, done.err
    shown = rows(done.out)
    for row in (
        "you What is to do?",
        "context busy Remember the milk.",
        "blocked busy terminal: not the root",
        "not run terminal rm -rf /",
        "modified busy terminal: command",
        "run terminal echo after",
        "approved script once: rm -rf ./build",
        "observed busy subagent_stop",
        "answer Buy milk.",
        "failed busy post_llm_call: KeyError: 'missing'",
    ):
        assert row in shown, f"{row!r} is missing in\n{done.out}"
    assert any(row.startswith("transformed busy read_file") for row in shown)
    assert any(row.startswith("child 1 starts") and row.endswith("count files") for row in shown)


def test_child_agents_are_indented(program, session):
    program.plugin("busy", BUSY)
    lines = program("run", session()).out.splitlines()
    assert any(line.startswith(" 1│ run         terminal") and line.endswith("echo child") for line in lines)
    assert any(line.startswith(" 1│ answer") for line in lines)


def test_what_callbacks_print_is_attributed_and_what_their_processes_print_is_kept_apart(program, session):
    program.plugin("busy", BUSY)
    shown = rows(program("run", session()).out)
    assert "printed busy before read_file" in shown
    assert "printed ? from a child process" in shown
    assert "from a child process" not in shown


def test_the_table_counts_what_each_plugin_did(program, session):
    program.plugin("busy", BUSY)
    program.plugin("idle", "def register(ctx): ctx.register_hook('pre_verify', lambda **kw: None)\n")
    shown = rows(program("run", session()).out)
    assert "plugin source calls ms blocked asked rewrote added failed" in shown
    busy = next(row for row in shown if row.startswith("busy user")).split()
    assert busy[4:] == ["1", "·", "2", "2", "2"]  # the child agent's turn counts too
    assert "idle user · · · · · · ·" in shown
    assert any(row.startswith("turns: 1 of 1 completed; tool calls: 6 (5 ok, 1 blocked); ") for row in shown)


def test_no_line_is_wider_than_the_terminal(program, session):
    program.plugin("busy", BUSY)
    for columns in ("80", "120", "60"):
        out = program("run", session(), COLUMNS=columns).out
        assert max(map(len, out.splitlines())) <= int(columns)


def test_json_is_one_clean_document_whatever_plugins_print(program, session):
    program.plugin(
        "busy", BUSY + "\nimport atexit, os\natexit.register(lambda: print('at exit'))\nos.system('echo at import')\n"
    )
    done = program("run", session(), "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert document["ok"] is True
    assert document["problems"] == []
    assert document["session"]["statuses"] == {"ok": 5, "blocked": 1}
    (busy,) = document["summary"]["plugins"]
    assert (busy["blocked"], busy["rewrote"], busy["added"], busy["failed"]) == (1, 2, 2, 2)
    kinds = [event["type"] for event in document["events"]]
    for kind in ("SessionStarted", "TurnStarted", "HookFired", "ToolFinished", "ChildFinished", "SessionEnded"):
        assert kind in kinds
    printed = [(event["plugin"], event["text"]) for event in document["events"] if event["type"] == "Printed"]
    assert ("busy", "before read_file") in printed
    assert ("", "from a child process") in printed
    assert ("", "at import") in printed
    block = next(
        event
        for event in document["events"]
        if event["type"] == "HookFired" and event["hook"] == "pre_tool_call" and event["outcome"]["action"] == "block"
    )
    assert block["outcome"]["steps"][0]["plugin"] == "busy"
    assert "at exit" in done.err


def test_a_session_that_goes_wrong_is_exit_code_1_and_says_what(program, session):
    path = session("turns:\n  - user: hi\n    model: [{say: hello}]\n    expect: {answer: goodbye}\n")
    done = program("run", path)
    assert done.code == 1
    assert "failed: " in done.out
    assert "the answer lacks 'goodbye'" in done.out
    document = json.loads(program("run", path, "--json").out)
    assert document["ok"] is False
    assert "the answer lacks 'goodbye'" in document["problems"][0]


def test_a_file_that_cannot_be_played_is_an_error_document_too(program, session):
    done = program("run", session("turns: 3\n"), "--json")
    assert done.code == 1
    document = json.loads(done.out)
    assert document["events"] == []
    assert document["ok"] is False
    assert document["error"]["code"].startswith("HS")
    assert "session.yaml" in document["error"]["where"] + document["error"]["why"]


def test_strict_refuses_with_exit_code_3_and_one_block_naming_everything(program, session):
    program.plugin("broken", "raise ImportError('libfoo is missing')\n")
    program.config("plugins:\n  disabled: [nobody]\n")
    lenient = program("run", session())
    assert lenient.code == 0
    assert "libfoo is missing" in " ".join((lenient.out + lenient.err).split())
    done = program("run", session(), "--strict")
    assert done.code == 3
    text = " ".join(done.err.split())
    assert "libfoo is missing" in text
    assert "nobody" in text
    assert "Traceback" not in done.err


def test_an_extra_plugin_is_loaded_for_this_run_only(program, session, tmp_path):
    directory = program.plugin("extra", BUSY)
    elsewhere = tmp_path / "elsewhere"
    directory.rename(elsewhere)
    done = program("run", session(), "--plugin", str(elsewhere))
    assert "blocked extra terminal: not the root" in rows(done.out)
    assert "extra" not in program("plugins", "list").out


def test_what_a_plugin_prints_when_it_is_unloaded_comes_before_the_table(program, session):
    program.plugin("late", "def register(ctx): ctx.on_unload(lambda: print('good night'))\n")
    done = program("run", session())
    timeline, _, table = done.out.partition("plugin  source  calls")
    assert "printed late good night" in rows(timeline)
    assert "good night" not in table


def test_quiet_leaves_the_timeline_out(program, session):
    program.plugin("busy", BUSY)
    done = program("run", session(), "--quiet")
    assert "blocked     busy" not in done.out
    assert "plugin  source  calls" in done.out


def test_the_workdir_is_where_tools_run(program, session, tmp_path):
    done = program("run", session(), "--workdir", str(tmp_path))
    assert done.code == 0
    assert (tmp_path / "notes.txt").read_text() == "buy milk"


def transcript(calls):
    messages = [{"role": "user", "content": "go"}]
    for number in range(calls):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "terminal", "arguments": json.dumps({"command": f"touch live-{number}"})},
        }
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": '{"output": "recorded"}'})
    return json.dumps([*messages, {"role": "assistant", "content": "done"}])


def test_a_transcript_replays_recorded_results_and_runs_tools_only_when_told_to(program, session, tmp_path):
    path = session(transcript(2), "talk.json")
    for options, made in (([], False), (["--recorded"], False), (["--live"], True)):
        done = program("run", path, "--workdir", str(tmp_path), *options)
        assert done.code == 0, done.out
        assert ("recorded" in done.out) is not made
        assert (tmp_path / "live-1").exists() is made


def test_a_long_session_tells_its_progress_on_stderr(program, session):
    done = program("run", session(transcript(100), "talk.json"), "--quiet")
    assert done.err.splitlines() == [f"{number} of 100 tool calls" for number in range(10, 101, 10)]
    short = program("run", session(transcript(5), "talk.json"), "--quiet")
    assert short.err == ""


def test_a_long_session_has_a_bar_on_a_terminal(terminal, session):
    screen = terminal("run", session(transcript(100), "talk.json"), "--quiet")
    assert screen.end() == 0
    assert "100/100 tool calls" in screen.shown
    assert screen.shown.index("100/100") < screen.shown.index("turns: 1 of 1 completed")


@pytest.fixture
def interrupted(program, session):
    """Return a function that sends a signal during a tool call; it returns the exit code and stdout."""
    program.plugin(
        "ends",
        "def end(interrupted=False, reason=None, **kw): print('told', interrupted, reason)\n"
        "def register(ctx): ctx.register_hook('on_session_end', end)\n",
    )
    call = "{name: terminal, args: {command: 'echo $$ >> pids; sleep 60'}}"
    path = session(
        f"turns:\n  - user: wait\n    model:\n      - tools: [{call}, {call}]\n      - say: never\n"
        "  - user: more\n    model: [{say: never}]\n"
    )

    def send(number, *options):
        command = program.command("run", path, "--workdir", str(program.workdir), *options)
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env=program.env,
            cwd=program.workdir,
            # tests may run under nohup, and what is ignored there stays ignored
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # noqa: PLW1509
        )
        pids = program.workdir / "pids"
        while not (pids.exists() and pids.read_text().count("\n") == 2):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        with process.stdout:
            shown = process.stdout.read()
        code = process.wait(30)
        for pid in pids.read_text().split():
            with pytest.raises(ProcessLookupError):
                os.kill(int(pid), 0)
        return code, shown

    return send


SIGNALS = pytest.mark.parametrize(
    ("number", "exit_code", "reason", "what"),
    [
        (signal.SIGINT, 130, "Ctrl-C", "interrupted by Ctrl-C"),
        (signal.SIGTERM, 143, "SIGTERM", "ended by SIGTERM"),
        (signal.SIGHUP, 129, "SIGHUP", "ended by SIGHUP"),
    ],
)


@SIGNALS
def test_a_signal_ends_the_session_with_its_commands_and_plugins_are_told(interrupted, number, exit_code, reason, what):
    code, shown = interrupted(number)
    assert code == exit_code
    assert f"told True {reason}" in shown
    assert "never" not in shown


@SIGNALS
def test_a_signal_leaves_a_whole_document(interrupted, number, exit_code, reason, what):
    code, shown = interrupted(number, "--json")
    assert code == exit_code
    document = json.loads(shown)
    assert document["ok"] is False
    assert document["error"]["what"] == what


def test_an_approval_may_be_asked_when_the_script_has_no_answer_left(program, session, terminal):
    (program.workdir / "build").mkdir()
    call = "{name: terminal, args: {command: 'rm -rf ./x'}}"
    path = session(f"turns:\n  - user: hi\n    model:\n      - tools: [{call}]\n      - say: bye\n")
    screen = terminal("run", path)
    screen.wait_for("[d]eny? ")
    screen.type("deny")
    screen.wait_for("denied")
    screen.wait_for("bye")


def test_a_question_is_not_overdrawn_by_the_bar(session, terminal):
    steps = "".join("      - tools: [{name: terminal, args: {command: 'true'}}]\n" for _ in range(60))
    last = "      - tools: [{name: terminal, args: {command: 'rm -rf ./x'}}]\n      - say: bye\n"
    path = session(f"max_iterations: 90\nturns:\n  - user: hi\n    model:\n{steps}{last}")
    screen = terminal("run", path, "--quiet")
    screen.wait_for("60/61 tool calls")
    asked = screen.wait_for("allow terminal: [o]nce, [s]ession, [a]lways, [d]eny? ")
    assert "rm -rf ./x\nrecursive delete\nallow terminal" in asked
    screen.type("once")
    assert screen.end() == 0
    assert "61 (61 ok)" in screen.shown


def test_safe_mode_says_what_is_off_and_refuses_gates_without_a_person(program, session):
    program.plugin("gate", "def register(ctx): ...\n", "fail_closed: [pre_tool_call]\n")
    refused = program("run", session(), HERMES_SAFE_MODE="1")
    assert refused.code == 1
    assert "gate" in refused.err
    forced = program("run", session(), HERMES_SAFE_MODE="force")
    assert forced.code == 0
    assert "no plugin is loaded" in forced.err
    assert "gate" in forced.err


def test_recorded_results_of_a_script_are_refused_and_nothing_runs(program, session):
    done = program("run", session("turns: [{user: x, model: [{say: y}]}]"), "--recorded")
    assert done.code == 1
    assert "a script has no recorded results" in done.err
    assert "turn 1" not in done.out
