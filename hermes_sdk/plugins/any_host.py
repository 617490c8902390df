"""Settings and directories of a plugin, whichever host loads it.

`ctx.settings` and `ctx.paths` are ours; hermes-agent's context has neither. Where hermes-sdk is installed beside that
host, a plugin gets the same from here: the same keys of config.yaml, the same variables, the same errors, the same
directories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hermes_sdk.config import Config
from hermes_sdk.home import hermes_home
from hermes_sdk.plugins.paths import PluginPaths
from hermes_sdk.plugins.section import Entry, read_section

if TYPE_CHECKING:
    from pydantic import BaseModel

ModelT = TypeVar("ModelT", bound="BaseModel")


def settings_of(ctx: Any, model: type[ModelT]) -> ModelT:
    """Return a plugin's settings as one validated model, as `ctx.settings(model)` does.

    Args:
        ctx: What `register` got (any type: each host brings its own).
        model: The model; give each field a default.

    Raises:
        ConfigError: A value does not fit; the message names key and place, never the value.
    """
    own = getattr(ctx, "settings", None)
    if own is not None:
        settings: ModelT = own(model)
        return settings
    from hermes_sdk.plugins.settings import read_settings

    config = Config.load(hermes_home())
    key = _key(ctx)
    names = (key, ctx.manifest.name)
    entries = (entry for entry in read_section(config).entries if entry.name in names)
    return read_settings(model, key, next(entries, Entry(key, ("plugins", "entries", key))), config)


def paths_of(ctx: Any) -> PluginPaths:
    """Return a plugin's directories, as `ctx.paths` does.

    Args:
        ctx: What `register` got (any type: each host brings its own).
    """
    own: PluginPaths | None = getattr(ctx, "paths", None)
    return own or PluginPaths(hermes_home(), _key(ctx))


def _key(ctx: Any) -> str:
    """Return the key of a plugin of hermes-agent (the context is of any type)."""
    return str(getattr(ctx.manifest, "key", "") or ctx.manifest.name)
