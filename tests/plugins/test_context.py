"""`ctx`: upstream's surface with upstream's signatures, and what we add."""

import inspect
import json
import logging

import pytest

from hermes_sdk.errors import PluginError
from hermes_sdk.plugins.context import PluginContext

UPSTREAM = """
register_tool(name, toolset, schema, handler, check_fn=None, requires_env=None, is_async=False, description='', \
emoji='', override=False)
inject_message(content, role='user')
register_cli_command(name, help, setup_fn, handler_fn=None, description='')
register_command(name, handler, description='', args_hint='')
dispatch_tool(tool_name, args, **kwargs)
register_context_engine(engine)
register_image_gen_provider(provider)
register_dashboard_auth_provider(provider)
register_video_gen_provider(provider)
register_web_search_provider(provider)
register_browser_provider(provider)
register_secret_source(source)
register_tts_provider(provider)
register_transcription_provider(provider)
register_platform(name, label, adapter_factory, check_fn, validate_config=None, required_env=None, install_hint='', \
**entry_kwargs)
register_slack_action_handler(action_id, callback)
register_auxiliary_task(key, *, display_name, description, defaults=None)
register_hook(hook_name, callback)
register_middleware(kind, callback)
register_skill(name, path, description='')
"""  # the public methods of hermes-agent 0.19.0's PluginContext, without annotations


@pytest.mark.parametrize("line", UPSTREAM.strip().splitlines(), ids=lambda line: line.partition("(")[0])
def test_every_method_has_upstream_s_signature(line):
    name = line.partition("(")[0]
    signature = inspect.signature(getattr(PluginContext, name))
    parameters = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()][1:]
    plain = signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    assert f"{name}{plain}" == line


@pytest.fixture
def ctx(plugin_home):
    """The context of a loaded plugin named ``mine``."""
    plugin_home.plugin("mine", manifest="name: mine\nversion: 1.2\ndescription: d\nprovides_tools: [t]\n")
    return plugin_home.loaded().plugins["mine"].context


def test_the_properties_are_upstream_s(ctx, plugin_home):
    manifest = ctx.manifest
    assert (manifest.name, manifest.key, manifest.version, manifest.source) == ("mine", "mine", "1.2", "user")
    assert (manifest.path, manifest.kind) == (str(plugin_home.path / "plugins" / "mine"), "standalone")
    assert (manifest.provides_tools, manifest.provides_hooks, manifest.requires_env) == (["t"], [], [])
    assert ctx.profile_name == "custom"


def test_a_member_that_is_not_there_raises_attribute_error(ctx):
    for name in ("config", "options", "plugin_config", "get_config", "register_memory_provider"):
        assert not hasattr(ctx, name)
        assert getattr(ctx, name, None) is None


def test_supports_is_the_polite_question(ctx):
    yes = ("register_hook", "llm", "settings", "background", "hook:pre_tool_call", "arg:pre_tool_call.args")
    no = ("get_config", "_manager", "hook:pre_tool", "arg:pre_tool_call.params", "arg:nothing.args", "hook:", "", "x:y")
    assert [name for name in yes if not ctx.supports(name)] == []
    assert [name for name in no if ctx.supports(name)] == []


def test_paths_are_made_when_they_are_asked_for(ctx, plugin_home):
    assert not (plugin_home.path / "plugin-data").exists()
    assert ctx.paths.data == plugin_home.path / "plugin-data" / "mine"
    assert ctx.paths.data.is_dir()
    assert len({ctx.paths.data, ctx.paths.state, ctx.paths.cache}) == 3
    assert ctx.paths.home == plugin_home.path


@pytest.mark.parametrize("name", ["tts/dots..", "dots"])
def test_no_name_becomes_a_path_out_of_the_directory_for_data(plugin_home, name):
    plugin_home.plugin(name, manifest="name: '..'\n")
    (plugin,) = plugin_home.loaded().plugins.values()
    assert plugin.context.paths.data.resolve().parent == plugin_home.path / "plugin-data"


