"""The README's plugin and host, run as they stand."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def manager(tmp_path):
    manager = PluginManager(tmp_path, entry_points=False)
    yield manager
    manager.shutdown()


def test_the_ten_line_host_runs_and_names_who_blocked(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "quickstart_host.py")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "block: production is off limits: ask a person to do it",
        "quickstart_plugin said block",
    ]
    assert done.stderr == ""


def test_the_ten_line_plugin_blocks_and_adds_context(manager, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import quickstart_plugin

    manager.register(quickstart_plugin)
    harmless = manager.hook.pre_tool_call(tool_name="terminal", args={"command": "uptime"})
    assert harmless.action == "run"
    first = manager.hook.pre_llm_call(**HOOKS["pre_llm_call"].sample(is_first_turn=True))
    assert first.text == f"Today is {datetime.now().astimezone():%A}."
    assert manager.hook.pre_llm_call(**HOOKS["pre_llm_call"].sample(is_first_turn=False)).text is None
