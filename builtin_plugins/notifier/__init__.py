"""Notifier: tells a person who looks elsewhere that the agent waits for an answer, or has finished."""

from __future__ import annotations

from typing import Any

from hermes_sdk.plugins.any_host import settings_of

from .command import run, set_up
from .outlets import Outlets
from .settings import Settings
from .watcher import Watcher


def register(ctx: Any) -> None:
    """Read the settings and put the hooks in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    settings = settings_of(ctx, Settings)
    outlets = Outlets(settings)
    watcher = Watcher(settings, outlets)
    ctx.register_hook("pre_approval_request", watcher.asked)
    ctx.register_hook("post_approval_response", watcher.answered)
    ctx.register_hook("pre_llm_call", watcher.turn_began)
    ctx.register_hook("post_llm_call", watcher.turn_answered)
    ctx.register_hook("on_session_end", watcher.turn_ended)
    ctx.register_hook("on_session_finalize", watcher.session_ended)
    about = "Try the notices out"
    ctx.register_cli_command("notifier", about, set_up, lambda options: run(options, settings))
    at_the_end(ctx, watcher.close)


def at_the_end(ctx: Any, close: Any) -> None:
    """Have `close` called when the plugin is unloaded or the process ends (ctx is of any type, as in `register`)."""
    on_unload = getattr(ctx, "on_unload", None)
    if on_unload is None:
        import atexit

        on_unload = atexit.register
    on_unload(close)
