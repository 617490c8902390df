"""CV1: the name of a gateway event, or of another agent's event, in `hooks:` is dropped and nobody says so.

Each finding has its line and what to write instead: in `hooks list`, in `hooks doctor`, at a start, and for
`register_hook` alike.
"""

import logging
import os
import subprocess
import sys

import pytest

from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.shell_hooks.register import register_from_config

CONFIG = """\
hooks:
  agent:end:
    - {command: ./h.sh}
  PreToolUse:
    - {command: ./h.sh}
  pre_tool_cal:
    - {command: ./h.sh}
"""
FINDINGS = (
    ("hooks.agent:end", "config.yaml:2:3", "it is a gateway event: write a HOOK.yaml"),
    ("hooks.PreToolUse", "config.yaml:4:3", "write 'pre_tool_call' here"),
    ("hooks.pre_tool_cal", "config.yaml:6:3", "did you mean 'pre_tool_call'?"),
)


@pytest.fixture
def home(tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def all_are_named_in(text):
    return [finding for finding in FINDINGS if not all(part in text for part in finding)] == []


@pytest.mark.parametrize("command", [("list",), ("doctor",), ("list", "--json"), ("doctor", "--json")])
def test_cv1_list_and_doctor_name_every_wrong_event_and_fail(home, command):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
    done = subprocess.run(
        [sys.executable, "-m", "hermes_sdk", "hooks", *command, "--home", str(home)],
        capture_output=True,
        text=True,
        env=variables | {"COLUMNS": "1000"},
        check=False,
    )
    assert done.returncode == 1
    assert all_are_named_in(done.stdout)
    assert "no shell hooks" not in done.stdout


def test_cv1_a_start_names_every_wrong_event(home, caplog):
    manager = PluginManager(home, entry_points=False)
    try:
        register_from_config(manager=manager)
    finally:
        manager.shutdown()
    assert all_are_named_in("\n".join(record.getMessage() for record in caplog.records))
    assert {record.levelno for record in caplog.records} == {logging.ERROR}


def test_cv1_a_plugin_that_registers_for_such_a_name_is_told_the_nearest(home, caplog):
    plugin = home / "plugins" / "p"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: p\n")
    (plugin / "__init__.py").write_text("def register(ctx): ctx.register_hook('pre_tool_cal', lambda **k: None)\n")
    manager = PluginManager(home, entry_points=False)
    try:
        manager.discover_and_load()
        assert manager.has_hook("pre_tool_cal")
    finally:
        manager.shutdown()
    assert any(
        "pre_tool_cal" in record.getMessage() and "'pre_tool_call'" in record.getMessage() for record in caplog.records
    )
