"""The bridges that run in this process, by home: for commands that may have been started inside hermes-agent.

Imports nothing, because `hermes-sdk plugins list` asks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import PluginError

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.interop.bridge import Bridge

_bridges: Final[dict[str, Bridge]] = {}


def running_bridge(home: Path) -> Bridge | None:
    """Return the bridge of a home, or None outside of hermes-agent."""
    return _bridges.get(os.path.realpath(home))


def remember(bridge: Bridge) -> None:
    """Have a bridge found as the one of its home."""
    _bridges[os.path.realpath(bridge.home)] = bridge


def forget(bridge: Bridge) -> None:
    """Have a bridge that ended not found any more."""
    where = os.path.realpath(bridge.home)
    if _bridges.get(where) is bridge:
        del _bridges[where]


def refuse_switching(home: Path) -> None:
    """Refuse to switch plugins on and off where hermes-agent does that.

    Raises:
        PluginError: A bridge runs for the home.
    """
    bridge = running_bridge(home)
    if bridge is None:
        return
    raise PluginError(
        "plugins are not switched on and off here",
        where=str(bridge.manager.config.path),
        why="plugins.enabled belongs to hermes-agent, which runs what it names without hermes-sdk",
        fix="list the plugins that hermes-sdk is to run under plugins.entries.hermes-sdk.plugins",
        code="HS251",
    )
