"""Loading is all or nothing, in every form that a plugin can have."""

import logging
import pickle
import sys
from pathlib import Path

import pytest

from hermes_sdk.errors import PluginError

FIRE = {"tool_name": "t", "args": {}, "result": "", "duration_ms": 1}


def test_module_hookimpls_and_register_both_count_hookimpls_first(plugin_home):
    plugin_home.plugin(
        "both",
        """
        from hermes_sdk import hookimpl
        rows = []
        def register(ctx):
            ctx.register_hook("post_tool_call", lambda **kw: rows.append("ctx"))
        @hookimpl
        def post_tool_call(tool_name):
            rows.append("impl")
        """,
    )
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(**FIRE)
    assert manager.plugins["both"].module.rows == ["impl", "ctx"]
    assert manager.plugins["both"].hooks == ["post_tool_call"]


def test_relative_imports_work_and_nothing_else_in_the_directory_runs(plugin_home):
    plugin_home.plugin(
        "pack",
        "from .part import hook\nfrom . import other\ndef register(ctx): ctx.register_hook('post_tool_call', hook)\n",
        part="def hook(**kw): ...\n",
        other="class Thing: ...\n",
        setup="raise SystemExit('executed')\n",
        conftest="raise SystemExit('executed')\n",
    )
    manager = plugin_home.loaded()
    module = manager.plugins["pack"].module
    assert module.__name__.startswith("hermes_plugins.pack")
    assert sys.modules[f"{module.__name__}.part"].hook is not None
    thing = module.other.Thing()
    assert type(pickle.loads(pickle.dumps(thing))) is type(thing)


FAILING = {
    "raises at import": "raise ImportError('libfoo.so: cannot open')\n",
    "exits at import": "import sys; sys.exit(3)\n",
    "is no Python": "def register(ctx:\n",
    "has null bytes": "x = 1\0\n",
    "raises in register": "def register(ctx): 1 / 0\n",
    "exits in register": "import sys\ndef register(ctx): sys.exit()\n",
    "raises a BaseException": "class Odd(BaseException): ...\ndef register(ctx): raise Odd\n",
    "takes no ctx": "def register(): ...\n",
    "fails while awaited": "async def register(ctx): raise OSError('later')\n",
    "is cancelled while awaited": "import asyncio\nasync def register(ctx): raise asyncio.CancelledError\n",
    "yields": "def register(ctx): yield\n",
    "registers nothing": "x = 1\n",
    "is silent about its error": """
class Mute(Exception):
    def __str__(self): raise RuntimeError('no text either')
def register(ctx): raise Mute
""",
    "breaks the lookup": "def __getattr__(name): raise OSError(name)\n",
    "wants what is not sent": """
from hermes_sdk import hookimpl
@hookimpl
def post_tool_call(params): ...
""",
}


@pytest.mark.parametrize("code", FAILING.values(), ids=FAILING)
def test_a_plugin_that_fails_is_listed_and_the_others_load(plugin_home, row_of, code):
    plugin_home.plugin("a_good", "def register(ctx): ctx.register_hook('post_tool_call', lambda **kw: None)\n")
    plugin_home.plugin("bad", code, "version: 1.2\n")
    plugin_home.plugin("c_good", "async def register(ctx): ctx.register_hook('post_tool_call', lambda **kw: None)\n")
    manager = plugin_home.loaded()
    assert list(manager.plugins) == ["a_good", "c_good"]
    assert [plugin for plugin, _, _ in manager.calling_order("post_tool_call")] == ["a_good", "c_good"]
    bad = row_of(manager, "bad")
    assert bad["status"] in ("failed", "refused")
    assert (bad["version"], bad["enabled"]) == ("1.2", False)
    assert bad["why"]


