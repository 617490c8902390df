"""Built-in plugins: importable as packages for tests of their parts, and loaded by a real manager."""

import re
import sys
from pathlib import Path

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager

FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUILTIN = Path(__file__).resolve().parents[2] / "builtin_plugins"
sys.path += [str(BUILTIN), str(Path(__file__).parent)]  # for the plugins, and for the modules beside this one


@pytest.fixture
def load(tmp_path):
    """Return a function that loads built-in plugins and gives the manager.

    Keywords are entries of config.yaml; `configured` takes the home's own file instead.
    """
    managers = []

    def load(*names, configured=False, **entries):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        config = {"plugins": {"enabled": [f"builtin:{name}" for name in names], "entries": entries}}
        config = None if configured else config
        manager = PluginManager(home, config=config, builtin_dir=BUILTIN, entry_points=False)
        managers.append(manager)
        manager.discover_and_load()
        return manager

    yield load
    for manager in managers:
        manager.shutdown()


@pytest.fixture
def fire():
    """Return a function that calls a hook with the contract's sample payload, partly overridden."""

    def fire(manager, hook, **overrides):
        return getattr(manager.hook, hook)(**HOOKS[hook].sample(**overrides))

    return fire


@pytest.fixture
def builtin_plugins():
    """Return the directory of the built-in plugins."""
    return BUILTIN


@pytest.fixture
def blocks(builtin_plugins):
    """Return a function that gives the fenced blocks of a plugin's README."""

    def blocks(name):
        return FENCE.findall((builtin_plugins / name / "README.md").read_text(encoding="utf-8"))

    return blocks


@pytest.fixture
def configure(blocks, tmp_path):
    """Return a function that gives the home the config.yaml that a plugin's README shows; `number` from 0."""

    def configure(name, number=0):
        shown = [block for block in blocks(name) if block.startswith(("plugins:", "# ~/.hermes/config.yaml"))]
        (tmp_path / "home").mkdir(exist_ok=True)
        (tmp_path / "home" / "config.yaml").write_text(shown[number], encoding="utf-8")

    return configure
