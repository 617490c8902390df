"""The terminal tool: the documented pipeline, real commands, and that none outlives its time."""

import json
import os
import threading
from pathlib import Path

import pytest

from hermes_sdk.host.models.base import ToolCall
from hermes_sdk.host.processes import run_command
from hermes_sdk.host.session import Interrupt
from hermes_sdk.host.terminal_output import MAX_OUTPUT, cut, processed, strip_ansi
from hermes_sdk.masking import redact


@pytest.fixture
def run(start):
    """Return a function that runs the terminal tool and gives its parsed result."""
    agent = start()

    def run(command, **args):
        return json.loads(agent.dispatch_tool("terminal", {"command": command, **args}))

    return run


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_command_really_runs_in_the_work_directory(run, workdir):
    result = run("pwd; echo oops >&2; exit 3")
    assert result == {"output": f"{workdir}\noops\n", "exit_code": 3, "error": None}


def test_a_command_that_fails_is_no_failure_of_the_tool(run, ledger):
    run("exit 3")
    assert ledger.payloads("post_tool_call")[0]["status"] == "ok"


def test_a_command_runs_elsewhere_when_asked(run, workdir):
    (workdir / "inner").mkdir()
    assert run("pwd", workdir="inner")["output"] == f"{workdir}/inner\n"
    assert run("pwd", workdir="nowhere")["error"] == "workdir 'nowhere' is no directory"


def test_plugins_see_the_raw_output_before_it_is_cut_stripped_and_redacted(run, watch, ledger):  # seed H14.1
    def shorten(output, **_):
        return f"{len(output)} {output[:12]}" if len(output) > MAX_OUTPUT else None

    watch("shorten", transform_terminal_output=shorten)
    command = r"printf '\033[31mred\033[0m'; head -c 60000 /dev/zero | tr '\0' x"
    result = run(command)
    assert result["output"] == "60012 red"  # the colour was stripped after the plugin saw it
    (seen,) = ledger.payloads("transform_terminal_output")
    assert seen["output"].startswith("\x1b[31mred\x1b[0m")
    assert (seen["command"], seen["exit_code"], seen["returncode"]) == (command, 0, 0)


def test_terminal_output_comes_before_the_other_two_hooks(run, ledger, workdir):
    run("true")
    names = ledger.names("transform_terminal_output", "post_tool_call", "transform_tool_result")
    assert names == ["transform_terminal_output", "post_tool_call", "transform_tool_result"]
    assert ledger.payloads("transform_terminal_output")[0]["cwd"] == str(workdir)


def test_the_cut_comes_before_control_sequences_are_stripped():  # seed H14.1
    text = processed("\x1b[1mx\x1b[0m" * 20_000)
    assert "180,000 characters in all" in text
    assert "\x1b" not in text


def test_a_long_output_keeps_its_ends():
    text = "".join(f"{number:06}\n" for number in range(20_000))
    short = cut(text)
    assert len(short) == MAX_OUTPUT
    assert short.startswith("000000\n")
    assert short.endswith("019999\n")
    assert "140,000 characters in all" in short
    assert cut("short") == "short"


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\x1b(Bb\x1b7c", "abc"),
        ("bell\x07 tab\t line\n", "bell tab\t line\n"),
        ("plain text", "plain text"),
    ],
)
def test_control_sequences_are_stripped(raw, plain):
    assert strip_ansi(raw) == plain


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-abcdefghijklmnopqrstuvwx end", "key [REDACTED] end"),
        ("ghp_0123456789abcdefghijklmnopqrstuvwxyz", "[REDACTED]"),
        ("AWS AKIAIOSFODNN7EXAMPLE", "AWS [REDACTED]"),
        ("API_KEY=abcdef123456 next", "API_KEY=[REDACTED] next"),
        ('"password": "hunter22"', '"password": "[REDACTED]"'),
        ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer [REDACTED]"),
        ("postgres://bob:s3cret@db/x", "postgres://bob:[REDACTED]@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nafter", "[REDACTED]\nafter"),
        ("token=$TOKEN and tokens: 12", "token=$TOKEN and tokens: 12"),
        ("nothing secret here", "nothing secret here"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text, masked):
    assert redact(text) == masked
    assert redact(masked) == masked


