"""What every chat of a gateway shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hermes_sdk.gateway_hooks import HookRegistry
    from hermes_sdk.host.events import Listener
    from hermes_sdk.host.gateway.delivery import Delivery
    from hermes_sdk.host.gateway.firing import GatewayHooks
    from hermes_sdk.host.gateway.sessions import SessionStore
    from hermes_sdk.host.gateway.settings import GatewaySettings
    from hermes_sdk.host.gateway.workers import Workers
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.host.settings import HostSettings
    from hermes_sdk.host.toolbox import Tool
    from hermes_sdk.plugins.manager import PluginManager


@dataclass(frozen=True, slots=True)
class GatewayParts:
    """The parts of one gateway."""

    manager: PluginManager
    settings: GatewaySettings
    host_settings: HostSettings
    store: SessionStore
    hooks: HookRegistry
    firing: GatewayHooks
    """Plugins' hooks that the gateway fires itself."""
    delivery: Delivery
    workers: Workers
    model: Callable[[], Model]
    """Makes the model of one more conversation."""
    before_turn: Callable[[Model], None]
    """Called before each turn of a conversation, in the turn's thread: scripted models need to know."""
    workdir: Path
    """Where tools run."""
    system_prompt: str = ""
    """Added to the system prompt."""
    tools: tuple[Tool, ...] = ()
    """Built-in tools that only a gateway has."""
    listener: Listener | None = None
    """Told what happens in every agent, from its thread."""
