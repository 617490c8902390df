"""Loads one plugin, all or nothing: a plugin that fails half-way leaves nothing behind (semantics 3.3)."""

from __future__ import annotations

import inspect
import types
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.holder import PluginHolder, marked_functions
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.errors import PluginError
from hermes_sdk.plugins.context import PluginContext
from hermes_sdk.plugins.gates import hooks_covered
from hermes_sdk.plugins.loaded import LoadedPlugin, declared_gate
from hermes_sdk.plugins.modules import import_directory, import_entry_point, release_name, reserve_name
from hermes_sdk.plugins.patching import patched_internals

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.plugins.section import Entry, PluginsSection

LOADING: Final[ContextVar[LoadedPlugin | None]] = ContextVar("hermes_loading_plugin", default=None)
"""The plugin whose import or `register` runs in this context."""


class LoadError(PluginError):
    """A plugin's own code failed; it was logged with its traceback already."""

    default_code = "HS205"


def policy_of(
    candidate: Candidate, entry: Entry, section: PluginsSection, rank: tuple[int, ...] | None
) -> PluginPolicy:
    """Return how a plugin is to be called, by its manifest and the user's configuration."""
    return PluginPolicy(
        source=candidate.source,
        rank=rank,
        fail_closed=hooks_covered(declared_gate(candidate, entry)),
        timeout=entry.timeout,
        default_timeout=section.default_timeout,
        rejudge=entry.rejudge,
        hooks_off=entry.hooks_off,
        suspend_seconds=section.suspend_seconds,
    )


def load(manager: PluginManager, candidate: Candidate, entry: Entry, policy: PluginPolicy) -> LoadedPlugin:
    """Import a plugin, run its `register` and hand its hooks to pluggy.

    Args:
        manager: Who loads it.
        candidate: What to load.
        entry: Its entry in config.yaml.
        policy: How it is to be called.

    Raises:
        LoadError: Its code failed.
        PluginError: It cannot be registered: a bad signature, a taken name, nothing to register.
        KeyboardInterrupt: The user's.
    """
    plugin = LoadedPlugin(candidate, entry, PluginHolder(candidate.key))
    plugin.context = PluginContext(plugin, manager)
    token = LOADING.set(plugin)
    try:
        _fill(manager, plugin)
        _hand_over(manager, plugin, policy)
    except BaseException:
        discard(manager, plugin)
        raise
    finally:
        LOADING.reset(token)
    plugin.patches = patched_internals(plugin)
    return plugin


def discard(manager: PluginManager, plugin: LoadedPlugin, *, changed: bool = False) -> None:
    """Undo everything that a plugin did through its `ctx`, in an order in which nothing new can start.

    Args:
        manager: Who loaded it.
        plugin: The plugin, loaded or half loaded.
        changed: Its files may have changed since (see `release_name`).
    """
    if plugin.registered:
        plugin.registered = False
        manager.unregister(name=plugin.key)
    manager.registrations.drop(plugin.key)
    if plugin.queue is not None:
        plugin.queue.close()
    while plugin.on_unload:
        manager.call_isolated(plugin.key, "on_unload callback", plugin.on_unload.pop())
    if plugin.module_name:
        release_name(plugin.module_name, changed=changed)


def _fill(manager: PluginManager, plugin: LoadedPlugin) -> None:
    """Import the plugin and collect what it implements and registers."""
    imported, register = _run(manager, plugin, "import", lambda: _import(manager, plugin))
    plugin.module = plugin.holder.module = imported
    found = 0 if register is imported else plugin.holder.add_hookimpls(imported)
    if register is not None:
        if inspect.isgeneratorfunction(register):
            raise PluginError(
                f"register of plugin {plugin.key!r} is a generator function", why="nothing in it would run"
            )
        _run(manager, plugin, "register", register, plugin.context)
    elif not found:
        raise PluginError(
            f"plugin {plugin.key!r} has neither register(ctx) nor @hookimpl functions",
            where=plugin.candidate.path,
            why="there is nothing to register",
            fix="define register(ctx) in its __init__.py, or in the module that its entry point names",
            code="HS206",
        )


def _import(manager: PluginManager, plugin: LoadedPlugin) -> tuple[Any, Callable[..., Any] | None]:
    candidate = plugin.candidate
    if candidate.entry_point is not None:
        imported = import_entry_point(candidate.entry_point)
    else:
        plugin.module_name = reserve_name(candidate.key, manager.home)
        imported = import_directory(plugin.module_name, candidate.path)
    return imported, _register_function(imported)


def _register_function(imported: Any) -> Callable[..., Any] | None:
    """Return what takes `ctx`: `register` of a module or object, or the function that an entry point names."""
    register = getattr(imported, "register", None)
    if callable(register) and not inspect.isclass(imported):
        return register  # type: ignore[no-any-return]  # it came from a plugin
    is_function = callable(imported) and not inspect.isclass(imported)
    if is_function and not isinstance(imported, types.ModuleType) and not marked_functions(imported):
        return imported  # type: ignore[no-any-return]  # it came from a plugin
    return None


def _run(manager: PluginManager, plugin: LoadedPlugin, what: str, code: Callable[..., Any], *args: Any) -> Any:
    value, error = manager.call_isolated(plugin.key, what, code, *args)
    if error is not None:
        where = manager.failures[plugin.key].place
        if plugin.candidate.entry_point is not None:
            where = f"{plugin.candidate.place} at {where}"
        raise LoadError(f"plugin {plugin.key!r} failed in {what}", where=where, why=error)
    return value


def _hand_over(manager: PluginManager, plugin: LoadedPlugin, policy: PluginPolicy) -> None:
    try:
        name = manager.register(plugin.holder, plugin.key, policy=policy)
    except ValueError as error:
        raise PluginError(f"plugin {plugin.key!r} cannot be registered", why=str(error), code="HS204") from None
    if name is None:
        raise PluginError(f"plugin {plugin.key!r} is blocked by the host", code="HS204")
    plugin.registered = True
