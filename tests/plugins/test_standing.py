"""A fail-closed plugin that is enabled and not in force leaves a standing block (semantics 3.2)."""

import pytest

from hermes_hookspecs.contract import HOOKS

GUARD = "def register(ctx): ctx.register_hook('pre_tool_call', lambda tool_name, **kw: None)\n"
TRANSFORM = "def register(ctx): ctx.register_hook('transform_tool_result', lambda result, **kw: result.upper())\n"
DECLARED = "plugins: {entries: {guard: {fail_closed: true}}}\n"


def judge(manager):
    return manager.hook.pre_tool_call(**HOOKS["pre_tool_call"].sample())


def transform(manager, hook="transform_tool_result"):
    contract = HOOKS[hook]
    return getattr(manager.hook, hook)(**contract.sample(**{contract.value: "text"})).value


def message(manager):
    decision = judge(manager)
    assert decision.blocked
    return decision.message


def test_a_gate_in_force_leaves_no_block(plugin_home):
    plugin_home.plugin("guard", GUARD)
    plugin_home.config(DECLARED)
    manager = plugin_home.loaded()
    assert not judge(manager).blocked
    assert manager.standing_blocks == []


CAUSES = {
    "missing": (None, None, "it is not installed"),
    "broken manifest": (GUARD, "name: [\n", "broken manifest"),
    "failed import": ("raise ImportError('lib')\n", None, "ImportError: lib"),
    "failed register": ("def register(ctx): 1 / 0\n", None, "ZeroDivisionError"),
    "bad signature": ("from hermes_sdk import hookimpl\n@hookimpl\ndef pre_tool_call(params): ...\n", None, "params"),
    "bad ctx callback": ("def register(ctx): ctx.register_hook('pre_tool_call', lambda params: 0)\n", None, "params"),
    "unknown hook": ("def register(ctx): ctx.register_hook('pre_tool_cal', print)\n", None, "only on pre_tool_cal"),
    "nothing registered": ("def register(ctx): ...\n", None, "no callback on pre_tool_call"),
    "other version": (GUARD, "requires_sdk: '<0.1'\n", "requires hermes-sdk"),
    "other kind": (GUARD, "kind: platform\n", "not for this host"),
}


@pytest.mark.parametrize(("code", "manifest", "cause"), CAUSES.values(), ids=CAUSES)
def test_whatever_keeps_a_gate_from_being_in_force_blocks_and_is_named(plugin_home, code, manifest, cause):
    if code is not None:
        plugin_home.plugin("guard", code, manifest)
    plugin_home.config(DECLARED)
    manager = plugin_home.loaded()
    text = message(manager)
    assert "plugin 'guard'" in text
    assert cause in text
    assert "hermes-sdk plugins disable guard" in text


@pytest.mark.parametrize(("code", "manifest", "cause"), CAUSES.values(), ids=CAUSES)
def test_disabling_ends_the_block(plugin_home, code, manifest, cause):
    if code is not None:
        plugin_home.plugin("guard", code, manifest)
    plugin_home.config("plugins: {disabled: [guard], entries: {guard: {fail_closed: true}}}\n")
    assert not judge(plugin_home.loaded()).blocked


def test_mending_the_cause_ends_the_block(plugin_home):
    plugin_home.plugin("guard", "raise ImportError\n", "fail_closed: true\n")
    manager = plugin_home.loaded()
    assert judge(manager).blocked
    plugin_home.plugin("guard", GUARD, "fail_closed: true\n")
    manager.discover_and_load(force=True)
    assert not judge(manager).blocked
    assert manager.standing_blocks == []


def test_safe_mode_ends_the_block_and_lists_the_gate(plugin_home, monkeypatch):
    plugin_home.plugin("guard", GUARD, "fail_closed: [pre_tool_call, transform_tool_result]\n")
    plugin_home.plugin("out", GUARD, "fail_closed: true\n")
    plugin_home.config("plugins: {disabled: [out]}\n")
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    manager = plugin_home.loaded()
    assert not judge(manager).blocked
    assert manager.gates_off == ["guard (pre_tool_call, transform_tool_result)"]
    monkeypatch.delenv("HERMES_SAFE_MODE")
    assert manager.gates_off == []


def test_safe_mode_ends_the_block_of_a_missing_plugin_too(plugin_home, monkeypatch):
    plugin_home.config("plugins: {entries: {gone: {fail_closed: true}, open: {timeout: 1}}}\n")
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    manager = plugin_home.loaded()
    assert not judge(manager).blocked
    assert manager.gates_off == ["gone (pre_tool_call)"]


def test_a_gate_that_is_not_enabled_blocks_nothing(plugin_home):
    plugin_home.plugin("guard", "raise OSError\n", "fail_closed: true\n")
    plugin_home.plugin("part", "raise OSError\n", "fail_closed: true\n", root=plugin_home.builtin)
    plugin_home.config("plugins: {enabled: [], entries: {other: {fail_closed: true}}}\n")
    assert plugin_home.loaded().standing_blocks == []


def test_the_declaration_in_plugin_yaml_survives_a_failed_import(plugin_home):
    manifest = "fail_closed: true\nprovides_hooks: [post_tool_call, transform_tool_result, transform_llm_output]\n"
    plugin_home.plugin("mask", "raise ImportError\n", manifest)
    manager = plugin_home.loaded()
    assert not judge(manager).blocked, "true means the provided hooks that can block or withhold"
    for hook in ("transform_tool_result", "transform_llm_output"):
        assert transform(manager, hook).startswith("[output withheld: plugin 'mask'")
    assert transform(manager, "transform_terminal_output") == "text"


