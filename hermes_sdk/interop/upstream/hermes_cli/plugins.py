"""The plugin manager of the active home: the one that loaded its plugins, if one did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_hookspecs import HOOKS
from hermes_sdk.errors import PluginToolOverrideError
from hermes_sdk.plugins.context import PluginContext
from hermes_sdk.plugins.current import discover_plugins, get_plugin_manager
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.plugins.manifest import Manifest as PluginManifest

if TYPE_CHECKING:
    from hermes_sdk.dispatch.outcomes import ToolDecision

__all__ = [
    "VALID_HOOKS",
    "PluginContext",
    "PluginManager",
    "PluginManifest",
    "PluginToolOverrideError",
    "discover_plugins",
    "get_plugin_manager",
    "get_pre_tool_call_block_message",
    "get_pre_tool_call_directive",
    "has_hook",
    "invoke_hook",
    "resolve_pre_tool_block",
]

VALID_HOOKS: set[str] = set(HOOKS)
"""Every hook of the contract."""


def invoke_hook(hook_name: str, **kwargs: Any) -> list[Any]:
    """Fire a hook at the loaded plugins and return the non-None answers, of any type, in calling order."""
    return get_plugin_manager().invoke_hook(hook_name, **kwargs)


def has_hook(hook_name: str) -> bool:
    """Whether a loaded plugin implements a hook."""
    return get_plugin_manager().has_hook(hook_name)


def get_pre_tool_call_directive(
    tool_name: str, args: dict[str, Any] | None, **context: Any
) -> tuple[str | None, str | None]:
    """Ask the plugins about a tool call; return ``block`` or ``approve`` and why, or None twice.

    Args:
        tool_name: The tool.
        args: Its arguments; a change that plugins make to them is made in place.
        context: Ids of the call, as the hook sends them.
    """
    decision = _judge(tool_name, args, context)
    return (None, None) if decision.action == "run" else (decision.action, decision.message)


def get_pre_tool_call_block_message(tool_name: str, args: dict[str, Any] | None, **context: Any) -> str | None:
    """Ask the plugins about a tool call; return why it must not run, or None. An approve counts for nothing here."""
    decision = _judge(tool_name, args, context)
    return decision.message if decision.blocked else None


def resolve_pre_tool_block(tool_name: str, args: dict[str, Any] | None, **context: Any) -> str | None:
    """Ask the plugins about a tool call; return why it must not run, or None.

    Only the host's own way to a tool can ask a person, so an approve is a reason here; ``ctx.dispatch_tool`` asks.
    """
    decision = _judge(tool_name, args, context)
    if decision.needs_approval:
        return f"blocked: a person has to approve {tool_name}: {decision.message or 'a plugin asks for it'}"
    return decision.message if decision.blocked else None


def _judge(tool_name: str, args: dict[str, Any] | None, context: dict[str, Any]) -> ToolDecision:
    known = {name: value for name, value in context.items() if value is not None}
    return get_plugin_manager().hook.pre_tool_call(
        tool_name=tool_name, args=args if isinstance(args, dict) else {}, **known
    )