def test_a_failure_names_error_and_line_once_in_the_log(plugin_home, row_of, caplog):
    directory = plugin_home.plugin("bad", "def register(ctx):\n    raise KeyError('command')\n")
    with caplog.at_level(logging.WARNING):
        manager = plugin_home.loaded()
    assert "KeyError" in row_of(manager, "bad")["why"]
    (record,) = [record for record in caplog.records if "bad" in record.getMessage()]
    assert f"{directory / '__init__.py'}:2" in record.getMessage()
    assert "Traceback" in record.getMessage()


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import sys\n\nsys.exit(3)\n", 3),
        ("import no_such_module_anywhere\n", 1),
        ("x = 1\ndef register(ctx:\n    pass\n", 2),
        ("import json\njson.loads('{')\n", 2),
        ("\nfrom . import part\n", 2),
    ],
)
def test_a_failure_at_import_is_said_to_be_in_the_plugin_s_own_file(plugin_home, code, line):
    directory = plugin_home.plugin("bad", code, part="raise OSError('no cable')\n")
    manager = plugin_home.loaded()
    assert manager.failures["bad"].last.endswith(f"({directory / '__init__.py'}:{line})")


def test_a_failing_entry_point_is_said_to_be_in_its_own_file(plugin_home, installed):
    installed("flaky", "1", {"flaky": "\n1 / 0\n"}, {"hermes_agent.plugins": {"flaky": "flaky"}})
    plugin_home.config("plugins: {enabled: [flaky]}\n")
    manager = plugin_home.loaded(entry_points=True)
    assert manager.failures["flaky"].last.endswith("flaky/__init__.py:2)")


EVERYTHING = """
import atexit
from . import part
from hermes_sdk import hookimpl
gone = []
@hookimpl
def pre_tool_call(tool_name): ...
def register(ctx):
    ctx.register_hook("post_tool_call", lambda **kw: None)
    ctx.register_tool("t", "set", {}, lambda args: "")
    ctx.register_command("c", lambda text: "")
    ctx.register_cli_command("cli", "help", lambda parser: None)
    ctx.register_skill("s", __file__)
    ctx.register_middleware("tool_request", lambda **kw: None)
    ctx.register_restorer(lambda args, **kw: args)
    ctx.register_platform("irc", "IRC", lambda config: None, lambda: True)
    ctx.register_tts_provider(type("P", (), {"name": "loud"})())
    ctx.register_auxiliary_task("job", display_name="Job", description="d")
    ctx.on_unload(lambda: gone.append("first"))
    ctx.on_unload(lambda: gone.append("second"))
    FAIL
"""


def left_behind(manager):
    registrations = manager.registrations
    return [
        *registrations.tools, *registrations.commands, *registrations.cli_commands, *registrations.skills,
        *registrations.platforms, *registrations.providers, *registrations.auxiliary_tasks,
        *registrations.middleware("tool_request"), *registrations.restorers,
        *manager.calling_order("pre_tool_call"), *manager.calling_order("post_tool_call"),
        *[name for name in sys.modules if name.startswith("hermes_plugins.all")],
        *[name for name, _ in manager.list_name_plugin()],
    ]  # fmt: skip


def test_a_plugin_that_fails_at_the_very_end_leaves_nothing_behind(plugin_home):
    plugin_home.plugin("all", EVERYTHING.replace("FAIL", "raise OSError"), part="")
    manager = plugin_home.loaded()
    assert left_behind(manager) == []
    plugin_home.plugin("all", EVERYTHING.replace("FAIL", "pass"), part="")
    manager.discover_and_load(force=True)
    assert len(left_behind(manager)) >= 13, "its name can be used again"


def test_unloading_leaves_nothing_behind_and_runs_on_unload_from_last_to_first(plugin_home):
    plugin_home.plugin("all", EVERYTHING.replace("FAIL", "pass"), part="")
    manager = plugin_home.loaded()
    gone = manager.plugins["all"].module.gone
    manager.unload("all")
    assert gone == ["second", "first"]
    assert left_behind(manager) == []
    with pytest.raises(PluginError, match="HS203"):
        manager.unload("all")


