"""A plugin that patches the insides of hermes-agent is listed as one that loads but cannot act here, and why."""

import pytest

from hermes_sdk.errors import StrictError

PATCHES = {
    "a module": ("import model_tools\nmodel_tools.handle_function_call = print\n", "model_tools.handle_function_call"),
    "a class": ("from run_agent import AIAgent\nAIAgent.run = print\n", "run_agent.AIAgent.run"),
    "by another name": ("import gateway.run as gw\ngw.GatewayRunner.stop = print\n", "gateway.run.GatewayRunner.stop"),
    "by a variable": ("import run_agent\nc = run_agent.AIAgent\nc.run = print\n", "run_agent.AIAgent.run"),
    "by setattr": ("from tools import approval\nsetattr(approval, 'ask', print)\n", "tools.approval.ask"),
    "computed": ("import toolsets\nfor name in ('a', 'b'): setattr(toolsets, name, 1)\n", "toolsets.(computed)"),
    "deleted": ("import agent.loop\ndel agent.loop.limit\n", "agent.loop.limit"),
    "what is offered": (
        "from tools.registry import registry\nregistry.dispatch = print\n",
        "tools.registry.registry.dispatch",
    ),
}
HARMLESS = {
    "asking": "try:\n    import run_agent\nexcept ImportError:\n    run_agent = None\n",
    "reading": "from hermes_cli.config import load_config\nconfig = load_config()\nconfig['a'] = 1\n",
    "its own module": "from . import tools\ntools.limit = 3\n",
    "somebody else's": "import json\njson.mine = 1\n",
}


def wrapped(code):
    """Return code as a function that runs never: what it would patch is nowhere in the test's environment."""
    return "def patch():\n" + "".join(f"    {line}\n" for line in code.splitlines()) + "def register(ctx): ...\n"


@pytest.mark.parametrize("code", PATCHES)
def test_a_patch_is_reported_with_what_it_is_for(plugin_home, row_of, caplog, code):
    source, name = PATCHES[code]
    plugin_home.plugin("patcher", wrapped(source))
    row = row_of(plugin_home.loaded(), "patcher")

    assert row["status"] == "degraded"
    assert row["why"] == f"loads but cannot act here: it patches {name} of hermes-agent"
    assert f"plugin 'patcher' patches {name}, which is not here" in caplog.text


@pytest.mark.parametrize("code", HARMLESS)
def test_other_uses_are_none(plugin_home, row_of, code):
    plugin_home.plugin("user", wrapped(HARMLESS[code]), tools="")
    assert row_of(plugin_home.loaded(), "user")["status"] == "loaded"


def test_modules_below_count_where_they_are_imported(plugin_home, row_of):
    patch = wrapped(PATCHES["a class"][0])
    plugin_home.plugin("patcher", "from . import patch\ndef register(ctx): ...\n", patch=patch, test_patch=patch)
    plugin_home.plugin("tested", "def register(ctx): ...\n", test_patch=patch)
    manager = plugin_home.loaded()

    assert row_of(manager, "patcher")["status"] == "degraded"
    assert row_of(manager, "tested")["status"] == "loaded"


def test_a_pip_installed_plugin_is_looked_at_as_well(plugin_home, row_of, installed):
    modules = {"patching": "from patching.plugin import register\n", "patching.plugin": wrapped(PATCHES["a class"][0])}
    installed("patching", modules=modules, entry_points={"hermes_agent.plugins": {"patching": "patching"}})
    assert row_of(plugin_home.loaded(entry_points=True), "patching")["status"] == "degraded"


def test_where_the_host_is_installed_a_patch_is_nobodys_business(plugin_home, row_of, installed):
    installed("hermes-agent", modules={"run_agent": "class AIAgent: ...\n"})
    plugin_home.plugin("patcher", wrapped(PATCHES["a class"][0]))
    assert row_of(plugin_home.loaded(), "patcher")["status"] == "loaded"


def test_strict_mode_refuses_it(plugin_home):
    plugin_home.plugin("patcher", wrapped(PATCHES["a class"][0]))
    with pytest.raises(StrictError, match="loads but cannot act here"):
        plugin_home.loaded(strict=True)


def test_it_is_still_reported_after_other_plugins_came(plugin_home, row_of):
    plugin_home.plugin("patcher", wrapped(PATCHES["a class"][0]))
    manager = plugin_home.loaded()
    manager.reload("patcher")
    manager.load_plugin(plugin_home.plugin("other", root=plugin_home.path / "elsewhere"))
    assert row_of(manager, "patcher")["status"] == "degraded"
