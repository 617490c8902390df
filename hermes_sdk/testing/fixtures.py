"""The fixtures. Each test has a home and a manager of its own; nothing outside of it is read or written."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    from hermes_sdk.host.player import SessionResult
    from hermes_sdk.host.session_script import SessionScript
    from hermes_sdk.plugins.loaded import LoadedPlugin
    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.testing.clock import Clock
    from hermes_sdk.testing.desk import GatewayDesk
    from hermes_sdk.testing.fired import Fired
    from hermes_sdk.trace.replaying import ReplayReport

_CLEANED: Final = ("HERMES_", "OPENAI_")
"""Beginnings of environment variables that a test does not inherit."""


@pytest.fixture
def hermes_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home that is the active one; no variable of Hermes or of a model provider is inherited."""
    import os

    for name in list(os.environ):
        if name.startswith(_CLEANED):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("hermes-home")
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


@pytest.fixture
def hermes_config(hermes_home: Path) -> Callable[[Mapping[str, Any]], None]:
    """A function that merges a mapping into the home's config.yaml; what loads later sees it."""
    path = hermes_home / "config.yaml"

    def write(sections: Mapping[str, Any]) -> None:
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        path.write_text(json.dumps(_merged(known, sections), indent=2), "utf-8")  # JSON is YAML

    return write


def _merged(known: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return two mappings as one, nested mappings too; lists and values of the second one replace (Any: as in YAML)."""
    merged = dict(known)
    for key, value in more.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


@pytest.fixture
def manager(hermes_home: Path) -> Iterator[PluginManager]:
    """A real manager that finds nothing by itself: load or register what you test.

    Tracing is on: an outcome's steps name every implementation that was called.
    """
    from hermes_sdk.plugins.manager import PluginManager

    made = PluginManager(hermes_home, builtin_dir=hermes_home / "no-built-in-plugins", entry_points=False)
    made.discover_and_load()
    made.tracing = True
    yield made
    made.shutdown()


@pytest.fixture
def load_plugin(
    manager: PluginManager, hermes_config: Callable[[Mapping[str, Any]], None]
) -> Callable[..., LoadedPlugin]:
    """A function that loads a plugin: a directory, a module or the name of one (``package.module:register``).

    ``settings`` are those of ``plugins.entries.<name>``. A plugin of that name that is loaded makes way.
    """

    def load(
        plugin: Path | str | ModuleType, *, settings: Mapping[str, Any] | None = None, name: str | None = None
    ) -> LoadedPlugin:
        from types import ModuleType

        target = plugin.__name__ if isinstance(plugin, ModuleType) else str(plugin)
        is_directory = isinstance(plugin, Path) or Path(target).is_dir()
        key = name or (_name_of(Path(target)) if is_directory else target.partition(":")[0].rpartition(".")[2])
        if settings is not None:
            hermes_config({"plugins": {"entries": {key: dict(settings)}}})
            manager.discover_and_load(force=True)
        return manager.load_plugin(Path(target)) if is_directory else manager.load_module(target, key)

    return load


def _name_of(directory: Path) -> str:
    from hermes_sdk.plugins.discovery import directory_candidate

    candidate = directory_candidate(directory)
    return directory.name if candidate is None else candidate.key


@pytest.fixture
def fire(manager: PluginManager) -> Callable[..., Fired]:
    """A function that fires a hook with a realistic payload; what you name replaces parts of it."""

    def fire(hook: str, /, **overrides: Any) -> Fired:
        from hermes_hookspecs.contract import HOOKS
        from hermes_sdk.errors import PluginError, did_you_mean
        from hermes_sdk.testing.fired import Fired

        contract = HOOKS.get(hook)
        if contract is None:
            raise PluginError(f"there is no hook {hook!r}", fix=did_you_mean(hook, HOOKS), code="HS212")
        for name in overrides:
            if name not in contract.argument_names:
                hint = did_you_mean(name, contract.argument_names)
                raise PluginError(f"{hook} does not send {name!r}", fix=hint, code="HS212")
        return Fired(hook, getattr(manager.hook, hook)(**contract.sample(**overrides)))

    return fire


@pytest.fixture
def run_session(manager: PluginManager, tmp_path: Path) -> Callable[..., SessionResult]:
    """A function that plays a session under the loaded plugins: a file, its text as YAML, or a SessionScript."""

    def run(script: SessionScript | Path | str, **options: Any) -> SessionResult:
        from hermes_sdk.host.player import play
        from hermes_sdk.host.session_file import load_session

        if isinstance(script, str) and "\n" in script:
            import textwrap

            file = tmp_path / "session.yaml"
            file.write_text(textwrap.dedent(script), "utf-8")
            script = file
        loaded = load_session(script) if isinstance(script, Path | str) else script
        return play(manager, loaded, **options)

    return run


@pytest.fixture
def replay(manager: PluginManager) -> Callable[[Path | str], ReplayReport]:
    """A function that replays a recording at the loaded plugins; what it returns is true when nothing differs."""

    def fire(recording: Path | str) -> ReplayReport:
        from hermes_sdk.trace.recording import read_recording
        from hermes_sdk.trace.replaying import replay as replay_recording

        return replay_recording(read_recording(Path(recording)), manager)

    return fire


@pytest.fixture
def shell_hook(
    manager: PluginManager, hermes_home: Path, hermes_config: Callable[[Mapping[str, Any]], None]
) -> Callable[..., str]:
    """A function that brings a script into force for an event, approved: its path, or its text."""
    entries: dict[str, list[dict[str, Any]]] = {}

    def add(event: str, script: Path | str, **entry: Any) -> str:
        import os

        from hermes_sdk.shell_hooks.register import register_from_config

        path = Path(script) if isinstance(script, Path) or "\n" not in script else None
        if path is None:
            text = str(script)
            path = hermes_home / "agent-hooks" / f"{event}-{sum(map(len, entries.values())) + 1}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}", "utf-8")
            path.chmod(0o755)
        word = shlex.quote(str(path.absolute()))
        command = word if os.access(path, os.X_OK) else f"sh {word}"
        entries.setdefault(event, []).append({"command": command, **entry})
        hermes_config({"hooks": entries})
        manager.discover_and_load(force=True)
        register_from_config(manager=manager, accept_hooks=True)
        return command

    return add


@pytest.fixture
def gateway(manager: PluginManager, tmp_path: Path) -> Iterator[GatewayDesk]:
    """A real gateway with one chat platform that lives in the test; it starts with the first message."""
    from hermes_sdk.testing.desk import GatewayDesk

    desk = GatewayDesk(manager, tmp_path)
    yield desk
    desk.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that the test moves: ``time.time()`` reads it, ``time.monotonic()`` and sleeping do not."""
    import time

    from hermes_sdk.testing.clock import Clock

    made = Clock()
    monkeypatch.setattr(time, "time", made)
    return made
