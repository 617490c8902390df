"""`mode: serve`: one long-lived process that answers one JSON line with another (issue: long-lived hooks)."""

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes_sdk.shell_hooks import serve
from hermes_sdk.shell_hooks.payload import Message
from hermes_sdk.shell_hooks.process import STDOUT_LIMIT
from hermes_sdk.shell_hooks.stop import Stop

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}

HELPED = """
from hermes_sdk.shell_hooks.script import serve

def handle(payload):
    print("this goes to standard error")
    command = payload["tool_input"]["command"]
    if command == "die":
        raise SystemExit(3)
    if command == "quiet":
        return None
    return {"action": "block", "message": command}

serve(handle)
"""


@pytest.fixture
def server(tmp_path):
    """Return a function that makes a server of a script's text; all are closed after the test."""
    made = []

    def server(text, *first):
        script = tmp_path / f"served{len(made)}"
        script.write_text(text)
        argv = [*(first or ("/bin/sh",)), str(script)]
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
        made.append(serve.Server(lambda cwd: (argv, cwd, environment)))
        return made[-1]

    yield server
    for one in made:
        one.close()


@pytest.fixture
def python(server):
    """A server whose script uses the helper for Python."""
    return server(HELPED, sys.executable)


def message(command="ls", **extra):
    payload = {"hook_event_name": "pre_tool_call", "tool_input": {"command": command}, "session_id": "s", "cwd": "/"}
    return Message(payload | extra)


def ask(server, command="ls", timeout=30.0, stop=None, **extra):
    return server.request(message(command, **extra), timeout, stop or Stop())


def test_one_process_answers_many_requests(python):
    for number in range(20):
        run = ask(python, f"command {number}")
        assert (run.returncode, run.failure) == (0, "")
        assert json.loads(run.stdout) == {"action": "block", "message": f"command {number}"}
    assert python.starts == 1


def test_a_handler_that_returns_nothing_has_no_opinion(python):
    assert ask(python, "quiet").stdout == "{}"


def test_requests_of_many_threads_get_their_own_answers(python):
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda number: ask(python, f"c{number}"), range(200)))
    assert [json.loads(run.stdout)["message"] for run in runs] == [f"c{number}" for number in range(200)]
    assert python.starts == 1


def test_answers_may_come_in_any_order(server):
    swapped = server(
        """
        read -r first; read -r second
        echo '{"id": 2, "n": 2}'; echo '{"id": 1, "n": 1}'
        cat >/dev/null
        """
    )
    ask_in_order = threading.Barrier(2)

    def one(number):
        ask_in_order.wait()
        return json.loads(ask(swapped).stdout)["n"], number

    with ThreadPoolExecutor(2) as pool:
        assert sorted(answer for answer, _ in pool.map(one, (1, 2))) == [1, 2]


def test_a_large_payload_and_a_large_answer_pass(python):
    text = "zażółć" * 500_000
    run = ask(python, text)
    assert json.loads(run.stdout)["message"] == text


def test_a_script_that_dies_is_started_again_at_the_next_call(python):
    assert ask(python).failure == ""
    died = ask(python, "die")
    assert died.failure == "it ended without an answer"
    assert ask(python).failure == ""
    assert python.starts == 2


def test_a_script_that_ended_while_nobody_looked_costs_no_answer(server):
    once = server("""read -r line; echo '{"id": 1}'; exit 0""")
    assert ask(once).failure == ""
    once._process._reader.join()
    twice = server("""read -r line; echo "$line" | cut -d, -f1 | sed 's/$/}/'; exit 0""")
    for _ in range(3):
        assert ask(twice).failure == ""
    assert twice.starts == 3


def test_the_pause_between_starts_doubles_while_it_keeps_dying(server, monkeypatch):
    monkeypatch.setattr(serve, "FIRST_PAUSE", 0.02)
    dying = server("read -r line; exit 1")
    pauses = []
    for _ in range(4):
        assert ask(dying).failure == "it ended without an answer"
        pauses.append(dying._pause)
    assert pauses == [0.02, 0.04, 0.08, 0.16]
    assert ask(dying, timeout=0.05).failure == "it did not answer within 0.05 s"


def test_a_request_times_out_and_a_hanging_script_is_ended_with_its_group(server, tmp_path):
    hanging = server(f"sleep 600 & echo $! > {tmp_path}/child; echo oops >&2; wait")
    run = ask(hanging, timeout=0.5)
    assert run.failure == "it did not answer within 0.5 s"
    assert run.stderr == "oops\n"
    assert is_gone((tmp_path / "child").read_text().strip())


