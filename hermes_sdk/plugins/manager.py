"""`PluginManager`: finds, loads, calls and unloads the plugins of one home."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config import Config
from hermes_sdk.config.dotenv import environment
from hermes_sdk.dispatch.implementation import CALLBACK
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.errors import PluginError
from hermes_sdk.home import hermes_home, safe_mode
from hermes_sdk.plugins import conflicts, current, upstream_names
from hermes_sdk.plugins.companions import Companions
from hermes_sdk.plugins.discovery import directory_candidate, plugins_inside
from hermes_sdk.plugins.enabling import installed
from hermes_sdk.plugins.explain import explain_if_asked
from hermes_sdk.plugins.gatekeeper import Gatekeeper
from hermes_sdk.plugins.loader import LoadError, discard, load, policy_of
from hermes_sdk.plugins.order import calling_order
from hermes_sdk.plugins.registrations import Registrations
from hermes_sdk.plugins.report import announce, describe_run, gates_off, rows, strict_error
from hermes_sdk.plugins.section import PluginsSection
from hermes_sdk.plugins.selection import Decision, Status, select
from hermes_sdk.plugins.survey import Sources, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hermes_sdk.config import Problem
    from hermes_sdk.plugins.bridge import HostBridge
    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.loaded import LoadedPlugin
    from hermes_sdk.plugins.runfile import RunFile
    from hermes_sdk.plugins.standing import StandingBlock

logger = logging.getLogger(__name__)

_loading: Final[ContextVar[PluginManager | None]] = ContextVar("hermes_loading", default=None)
"""The manager that loads plugins in this context, also on the loop that runs an asynchronous `register`."""

_LOADED: Final = (Status.LOADED, Status.DEGRADED)


class PluginManager(DispatchManager):
    """The plugins of one home. Any number of managers may live in one process; homes share nothing.

    Args:
        home: The home; the active one (``HERMES_HOME``) by default.
        config: Stands in for the home's config.yaml, in the same shape (values of any YAML type).
        strict: Anything that is not in order ends `discover_and_load` with StrictError.
        project_dir: The project whose ``.hermes/plugins`` counts when that is switched on; the working
            directory by default.
        builtin_dir: Where the built-in plugins are; ours by default.
        entry_points: Whether to look for plugins in installed distributions.
    """

    def __init__(
        self,
        home: Path | str | None = None,
        *,
        config: Mapping[str, Any] | None = None,
        strict: bool = False,
        project_dir: Path | None = None,
        builtin_dir: Path | None = None,
        entry_points: bool = True,
    ) -> None:
        super().__init__()
        self.home = hermes_home() if home is None else Path(home).expanduser().absolute()
        self.registrations = Registrations()
        """What plugins registered beside hooks."""
        self.plugins: dict[str, LoadedPlugin] = {}
        """The loaded plugins by key, in calling order."""
        self.decisions: list[Decision] = []
        """What became of every plugin that was found."""
        self.problems: list[Problem] = []
        """What is wrong in config.yaml and around the plugins; each was logged once."""
        self.kinds: set[str] = {"standalone"}
        """Kinds of plugins that load; a host adds those that it has a registrar for."""
        self.section = PluginsSection()
        """``plugins:`` of config.yaml, as it was when plugins were loaded."""
        self.companions = Companions()
        """What floors above keep with this manager, such as shell hooks."""
        self.closed = False
        """Whether `shutdown` was called."""
        self._given = config
        self._strict = strict
        self._sources = Sources(builtin_dir, project_dir, entry_points)
        self._gatekeeper = Gatekeeper(self)
        self._lock = threading.RLock()
        self._discovered = False
        self._directories: list[Path] = []
        self._host: HostBridge | None = None
        self._run_file: RunFile | None = None
        self.config = self._read_config()
        """The home's configuration, as it was when plugins were loaded."""

    def _read_config(self) -> Config:
        return Config.load(self.home) if self._given is None else Config.of(self.home, self._given)

    # -- the host ----------------------------------------------------------------------------------------------

    @property
    def host(self) -> HostBridge | None:
        """What plugins may ask of the host; None while no session runs."""
        return self._host

    @host.setter
    def host(self, host: HostBridge | None) -> None:
        self._host = host
        if host is not None:
            conflicts.yield_to_host(self.registrations, host)

    @property
    def strict(self) -> bool:
        """Whether anything that is not in order ends the start."""
        return self._strict or self.section.strict

    @property
    def standing_blocks(self) -> list[StandingBlock]:
        """Fail-closed plugins that are enabled and not in force; something stands in for each."""
        return self._gatekeeper.blocks

    @property
    def gates_off(self) -> list[str]:
        """What is fail-closed and kept out by safe mode, as ``name (hooks)``; empty without safe mode."""
        if safe_mode() == "off":
            return []
        return gates_off(self.decisions, self.section) + self.companions.gates_off()

    def publish_run_file(self) -> None:
        """Keep ``<home>/run/<pid>.json`` from now on; for a host, not for a command that only looks."""
        from hermes_sdk.plugins.runfile import RunFile

        if self._run_file is None:
            self._run_file = RunFile(self.home, lambda: describe_run(self))
        self._run_file.touch()

    def touch_run_file(self) -> None:
        """Write the run file if something changed; cheap enough after every tool call."""
        if self._run_file is not None:
            self._run_file.touch()

    # -- finding and loading -----------------------------------------------------------------------------------

    def discover(self) -> list[Candidate]:
        """Return every plugin that there is, in calling order before `plugins.order`; nothing is imported."""
        return self._sources.discover(self.home).candidates

    def discover_and_load(self, force: bool = False) -> None:
        """Find and load the enabled plugins; a second call does nothing.

        Args:
            force: Unload everything, read config.yaml again and load anew.

        Raises:
            StrictError: Strict mode, and something is not in order; nothing stays loaded.
        """
        if _loading.get() is self:
            return  # a plugin's register() asks for what is under way
        with self._lock:
            if self._discovered and not force:
                return
            explain_if_asked()
            with self._change():
                self._gatekeeper.hold()
                self._unload_all()
                if force:
                    self.config = self._read_config()
                self._load_all()
                if force or self.closed:
                    self.companions.reload(self.config)
            self._discovered, self.closed = True, False
        self.check_order()

    def check_order(self) -> None:
        """Hold strict mode to its promise, once plugins are loaded; for companions that come later.

        Raises:
            StrictError: Strict mode, and something is not in order; nothing stays loaded.
        """
        if self._discovered and self.strict and (error := strict_error(self)) is not None:
            self.shutdown()
            raise error

    @contextlib.contextmanager
    def _change(self) -> Iterator[None]:
        """Keep other threads from loading meanwhile, and settle what depends on several plugins at the end."""
        with self._lock:
            current.is_loading(self)
            upstream_names.offer()
            token = _loading.set(self)
            try:
                yield
            finally:
                _loading.reset(token)
                self._settle()
                self.touch_run_file()

    def _load_all(self) -> None:
        found = survey(self.home, self.config, self._sources, self.kinds)
        self.section, self.decisions, self.problems = found.section, found.decisions, found.problems
        for problem in self.problems:
            logger.warning("%s", problem)
        by_candidate = {id(decision.candidate): decision for decision in self.decisions}
        for decision in self.decisions:
            announce(decision)
        for place, candidate in enumerate(found.order):
            self._load(by_candidate[id(candidate)], (place,))
        for directory in self._directories:
            with contextlib.suppress(PluginError):  # logged, and its row says why
                self._load_directory(directory)

    def _load(self, decision: Decision, rank: tuple[int, ...] | None) -> PluginError | None:
        """Load one plugin, note how that went, and return what went wrong."""
        candidate = decision.candidate
        self.failures.pop(candidate.key, None)
        entry = self.section.entry(candidate)
        try:
            plugin = load(self, candidate, entry, policy_of(candidate, entry, self.section, rank))
        except PluginError as error:
            failed = isinstance(error, LoadError)
            decision.status = Status.FAILED if failed else Status.REFUSED
            decision.why = str(error)
            if not failed:  # a failure is in the log already, with its traceback
                logger.warning("plugin %r is refused: %s", candidate.key, error)
            return error
        self.plugins[candidate.key] = plugin
        decision.status, decision.why = Status.LOADED, ""
        self._gatekeeper.warn_about_markers(plugin)
        if plugin.patches:
            logger.warning("plugin %r patches %s, which is not here", candidate.key, ", ".join(plugin.patches))
        fixed = plugin.holder.fixed_callbacks()
        if fixed:
            logger.info(
                "plugin %r: callbacks without **kwargs get only what they name: %s", candidate.key, ", ".join(fixed)
            )
        logger.debug("plugin %r is loaded: hooks %s", candidate.key, ", ".join(plugin.hooks) or "none")
        return None

    def _settle(self) -> None:
        """Bring order, views and standing blocks up to date after plugins came or went."""
        found = sorted((plugin.candidate for plugin in self.plugins.values()), key=lambda each: each.order)
        discovered = [candidate for candidate in found if candidate.source != "direct"]
        order, _ = calling_order(discovered, self.section.order, self.config)
        places = {candidate.key: place for place, candidate in enumerate(order)}
        ranks = [self.policy(key).rank or () for key in places]
        if () in ranks or ranks != sorted(ranks):
            for key, place in places.items():
                self.set_policy(key, replace(self.policy(key), rank=(place,)))
        self.plugins = dict(sorted(self.plugins.items(), key=lambda item: places.get(item[0], len(places))))
        self.registrations.activate(self.plugins)
        for decision in self.decisions:
            key = decision.candidate.key
            if decision.status is Status.LOADED and (reasons := self._reasons_degraded(key)):
                decision.status, decision.why = Status.DEGRADED, "; ".join(reasons)
        self._gatekeeper.update(self.decisions, self.section)

    def _reasons_degraded(self, key: str) -> list[str]:
        reasons = list(self.degraded.get(key, ()))
        plugin = self.plugins.get(key)
        if plugin is not None and plugin.patches:
            reasons.append(f"loads but cannot act here: it patches {', '.join(plugin.patches)} of hermes-agent")
        return reasons

    def load_plugin(self, plugin: Path | str) -> LoadedPlugin:
        """Load one plugin: a directory that need not be in a source, or one that discovery finds.

        It takes the place of a loaded plugin of its name. `plugins.disabled` counts here too.

        Args:
            plugin: A directory, or the name of an installed plugin.

        Raises:
            PluginError: There is no such plugin, it is disabled or broken, or its code failed.
        """
        with self._change():
            if isinstance(plugin, str) and os.sep not in plugin:
                return self._load_chosen(installed(plugin, self.discover())[-1])
            directory = Path(plugin).expanduser().absolute()
            loaded = self._load_directory(directory)
            if directory not in self._directories:
                self._directories.append(directory)
            return loaded

    def load_module(self, target: str, name: str | None = None) -> LoadedPlugin:
        """Load one plugin by what an entry point would name: ``package.module`` or ``package.module:register``.

        For hosts and tests that have a module and no installed distribution.

        Args:
            target: What to import.
            name: What the plugin is called; the module's last part by default.

        Raises:
            PluginError: It is disabled, or its code failed.
        """
        from hermes_sdk.plugins.entry_points import entry_point_candidate

        with self._change():
            return self._load_chosen(entry_point_candidate(target, name or target.partition(":")[0].rpartition(".")[2]))

    def _load_directory(self, directory: Path) -> LoadedPlugin:
        candidate = directory_candidate(directory)
        if candidate is None:
            why = "neither plugin.yaml nor __init__.py is in it" if directory.is_dir() else "no such directory"
            inside = " or ".join(repr(str(each)) for each in plugins_inside(directory))
            fix = f"did you mean {inside}?" if inside else ""
            raise PluginError("there is no plugin", where=str(directory), why=why, fix=fix, code="HS203")
        return self._load_chosen(candidate)

    def _load_chosen(self, candidate: Candidate) -> LoadedPlugin:
        """Load a plugin that somebody asked for by itself, in place of any other of its name."""
        section = replace(self.section, enabled=[candidate.key], unusable=None)
        off = safe_mode() != "off"
        decision = select([candidate], section, safe_mode=off, kinds=self.kinds).decisions[0]
        announce(decision)
        if decision.status is Status.ENABLED:
            self._make_way_for(candidate)
            error = self._load(decision, None)
        else:
            where, why = candidate.place, f"{decision.status}: {decision.why}"
            error = PluginError(f"plugin {candidate.key!r} is not loaded", where=where, why=why, code="HS207")
        self.decisions = [old for old in self.decisions if old.candidate.place != candidate.place]
        self.decisions.append(decision)
        if error is not None:
            raise error
        return self.plugins[candidate.key]

    def _make_way_for(self, candidate: Candidate) -> None:
        for decision in self.decisions:
            if decision.candidate.normalised_key == candidate.normalised_key and decision.status in _LOADED:
                discard(self, self.plugins.pop(decision.candidate.key), changed=True)
                decision.status, decision.why = Status.SHADOWED, f"shadowed by {candidate.place}"

    # -- taking out --------------------------------------------------------------------------------------------

    def unload(self, name: str) -> None:
        """Take a plugin out: hooks, registrations, background work, module; nothing of it is left.

        Args:
            name: Its key, or what its manifest calls it.

        Raises:
            PluginError: No such plugin is loaded.
        """
        with self._change():
            plugin = self._loaded(name)
            discard(self, self.plugins.pop(plugin.key), changed=True)
            for decision in self.decisions:
                if decision.candidate is plugin.candidate:
                    decision.status, decision.why = Status.UNLOADED, "its host took it out"

    def reload(self, name: str) -> LoadedPlugin:
        """Load a plugin anew, code and settings; while that lasts a fail-closed one blocks.

        A pip-installed plugin keeps its module, which the whole process shares: only `register` runs again.

        Args:
            name: Its key, or what its manifest calls it.

        Raises:
            PluginError: It is not loaded, or cannot be loaded any more; then it is out.
        """
        with self._change():
            plugin = self._loaded(name)
            self._gatekeeper.hold()
            discard(self, self.plugins.pop(plugin.key), changed=True)
            self.decisions = [old for old in self.decisions if old.candidate is not plugin.candidate]
            self.config = self._read_config()
            found = survey(self.home, self.config, self._sources, self.kinds)
            self.section = found.section
            if plugin.source == "direct":
                return self._load_directory(Path(plugin.candidate.path))
            place = plugin.candidate.place
            for decision in found.decisions:
                if decision.candidate.place == place and decision.candidate.source == plugin.source:
                    return self._load_again(decision)
            raise PluginError(f"plugin {plugin.key!r} is gone", where=place, code="HS203")

    def _load_again(self, decision: Decision) -> LoadedPlugin:
        self.decisions.append(decision)
        key = decision.candidate.key
        if decision.status is not Status.ENABLED:
            why = f"{decision.status}: {decision.why}"
            raise PluginError(f"plugin {key!r} is not loaded again", why=why, code="HS207")
        error = self._load(decision, None)
        if error is not None:
            raise error
        return self.plugins[key]

    def _loaded(self, name: str) -> LoadedPlugin:
        if name in self.plugins:
            return self.plugins[name]
        for plugin in self.plugins.values():
            if plugin.candidate.is_called(name):
                return plugin
        from hermes_sdk.errors import did_you_mean

        raise PluginError(f"no plugin {name!r} is loaded", fix=did_you_mean(name, self.plugins), code="HS203")

    def _unload_all(self) -> None:
        for key in reversed(list(self.plugins)):
            discard(self, self.plugins.pop(key), changed=True)

    def shutdown(self) -> None:
        """Unload every plugin, the last one first, remove the run file and end the background loop."""
        with self._lock:
            self.companions.close()
            self._unload_all()
            self._gatekeeper.clear()
            if self._run_file is not None:
                self._run_file.close()
                self._run_file = None
            self._discovered, self.closed = False, True
        super().shutdown()

    # -- for `ctx` ---------------------------------------------------------------------------------------------

    def add_callback(self, plugin: LoadedPlugin, hook: str, callback: Callable[..., Any]) -> None:
        """Register a hook callback of a plugin, during `register` or at any time later."""
        if not plugin.holder.add_callback(hook, callback) or not plugin.registered:
            return
        with self._dispatcher.lock:
            policy, failures = self.policy(plugin.key), self.failures.get(plugin.key)
            self.unregister(name=plugin.key)
            self.register(plugin.holder, plugin.key, policy=policy)
            if failures is not None:
                self.failures[plugin.key] = failures

    def callback_problems(self, plugin: str, hook: str) -> list[str] | None:
        """Return why callbacks of a plugin on a hook cannot be called; None where it has none there."""
        impls = [impl for impl in self._dispatcher.ordered(hook) if impl.plugin_name == plugin]
        if not impls:
            return None
        callbacks = (getattr(impl.function, CALLBACK, impl.function) for impl in impls)
        return [problem for each in callbacks for problem in self._dispatcher.problems(hook, each)]

    # -- looking on --------------------------------------------------------------------------------------------

    def has_middleware(self, kind: str) -> bool:
        """Whether any plugin has middleware of a kind."""
        return bool(self.registrations.middleware(kind))

    def list_plugins(self) -> list[dict[str, Any]]:
        """Return one row a plugin that was found, those in force first, in calling order.

        The keys are those of `hermes_sdk.plugins.listing.row`: JSON-ready, for `plugins list` and the run file.
        """
        return rows(self, environment(self.home))
