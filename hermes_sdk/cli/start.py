"""Starting the plugins of a home for one command, and ending them after it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from hermes_sdk.cli.ask import someone_is_there
from hermes_sdk.cli.hooks_question import ask_about_hook
from hermes_sdk.cli.problems import warn
from hermes_sdk.errors import PluginError
from hermes_sdk.home import safe_mode
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.plugins.modules import NAMESPACE
from hermes_sdk.shell_hooks.register import register_from_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from hermes_sdk.plugins.loaded import LoadedPlugin


@contextmanager
def opened_manager(home: Path, *, strict: bool = False) -> Iterator[PluginManager]:
    """Give a manager of `home` whose plugins are still to be loaded, and shut it down after the block."""
    manager = PluginManager(home, strict=strict)
    try:
        yield manager
    finally:
        manager.shutdown()


def load_plugins(manager: PluginManager, extra: Iterable[Path] = ()) -> None:
    """Load every enabled plugin and the directories `extra`, and bring the shell hooks into force.

    Whoever is at the terminal is asked about shell hooks that nobody approved. In safe mode nothing comes into force,
    which is said on stderr together with the fail-closed plugins and hooks that are off.

    Raises:
        StrictError: Something is wrong, and ``--strict`` or ``plugins.strict`` refuses that.
        PluginError: A directory of `extra` cannot be loaded, or safe mode would switch off fail-closed plugins
            while nobody is there.
    """
    # first, so that strict mode names everything at once; Python plugins are called first all the same
    register_from_config(manager=manager, ask=ask_about_hook if someone_is_there() else None)
    manager.discover_and_load()
    if safe_mode() != "off":
        _say_what_is_off(manager)
        return
    for directory in extra:
        manager.load_plugin(directory)


def plugins_in_force(manager: PluginManager) -> str:
    """Return the loaded plugins as a host's banner names them."""
    return ", ".join(manager.plugins) or ("none" if safe_mode() == "off" else "none, in safe mode")


def module_owner(manager: PluginManager, module: str) -> str | None:
    """Return the plugin that a module belongs to, for prints of callbacks; None for anybody else's."""
    top, _, rest = module.partition(".")
    if top == NAMESPACE:
        slug = rest.partition(".")[0]
        loaded = (plugin.key for plugin in manager.plugins.values() if plugin.module_name == f"{NAMESPACE}.{slug}")
        return next(loaded, slug) or None
    return next((plugin.key for plugin in manager.plugins.values() if _package(plugin) == top), None)


def _package(plugin: LoadedPlugin) -> str:
    """Return the top package that a plugin's entry point names, "" for a directory plugin."""
    point = plugin.candidate.entry_point
    return "" if point is None else str(point.value).partition(":")[0].partition(".")[0].strip()


def _say_what_is_off(manager: PluginManager) -> None:
    gates = ", ".join(manager.gates_off)
    if gates and safe_mode() != "force" and not someone_is_there():
        raise PluginError(
            "safe mode would switch off fail-closed plugins",
            why=f"{gates} would not be in force, and nobody is at the terminal",
            fix="unset HERMES_SAFE_MODE, or set it to `force`",
            code="HS246",
        )
    warn("HERMES_SAFE_MODE is set: no plugin is loaded" + (f"; fail-closed and off: {gates}" if gates else ""))
