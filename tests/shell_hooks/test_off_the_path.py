"""Scripts never block an event loop, and what is in the background never holds up the agent (semantics 4.4, 8)."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import time

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk import PluginManager
from hermes_sdk.shell_hooks import background
from hermes_sdk.shell_hooks.register import registered

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
BLOCK = '{"action": "block", "message": "no"}'


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def ended(pid):
    """Wait until a process that was killed has ended; whoever adopted it may not have reaped it yet."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        done = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False)
        if done.stdout.strip()[:1] in ("", "Z"):
            return True
    return False


# -- asynchronous hosts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [{}, {"mode": "serve"}, {"matcher": "terminal"}])
@pytest.mark.parametrize("count", [1, 2])
def test_a_slow_script_never_blocks_the_loop(shell_home, tmp_path, entry, count):
    text = f"""read -r line; while [ ! -e {tmp_path}/go ]; do sleep 0.01; done; echo '{{"id": 1, "action": "block"}}'"""
    slow = shell_home.script("slow.sh", text)
    manager = shell_home.started({"pre_tool_call": [{"command": f"{slow} {n}", **entry} for n in range(count)]})

    async def host():
        judging = asyncio.ensure_future(manager.ahook.pre_tool_call(**CALL))
        for _ in range(5):
            await asyncio.sleep(0.01)  # the loop turns while the script waits for us
        assert not judging.done()
        (tmp_path / "go").touch()
        return await judging

    assert asyncio.run(host()).blocked


@pytest.mark.parametrize("count", [1, 2])
def test_a_call_that_the_host_cancels_ends_its_scripts(shell_home, tmp_path, count):
    text = f"echo $$ >> {tmp_path}/pids; exec sleep 600"
    slow = shell_home.script("slow.sh", text)
    manager = shell_home.started({"pre_tool_call": [{"command": f"{slow} {number}"} for number in range(count)]})

    async def host():
        judging = asyncio.ensure_future(manager.ahook.pre_tool_call(**CALL))
        while len(pids(tmp_path)) < count:  # noqa: ASYNC110 - the scripts know nothing of our events
            await asyncio.sleep(0.01)
        judging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await judging

    asyncio.run(host())
    assert all(ended(pid) for pid in pids(tmp_path))


def pids(tmp_path):
    return (tmp_path / "pids").read_text().split() if (tmp_path / "pids").exists() else []


# -- off the agent's path --------------------------------------------------------------------------------------------


def test_a_background_observer_does_not_hold_up_the_agent_and_is_drained_at_the_end(shell_home, tmp_path):
    script = shell_home.script("s.sh", f"cat >> {tmp_path}/read; while [ ! -e {tmp_path}/go ]; do sleep 0.01; done")
    shell_home.hooks({"post_tool_call": [{"command": script, "background": True}]})
    manager, _ = shell_home.start()
    args = {"n": 1}
    manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample(args=args))
    args["n"] = 2  # the host goes on, and its values are its own
    (tmp_path / "go").touch()
    manager.shutdown()
    assert [each["tool_input"] for each in lines(tmp_path / "read")] == [{"n": 1}]


def test_background_runs_are_bounded_and_the_oldest_is_dropped(shell_home, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(background, "LIMIT", 2)
    script = shell_home.script("s.sh", f"cat >> {tmp_path}/read; while [ ! -e {tmp_path}/go ]; do sleep 0.01; done")
    manager = shell_home.started({"post_tool_call": [{"command": script, "background": True}]})
    for number in range(5):
        manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample(args={"n": number}))
        while number == 0 and not lines(tmp_path / "read"):
            time.sleep(0.01)
    (tmp_path / "go").touch()
    manager.shutdown()
    assert [each["tool_input"]["n"] for each in lines(tmp_path / "read")] == [0, 3, 4]
    assert "the queue of background runs is full" in caplog.text


def test_a_background_failure_is_logged(shell_home, caplog):
    script = shell_home.script("s.sh", "echo broken >&2; exit 1")
    manager = shell_home.started({"post_tool_call": [{"command": script, "background": True}]})
    manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample())
    manager.shutdown()
    assert "exit status 1: broken" in caplog.text


# -- the end ---------------------------------------------------------------------------------------------------------


EXITING = """
import threading, time
from pathlib import Path
from hermes_sdk import PluginManager
from hermes_sdk.shell_hooks.register import register_from_config

manager = PluginManager(entry_points=False)
manager.discover_and_load()
register_from_config(manager=manager, accept_hooks=True)
call = dict(tool_name="terminal", args={})
threading.Thread(target=manager.hook.pre_tool_call, kwargs=call, daemon=True).start()
while not (Path("pid").exists() and Path("pid").read_text()):
    time.sleep(0.01)
"""


@pytest.mark.parametrize("mode", ["process", "serve"])
def test_the_exit_of_the_host_ends_what_runs(shell_home, tmp_path, mode):
    script = shell_home.script("s.sh", "trap '' TERM; echo $$ > pid; sleep 600")
    shell_home.hooks({"pre_tool_call": [{"command": script, "mode": mode}]})
    variables = {**os.environ, "HERMES_HOME": str(shell_home.path)}
    subprocess.run([sys.executable, "-W", "error", "-c", EXITING], cwd=tmp_path, env=variables, check=True)
    assert ended((tmp_path / "pid").read_text().strip())


def test_after_a_shutdown_nothing_is_registered_and_loading_again_brings_it_back(shell_home):
    shell_home.hooks({"pre_tool_call": [{"command": shell_home.answering("s.sh", BLOCK)}]})
    manager, _ = shell_home.start()
    manager.shutdown()
    assert not manager.has_hook("pre_tool_call")
    manager.discover_and_load()
    assert manager.hook.pre_tool_call(**CALL).blocked


def test_problems_are_logged_with_their_line(shell_home, caplog):
    shell_home.config("hooks:\n  pre_tool_call:\n    - command: x\n      timeout: 900\n  nonsense: 3\n")
    with caplog.at_level(logging.WARNING):
        shell_home.start()
    assert "config.yaml:4:7" in caplog.text
    assert "config.yaml:5:3" in caplog.text


def test_a_manager_without_hooks_reads_no_allowlist(shell_home):
    (shell_home.path / "shell-hooks-allowlist.json").write_text("{damaged")
    shell_home.config("plugins: {}\n")
    _, in_force = shell_home.start(strict=True)
    assert in_force.not_in_order() == []
    assert isinstance(in_force, type(registered(shell_home.managers[0])))
    assert isinstance(shell_home.managers[0], PluginManager)
