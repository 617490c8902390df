"""The process's managers, one a home: a convenience for hosts that do not pass one around."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from hermes_sdk.home import hermes_home

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.plugins.manager import PluginManager

_managers: Final[dict[str, PluginManager]] = {}
_loading: Final[WeakValueDictionary[str, PluginManager]] = WeakValueDictionary()
_lock: Final = threading.Lock()


def get_plugin_manager(home: Path | None = None) -> PluginManager:
    """Return the manager of a home: the one that loaded its plugins, else one that is made now, from whichever thread.

    Args:
        home: The home; the active one (``HERMES_HOME``, read now) by default.
    """
    from hermes_sdk.plugins.manager import PluginManager

    where = os.path.realpath(home or hermes_home())
    with _lock:
        for manager in (_loading.get(where), _managers.get(where)):
            if manager is not None and not manager.closed:
                return manager
        manager = _managers[where] = PluginManager(home or hermes_home())
        return manager


def is_loading(manager: PluginManager) -> None:
    """Have a manager that a host made itself found by plugins, which ask for the manager of their home."""
    with _lock:
        _loading[os.path.realpath(manager.home)] = manager


def discover_plugins(force: bool = False) -> PluginManager:
    """Load the plugins of the active home and return its manager; the second caller waits for the first.

    Args:
        force: Load everything anew.
    """
    manager = get_plugin_manager()
    manager.discover_and_load(force=force)
    return manager
