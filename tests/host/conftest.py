"""Sessions under real managers: plugins come from directories, models from scripts, commands really run."""

import textwrap
from dataclasses import dataclass, field

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.events import EventLog
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.plugins.manager import PluginManager


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def manager(home):
    """A manager without any plugin but those that a test loads."""
    manager = PluginManager(home, config={}, entry_points=False)
    yield manager
    manager.shutdown()


@pytest.fixture
def load(manager, tmp_path):
    """Return a function that loads a directory plugin from the source of its `__init__.py`."""

    def load(source, name="probe"):
        directory = tmp_path / "given" / name
        directory.mkdir(parents=True)
        (directory / "plugin.yaml").write_text(f"name: {name}\nversion: '1'\n")
        (directory / "__init__.py").write_text(textwrap.dedent(source))
        return manager.load_plugin(directory)

    return load


@pytest.fixture
def watch(manager):
    """Return a function that registers callbacks by hook name as one plugin."""

    def watch(name="watcher", /, **callbacks):
        holder = PluginHolder(name)
        for hook, callback in callbacks.items():
            holder.add_callback(hook, callback)
        manager.register(holder, name)

    return watch


@dataclass
class Ledger:
    """Every hook call of a session with its payload, in order."""

    rows: list = field(default_factory=list)

    def names(self, *only):
        return [hook for hook, _ in self.rows if not only or hook in only]

    def payloads(self, hook):
        return [payload for name, payload in self.rows if name == hook]


@pytest.fixture
def ledger(watch):
    """A plugin that writes down every hook call."""
    ledger = Ledger()

    def noting(hook):
        return lambda **payload: ledger.rows.append((hook, payload))

    watch("ledger", **{hook: noting(hook) for hook in HOOKS})
    return ledger


@pytest.fixture
def events():
    return EventLog()


@pytest.fixture
def workdir(tmp_path):
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
def start(manager, workdir, events):
    """Return a function that gives an agent whose model plays steps."""
    agents = []

    def start(*steps, model=None, children=None, **options):
        model = model or ScriptedModel(steps, children=children)
        agents.append(Agent(manager, model, workdir=workdir, listener=events, **options))
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


@pytest.fixture
def say():
    """Return a function that makes the step of a model that answers."""

    def say(text="done", **more):
        return ScriptStep(say=text, **more)

    return say
