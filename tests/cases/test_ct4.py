"""CT4: a revoked approval comes back from another process's stale copy, and revoking does not stop what is loaded.

Every change of the allowlist is made on the file as it is at that moment. Revoking says plainly that a running host
keeps its hooks, and the list shows such a hook as revoked but live.
"""

import json
import os
import subprocess
import sys

import pytest

from hermes_sdk.shell_hooks.consent import Allowlist

STEPS = """
import sys
from hermes_sdk.home import hermes_home
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.listing import list_hooks

entries = {listed.entry.command: listed.entry for listed in list_hooks(hermes_home()).entries}
allowlist = Allowlist(hermes_home())
print(len(allowlist.approvals()), flush=True)
for line in sys.stdin:
    step, command = line.split()
    allowlist.revoke(command) if step == "revoke" else allowlist.approve([entries[command]])
    print("done", flush=True)
"""
HOST = """
import sys
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.shell_hooks.register import register_from_config

manager = PluginManager(entry_points=False)
manager.discover_and_load()
register_from_config(manager=manager)
manager.publish_run_file()
print("ready", flush=True)
for line in sys.stdin:
    print(manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ls"}).action, flush=True)
manager.shutdown()
"""
COMMANDS = [f"./{number}.sh" for number in range(20)]


@pytest.fixture
def home(tmp_path):
    """A home with 20 blocking scripts, of which the first two are approved."""
    for command in COMMANDS:
        (tmp_path / command).write_text("""#!/bin/sh\necho '{"action": "block", "message": "no"}'\n""")
        (tmp_path / command).chmod(0o755)
    listed = "".join(f"    - {{command: {command}}}\n" for command in COMMANDS)
    (tmp_path / "config.yaml").write_text(f"hooks:\n  pre_tool_call:\n{listed}")
    for command in COMMANDS[:2]:
        assert hooks(tmp_path, "approve", command).returncode == 0
    return tmp_path


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
    return kept | {"HERMES_HOME": str(home), "COLUMNS": "1000"}


def hooks(home, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "hermes_sdk", "hooks", *arguments],
        capture_output=True,
        text=True,
        env=environment(home),
        check=False,
    )


@pytest.fixture
def process(home):
    """Return a function that starts a Python process for the home and gives a function that talks with it."""
    started = []

    def process(source):
        one = subprocess.Popen(
            [sys.executable, "-c", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(home),
        )
        started.append(one)
        first = one.stdout.readline().strip()

        def say(line):
            one.stdin.write(f"{line}\n")
            one.stdin.flush()
            return one.stdout.readline().strip()

        return one.pid, first, say

    yield process
    for one in started:
        one.communicate()


def approved(home):
    return {approval.command for approval in Allowlist(home).approvals()}


def test_ct4_nobody_brings_back_what_another_process_revoked(home, process):
    _, first_sees, first = process(STEPS)
    _, second_sees, second = process(STEPS)
    assert (first_sees, second_sees) == ("2", "2")
    assert first(f"revoke {COMMANDS[0]}") == "done"
    assert second(f"approve {COMMANDS[2]}") == "done"
    assert approved(home) == {COMMANDS[1], COMMANDS[2]}


def test_ct4_twenty_processes_at_once_lose_nothing(home):
    running = [
        subprocess.Popen(
            [sys.executable, "-c", STEPS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(home),
        )
        for _ in COMMANDS
    ]
    for one in running:
        one.stdout.readline()  # all have read the file before the first one writes
    for one, command in zip(running, COMMANDS, strict=True):
        one.stdin.write(f"approve {command}\n" * 3 + f"revoke {command}\napprove {command}\n")
        one.stdin.close()
    for one in running:
        assert one.wait() == 0
        one.stdout.close()
    assert approved(home) == set(COMMANDS)


def test_ct4_revoking_says_that_a_running_host_keeps_its_hook_and_the_list_shows_it(home, process):
    pid, _, fire = process(HOST)
    assert fire("fire") == "block"
    done = hooks(home, "revoke", COMMANDS[0])
    assert done.returncode == 0
    assert f"pid {pid} runs since 20" in done.stdout
    assert "and keeps it until it ends" in done.stdout
    assert hooks(home, "revoke", COMMANDS[1]).returncode == 0
    assert fire("fire") == "block", "it says so because it is so"
    listed = json.loads(hooks(home, "list", "--json").stdout)["hooks"]
    assert {hook["command"]: hook["consent"] for hook in listed if hook["live"]} == {
        COMMANDS[0]: "revoked but live",
        COMMANDS[1]: "revoked but live",
    }
    assert "revoked but live" in hooks(home, "list").stdout
    doctor = hooks(home, "doctor", "--no-run")
    assert doctor.returncode == 1
    assert f"revoked, and still live in pid {pid} until that ends" in doctor.stdout


def test_ct4_a_host_that_starts_after_the_revocation_does_not_have_it(home, process):
    for command in COMMANDS[:2]:
        hooks(home, "revoke", command)
    _, _, fire = process(HOST)
    assert fire("fire") == "run"
    assert "revoked but live" not in hooks(home, "list").stdout