def test_nobody_sees_half_a_plugin(plugin_home):
    plugin_home.plugin(
        "slow",
        """
        def register(ctx):
            ctx.register_tool("t", "set", {}, lambda args: "")
            ctx.register_middleware("tool_request", lambda **kw: None)
            seen.append((dict(ctx._manager.registrations.tools), ctx._manager.registrations.middleware("tool_request")))
        seen = []
        """,
    )
    manager = plugin_home.loaded()
    assert manager.plugins["slow"].module.seen == [({}, [])]
    assert list(manager.registrations.tools) == ["t"]


def test_ctrl_c_while_loading_is_the_user_s_and_leaves_nothing_behind(plugin_home):
    plugin_home.plugin("all", EVERYTHING.replace("FAIL", "raise KeyboardInterrupt"), part="")
    manager = plugin_home.manager()
    with pytest.raises(KeyboardInterrupt):
        manager.discover_and_load()
    assert left_behind(manager) == []


def test_a_register_that_asks_for_discovery_gets_no_deadlock(plugin_home):
    for form in ("def", "async def"):
        plugin_home.plugin(
            form.replace(" ", "_"),
            f"{form} register(ctx):\n    ctx._manager.discover_and_load()\n    ctx._manager.list_plugins()\n",
        )
    assert list(plugin_home.loaded().plugins) == ["async_def", "def"]


ENTRY_POINT = """
from hermes_sdk import hookimpl
def register(ctx):
    ctx.register_hook("post_tool_call", lambda **kw: None)
class Plugin:
    @property
    def db(self):
        raise RuntimeError("connected too early")
    @hookimpl
    def post_tool_call(self, tool_name): ...
class Both(Plugin):
    def register(self, ctx):
        ctx.register_command("both", lambda text: "")
plugin = Plugin()
both = Both()
"""


@pytest.mark.parametrize("target", ["forms", "forms:register", "forms:plugin", "forms:both"])
def test_an_entry_point_names_a_module_a_function_or_an_object(plugin_home, installed, row_of, target):
    installed("forms-dist", "3.1", {"forms": ENTRY_POINT}, {"hermes_agent.plugins": {"forms": target}})
    plugin_home.config("plugins: {enabled: [forms]}\n")
    manager = plugin_home.loaded(entry_points=True)
    row = row_of(manager, "forms")
    assert (row["status"], row["hooks"]) == ("loaded", ["post_tool_call"])
    assert (row["distribution"], row["version"], row["shared_module"]) == ("forms-dist", "3.1", True)
    assert list(manager.registrations.commands) == (["both"] if target.endswith("both") else [])


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("forms:Plugin", "pass an instance: Plugin()"),
        ("forms:absent", "AttributeError"),
        ("forms:number", "neither register(ctx) nor @hookimpl"),
        ("no_such_module", "ModuleNotFoundError"),
        ("forms:sub.deeper", "AttributeError"),
        ("not a module", "refused or failed"),
    ],
)
def test_an_entry_point_that_names_nothing_useful_is_explained(plugin_home, installed, row_of, target, why):
    installed("forms-dist", "3.1", {"forms": ENTRY_POINT + "number = 3\n"}, {"hermes_agent.plugins": {"forms": target}})
    plugin_home.config("plugins: {enabled: [forms]}\n")
    row = row_of(plugin_home.loaded(entry_points=True), "forms")
    assert row["status"] in ("failed", "refused")
    if why != "refused or failed":
        assert why in row["why"]


def test_a_failing_package_is_imported_from_the_beginning_the_next_time(plugin_home, installed, row_of):
    installed(
        "flaky", "1", {"flaky": "from . import part\nraise OSError\n"}, {"hermes_agent.plugins": {"flaky": "flaky"}}
    )
    site = next(path for path in sys.path if path.endswith("/site"))
    Path(site, "flaky", "part.py").write_text("")
    plugin_home.config("plugins: {enabled: [flaky]}\n")
    manager = plugin_home.loaded(entry_points=True)
    assert row_of(manager, "flaky")["status"] == "failed"
    assert [name for name in sys.modules if name.partition(".")[0] == "flaky"] == []


