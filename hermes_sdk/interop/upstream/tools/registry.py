"""The tools that plugins registered, and the two functions that tools write their answers with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import PluginError
from hermes_sdk.plugins.current import get_plugin_manager
from hermes_sdk.plugins.loader import LOADING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.plugins.registrations import ToolEntry

__all__ = ["ToolRegistry", "registry", "tool_error", "tool_result"]


class ToolRegistry:
    """The tools of the active home's plugins; `registry` is the one instance."""

    def register(
        self, name: str, toolset: str, schema: dict[str, Any], handler: Callable[..., Any], **options: Any
    ) -> None:
        """Register a tool for the plugin that is just being loaded, as ``ctx.register_tool`` does.

        Args:
            name: Name of the tool.
            toolset: Group of tools that it belongs to.
            schema: Function schema.
            handler: ``handler(args, **kwargs)``.
            options: What ``ctx.register_tool`` takes besides.

        Raises:
            PluginError: No plugin is being loaded.
        """
        plugin = LOADING.get()
        if plugin is None or plugin.context is None:
            raise PluginError(
                f"nobody owns the tool {name!r}",
                why="no plugin is being loaded",
                fix="call ctx.register_tool, which works at any time",
                code="HS244",
            )
        plugin.context.register_tool(name, toolset, schema, handler, **options)

    def dispatch(self, name: str, args: dict[str, Any], **options: Any) -> str:
        """Run a tool the model's way and return what the model would get; errors are JSON with ``error``."""
        host = get_plugin_manager().host
        if host is None:
            return tool_error(f"the tool {name!r} cannot run: no session runs here")
        return host.dispatch_tool(name, args, **options)

    def get_entry(self, name: str) -> ToolEntry | None:
        """Return what a plugin registered under a name, or None."""
        return get_plugin_manager().registrations.tools.get(name)

    def get_schema(self, name: str) -> dict[str, Any] | None:
        """Return the schema of a plugin's tool, or None."""
        entry = self.get_entry(name)
        return None if entry is None else entry.schema

    def get_toolset_for_tool(self, name: str) -> str | None:
        """Return the group that a plugin's tool belongs to, or None."""
        entry = self.get_entry(name)
        return None if entry is None else entry.toolset

    def get_all_tool_names(self) -> list[str]:
        """Return the tools of the host, while a session runs, and of the plugins."""
        manager = get_plugin_manager()
        host = manager.host.builtin_tools() if manager.host is not None else ()
        return sorted({*host, *manager.registrations.tools})


registry = ToolRegistry()


def tool_error(message: object, **extra: Any) -> str:
    """Return the JSON of a failed call: ``error``, and what else is given (JSON values)."""
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False)


def tool_result(data: Any = None, **fields: Any) -> str:
    """Return the JSON of a result: `data` (any JSON value), else the given fields."""
    return json.dumps(fields if data is None else data, ensure_ascii=False)
