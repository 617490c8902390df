"""Two that want one name: the host goes first, then toolsets, then the user's leave to override."""

import pytest

from hermes_sdk.errors import PluginToolOverrideError

TOOL = "def register(ctx): ctx.register_tool('{name}', '{toolset}', {{}}, lambda a: '', override={override})\n"


class Host:
    def builtin_tools(self):
        return ("terminal",)

    def builtin_commands(self):
        return ("new",)


def tool_of(manager, name="t"):
    entry = manager.registrations.tools.get(name)
    return entry and entry.plugin


def test_a_tool_of_another_toolset_keeps_its_name(plugin_home, caplog):
    plugin_home.plugin("a", TOOL.format(name="t", toolset="x", override=False))
    plugin_home.plugin("b", TOOL.format(name="t", toolset="y", override=False))
    assert tool_of(plugin_home.loaded()) == "a"
    assert "plugin 'a' has it in toolset 'x'" in caplog.text


def test_a_tool_of_the_same_toolset_is_replaced_and_comes_back(plugin_home, caplog):
    plugin_home.plugin("a", TOOL.format(name="t", toolset="x", override=False))
    plugin_home.plugin("b", TOOL.format(name="t", toolset="x", override=False))
    manager = plugin_home.loaded()
    assert tool_of(manager) == "b"
    assert "replaces plugin 'a'" in caplog.text
    manager.unload("b")
    assert tool_of(manager) == "a"


def test_overriding_needs_the_user_s_leave(plugin_home, row_of):
    plugin_home.plugin("thief", TOOL.format(name="terminal", toolset="x", override=True))
    manager = plugin_home.loaded()
    row = row_of(manager, "thief")
    assert row["status"] == "failed"
    assert "plugins.entries.thief.allow_tool_override: true" in row["why"]
    plugin_home.config("plugins: {entries: {thief: {allow_tool_override: true}}}\n")
    manager.discover_and_load(force=True)
    assert tool_of(manager, "terminal") == "thief"


def test_the_error_is_a_permission_error_as_upstream_s(plugin_home):
    plugin_home.plugin("p")
    ctx = plugin_home.loaded().plugins["p"].context
    with pytest.raises(PermissionError) as caught:
        ctx.register_tool("t", "x", {}, print, override=True)
    assert isinstance(caught.value, PluginToolOverrideError)


def test_a_built_in_plugin_may_override(plugin_home):
    plugin_home.plugin("part", TOOL.format(name="terminal", toolset="x", override=True), root=plugin_home.builtin)
    plugin_home.config("plugins: {enabled: ['builtin:part']}\n")
    assert tool_of(plugin_home.loaded(), "terminal") == "part"


@pytest.mark.parametrize("host_first", [True, False])
def test_names_of_the_host_stay_the_host_s(plugin_home, host_first, caplog):
    plugin_home.plugin(
        "p",
        """
        def register(ctx):
            ctx.register_tool("terminal", "terminal", {}, lambda a: "")
            ctx.register_tool("mine", "terminal", {}, lambda a: "")
            ctx.register_command("new", lambda text: "")
            ctx.register_command("own", lambda text: "")
        """,
    )
    manager = plugin_home.manager()
    if host_first:
        manager.host = Host()
    manager.discover_and_load()
    manager.host = Host()
    assert list(manager.registrations.tools) == ["mine"]
    assert list(manager.registrations.commands) == ["own"]
    assert "the host has a tool of that name" in caplog.text


def test_a_command_of_two_plugins_goes_to_the_later_and_that_is_logged(plugin_home, caplog):
    for name in ("a", "b"):
        plugin_home.plugin(name, "def register(ctx): ctx.register_command('c', lambda text: '')\n")
    assert plugin_home.loaded().registrations.commands["c"].plugin == "b"
    assert "its /c replaces plugin 'a'" in caplog.text


def test_middleware_and_restorers_come_in_calling_order_whatever_the_order_of_loading(plugin_home):
    for name in ("a", "b", "c"):
        code = "def register(ctx):\n    ctx.register_middleware('tool_request', f)\n    ctx.register_restorer(f)\n"
        plugin_home.plugin(name, "def f(**kw): ...\n" + code)
    manager = plugin_home.loaded()
    manager.reload("a")
    assert [plugin for plugin, _ in manager.registrations.middleware("tool_request")] == ["a", "b", "c"]
    assert [plugin for plugin, _ in manager.registrations.restorers] == ["a", "b", "c"]


def test_views_are_snapshots(plugin_home):
    plugin_home.plugin("a", TOOL.format(name="t", toolset="x", override=False))
    manager = plugin_home.loaded()
    tools = manager.registrations.tools
    manager.unload("a")
    assert list(tools) == ["t"]
    assert manager.registrations.tools == {}
