"""Which adapters a gateway starts: built in, or registered by a plugin, as ``gateway.platforms`` names them."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import ConfigError, SessionError, did_you_mean
from hermes_sdk.host.gateway.adapters import BUILTIN_ADAPTERS
from hermes_sdk.host.gateway.foreign_adapter import ForeignAdapter, is_foreign

if TYPE_CHECKING:
    from hermes_sdk.host.gateway.adapter import Adapter
    from hermes_sdk.host.gateway.settings import GatewaySettings, PlatformSettings
    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.plugins.registrations import PlatformEntry

logger = logging.getLogger(__name__)


def make_adapters(manager: PluginManager, settings: GatewaySettings) -> tuple[list[Adapter], dict[str, str]]:
    """Make the adapters of every platform that the configuration switches on.

    Args:
        manager: Its home is the adapters' home; its plugins may have registered platforms.
        settings: Which platforms, and their settings.

    Returns:
        (adapters, why there is none by the platform's name): one that cannot be made must not keep the others away.
    """
    adapters: list[Adapter] = []
    missing: dict[str, str] = {}
    for name, chosen in settings.platforms.items():
        if not chosen.enabled:
            continue
        try:
            adapters.append(_make(manager, name, chosen))
        except Exception as error:
            logger.warning("platform %s cannot be used: %s", name, error, exc_info=not isinstance(error, ConfigError))
            missing[name] = str(error)
    return adapters, missing


def _make(manager: PluginManager, name: str, chosen: PlatformSettings) -> Adapter:
    own = dict(chosen.model_extra or {})
    entry = manager.registrations.platforms.get(name)
    if entry is not None:
        return _of_plugin(manager, entry, own)
    factory = BUILTIN_ADAPTERS.get(name)
    if factory is None:
        known = [*BUILTIN_ADAPTERS, *manager.registrations.platforms]
        raise ConfigError(
            f"gateway.platforms.{name}",
            where=manager.config.where(("gateway", "platforms", name)),
            why="no adapter has this name",
            fix=did_you_mean(name, known) or f"there are {', '.join(known)}; a plugin may bring more",
            code="HS112",
        )
    return factory(own, manager.home)


def _of_plugin(manager: PluginManager, entry: PlatformEntry, own: dict[str, Any]) -> Adapter:
    absent = [name for name in entry.required_env if not os.environ.get(name)]
    if absent:
        raise _unusable(entry, f"the environment lacks {', '.join(absent)}")
    usable, error = manager.call_isolated(entry.plugin, f"check of platform {entry.name}", entry.check_fn)
    if error is not None or not usable:
        raise _unusable(entry, str(error) if error else "what it depends on is not installed")
    config = ForeignAdapter.config_of(own)
    if entry.validate_config is not None:
        valid, error = manager.call_isolated(
            entry.plugin, f"configuration of platform {entry.name}", entry.validate_config, config
        )
        if error is not None or not valid:
            raise _unusable(
                entry, str(error) if error else f"its settings below gateway.platforms.{entry.name} will not do"
            )
    made, error = manager.call_isolated(
        entry.plugin, f"adapter of platform {entry.name}", entry.adapter_factory, config
    )
    if error is not None or made is None:
        raise _unusable(entry, str(error) if error else "its factory returned nothing")
    adapter: Adapter = ForeignAdapter(entry.name, made) if is_foreign(made) else made
    return adapter


def _unusable(entry: PlatformEntry, why: str) -> SessionError:
    return SessionError(
        f"platform {entry.name!r} of plugin {entry.plugin!r} cannot be used",
        why=why,
        fix=entry.install_hint,
        code="HS443",
    )
