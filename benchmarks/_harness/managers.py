"""Managers with the measured implementations, one plugin an implementation: ours, and pluggy's own."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import pluggy

from _harness.callbacks import legacy, native
from hermes_hookspecs import hookimpl
from hermes_hookspecs.contract import FAMILIES
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager

if TYPE_CHECKING:
    from collections.abc import Callable


def native_plugins(hook: str, count: int) -> list[ModuleType]:
    """Return plugins as pluggy knows them: modules with one marked function each."""
    plugins = []
    for number in range(count):
        plugin = ModuleType(_name(number))
        setattr(plugin, hook, hookimpl(native(hook)))
        plugins.append(plugin)
    return plugins


def our_native_caller(hook: str, plugins: list[ModuleType]) -> Callable[..., object]:
    """Return our caller of `hook` with native plugins."""
    manager = DispatchManager()
    for plugin in plugins:
        manager.register(plugin, plugin.__name__)
    return getattr(manager.hook, hook)


def our_legacy_caller(hook: str, count: int) -> Callable[..., object]:
    """Return our caller of `hook` with legacy callbacks, registered as `ctx.register_hook` does it."""
    manager = DispatchManager()
    for number in range(count):
        holder = PluginHolder(_name(number))
        holder.add_callback(hook, legacy(hook))
        manager.register(holder, holder.name)
    return getattr(manager.hook, hook)


def pluggy_caller(hook: str, plugins: list[ModuleType]) -> Callable[..., object]:
    """Return pluggy's own caller of `hook` with the same specs and the same plugins."""
    manager = pluggy.PluginManager("hermes")
    for family in FAMILIES:
        manager.add_hookspecs(family)
    for plugin in plugins:
        manager.register(plugin, plugin.__name__)
    return getattr(manager.hook, hook)


def _name(number: int) -> str:
    return f"plugin_{number:03}"
