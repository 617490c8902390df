"""RP1: a forced reload clears all hooks, and what was there does not come back."""

import threading

DENY = """
def deny(tool_name, **kw):
    calls.append({version})
    return {{"action": "block", "message": "no {version}"}}
calls = []
def register(ctx):
    ctx.register_hook("pre_tool_call", deny)
"""
EXTRA = """
def register(ctx):
    ctx.register_tool("t", "set", {}, lambda args: "")
    ctx.register_command("c", lambda text: "")
    ctx.register_middleware("tool_request", lambda args, **kw: None)
    ctx.register_hook("pre_tool_call", lambda **kw: None)
"""


def judge(manager):
    return manager.hook.pre_tool_call(tool_name="t", args={})


def test_rp1_it_blocks_after_every_forced_reload_and_is_registered_once(plugin_home):
    plugin_home.plugin("deny", DENY.format(version=1))
    manager = plugin_home.loaded()
    for _ in range(3):
        manager.discover_and_load(force=True)
        assert judge(manager).message == "no 1"
        assert len(manager.calling_order("pre_tool_call")) == 1
        assert manager.plugins["deny"].module.calls == [1]


def test_rp1_a_new_timeout_is_in_force_after_a_reload(plugin_home):
    plugin_home.plugin("deny", DENY.format(version=1))
    manager = plugin_home.loaded()
    plugin_home.config("plugins: {entries: {deny: {timeout: 4}}}\n")
    manager.discover_and_load(force=True)
    assert manager.policy("deny").timeout == 4
    assert judge(manager).blocked


def test_rp1_tools_commands_and_middleware_of_a_removed_plugin_are_gone(plugin_home):
    plugin_home.plugin("deny", DENY.format(version=1))
    extra = plugin_home.plugin("extra", EXTRA)
    manager = plugin_home.loaded()
    registrations = manager.registrations
    assert (list(registrations.tools), list(registrations.commands)) == (["t"], ["c"])
    extra.rename(extra.parent / ".extra")
    manager.discover_and_load(force=True)
    assert (registrations.tools, registrations.commands, registrations.middleware("tool_request")) == ({}, {}, [])
    assert [plugin for plugin, _, _ in manager.calling_order("pre_tool_call")] == ["deny"]


def test_rp1_old_code_of_a_changed_plugin_is_not_called(plugin_home):
    plugin_home.plugin("deny", DENY.format(version=1))
    manager = plugin_home.loaded()
    old = manager.plugins["deny"].module
    plugin_home.plugin("deny", DENY.format(version=2))
    manager.discover_and_load(force=True)
    assert judge(manager).message == "no 2"
    assert old.calls == []


def test_rp1_shell_hooks_are_in_force_once_after_every_forced_reload(shell_home):
    entry = {"command": shell_home.answering("deny.sh", '{"action": "block", "message": "no"}')}
    manager = shell_home.started({"pre_tool_call": [entry]}, hooks_auto_accept=True)
    for _ in range(3):
        manager.discover_and_load(force=True)
        assert judge(manager).message == "no"
        assert len(manager.calling_order("pre_tool_call")) == 1


def test_rp1_a_new_timeout_of_a_shell_hook_is_in_force_after_a_reload(shell_home):
    slow = shell_home.script("slow.sh", """sleep 0.6; echo '{"action": "block", "message": "no"}'""")
    manager = shell_home.started({"pre_tool_call": [{"command": slow}]}, hooks_auto_accept=True)
    assert judge(manager).message == "no"
    shell_home.hooks({"pre_tool_call": [{"command": slow, "timeout": 0.1}]}, hooks_auto_accept=True)
    manager.discover_and_load(force=True)
    assert judge(manager).action == "run"
    assert "did not end within 0.1 s" in manager.failures[f"shell:{slow}"].last


def test_rp1_shell_hooks_that_were_revoked_or_removed_are_out_after_a_reload(shell_home):
    kept, gone = (shell_home.answering(name, "{}") for name in ("kept.sh", "gone.sh"))
    shell_home.hooks({"pre_tool_call": [{"command": kept}, {"command": gone}]})
    manager, in_force = shell_home.start()
    in_force.allowlist.revoke(gone)
    manager.discover_and_load(force=True)
    assert [entry.command for entry in in_force.entries] == [kept]
    shell_home.hooks({})
    manager.discover_and_load(force=True)
    assert not manager.has_hook("pre_tool_call")


def test_rp1_no_call_slips_past_a_gate_while_everything_is_loaded_anew(shell_home):
    entry = {"command": shell_home.answering("deny.sh", '{"action": "block", "message": "no"}'), "fail_closed": True}
    manager = shell_home.started({"pre_tool_call": [entry]}, hooks_auto_accept=True)
    answers, ended = set(), threading.Event()

    def calls():
        while not ended.is_set():
            answers.add(judge(manager).action)

    threads = [threading.Thread(target=calls) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        manager.discover_and_load(force=True)
    ended.set()
    for thread in threads:
        thread.join()
    assert answers == {"block"}