class Host:
    """A host that notes what it is asked."""

    def __init__(self):
        self.asked = []

    def inject_message(self, content, role="user"):
        self.asked.append((content, role))
        return True

    def dispatch_tool(self, name, args, **options):
        self.asked.append((name, args, options))
        return json.dumps({"ran": name})

    @property
    def llm(self):
        return self

    def complete(self, messages):
        return f"{len(messages)} messages"

    def builtin_tools(self):
        return {"terminal"}

    def builtin_commands(self):
        return {"new"}


def test_without_a_host_a_plugin_is_told_so(ctx, caplog):
    assert ctx.inject_message("hello") is False
    assert "no conversation" in caplog.text
    with pytest.raises(PluginError, match="HS241"):
        ctx.dispatch_tool("terminal", {})
    with pytest.raises(PluginError, match="HS241"):
        ctx.llm.complete([])
    assert hasattr(ctx, "llm")


def test_with_a_host_a_plugin_reaches_it_also_through_what_it_kept(ctx):
    llm = ctx.llm
    ctx._manager.host = host = Host()
    assert ctx.inject_message("hello", role="system") is True
    assert ctx.dispatch_tool("terminal", {"command": "ls"}, parent_agent=None) == '{"ran": "terminal"}'
    assert llm.complete([1, 2]) == "2 messages"
    with pytest.raises(AttributeError):
        llm.no_such_method()
    assert host.asked == [("hello", "system"), ("terminal", {"command": "ls"}, {"parent_agent": None})]


def test_a_hook_registered_later_counts_from_the_next_call(ctx):
    manager, rows = ctx._manager, []
    ctx.register_hook("on_session_end", lambda **kw: rows.append("late"))
    assert manager.plugins["mine"].hooks == ["on_session_end"]
    manager.hook.on_session_end(session_id="s", completed=True, interrupted=False, model="m", platform="cli")
    assert rows == ["late"]


def test_one_function_registered_twice_counts_once(ctx):
    rows = []

    def hook(**kw):
        rows.append(1)

    for _ in range(2):
        ctx.register_hook("on_session_end", hook)
    ctx._manager.hook.on_session_end(session_id="s", completed=True, interrupted=False, model="m", platform="cli")
    assert rows == [1]


@pytest.mark.parametrize(
    "call",
    [
        lambda ctx: ctx.register_hook("pre_tool_call", None),
        lambda ctx: ctx.register_hook(3, print),
        lambda ctx: ctx.register_tool("t", "s", {}, "not callable"),
        lambda ctx: ctx.register_tool(None, "s", {}, print),
        lambda ctx: ctx.register_command("c", None),
        lambda ctx: ctx.register_middleware("tool_request", None),
        lambda ctx: ctx.register_restorer(None),
    ],
)
def test_misuse_is_refused_where_it_happens(ctx, call):
    with pytest.raises(PluginError, match="HS242"):
        call(ctx)


def test_a_tool_is_kept_with_everything_about_it(ctx):
    handler = check = lambda *args, **kw: True
    schema = {"description": "from the schema", "parameters": {}}
    ctx.register_tool("t", "set", schema, handler, check, ["KEY"], True, emoji="!")
    entry = ctx._manager.registrations.tools["t"]
    assert (entry.name, entry.toolset, entry.schema, entry.handler, entry.check_fn) == (
        "t",
        "set",
        schema,
        handler,
        check,
    )
    assert (entry.requires_env, entry.is_async, entry.description) == (("KEY",), True, "from the schema")
    assert (entry.emoji, entry.override, entry.plugin) == ("!", False, "mine")


def test_commands_are_cleaned_and_blank_ones_ignored(ctx, caplog):
    ctx.register_command("/My Command", lambda text: text, args_hint=" <x> ")
    ctx.register_command("/", lambda text: text)
    (entry,) = ctx._manager.registrations.commands.values()
    assert (entry.name, entry.description, entry.args_hint) == ("my-command", "Plugin command", "<x>")
    assert "without a name" in caplog.text


