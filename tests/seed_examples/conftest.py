"""Loads the seed page's plugin examples from a home, as a user would have them there."""

import re
from pathlib import Path

import pytest

from hermes_sdk import PluginManager
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

EXAMPLES = Path(__file__).resolve().parents[1] / "data" / "seed" / "plugins"


@pytest.fixture
def load(tmp_path):
    """Return a function that puts an example into a home of its own and gives (manager, module).

    Keywords replace a constant of the example, `MEMORY_API="http://..."`: the only line that may differ.
    """
    managers = []

    def load(example, **constants):
        home = tmp_path / f"home{len(managers)}"
        directory = home / "plugins" / example
        directory.mkdir(parents=True)
        source = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
        for name, value in constants.items():
            source, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value!r}", source)
            assert count == 1
        (directory / "plugin.yaml").write_text(f"name: {example}\n", encoding="utf-8")
        (directory / "__init__.py").write_text(source, encoding="utf-8")
        manager = PluginManager(home, entry_points=False)
        managers.append(manager)
        manager.discover_and_load()
        assert manager.degraded == {}
        return manager, manager.plugins[example].module

    yield load
    for manager in managers:
        manager.shutdown()


@pytest.fixture
def start(tmp_path):
    """Return a function that starts an agent under a manager; its model plays the steps it is given."""
    workdir = tmp_path / "work"
    workdir.mkdir()
    agents = []

    def start(manager, *steps, children=None, **options):
        model = ScriptedModel(steps, children=children)
        agents.append(Agent(manager, model, workdir=workdir, **options))
        return agents[-1]

    yield start
    for agent in agents:
        agent.close()


@pytest.fixture
def calls():
    """Return a function that makes the step of a model that calls tools: (name, arguments) each."""

    def calls(*wished, **more):
        return ScriptStep(tools=tuple(ScriptedCall(name, args) for name, args in wished), **more)

    return calls
