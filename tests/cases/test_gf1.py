"""GF1: a policy callback that raises is treated as "no objection" and the tool runs."""

import logging

import pytest

GUARD = """
def guard(tool_name="", args=None, **kw):
    return args["cmd"]          # KeyError: real key is "command"
def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
"""
SLOW = """
import time
def guard(tool_name="", args=None, **kw):
    time.sleep(30)
def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
"""
CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
DECLARED = "plugins: {entries: {guard: {fail_closed: true}}}\n"


def test_gf1_declared_fail_closed_it_blocks_and_names_plugin_hook_and_error(plugin_home, row_of):
    plugin_home.plugin("guard", GUARD)
    plugin_home.config(DECLARED)
    manager = plugin_home.loaded()
    decision = manager.hook.pre_tool_call(**CALL)
    assert decision.blocked
    for part in ("guard", "pre_tool_call", "KeyError"):
        assert part in decision.message
    assert row_of(manager, "guard")["failures"] == 1
    assert "KeyError" in row_of(manager, "guard")["last_failure"]


@pytest.mark.parametrize("manifest", ["fail_closed: true\n", "fail_closed: [pre_tool_call]\n"])
def test_gf1_the_plugin_s_own_declaration_counts_too(plugin_home, manifest):
    plugin_home.plugin("guard", GUARD, manifest)
    assert plugin_home.loaded().hook.pre_tool_call(**CALL).blocked


def test_gf1_as_an_observer_it_has_no_opinion_and_is_warned_about_once(plugin_home, caplog, row_of):
    directory = plugin_home.plugin("guard", GUARD)
    manager = plugin_home.loaded()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert manager.hook.pre_tool_call(**CALL).action == "run"
    (record,) = caplog.records
    for part in ("guard", "pre_tool_call", f"{directory / '__init__.py'}:3", "Traceback", "KeyError"):
        assert part in record.getMessage()
    assert row_of(manager, "guard")["failures"] == 3


@pytest.mark.parametrize("declared", [True, False])
def test_gf1_a_missed_deadline_is_a_failure_like_any_other(plugin_home, declared):
    plugin_home.plugin("guard", SLOW)
    plugin_home.config(f"plugins: {{entries: {{guard: {{timeout: 0.05, fail_closed: {str(declared).lower()}}}}}}}\n")
    decision = plugin_home.loaded().hook.pre_tool_call(**CALL)
    assert decision.blocked is declared
    if declared:
        assert "guard" in decision.message
