"""What a user may set under ``plugins.entries.memory_recall`` in config.yaml, and where the file lies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

_PLUGIN = "memory_recall"


class Settings(BaseModel):
    """Settings of the memory_recall plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    budget_chars: int = Field(
        default=2_000, ge=100, le=9_000, description="Most characters that are added to one question."
    )
    max_memories: int = Field(default=8, ge=1, le=50, description="Most memories that are added to one question.")
    store_turns: bool = Field(default=True, description="Remember finished turns; false: only what `/remember` says.")
    keep_turns: int = Field(
        default=5_000,
        ge=10,
        description="So many turns are kept for each user; then the oldest go. Notes stay.",
    )


def read(ctx: Any) -> Settings:
    """Return the settings that `ctx`'s host has for this plugin.

    Args:
        ctx: The plugin context (any type, because another host brings its own). A host without `ctx.settings`
            is asked for its configuration: the same keys, without environment variables.
    """
    if hasattr(ctx, "settings"):
        settings = ctx.settings(Settings)
        return settings if isinstance(settings, Settings) else Settings.model_validate(settings)
    from hermes_cli.config import load_config  # type: ignore[import-not-found]

    entries = (load_config().get("plugins") or {}).get("entries") or {}
    entry = entries.get(_PLUGIN) or {}
    return Settings.model_validate({key: entry[key] for key in Settings.model_fields if key in entry})


def data_directory(ctx: Any) -> Path:
    """Return where the file goes; without `ctx.paths`, ``$HERMES_HOME/plugin-data/memory_recall``.

    Args:
        ctx: The plugin context (any type, as in `read`).
    """
    if hasattr(ctx, "paths"):
        return Path(ctx.paths.data)
    home = Path(os.environ.get("HERMES_HOME") or "~/.hermes").expanduser()
    return home / "plugin-data" / _PLUGIN
