"""The life of a `PluginManager`: loading, reloading, unloading, several homes, strict mode, rows."""

import json
import logging
import subprocess
import sys
import threading

import pluggy
import pytest

from hermes_sdk.errors import PluginError, StrictError
from hermes_sdk.plugins.manager import PluginManager

COUNTER = """
rows = []
def hook(tool_name, **kw):
    rows.append(tool_name)
def register(ctx):
    ctx.register_hook("post_tool_call", hook)
"""
FIRE = {"tool_name": "t", "args": {}, "result": "", "duration_ms": 1}


def test_it_is_a_pluggy_manager(plugin_home):
    plugin_home.plugin("a", COUNTER)
    manager = plugin_home.loaded()
    assert isinstance(manager, pluggy.PluginManager)
    assert [name for name, _ in manager.list_name_plugin()] == ["a"]
    assert manager.get_plugin("a").module is manager.plugins["a"].module


def test_a_second_call_does_nothing_and_force_does_everything_again(plugin_home):
    plugin_home.plugin("a", COUNTER)
    manager = plugin_home.loaded()
    module = manager.plugins["a"].module
    manager.discover_and_load()
    assert manager.plugins["a"].module is module
    plugin_home.plugin("b", COUNTER)
    manager.discover_and_load(force=True)
    assert list(manager.plugins) == ["a", "b"]
    assert manager.plugins["a"].module is not module
    manager.hook.post_tool_call(**FIRE)
    assert (module.rows, manager.plugins["a"].module.rows) == ([], ["t"])


def test_plugins_that_a_host_registered_itself_survive_a_forced_load(plugin_home):
    from hermes_sdk import hookimpl

    rows = []

    class Own:
        @hookimpl
        def post_tool_call(self, tool_name):
            rows.append(tool_name)

    plugin_home.plugin("a", COUNTER)
    manager = plugin_home.loaded()
    manager.register(Own(), "own")
    manager.discover_and_load(force=True)
    manager.hook.post_tool_call(**FIRE)
    assert rows == ["t"]


def test_changed_code_of_the_same_size_is_loaded_within_the_same_second(plugin_home):
    for version in ("1", "2", "3"):
        plugin_home.plugin(
            "a", f"from .part import part\nmain = {version}\ndef register(ctx): ...\n", part=f"part = {version}\n"
        )
        if version == "1":
            manager = plugin_home.loaded()
        elif version == "2":
            manager.reload("a")
        else:
            manager.discover_and_load(force=True)
        module = manager.plugins["a"].module
        assert (module.main, module.part) == (int(version), int(version))


def test_reload_reads_manifest_and_configuration_again(plugin_home):
    plugin_home.plugin("a", COUNTER, "version: 1\n")
    manager = plugin_home.loaded()
    plugin_home.plugin("a", COUNTER, "version: 2\n")
    plugin_home.config("plugins: {entries: {a: {timeout: 3}}}\n")
    assert manager.reload("A").manifest.version == "2"
    assert manager.policy("a").timeout == 3


def test_a_plugin_that_fails_to_reload_is_out_and_says_why(plugin_home, row_of):
    plugin_home.plugin("a", COUNTER)
    manager = plugin_home.loaded()
    plugin_home.plugin("a", "1 / 0\n")
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        manager.reload("a")
    assert row_of(manager, "a")["status"] == "failed"
    assert manager.calling_order("post_tool_call") == []
    plugin_home.plugin("a", COUNTER)
    manager.load_plugin("a")
    assert row_of(manager, "a")["status"] == "loaded"


def test_a_plugin_that_was_disabled_or_removed_cannot_be_reloaded(plugin_home, row_of):
    directory = plugin_home.plugin("a", COUNTER)
    manager = plugin_home.loaded()
    plugin_home.config("plugins: {disabled: [a]}\n")
    with pytest.raises(PluginError, match="disabled"):
        manager.reload("a")
    assert row_of(manager, "a")["status"] == "disabled"
    plugin_home.config("")
    manager.discover_and_load(force=True)
    directory.rename(directory.parent / ".gone")
    with pytest.raises(PluginError, match="is gone"):
        manager.reload("a")
    assert manager.list_plugins() == []


