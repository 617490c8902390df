"""PL1: on a timeout only the script itself dies, and what it started keeps running."""

import os
import subprocess
import time

import pytest

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
SCRIPTS = {
    "a helper in the background": "(sleep 600) >/dev/null 2>&1 &\necho $! > {tmp}/helper\nsleep 600",
    "a child that ignores TERM": "trap '' TERM\n(trap '' TERM; sleep 600) &\necho $! > {tmp}/helper\nsleep 600",
    "a child in the foreground": "sh -c 'echo $$ > {tmp}/helper; sleep 600'",
    "a helper that holds every stream": "sleep 600 &\necho $! > {tmp}/helper\nwait",
}


def state(pid):
    """Return the state letter of a process, Z for a zombie; empty for one that there is not."""
    return ps("stat=", "-p", pid).strip()[:1]


def children():
    """Return our child processes, zombies too."""
    rows = [line.split() for line in ps("pid=,ppid=,comm=", "-A").splitlines()]
    return [row for row in rows if int(row[1]) == os.getpid() and row[2] != "ps"]


def ps(columns, *which):
    return subprocess.run(["ps", "-o", columns, *which], capture_output=True, text=True, check=False).stdout


def gone(pid):
    """Wait until a process that was killed has ended; whoever adopted it may not have reaped it yet."""
    deadline = time.monotonic() + 10
    while state(pid) not in ("", "Z"):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("kind", SCRIPTS)
def test_pl1_a_timeout_kills_the_whole_group(shell_home, tmp_path, kind):
    text = f"cat >/dev/null\necho $$ > {tmp_path}/script\n" + SCRIPTS[kind].format(tmp=tmp_path)
    entry = {"command": shell_home.script("k.sh", text), "timeout": 0.5, "fail_closed": True}
    manager = shell_home.started({"pre_tool_call": [entry]})
    before = children()
    decision = manager.hook.pre_tool_call(**CALL)
    assert "did not end within 0.5 s" in decision.message
    assert state((tmp_path / "script").read_text().strip()) == ""
    assert gone((tmp_path / "helper").read_text().strip())
    assert children() == before
