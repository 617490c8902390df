"""Modules of hermes-agent that existing plugins import are there where hermes-agent is not, and real."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hermes_sdk.errors import ConfigError, PluginError

ROOT = Path(__file__).resolve().parents[2]
USER = """
import hermes_cli
from agent.redact import redact_sensitive_text
from agent.usage_pricing import CanonicalUsage, estimate_usage_cost, resolve_billing_route
from hermes_cli import config, plugins, profiles
from gateway.run import _resolve_gateway_model, _resolve_runtime_agent_kwargs
from hermes_constants import display_hermes_home, get_default_hermes_root, get_hermes_dir, get_hermes_home
from run_agent import AIAgent
from tools.registry import registry, tool_error, tool_result

def echo(args, **kwargs):
    return tool_result(args)

registry.register(name="early", toolset="mine", schema={"name": "early"}, handler=echo)

def register(ctx):
    ctx.register_hook("pre_tool_call", judge)

def judge(tool_name, args, **kwargs):
    if tool_name == "danger":
        return {"action": "block", "message": "no"}
    if tool_name == "deploy":
        return {"action": "approve", "message": "ask"}
    args["seen"] = True
"""


@pytest.fixture
def user(plugin_home, monkeypatch):
    """The module of a plugin that imports every offered module, loaded by a manager of the active home."""
    monkeypatch.setenv("HERMES_HOME", str(plugin_home.path))
    plugin_home.plugin("user", USER)
    plugin_home.config("plugins: {enabled: [user], user: {depth: 2}}\n")
    return plugin_home.loaded().plugins["user"].module


def test_paths_are_those_of_the_active_home(user, plugin_home, monkeypatch, tmp_path):
    home = plugin_home.path
    assert user.get_hermes_home() == user.config.get_hermes_home() == home
    assert user.config.get_config_path() == home / "config.yaml"
    assert user.config.get_env_path() == home / ".env"
    assert user.get_hermes_dir("cache/images", "image_cache") == home / "cache" / "images"
    (home / "image_cache").mkdir()
    assert user.get_hermes_dir("cache/images", "image_cache") == home / "cache" / "images", "an empty one is not in use"
    (home / "image_cache" / "a.png").touch()
    assert user.get_hermes_dir("cache/images", "image_cache") == home / "image_cache"
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "profiles" / "work"))
    assert user.get_default_hermes_root() == tmp_path
    assert user.profiles.get_active_profile_name() == "work"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user.display_hermes_home() == "~/profiles/work"


def test_configuration_is_read_and_written(user, plugin_home):
    config = user.config.load_config()
    assert user.config.cfg_get(config, "plugins", "user", "depth") == 2
    assert user.config.cfg_get(config, "plugins", "user", "depth", "deeper", default="none") == "none"
    assert user.config.cfg_get(None, "plugins", default=1) == 1

    config["plugins"]["user"]["depth"] = 3
    user.config.save_config(config, strip_defaults=True)
    written = yaml.safe_load((plugin_home.path / "config.yaml").read_text())
    assert written == {"plugins": {"enabled": ["user"], "user": {"depth": 3}}}

    plugin_home.config("plugins: [broken\n")
    assert user.config.load_config() == {}
    with pytest.raises(ConfigError, match="not overwritten") as raised:
        user.config.save_config({"plugins": {}})
    assert raised.value.code == "HS109"


def test_variables_come_from_the_environment_and_then_from_the_dotenv_file(user, plugin_home, monkeypatch):
    (plugin_home.path / ".env").write_text("A_KEY=file\nB_KEY=file\n")
    monkeypatch.setenv("A_KEY", "environment")
    assert [user.config.get_env_value(name) for name in ("A_KEY", "B_KEY", "C_KEY")] == ["environment", "file", None]


def test_secrets_are_masked_unless_the_user_does_not_want_that(user, plugin_home):
    text = "export GITHUB_TOKEN=ghp_0123456789012345678901234567890123456789"
    assert user.redact_sensitive_text(text) == "export GITHUB_TOKEN=[REDACTED]"
    assert user.redact_sensitive_text(None) is None
    plugin_home.config("security: {redact_secrets: false}\n")
    assert user.redact_sensitive_text(text, code_file=True) == text
    assert "ghp_" not in user.redact_sensitive_text(text, force=True, redact_url_credentials=True)


def test_prices_are_honestly_unknown(user):
    usage = user.CanonicalUsage(input_tokens=10, cache_read_tokens=5, output_tokens=1)
    assert (usage.prompt_tokens, usage.total_tokens) == (15, 16)
    cost = user.estimate_usage_cost("anthropic/claude-sonnet-4.6", usage, provider="anthropic", base_url=None)
    assert (cost.amount_usd, cost.status) == (None, "unknown")
    assert user.resolve_billing_route("anthropic/claude-sonnet-4.6").provider == "anthropic"
    assert user.resolve_billing_route("gpt", provider=None).provider == "unknown"


def test_the_manager_is_the_one_that_loaded_the_plugin(user, plugin_home):
    (manager,) = plugin_home.managers
    plugins = user.plugins
    assert plugins.get_plugin_manager() is manager
    assert plugins.discover_plugins() is manager
    assert {"pre_tool_call", "kanban_task_claimed"} <= plugins.VALID_HOOKS
    assert plugins.has_hook("pre_tool_call")
    assert plugins.invoke_hook("pre_tool_call", tool_name="danger", args={}) == [{"action": "block", "message": "no"}]


def test_a_tool_call_is_judged_as_the_host_would(user):
    args = {}
    assert user.plugins.resolve_pre_tool_block("ls", args, task_id="t", middleware_trace=None) is None
    assert args == {"seen": True}
    assert user.plugins.resolve_pre_tool_block("danger", None) == "no"
    assert user.plugins.resolve_pre_tool_block("deploy", {}) == "blocked: a person has to approve deploy: ask"
    assert user.plugins.get_pre_tool_call_directive("deploy", {}) == ("approve", "ask")
    assert user.plugins.get_pre_tool_call_block_message("deploy", {}) is None
    assert user.plugins.get_pre_tool_call_block_message("danger", {}) == "no"


def test_a_tool_that_is_registered_at_import_belongs_to_the_plugin(user, plugin_home):
    entry = plugin_home.managers[0].registrations.tools["early"]
    assert (entry.plugin, entry.toolset) == ("user", "mine")
    assert entry.handler({"a": 1}) == '{"a": 1}'
    assert user.registry.get_entry("early") is entry
    assert user.registry.get_all_tool_names() == ["early"]
    assert user.registry.get_toolset_for_tool("early") == "mine"
    assert (
        json.loads(user.registry.dispatch("early", {}))["error"] == "the tool 'early' cannot run: no session runs here"
    )
    assert user.tool_error("gone", success=False) == '{"error": "gone", "success": false}'
    with pytest.raises(PluginError, match="nobody owns the tool 'late'") as raised:
        user.registry.register("late", "mine", {}, print)
    assert raised.value.code == "HS244"


def test_agents_are_made_by_a_gateway_only(user, plugin_home):
    for ask in (user._resolve_gateway_model, user._resolve_runtime_agent_kwargs, user.AIAgent):
        with pytest.raises(PluginError, match="no gateway runs in this process") as raised:
            ask()
        assert raised.value.code == "HS245"

    class Gateway:
        def builtin_tools(self):
            return ()

        builtin_commands = builtin_tools

        def model_name(self):
            return "local"

        def converse(self, prompt, **options):
            return f"{prompt} {options}"

    plugin_home.managers[0].host = Gateway()
    assert (user._resolve_gateway_model(), user._resolve_runtime_agent_kwargs()) == ("local", {})
    agent = user.AIAgent(model="local", platform="gateway", quiet_mode=True, max_iterations=20)
    assert agent.run_conversation("go", task_id="t") == {
        "final_response": "go {'max_iterations': 20, 'system_prompt': ''}",
        "completed": True,
        "interrupted": False,
        "model": "local",
    }
    assert user.AIAgent("other").chat("go") == "go {'max_iterations': None, 'system_prompt': ''}"


def test_the_version_says_whose_contract_is_kept_and_by_whom(user):
    assert user.hermes_cli.__version__.startswith("0.19.0+hermes.sdk.")


LOAD = """
import sys, hermes_sdk
manager = hermes_sdk.PluginManager(sys.argv[1], entry_points=False)
manager.discover_and_load()
"""


def in_a_process(tmp_path, code):
    """Run code in a process that can import what is in `site`, and return the words that it prints."""
    command = [sys.executable, "-c", code, str(tmp_path / "home")]
    environ = {"PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout.split()


def test_what_is_installed_wins_and_is_never_completed(tmp_path):
    (tmp_path / "site" / "tools").mkdir(parents=True)
    (tmp_path / "site" / "tools" / "__init__.py").write_text("MINE = 1\n")
    (tmp_path / "site" / "hermes_constants.py").write_text("MINE = 2\n")
    code = """
import hermes_constants, tools
print(tools.MINE, hermes_constants.MINE)
try:
    import tools.registry
except ImportError:
    print("incomplete")
import hermes_cli.config
print(hermes_cli.config.__name__)
"""
    assert in_a_process(tmp_path, LOAD + code) == ["1", "2", "incomplete", "hermes_cli.config"]


def test_nothing_is_offered_before_plugins_are_loaded(tmp_path):
    find = "import importlib.util\nprint(importlib.util.find_spec('hermes_constants') is not None)\n"
    count = "print(sum(type(finder).__name__ == 'UpstreamNames' for finder in sys.meta_path))\n"
    again = "manager.discover_and_load(force=True)\n"
    assert in_a_process(tmp_path, find + LOAD + find + again + count) == ["False", "True", "1"]


def test_the_page_of_names_is_the_generated_one():
    command = [sys.executable, ROOT / "docs" / "generate", "--check", "upstream-names"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