def test_a_directory_can_be_loaded_from_anywhere_and_shadows_an_installed_plugin(plugin_home, tmp_path, row_of):
    plugin_home.plugin("a", COUNTER)
    directory = plugin_home.plugin("a", COUNTER, "version: 9\n", root=tmp_path / "work")
    manager = plugin_home.loaded()
    assert manager.load_plugin(directory).manifest.version == "9"
    manager.hook.post_tool_call(**FIRE)
    assert manager.plugins["a"].module.rows == ["t"]
    assert [(row["source"], row["status"]) for row in manager.list_plugins()] == [
        ("direct", "loaded"),
        ("user", "shadowed"),
    ]
    manager.discover_and_load(force=True)
    assert manager.plugins["a"].source == "direct", "a forced load keeps it"
    assert manager.reload("a").source == "direct"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "neither plugin.yaml nor __init__.py"),
        ({"__init__.py": ""}, "add a plugin.yaml"),
        ({"plugin.yaml": "name: [\n", "__init__.py": ""}, "broken manifest"),
        ({"plugin.yaml": ""}, "no such file"),
        ({"plugin.yaml": "", "__init__.py": "1 / 0\n"}, "ZeroDivisionError"),
        ({"plugin.yaml": "name: off\n", "__init__.py": ""}, "HS103"),
        ({"plugin.yaml": "name: a\n", "__init__.py": ""}, "disabled"),
        ({"src/guard/plugin.yaml": "name: guard\n"}, "did you mean '{}/src/guard'?"),
    ],
)
def test_a_directory_that_cannot_be_loaded_is_explained(plugin_home, tmp_path, files, why):
    directory = tmp_path / "work"
    directory.mkdir()
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    plugin_home.config("plugins: {disabled: [a]}\n")
    with pytest.raises(PluginError) as caught:
        plugin_home.loaded().load_plugin(directory)
    assert why.format(directory) in str(caught.value)
    with pytest.raises(PluginError, match="no such directory"):
        plugin_home.loaded().load_plugin(tmp_path / "absent")


def test_a_plugin_that_is_not_enabled_can_be_asked_for_by_name(plugin_home):
    plugin_home.plugin("redaction", COUNTER, root=plugin_home.builtin)
    plugin_home.plugin("zz", COUNTER)
    manager = plugin_home.loaded()
    manager.load_plugin("redaction")
    assert list(manager.plugins) == ["redaction", "zz"], "at its place in the calling order"
    assert [plugin for plugin, _, _ in manager.calling_order("post_tool_call")] == ["redaction", "zz"]
    with pytest.raises(PluginError, match="did you mean 'redaction'"):
        manager.load_plugin("redacton")


def test_two_homes_in_one_process_share_nothing(plugin_home, another_home):
    for home in (plugin_home, another_home):
        home.plugin("a", COUNTER, part="shared = []\n")
    first, second = plugin_home.loaded(), another_home.loaded()
    modules = [manager.plugins["a"].module for manager in (first, second)]
    assert modules[0].__name__ != modules[1].__name__
    first.hook.post_tool_call(**FIRE)
    assert [module.rows for module in modules] == [["t"], []]
    first.shutdown()
    second.hook.post_tool_call(**FIRE)
    assert modules[1].rows == ["t"]


def test_two_managers_of_one_home_do_not_disturb_each_other(plugin_home):
    plugin_home.plugin("a", COUNTER)
    first, second = plugin_home.loaded(), plugin_home.loaded()
    first.hook.post_tool_call(**FIRE)
    assert [len(manager.plugins["a"].module.rows) for manager in (first, second)] == [1, 0]
    second.shutdown()
    assert first.plugins["a"].module.__name__ in sys.modules


def test_the_first_home_of_a_process_has_upstream_s_module_names(plugin_home, another_home):
    for home in (plugin_home, another_home):
        home.plugin("tts/my-voice")
    code = (
        "import sys\nfrom hermes_sdk.plugins.manager import PluginManager\n"
        "for home in sys.argv[1:]:\n"
        "    manager = PluginManager(home, entry_points=False)\n"
        "    manager.discover_and_load()\n"
        "    print(manager.plugins['tts/my-voice'].module.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(plugin_home.path), str(another_home.path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    first, second = done.stdout.split()
    assert first == "hermes_plugins.tts__my_voice"
    assert second.startswith("hermes_plugins.tts__my_voice__")
    assert len(second) == len(first) + 10


def test_a_pip_installed_plugin_has_one_module_and_registers_once_a_home(plugin_home, another_home, installed, row_of):
    installed("dist", "1", {"pip_plugin": "homes = []\ndef register(ctx): homes.append(ctx.paths.home)\n"},
              {"hermes_agent.plugins": {"pip": "pip_plugin"}})  # fmt: skip
    managers = []
    for home in (plugin_home, another_home):
        home.config("plugins: {enabled: [pip]}\n")
        managers.append(home.loaded(entry_points=True))
    modules = {manager.plugins["pip"].module for manager in managers}
    assert len(modules) == 1
    assert modules.pop().homes == [plugin_home.path, another_home.path]
    assert row_of(managers[1], "pip")["shared_module"] is True


def test_shutdown_ends_everything_and_may_be_repeated(plugin_home):
    plugin_home.plugin("a", "async def hook(**kw): ...\ndef register(ctx): ctx.register_hook('post_tool_call', hook)\n")
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(**FIRE)
    manager.shutdown()
    manager.shutdown()
    assert (manager.plugins, manager.closed) == ({}, True)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("hermes-sdk")] == []
    assert [name for name in sys.modules if name.startswith("hermes_plugins.a")] == []


