"""One run of a script: fed, collected, ended in time, nothing left behind (semantics 8.3)."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest

from hermes_sdk.shell_hooks.process import STDERR_LIMIT, STDOUT_LIMIT, run_process
from hermes_sdk.shell_hooks.stop import Stop, Stops


@pytest.fixture
def run(tmp_path):
    """Return a function that runs a shell script and gives what came of it."""

    def run(text, payload=b"{}", *, timeout=30.0, cwd=None, env=None, stop=None):
        return run_process(
            ["/bin/sh", "-c", text],
            payload,
            cwd=str(cwd or tmp_path),
            env={"PATH": os.environ["PATH"]} if env is None else env,
            timeout=timeout,
            stop=stop or Stop(),
        )

    return run


def test_a_script_reads_its_payload_and_both_streams_are_kept_apart(run):
    done = run("cat; echo err >&2; exit 3", b'{"a": 1}\n')
    assert (done.returncode, done.stdout, done.stderr, done.failure) == (3, '{"a": 1}\n', "err\n", "")
    assert done.duration > 0


def test_it_runs_in_a_session_and_group_of_its_own(run):
    done = run("ps -o pid=,pgid=,sid= -p $$ 2>/dev/null || ps -o pid=,pgid=,sess= -p $$")
    pid, group, session = done.stdout.split()
    assert pid == group == session


@pytest.mark.parametrize("text", ["exit 0", "exec <&-; exit 0", "head -c 1 >/dev/null", "sleep 0.05"])
def test_a_large_payload_is_no_trouble_for_a_script_that_does_not_read_it(run, text):
    done = run(text, b"x" * 5_000_000)
    assert (done.returncode, done.failure) == (0, "")


def test_a_large_payload_arrives_whole(run):
    payload = json.dumps({"content": "zażółć" * 900_000}, ensure_ascii=False).encode()
    assert run("wc -c", payload).stdout.strip() == str(len(payload))
    assert run("cat </dev/stdin | wc -c", payload).stdout.strip() == str(len(payload))


def test_output_is_read_as_utf_8_with_replacement(run):
    done = run(r"printf 'a\377b'; printf '\377' >&2")
    assert (done.stdout, done.stderr) == ("a\ufffdb", "\ufffd")


def test_too_much_output_is_a_failure(run):
    done = run(f"head -c {STDOUT_LIMIT + 1} /dev/zero")
    assert done.failure == f"it wrote more than {STDOUT_LIMIT} bytes to standard output"
    assert run("yes").failure == done.failure


def test_as_much_output_as_there_may_be_is_read(run):
    done = run(f"head -c {STDOUT_LIMIT} /dev/zero")
    assert (len(done.stdout), done.failure) == (STDOUT_LIMIT, "")


def test_too_much_on_standard_error_is_read_and_dropped(run):
    done = run("head -c 5000000 /dev/zero >&2; echo done")
    assert (done.stdout, len(done.stderr), done.failure) == ("done\n", STDERR_LIMIT, "")


@pytest.mark.parametrize(
    ("text", "status"), [("exit 0", 0), ("exit 77", 77), ("kill -9 $$", -signal.SIGKILL), ("kill $$", -signal.SIGTERM)]
)
def test_the_exit_status_is_the_scripts_own(run, text, status):
    assert run(text).returncode == status


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["/nowhere/h.sh"], "interpreter that there is not"),
        (["/etc"], "may not be executed"),
        (["/bin/sh", "a\0b"], "null"),
    ],
)
def test_a_script_that_cannot_start_is_a_failure_with_a_reason(argv, why):
    done = run_process(argv, b"", cwd=None, env={}, timeout=5, stop=Stop())
    assert done.returncode is None
    assert done.failure.startswith(f"cannot start {argv[0]}: ")
    assert why in done.failure


def test_a_working_directory_that_is_gone_does_not_keep_a_guard_from_running(run, tmp_path):
    assert run("echo here", cwd=tmp_path / "gone").stdout == "here\n"


def test_what_it_said_before_its_deadline_is_kept(run):
    done = run("""echo '{"action": "block"}'; exec sleep 60""", timeout=0.3)
    assert done.failure == "it did not end within 0.3 s"
    assert done.stdout == '{"action": "block"}\n'


def test_a_script_may_clean_up_when_it_is_ended(run, tmp_path):
    run(f"trap 'touch {tmp_path}/clean; exit' TERM; echo; sleep 60 & wait", timeout=0.3)
    assert (tmp_path / "clean").exists()


# -- stopping ----------------------------------------------------------------------------------------------------------


def test_a_stop_ends_a_run_from_another_thread(run, tmp_path):
    stop = Stop()
    os.mkfifo(tmp_path / "started")

    def ask():
        (tmp_path / "started").read_text()
        stop.ask()

    thread = threading.Thread(target=ask)
    thread.start()
    done = run("echo > started; exec sleep 60", stop=stop)
    thread.join()
    assert done.failure == "interrupted"
    assert done.returncode == -signal.SIGKILL


def test_a_run_that_was_stopped_before_it_started_ends_at_once(run):
    stop = Stop()
    stop.ask()
    assert run("exec sleep 60", stop=stop).failure == "interrupted"


def test_stops_are_asked_by_session():
    stops = Stops()
    first, second = Stop("a"), Stop("b")
    for stop in (first, second):
        stops.add(stop)
    assert stops.ask("a") == 1
    assert (first.asked, second.asked) == (True, False)
    assert stops.ask() == 2
    stops.remove(first)
    assert stops.ask() == 1


# -- nothing left behind -----------------------------------------------------------------------------------------------


def descriptors():
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize("without_pidfd", [False, True])
def test_many_runs_leave_no_process_thread_or_descriptor(run, monkeypatch, own_children, without_pidfd):
    if without_pidfd:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
        monkeypatch.delattr(os, "memfd_create", raising=False)
    run("exit 0")
    before, children = (descriptors(), threading.active_count()), own_children()
    for number in range(100):
        run("sleep 5 & exit 1" if number % 20 == 0 else "exit 1")
    run("exec sleep 60", timeout=0.05)
    run_process(["/nowhere"], b"", cwd=None, env={}, timeout=1, stop=Stop())
    assert (descriptors(), threading.active_count()) == before
    assert own_children() <= children


def test_without_pidfd_a_timeout_ends_the_group_too(run, monkeypatch):
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert run("exec sleep 60", timeout=0.05).failure == "it did not end within 0.05 s"
    assert run("sleep 5 & echo said").stdout == "said\n"
