"""The run file: what a running host has loaded, for other processes."""

import json
import os
import subprocess
import sys
import time

import pytest

from hermes_sdk.plugins.listing import list_installed
from hermes_sdk.plugins.runfile import RunFile, running_hosts
from hermes_sdk.plugins.survey import Sources

FAILING = "def register(ctx): ctx.register_hook('post_tool_call', lambda tool_name, **kw: 1 / 0)\n"


@pytest.fixture
def host(plugin_home):
    """A manager that publishes its run file."""
    plugin_home.plugin("a", FAILING, "version: 1.5\nfail_closed: [pre_tool_call]\n")
    manager = plugin_home.loaded()
    manager.publish_run_file()
    return manager


def wait_for(condition):
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_it_says_what_is_loaded_and_is_private(host, plugin_home):
    path = plugin_home.path / "run" / f"{os.getpid()}.json"
    content = json.loads(path.read_text())
    assert (content["pid"], content["home"], content["order"]) == (os.getpid(), str(plugin_home.path), ["a"])
    assert content["plugins"][0]["hooks"] == ["post_tool_call"]
    assert content["hooks"]["post_tool_call"] == ["a"]
    assert "not in force" in content["standing_blocks"][0]
    assert path.stat().st_mode & 0o077 == 0
    assert running_hosts(plugin_home.path) == [content]


def test_it_is_removed_at_shutdown(host, plugin_home):
    host.shutdown()
    assert list((plugin_home.path / "run").iterdir()) == []
    host.touch_run_file()
    assert list((plugin_home.path / "run").iterdir()) == []


def test_it_follows_what_happens(host, plugin_home):
    def failures():
        return running_hosts(plugin_home.path)[0]["plugins"][0]["failures"]

    assert failures() == 0
    host.hook.post_tool_call(tool_name="t", args={}, result="", duration_ms=1)
    host.touch_run_file()
    assert wait_for(lambda: failures() == 1)


def test_it_is_written_at_most_once_a_second_and_not_for_nothing(tmp_path, monkeypatch):
    written, content = [], {"n": 0}
    monkeypatch.setattr(
        "hermes_sdk.plugins.runfile.write_atomically", lambda path, data: written.append(json.loads(data))
    )
    file = RunFile(tmp_path, lambda: dict(content))
    for number in range(5):
        content["n"] = number
        file.touch()
    assert [each["n"] for each in written] == [0]
    assert wait_for(lambda: len(written) == 2)
    assert written[1]["n"] == 4
    assert wait_for(lambda: file._timer is None)
    file._written_at = float("-inf")
    file.touch()
    file.close()
    assert len(written) == 2


def test_a_listing_in_another_process_sees_it_until_the_host_is_gone(plugin_home):
    plugin_home.plugin("a", FAILING)
    code = (
        "import sys\nfrom hermes_sdk import PluginManager\n"
        f"manager = PluginManager({str(plugin_home.path)!r})\n"
        "manager.discover_and_load()\nmanager.publish_run_file()\nprint('ready', flush=True)\nsys.stdin.readline()\n"
    )
    sources = Sources(plugin_home.builtin, None, entry_points=False)
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        (row,), _ = list_installed(plugin_home.path, sources)
        assert row["live"]["pid"] == process.pid
        assert (row["status"], row["hooks"], row["order"]) == ("enabled", ["post_tool_call"], 1)
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait(30) == 0
        assert list((plugin_home.path / "run").iterdir()) == [], "an exit without shutdown removes it too"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    (row,), _ = list_installed(plugin_home.path, sources)
    assert (row["live"], row["hooks"]) == (None, [])


def test_files_of_dead_or_reused_pids_and_damaged_ones_are_ignored(plugin_home):
    run = plugin_home.path / "run"
    run.mkdir()
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    contents = {
        dead.stdout.strip(): {"pid": int(dead.stdout)},
        str(os.getpid()): {"pid": os.getpid(), "process_started": 1},
        "1": {"pid": 2},
        "7": ["no mapping"],
        "8": {"pid": "8"},
        "9": {"pid": -9},
    }
    for name, content in contents.items():
        (run / f"{name}.json").write_text(json.dumps(content))
    (run / "10.json").write_text("{half")
    (run / "11.json").mkdir()
    assert running_hosts(plugin_home.path) == []


def test_a_forked_child_leaves_its_parent_s_file_alone(host, plugin_home):
    child = os.fork()
    if child == 0:
        host._run_file.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert len(running_hosts(plugin_home.path)) == 1


def test_a_home_that_cannot_be_written_is_no_reason_to_stop(plugin_home):
    (plugin_home.path / "run").write_text("in the way")
    manager = plugin_home.loaded()
    manager.publish_run_file()
    manager.touch_run_file()
    assert running_hosts(plugin_home.path) == []
