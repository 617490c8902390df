"""DG1: the diagnosis says healthy while the process that serves has none of the hooks.

The doctor tells a fine configuration from hooks that are live in a running host, and never calls everything healthy
without naming one.
"""

import json
import os
import subprocess
import sys

import pytest

HOST = """
import sys
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.shell_hooks.register import register_from_config

manager = PluginManager(entry_points=False)
manager.discover_and_load()
if "register" in sys.argv:
    register_from_config(manager=manager)
manager.publish_run_file()
print("ready", flush=True)
sys.stdin.read()
manager.shutdown()
"""


@pytest.fixture
def home(tmp_path):
    """A home with two approved hooks."""
    script = tmp_path / "h.sh"
    script.write_text("#!/bin/sh\ncat > /dev/null\necho '{}'\n")
    script.chmod(0o755)
    (tmp_path / "config.yaml").write_text(
        "hooks:\n  pre_tool_call:\n    - {command: ./h.sh}\n  post_tool_call:\n    - {command: ./h.sh}\n"
    )
    run(tmp_path, "approve", "--yes")
    return tmp_path


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
    return kept | {"HERMES_HOME": str(home), "COLUMNS": "1000"}


def run(home, *command):
    return subprocess.run(
        [sys.executable, "-m", "hermes_sdk", "hooks", *command],
        capture_output=True,
        text=True,
        env=environment(home),
        check=False,
    )


@pytest.fixture
def host(home):
    """Return a function that starts a host process: with the hooks, or on a way that leads past them."""
    started = []

    def host(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", HOST, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(home),
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield host
    for process in started:
        process.communicate()


def test_dg1_without_a_host_only_the_configuration_is_called_fine(home):
    done = run(home, "doctor")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == (f"the configuration is fine; it is live nowhere: no host runs for {home}")


def test_dg1_a_host_that_registered_nothing_is_named_and_wrong(home, host):
    process = host()
    done = run(home, "doctor")
    assert done.returncode == 1
    assert f"pid {process.pid} runs since 20" in done.stdout
    assert "and has none of these hooks" in done.stdout
    assert "fine" not in done.stdout
    assert f"pid {process.pid} runs since 20" in run(home, "list").stdout


def test_dg1_a_host_that_has_them_is_named_with_its_start(home, host):
    process = host("register")
    document = json.loads(run(home, "doctor", "--json").stdout)
    assert document["healthy"]
    assert document["verdict"].startswith(f"the configuration is fine, and live in pid {process.pid} since 20")
    assert [hook["live"][0]["pid"] for hook in document["hooks"]] == [process.pid] * 2
    listed = run(home, "list").stdout
    assert listed.count(f"live in pid {process.pid} since 20") == 2


def test_dg1_a_host_that_lacks_one_of_them_is_wrong_about_that_one(home, host):
    process = host("register")
    with (home / "config.yaml").open("a") as config:
        config.write("  subagent_stop:\n    - {command: ./h.sh}\n")
    run(home, "approve", "--yes")
    done = run(home, "doctor")
    assert done.returncode == 1
    assert done.stdout.count(f"pid {process.pid} runs since 20") == 1
    assert "without it; start it anew" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 thing is wrong"


def test_dg1_a_host_that_has_what_is_configured_no_more_is_wrong(home, host):
    process = host("register")
    (home / "config.yaml").write_text("hooks:\n  pre_tool_call:\n    - {command: ./h.sh}\n")
    done = run(home, "doctor")
    assert done.returncode == 1
    assert f"pid {process.pid} still runs ./h.sh on post_tool_call, which is no longer configured" in done.stdout
    assert f"pid {process.pid} still runs ./h.sh on post_tool_call" in run(home, "list").stdout


def test_dg1_two_hosts_are_told_apart(home, host):
    with_hooks, without = host("register"), host()
    done = run(home, "doctor")
    assert done.returncode == 1
    assert f"in pid {with_hooks.pid} since 20" in done.stdout
    assert f"pid {without.pid} runs since 20" in done.stdout
