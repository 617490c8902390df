"""Telemetry: OpenTelemetry traces and metrics of turns, model requests, tools, hooks and child agents."""

from __future__ import annotations

import atexit
from typing import Any

from hermes_sdk.errors import PluginError
from hermes_sdk.plugins.any_host import settings_of

from .settings import Settings


def register(ctx: Any) -> None:
    """Read the settings and put the hooks in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).

    Raises:
        PluginError: OpenTelemetry is not installed.
    """
    settings = settings_of(ctx, Settings)
    try:
        from .command import run, set_up
        from .exporting import SCOPE, Providers
        from .instruments import Instruments
        from .tracker import Tracker
    except ModuleNotFoundError as error:
        why = f"the package {error.name} is missing"
        raise PluginError("telemetry cannot send", why=why, fix="pip install 'hermes-sdk[otel]'") from None
    from .content import Content
    from .hooks import LAST_OF_CALL, HookSpans, Surroundings, Wrappers, callbacks

    folded = hasattr(ctx, "register_hookimpls")
    providers = Providers(settings)
    content = Content(settings.content_chars) if settings.content else None
    tracker = Tracker(
        providers.traces.get_tracer(SCOPE, ctx.manifest.version or ""),
        Instruments(providers.metrics.get_meter(SCOPE, ctx.manifest.version or "")),
        settings.agent_name,
        content,
        last_of_call=LAST_OF_CALL if folded else "post_tool_call",
        nested=not providers.own,
    )
    if folded:
        spans = HookSpans(tracker, content) if settings.hook_spans else None
        ctx.register_hookimpls(Wrappers(tracker, spans, providers.flush))
        if spans is not None:
            ctx.trace_hooks()
    else:
        for hook, callback in callbacks(tracker, providers.flush).items():
            ctx.register_hook(hook, callback)
    if hasattr(ctx, "register_middleware"):
        surroundings = Surroundings(tracker, begins=folded)
        ctx.register_middleware("tool_execution", surroundings.tool)
        ctx.register_middleware("llm_execution", surroundings.request)
    ctx.register_cli_command(
        "telemetry", "try out where traces and metrics go", set_up, lambda options: run(options, settings)
    )

    def close() -> None:
        atexit.unregister(close)
        tracker.close()
        providers.close()

    atexit.register(close)  # an application may end without unloading plugins
    if hasattr(ctx, "on_unload"):
        ctx.on_unload(close)