def test_skills_are_checked(ctx, tmp_path):
    file = tmp_path / "SKILL.md"
    file.write_text("# skill")
    ctx.register_skill("deep-work", str(file), "d")
    entry = ctx._manager.registrations.skills["mine:deep-work"]
    assert (entry.path, entry.bare_name) == (file, "deep-work")
    for name in ("a:b", "", "ü", None):
        with pytest.raises(ValueError, match="skill"):
            ctx.register_skill(name, file)
    with pytest.raises(FileNotFoundError):
        ctx.register_skill("x", tmp_path / "absent")


def test_auxiliary_tasks_are_checked_and_completed(ctx):
    ctx.register_auxiliary_task("mine_job", display_name="Job", description="d", defaults={"timeout": 5, "own": 1})
    entry = ctx._manager.registrations.auxiliary_tasks["mine_job"]
    assert entry.defaults == {"provider": "auto", "model": "", "base_url": "", "api_key": "", "timeout": 5,
                              "extra_body": {}, "own": 1}  # fmt: skip
    for key in ("", "with blank", "vision", 3):
        with pytest.raises(ValueError, match="mine"):
            ctx.register_auxiliary_task(key, display_name="Job", description="d")


def test_providers_of_every_kind_are_kept_under_kind_and_name(ctx):
    provider = type("Provider", (), {"name": "loud"})()
    for kind in ("image_gen", "video_gen", "web_search", "browser", "tts", "transcription", "dashboard_auth"):
        getattr(ctx, f"register_{kind}_provider")(provider)
    ctx.register_secret_source(provider)
    ctx.register_context_engine(provider)
    ctx.register_slack_action_handler("approve", print)
    for misuse in (("", print), (None, print), ("x", None)):
        with pytest.raises(ValueError, match="Slack"):
            ctx.register_slack_action_handler(*misuse)
    providers = ctx._manager.registrations.providers
    assert providers["tts:loud"].provider is provider
    assert providers["context_engine"].kind == "context_engine"
    assert providers["slack_action:approve"].provider == ("approve", print)
    assert len(providers) == 10


def test_state_belongs_to_a_session_or_call_and_is_bounded(ctx):
    ctx.session_state("s")["n"] = 1
    assert (ctx.session_state("s"), ctx.session_state("other")) == ({"n": 1}, {})
    ctx.call_state("c")["n"] = 2
    assert ctx.call_state("c") == {"n": 2}
    for number in range(1_100):
        ctx.session_state("s")
        ctx.session_state(f"session-{number}")
    assert ctx.session_state("s") == {"n": 1}, "the one in use stays"
    assert len(ctx._sessions._states) == 1_000


def test_on_unload_may_be_asynchronous_and_may_fail(plugin_home, caplog):
    plugin_home.plugin(
        "mine",
        """
        gone = []
        async def later():
            gone.append("async")
        def register(ctx):
            ctx.on_unload(later)
            ctx.on_unload(lambda: 1 / 0)
            ctx.on_unload(lambda: gone.append("sync"))
        """,
    )
    manager = plugin_home.loaded()
    gone = manager.plugins["mine"].module.gone
    with caplog.at_level(logging.WARNING):
        manager.shutdown()
    assert gone == ["sync", "async"]
    assert "ZeroDivisionError" in caplog.text


def test_a_plugin_that_looks_on_sees_every_implementation_while_it_is_loaded(plugin_home):
    plugin_home.plugin(
        "mine",
        """
        from hermes_hookspecs import hookimpl
        seen = []
        @hookimpl(wrapper=True)
        def on_session_start():
            outcome = yield
            seen.extend((step.plugin, step.what, step.duration_ms >= 0) for step in outcome.steps)
        def register(ctx):
            ctx.trace_hooks()
        """,
    )
    plugin_home.plugin("other", "def register(ctx): ctx.register_hook('on_session_start', lambda **_: None)")
    manager = plugin_home.loaded()
    manager.hook.on_session_start(session_id="s", model="m", platform="cli")
    assert manager.plugins["mine"].module.seen == [("other", "observed", True)]
    manager.unload("mine")
    assert manager.tracing is False