def test_strict_mode_names_everything_that_is_not_in_order(plugin_home):
    plugin_home.plugin("bad", "1 / 0\n", "version: 4.2\nfail_closed: true\n")
    plugin_home.plugin("odd", "def register(ctx): ctx.register_hook('post_tool_call', lambda params: 0)\n")
    plugin_home.plugin("broken", manifest="name: [\n")
    plugin_home.plugin("fine", COUNTER)
    plugin_home.config("plugins: {enabeld: [], disabled: [nobody]}\n")
    manager = plugin_home.manager(strict=True)
    with pytest.raises(StrictError) as caught:
        manager.discover_and_load()
    for part in (
        "'bad'",
        "4.2",
        "ZeroDivisionError",
        "'odd'",
        "params",
        "'broken'",
        "enabeld",
        "nobody",
        "not in force",
    ):
        assert part in str(caught.value)
    assert "fine" not in str(caught.value)
    assert manager.plugins == {}


def test_strict_mode_can_come_from_the_configuration_and_is_content_with_a_sound_home(plugin_home):
    plugin_home.plugin("fine", COUNTER)
    plugin_home.plugin("irc", manifest="kind: platform\n")
    plugin_home.config("plugins: {strict: true}\n")
    manager = plugin_home.loaded()
    assert list(manager.plugins) == ["fine"]
    plugin_home.plugin("bad", "1 / 0\n")
    with pytest.raises(StrictError):
        manager.discover_and_load(force=True)


def test_rows_say_what_a_plugin_is_and_does(plugin_home, row_of):
    plugin_home.plugin(
        "full",
        """
        def register(ctx):
            ctx.register_hook("post_tool_call", lambda tool_name, **kw: 1 / 0)
            ctx.register_hook("on_session_end", lambda **kw: None)
            ctx.register_tool("t", "set", {}, lambda args: "")
            ctx.register_command("c", lambda text: "")
            ctx.register_cli_command("cli", "help", lambda parser: None)
            ctx.register_skill("s", __file__)
            ctx.register_middleware("tool_request", lambda **kw: None)
            ctx.register_middleware("tool_request", lambda **kw: None)
        """,
        "version: 1.0\ndescription: does it all\nauthor: me\nhomepage: x\n",
    )
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(**FIRE)
    row = row_of(manager, "full")
    assert (row["hooks"], row["tools"], row["commands"]) == (["post_tool_call", "on_session_end"], ["t"], ["c"])
    assert (row["cli_commands"], row["skills"], row["middleware"]) == (["cli"], ["full:s"], ["tool_request"])
    assert (row["version"], row["description"], row["author"]) == ("1.0", "does it all", "me")
    assert (row["status"], row["enabled"], row["order"], row["path"]) == (
        "loaded", True, 1, str(plugin_home.path / "plugins" / "full"),
    )  # fmt: skip
    assert row["failures"] == 1
    assert "ZeroDivisionError" in row["last_failure"]
    assert "unknown key" in row["problems"][0]
    json.dumps(manager.list_plugins())


def test_a_configuration_can_be_given_instead_of_read(plugin_home):
    plugin_home.plugin("a", COUNTER)
    plugin_home.config("plugins: {disabled: [a]}\n")
    assert list(plugin_home.loaded(config={}).plugins) == ["a"]
    assert list(plugin_home.loaded(config={"plugins": {"enabled": []}}).plugins) == []


def test_the_home_is_the_active_one_by_default(plugin_home, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(plugin_home.path))
    assert PluginManager().home == plugin_home.path


def test_debug_explains_discovery_on_stderr(plugin_home):
    plugin_home.plugin("a", COUNTER)
    plugin_home.plugin("b", "1 / 0\n")
    code = f"from hermes_sdk import PluginManager\nPluginManager({str(plugin_home.path)!r}).discover_and_load()\n"
    quiet, loud = (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"HERMES_PLUGINS_DEBUG": flag}
        ).stderr
        for flag in ("", "1")
    )
    for part in ("user plugins in", "project plugins are off", "plugin 'a' is loaded: hooks post_tool_call"):
        assert part in loud
        assert part not in quiet
    assert "ZeroDivisionError" in loud


def test_problems_of_the_configuration_are_logged_once(plugin_home, caplog):
    plugin_home.config("plugins: {enabeld: []}\n")
    with caplog.at_level(logging.WARNING):
        manager = plugin_home.loaded()
        manager.list_plugins()
    assert caplog.text.count("enabeld") == 1
    assert [problem.key for problem in manager.problems] == ["plugins.enabeld"]