@pytest.mark.parametrize("part", ["token", "api_key_", "a.", "a-", "eyJ0123456789-", "http://a:", "token ", "bearer "])
def test_hostile_output_takes_no_longer_than_other(part):
    text = part * (500_000 // len(part))  # quadratic time would end in the time limit of a test
    assert redact(f"{text}\nAPI_KEY=abcdef123456").endswith("\nAPI_KEY=[REDACTED]")


def test_masking_can_be_switched_off():
    assert processed("API_KEY=abcdef123456", redact_secrets=False) == "API_KEY=abcdef123456"


def test_a_command_over_its_time_ends_with_all_that_it_started(run, workdir, ledger):
    result = run("sleep 300 & echo $! > pid; echo begun; sleep 300", timeout=0.5)
    assert (result["exit_code"], result["output"]) == (124, "begun\n")
    assert result["error"] == "the command was ended after 0.5 s"
    assert not alive(int((workdir / "pid").read_text()))
    (post,) = ledger.payloads("post_tool_call")
    assert (post["status"], post["error_type"]) == ("timeout", "timeout")
    assert post["duration_ms"] >= 400


def test_a_command_that_ignores_the_polite_signal_is_killed(run):
    assert run("trap '' TERM; echo begun; while :; do sleep 1; done", timeout=0.3)["exit_code"] == 124


def test_an_interrupt_ends_a_command_with_all_that_it_started(tmp_path):
    interrupt = Interrupt()
    watcher = threading.Thread(target=lambda: (_appears(tmp_path / "pid"), interrupt.set("stop")))
    watcher.start()
    result = run_command("sleep 300 & echo $! > pid; sleep 300", cwd=tmp_path, timeout=60, interrupt=interrupt)
    watcher.join()
    assert result.ended == "interrupt"
    assert not alive(int((tmp_path / "pid").read_text()))


def _appears(path):
    pause = threading.Event()
    while not (path.is_file() and path.read_text().strip()):
        pause.wait(0.01)


def test_a_child_that_holds_the_pipe_open_does_not_delay_the_result(tmp_path):
    result = run_command("sleep 30 & echo $!; echo done", cwd=tmp_path, timeout=20, interrupt=Interrupt())
    assert result.ended == "exit"
    pid, done = result.output.split()
    assert done == "done"
    os.kill(int(pid), 9)


def test_an_interrupted_command_is_a_cancelled_call(start, watch, ledger, calls, say):
    def stop(event):
        if type(event).__name__ == "ToolStarted":
            agent.interrupt("stop")

    agent = start(calls(("terminal", {"command": "echo begun; sleep 300"})), say())
    agent.relay._listener = stop
    agent.run_turn("go")
    (post,) = ledger.payloads("post_tool_call")
    assert (post["status"], post["error_type"]) == ("cancelled", "interrupted")
    assert json.loads(post["result"])["exit_code"] == 130


# -- background -----------------------------------------------------------------------------------------------


def test_background_output_passes_transform_tool_result_only(start, watch, ledger):  # hooks.yaml
    agent = start()
    watch("mask", transform_tool_result=lambda result, **_: result.replace("quiet", "*****"))
    begun = json.loads(agent.dispatch_tool("terminal", {"command": "echo quiet", "background": True}))
    assert begun["running"] is True
    waited = {"action": "wait", "process_id": begun["process_id"]}
    state = json.loads(agent.dispatch_tool("process", waited))
    assert (state["running"], state["exit_code"], state["output"]) == (False, 0, "*****\n")
    assert "transform_terminal_output" not in ledger.names()


def test_background_commands_are_listed_killed_and_end_with_the_session(start):
    agent = start()

    def control(**args):
        return json.loads(agent.dispatch_tool("process", args))

    pids = []
    for _ in range(2):
        begun = json.loads(agent.dispatch_tool("terminal", {"command": "sleep 300", "background": True}))
        pids.append(begun["pid"])
    first, second = control(action="list")["processes"]
    assert [first["pid"], second["pid"]] == pids
    assert control(action="kill", process_id=first["process_id"])["running"] is False
    assert not alive(pids[0])
    assert control(action="poll", process_id=second["process_id"])["running"] is True
    agent.close()
    assert not alive(pids[1])


def test_mistakes_with_background_commands_are_answered(start):
    agent = start()
    assert "unknown action" in agent.dispatch_tool("process", {"action": "pause"})
    assert "no background command has the id" in agent.dispatch_tool("process", {"action": "poll", "process_id": "x"})


def test_calls_by_hand_have_ids_of_their_own():
    assert ToolCall("terminal", {}).id != ToolCall("terminal", {}).id
