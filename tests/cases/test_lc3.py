"""LC3: a process for each hook and call, even when the matcher excludes it, and no cost is visible.

An entry that does not concern a call starts no process and serialises nothing; a live host shows runs and times. And a
slow handler of ``gateway:startup`` holds up nobody's start.
"""

import asyncio
import os
import subprocess
import time

import pytest

from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.scripted import ScriptedModel
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.plugins.runfile import running_hosts
from hermes_sdk.shell_hooks import payload as payload_module
from hermes_sdk.shell_hooks.listing import list_hooks


@pytest.fixture
def counted(monkeypatch):
    """What was started and serialised, counted."""
    counts = {"started": 0, "built": 0, "serialised": 0}

    def counting(name, function):
        def count(*args, **kwargs):
            counts[name] += 1
            return function(*args, **kwargs)

        return count

    monkeypatch.setattr(subprocess, "Popen", counting("started", subprocess.Popen))
    monkeypatch.setattr("hermes_sdk.shell_hooks.runner.payload_of", counting("built", payload_module.payload_of))
    monkeypatch.setattr(payload_module, "_dumps", counting("serialised", payload_module._dumps))
    return counts


@pytest.mark.parametrize("extra", [{"matcher": "patch"}, {"when": {"args.command": "git .*"}}])
def test_lc3_entries_that_do_not_match_start_and_serialise_nothing(shell_home, counted, extra):
    entry = {"command": shell_home.answering("t.sh", '{"action": "block"}'), **extra}
    manager = shell_home.started({"pre_tool_call": [entry] * 20})
    counted.update(dict.fromkeys(counted, 0))
    for _ in range(1000):
        assert manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ls"}).action == "run"
    assert counted == {"started": 0, "built": 0, "serialised": 0}
    manager.hook.pre_tool_call(tool_name="patch", args={"command": "git log"})
    assert counted == {"started": 20, "built": 1, "serialised": 1}


def test_lc3_without_hooks_there_is_nothing_to_ask(shell_home, counted):
    manager = shell_home.started({})
    assert not manager.has_hook("pre_tool_call")
    manager.hook.pre_tool_call(tool_name="terminal", args={})
    assert counted["built"] == 0


def test_lc3_a_live_host_shows_runs_and_their_95th_percentile(shell_home):
    entry = {"command": shell_home.answering("t.sh", "{}")}
    failing = {"command": shell_home.script("f.sh", "echo broken >&2; exit 1")}
    manager = shell_home.started({"pre_tool_call": [entry, failing]})
    for _ in range(3):
        manager.hook.pre_tool_call(tool_name="terminal", args={})
    manager.publish_run_file()
    (host,) = running_hosts(shell_home.path)
    rows = host["shell_hooks"]
    assert [(row["command"], row["runs"], row["failures"]) for row in rows] == [
        (entry["command"], 3, 0),
        (failing["command"], 3, 3),
    ]
    assert rows[0]["p95_ms"] > 0
    assert rows[1]["last_failure"] == "exit status 1: broken"
    (live,) = list_hooks(shell_home.path).entries[0].live
    assert (live.pid, live.entry.runs) == (os.getpid(), 3)
    assert live.entry.p95_ms == rows[0]["p95_ms"]
    names = [name for name, source, place in manager.calling_order("pre_tool_call") if source == "shell"]
    assert names == [f"shell:{entry['command']}", f"shell:{failing['command']}"]


@pytest.mark.parametrize("waits", ["await asyncio.sleep(60)", "time.sleep(60)"])
def test_lc3_a_gateway_is_ready_while_a_slow_startup_handler_goes_on_until_its_deadline(tmp_path, waits):
    directory = tmp_path / "hooks" / "slow"
    directory.mkdir(parents=True)
    (directory / "HOOK.yaml").write_text("events: gateway:startup\n")
    (directory / "handler.py").write_text(
        f"import asyncio, time\nasync def handle(event_type, context):\n    {waits}\n"
    )
    (tmp_path / "config.yaml").write_text("gateway: {handler_timeout: 0.3}\n")
    manager = PluginManager(tmp_path, entry_points=False)

    async def run():
        runner = GatewayRunner(manager, ScriptedModel)
        await runner.start()
        at_start = runner.hooks.status()[0]
        deadline = time.monotonic() + 30
        while not runner.hooks.status()[0].failed and time.monotonic() < deadline:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
        await runner.stop()
        return at_start, runner.hooks.status()[0]

    try:
        at_start, status = asyncio.run(run())
    finally:
        manager.shutdown()
    assert (at_start.handled, at_start.failed) == (0, 0), "it was ready before the handler was done"
    assert status.last_error == "gateway:startup: DeadlineMissedError: missed its deadline of 0.3 s"
