"""The gateway that runs in this process, for code that was written for hermes-agent's."""

from __future__ import annotations

from hermes_sdk.errors import PluginError
from hermes_sdk.plugins.bridge import ConversingHost
from hermes_sdk.plugins.current import get_plugin_manager


def process_gateway() -> ConversingHost:
    """Return the gateway of the active home.

    Raises:
        PluginError: None runs in this process.
    """
    host: object = get_plugin_manager().host
    if not isinstance(host, ConversingHost):
        raise PluginError(
            "no agent can be made here",
            why="no gateway runs in this process",
            fix="run the hook in `hermes-sdk gateway run`",
            code="HS245",
        )
    return host