def test_a_name_that_the_host_took_is_not_taken_from_it(plugin_home, row_of):
    class Own: ...

    plugin_home.plugin("mine")
    manager = plugin_home.manager()
    own = Own()
    manager.register(own, "mine")
    manager.discover_and_load()
    assert row_of(manager, "mine")["status"] == "refused"
    assert manager.get_plugin("mine") is own


def test_a_plugin_that_the_host_blocks_is_refused(plugin_home, row_of):
    plugin_home.plugin("mine")
    manager = plugin_home.manager()
    manager.set_blocked("mine")
    manager.discover_and_load()
    assert "blocked by the host" in row_of(manager, "mine")["why"]


def test_missing_environment_variables_are_listed_and_keep_nobody_from_loading(plugin_home, row_of, monkeypatch):
    monkeypatch.delenv("HSDK_TEST_KEY", raising=False)
    plugin_home.plugin("needy", manifest="requires_env: [HSDK_TEST_KEY, {name: HSDK_TEST_OTHER}]\n")
    (plugin_home.path / ".env").write_text("HSDK_TEST_OTHER=x\n")
    row = row_of(plugin_home.loaded(), "needy")
    assert (row["status"], row["needs"], row["why"]) == ("loaded", ["HSDK_TEST_KEY"], "needs HSDK_TEST_KEY")


def test_a_callback_that_cannot_be_called_degrades_its_plugin_and_nothing_else(plugin_home, row_of):
    plugin_home.plugin(
        "odd",
        """
        rows = []
        def register(ctx):
            ctx.register_hook("post_tool_call", lambda params: rows.append("never"))
            ctx.register_hook("post_tool_call", lambda tool_name: rows.append(tool_name))
        """,
    )
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(**FIRE)
    row = row_of(manager, "odd")
    assert row["status"] == "degraded"
    assert "params" in row["why"]
    assert manager.plugins["odd"].module.rows == ["t"]


def test_an_unknown_hook_is_warned_about_with_the_nearest_and_kept(plugin_home, caplog):
    plugin_home.plugin("new", "def register(ctx): ctx.register_hook('post_tool_cal', lambda **kw: 'kept')\n")
    manager = plugin_home.loaded()
    assert "did you mean 'post_tool_call'?" in caplog.text
    assert manager.invoke_hook("post_tool_cal", a=1) == ["kept"]


def test_odd_keys_become_modules_of_their_own(plugin_home):
    for name in ("a b", "a.b", "a_b"):
        plugin_home.plugin(name, f"name = {name!r}\ndef register(ctx): ...\n")
    manager = plugin_home.loaded()
    assert {plugin.module.name for plugin in manager.plugins.values()} == {"a b", "a.b", "a_b"}
    assert len({plugin.module.__name__ for plugin in manager.plugins.values()}) == 3


def test_a_switched_off_hook_is_not_called(plugin_home):
    plugin_home.plugin(
        "p",
        """
        rows = []
        def register(ctx):
            for hook in ("post_tool_call", "on_session_end"):
                ctx.register_hook(hook, lambda hook=hook, **kw: rows.append(hook))
        """,
    )
    plugin_home.config("plugins: {entries: {p: {hooks: {post_tool_call: false}}}}\n")
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(**FIRE)
    manager.hook.on_session_end(session_id="s", completed=True, interrupted=False, model="m", platform="cli")
    assert manager.plugins["p"].module.rows == ["on_session_end"]


def test_settings_of_a_plugin_reach_its_policy(plugin_home):
    plugin_home.plugin("p", manifest="fail_closed: [pre_tool_call]\n", code="""
        def register(ctx): ctx.register_hook("pre_tool_call", lambda **kw: None)
        """)  # fmt: skip
    plugin_home.config(
        """
        plugins:
          hook_callback_timeout: 9
          suspend_seconds: 7.5
          entries: {p: {timeout: 2, rejudge: false}}
        """
    )
    policy = plugin_home.loaded().policy("p")
    assert (policy.source, policy.timeout, policy.default_timeout) == ("user", 2, 9)
    assert (policy.rejudge, policy.suspend_seconds, policy.fail_closed) == (False, 7.5, {"pre_tool_call"})