def test_listed_hooks_are_covered_and_no_others(plugin_home):
    plugin_home.plugin("mask", "raise ImportError\n", "fail_closed: [transform_terminal_output]\n")
    manager = plugin_home.loaded()
    assert not judge(manager).blocked
    assert "withheld" in transform(manager, "transform_terminal_output")


def test_withholding_comes_behind_every_other_transform(plugin_home):
    plugin_home.plugin("mask", "raise ImportError\n", "fail_closed: [transform_tool_result]\n")
    plugin_home.plugin("zz", TRANSFORM)
    assert "plugin 'mask'" in transform(plugin_home.loaded())


def test_true_is_satisfied_by_whatever_gate_the_plugin_has(plugin_home):
    plugin_home.plugin("guard", TRANSFORM)
    plugin_home.config(DECLARED)
    manager = plugin_home.loaded()
    assert manager.standing_blocks == []
    assert transform(manager) == "TEXT"


def test_a_hook_that_is_listed_and_not_implemented_blocks(plugin_home):
    plugin_home.plugin("guard", TRANSFORM, "fail_closed: [transform_tool_result, pre_tool_call]\n")
    manager = plugin_home.loaded()
    assert "no callback on pre_tool_call" in message(manager)
    assert transform(manager) == "TEXT"


def test_a_hook_that_the_user_switched_off_blocks_nothing(plugin_home):
    plugin_home.plugin("guard", GUARD, "fail_closed: true\n")
    plugin_home.config("plugins: {entries: {guard: {hooks: {pre_tool_call: false}}}}\n")
    assert plugin_home.loaded().standing_blocks == []


def test_the_user_s_word_beats_plugin_yaml(plugin_home):
    plugin_home.plugin("guard", "raise ImportError\n", "fail_closed: true\n")
    plugin_home.config("plugins: {entries: {guard: {fail_closed: false}}}\n")
    assert plugin_home.loaded().standing_blocks == []


def test_a_gate_on_a_hook_that_cannot_gate_is_an_error_and_leaves_no_block(plugin_home, row_of):
    plugin_home.plugin("guard", GUARD, "fail_closed: [post_tool_call]\n")
    manager = plugin_home.loaded()
    assert row_of(manager, "guard")["status"] == "broken manifest"
    assert manager.standing_blocks == []


@pytest.mark.parametrize("entry", ["{failClosed: true}", "{fail_closed: maybe}", "{fail_close: [pre_tool_call]}"])
def test_a_misspelt_gate_blocks(plugin_home, entry):
    plugin_home.plugin("guard", GUARD)
    plugin_home.config(f"plugins: {{entries: {{guard: {entry}}}}}\n")
    assert "fail_closed" in message(plugin_home.loaded())


def test_a_misspelt_gate_of_a_missing_plugin_blocks(plugin_home):
    plugin_home.config("plugins: {entries: {guard: {failClosed: true}}}\n")
    assert "not installed" in message(plugin_home.loaded())


@pytest.mark.parametrize("config", ["plugins: {enabled: guard}\n", "plugins: {\n", "plugins: [x]\n"])
def test_a_configuration_that_nobody_can_read_keeps_the_gates_shut(plugin_home, config):
    plugin_home.plugin("guard", GUARD, "fail_closed: true\n")
    plugin_home.config(config)
    assert f"mend {plugin_home.path / 'config.yaml'}" in message(plugin_home.loaded())


def test_another_copy_in_force_is_enough(plugin_home):
    plugin_home.plugin("guard", GUARD, root=plugin_home.builtin)
    plugin_home.plugin("guard", GUARD, "name: [\n")
    plugin_home.config("plugins: {enabled: [guard], entries: {guard: {fail_closed: true}}}\n")
    manager = plugin_home.loaded()
    assert manager.plugins["guard"].source == "builtin"
    assert not judge(manager).blocked


def test_unloading_a_gate_blocks_until_it_is_back(plugin_home):
    plugin_home.plugin("guard", GUARD, "fail_closed: true\n")
    manager = plugin_home.loaded()
    manager.unload("guard")
    assert "its host took it out" in message(manager)
    manager.load_plugin("guard")
    assert not judge(manager).blocked


def test_a_gate_blocks_while_it_is_reloaded(plugin_home):
    plugin_home.plugin(
        "guard",
        """
        during = []
        def register(ctx):
            during.append(ctx._manager.hook.pre_tool_call(tool_name="t", args={}))
            ctx.register_hook("pre_tool_call", lambda tool_name, **kw: None)
        """,
        "fail_closed: true\n",
    )
    manager = plugin_home.loaded()
    for reload in (lambda: manager.reload("guard"), lambda: manager.discover_and_load(force=True)):
        reload()
        (during,) = manager.plugins["guard"].module.during
        assert "it is being reloaded" in during.message
        assert not judge(manager).blocked


def test_a_gate_that_only_the_code_declares_is_warned_about(plugin_home, caplog):
    code = "from hermes_sdk import hookimpl\n@hookimpl(fail_closed=True)\ndef pre_tool_call(tool_name): ...\n"
    plugin_home.plugin("guard", code)
    plugin_home.loaded()
    assert "in its code only" in caplog.text


def test_a_block_is_logged_once_and_the_plugin_s_name_stays_free(plugin_home, caplog):
    plugin_home.plugin("guard", "raise ImportError\n", "fail_closed: true\n")
    manager = plugin_home.loaded()
    for _ in range(3):
        judge(manager)
    assert caplog.text.count("declared fail-closed and not in force") == 1
    assert manager.register(object(), "guard") == "guard"