def is_gone(pid):
    """Wait until a process that was killed has ended; whoever adopted it may not have reaped it yet."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
        if done.stdout.strip()[:1] in ("", "Z"):
            return True
    return False


def test_a_script_that_does_not_read_is_no_trouble(server):
    deaf = server("exec sleep 600")
    assert ask(deaf, "x" * 5_000_000, timeout=0.3).failure == "it did not answer within 0.3 s"
    assert deaf._process is None


def test_a_request_can_be_given_up_and_the_script_goes_on(server):
    slow = server("while read -r line; do sleep 0.3; echo \"$line\" | cut -d, -f1 | sed 's/$/}/'; done")
    assert ask(slow).failure == ""
    stop = Stop()
    threading.Timer(0.05, stop.ask).start()
    assert ask(slow, stop=stop).failure == "interrupted"
    assert ask(slow).failure == ""
    assert slow.starts == 1


def test_a_host_that_ends_between_start_and_request_starts_nothing_anew(python, monkeypatch):
    """The script would outlive the host: nobody is left to end it."""
    stop = Stop()
    running = python._running

    def then_the_host_ends(*arguments):
        process = running(*arguments)
        stop.ask()
        python.close()
        python._not_before = 0.0  # on a busy machine the pause before the next start is over by now
        return process

    monkeypatch.setattr(python, "_running", then_the_host_ends)
    assert ask(python, stop=stop).failure == "interrupted"
    assert (python.starts, python._process) == (1, None)


@pytest.mark.parametrize("line", ["starting", '{"action": "block"}', '{"id": 99}', "[1]", '{"id": "1"}', ""])
def test_lines_that_are_no_answer_are_ignored(server, line):
    noisy = server(f"""echo '{line}'; read -r request; echo '{line}'; echo '{{"id": 1, "ok": true}}'; cat >/dev/null""")
    assert json.loads(ask(noisy).stdout) == {"ok": True}


def test_a_line_without_an_end_is_a_failure(server):
    endless = server(f"read -r line; head -c {STDOUT_LIMIT + 70000} /dev/zero; cat >/dev/null")
    assert ask(endless).failure == f"it wrote more than {STDOUT_LIMIT} bytes without the end of a line"


def test_a_program_that_cannot_start_is_a_failure_each_time(tmp_path):
    missing = serve.Server(lambda cwd: ([str(tmp_path / "gone")], cwd, {}))
    for _ in range(3):
        assert ask(missing).failure.startswith("cannot start: ")


def test_nothing_is_left_of_closed_servers(server, own_children):
    before = len(list(Path("/dev/fd").iterdir())), threading.active_count()
    children = own_children()
    for _ in range(5):
        one = server("cat >/dev/null & exec cat >/dev/null")
        ask(one, timeout=0.05)
        one.close()
    assert (len(list(Path("/dev/fd").iterdir())), threading.active_count()) == before
    assert own_children() <= children  # zombies would be among them


# -- as an entry -------------------------------------------------------------------------------------------------------


@pytest.fixture
def served(shell_home, tmp_path):
    """A home whose gate is served, and its manager."""
    script = tmp_path / "guard.py"
    script.write_text(HELPED)
    entry = {"command": [sys.executable, str(script)], "mode": "serve", "fail_closed": True}
    shell_home.hooks({"pre_tool_call": [entry]})
    return shell_home.start()


def test_a_served_entry_judges_calls_and_fails_closed_when_it_dies(served):
    manager, _ = served
    assert manager.hook.pre_tool_call(**CALL)[:2] == ("block", "ls")
    died = manager.hook.pre_tool_call(tool_name="terminal", args={"command": "die"})
    assert "it ended without an answer" in died.message
    assert manager.hook.pre_tool_call(tool_name="terminal", args={"command": "quiet"}).action == "run"


def test_a_served_entry_ends_with_its_manager(served):
    manager, in_force = served
    manager.hook.pre_tool_call(**CALL)
    (server,) = in_force.hooks.runner._servers.values()
    pid = server._process._process.pid
    manager.shutdown()
    assert is_gone(pid)


def test_a_served_entry_is_started_anew_after_a_reload(served):
    manager, in_force = served
    manager.hook.pre_tool_call(**CALL)
    manager.discover_and_load(force=True)
    assert in_force.hooks.runner._servers == {}
    assert manager.hook.pre_tool_call(**CALL).blocked


def test_a_served_entry_that_drifted_is_ended(shell_home, tmp_path):
    script = tmp_path / "guard.py"
    script.write_text(HELPED)
    entry = {"command": [sys.executable, str(script)], "mode": "serve", "fail_closed": True}
    shell_home.hooks({"pre_tool_call": [entry]}, hooks_trust="content")
    manager, in_force = shell_home.start()
    assert manager.hook.pre_tool_call(**CALL).message == "ls"
    script.write_text(HELPED + "# changed\n")
    assert "it changed since it was approved" in manager.hook.pre_tool_call(**CALL).message
    assert in_force.hooks.runner._servers == {}
