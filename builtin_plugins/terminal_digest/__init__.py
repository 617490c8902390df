"""Terminal digest: shortens long terminal output and keeps what an agent reads it for."""

from __future__ import annotations

from typing import Any

from hermes_sdk.plugins.any_host import settings_of

from .digest import digest
from .settings import Settings


def register(ctx: Any) -> None:
    """Read the settings and put the hook in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    settings = settings_of(ctx, Settings)

    def transform_terminal_output(output: str, command: str = "", **_: Any) -> str | None:
        if len(output) <= settings.over or settings.skips(command):
            return None
        return digest(output, settings.to)

    ctx.register_hook("transform_terminal_output", transform_terminal_output)
