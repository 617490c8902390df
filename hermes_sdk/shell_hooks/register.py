"""The host's one call: read the ``hooks:`` block, settle consent, register what may run.

What a person has not agreed to is not registered, but a fail-closed entry then blocks in its own place, so that a
policy does not vanish because nobody was there to be asked (semantics 3.2 and 8.6).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config import Config
from hermes_sdk.home import truthy_env
from hermes_sdk.shell_hooks.entries import ShellEntry
from hermes_sdk.shell_hooks.fired_by import working_directory
from hermes_sdk.shell_hooks.in_force import HooksInForce
from hermes_sdk.shell_hooks.live import RUN_FILE_KEY
from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget

if TYPE_CHECKING:
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

ACCEPT: Final = "HERMES_ACCEPT_HOOKS"
"""Environment switch that approves every entry found at a start."""

Ask = Callable[[ShellEntry | OutboundTarget], bool]
"""Asks a person whether something may run from now on; only given where a person is there."""


def register_from_config(
    cfg: Config | Mapping[str, Any] | None = None,
    accept_hooks: bool = False,
    *,
    manager: PluginManager | None = None,
    ask: Ask | None = None,
    cwd: Callable[[], str] = working_directory,
) -> HooksInForce:
    """Register the shell entries of a configuration with a manager, in place of those registered before.

    Python plugins are called first, whichever was registered first.

    Args:
        cfg: The configuration; the manager's by default.
        accept_hooks: Approve every entry that is found, as ``--accept-hooks`` does.
        manager: Where they are registered; the active home's by default.
        ask: Asks a person about an entry; without it unapproved entries stay out.
        cwd: Says in which directory the session works; by default what the host says, else the process's own.

    Returns:
        What is in force. `manager.companions` keeps it: it is loaded anew and ends with the manager.

    Raises:
        StrictError: Strict mode, plugins are loaded, and something is not in order.
    """
    if manager is None:
        from hermes_sdk.plugins.current import get_plugin_manager

        manager = get_plugin_manager()
    config = manager.config if cfg is None else cfg if isinstance(cfg, Config) else Config.of(manager.home, cfg)
    known = registered(manager)
    hooks = HooksInForce(manager, cwd) if known is None else known
    manager.companions.add(hooks)
    hooks.settle(config, accept=accept_hooks or truthy_env(ACCEPT), ask=ask)
    manager.touch_run_file()
    manager.check_order()
    return hooks


def registered(manager: PluginManager) -> HooksInForce | None:
    """Return what `register_from_config` registered with a manager; None before that."""
    found = manager.companions.get(RUN_FILE_KEY)
    return found if isinstance(found, HooksInForce) else None
