"""hermes-agent as the plugins inside of the bridge see it: their contexts there, its tools, its model.

Its modules are imported by name when they are needed: nothing of it exists where hermes-sdk is built and checked.
"""

from __future__ import annotations

import importlib
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)


class AgentLink:
    """Implements `hermes_sdk.plugins.HostBridge` on the context that hermes-agent gave to the bridge.

    Args:
        ctx: That context; any type, its class is hermes-agent's.
        manager: The manager inside of the bridge.
    """

    def __init__(self, ctx: Any, manager: PluginManager) -> None:
        self._ctx = ctx
        self._manager = manager
        self._contexts: dict[str, Any] = {}

    def context_of(self, plugin: str) -> Any:
        """Return a context of hermes-agent (of its own type) under the name of one of our plugins.

        So that its skills are ``plugin:name``, and its leave to replace tools or choose a model is its own entry's.
        """
        if plugin not in self._contexts:
            loaded = self._manager.plugins[plugin].manifest
            manifest = replace(
                self._ctx.manifest,
                name=loaded.name,
                key=plugin,
                version=loaded.version,
                description=loaded.description,
            )
            self._contexts[plugin] = type(self._ctx)(manifest, self._ctx._manager)  # noqa: SLF001 - its only way there
        return self._contexts[plugin]

    # -- what plugins ask of the host ------------------------------------------------------------------------------

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Put a message into the running conversation."""
        return bool(self._ctx.inject_message(content, role))

    def dispatch_tool(self, name: str, args: dict[str, Any], **options: Any) -> str:
        """Run a tool the model's way: middleware, hooks, approval and transforms, as far as that host has one.

        Its tools that belong to the running turn (`delegate_task`, `todo`, ...) have none; they are judged, and run.
        """
        model_tools = importlib.import_module("model_tools")
        if name not in getattr(model_tools, "_AGENT_LOOP_TOOLS", ()):
            return str(model_tools.handle_function_call(name, args))
        judged = getattr(importlib.import_module("hermes_cli.plugins"), "resolve_pre_tool_block", None)
        message = judged(name, args) if judged is not None else None
        if message is not None:
            return json.dumps({"error": message}, ensure_ascii=False)
        return str(self._ctx.dispatch_tool(name, args, **options))

    @property
    def llm(self) -> AgentLink:
        """The model; `bound_to` gives each plugin its own, so that its entry decides what it may choose."""
        return self

    def bound_to(self, plugin: str) -> Any:
        """Return hermes-agent's model (of its own type) for the questions of one plugin."""
        return self.context_of(plugin).llm

    def builtin_tools(self) -> Collection[str]:
        """Return nothing: that host's registry decides who gets a name when tools are handed over."""
        return ()

    def builtin_commands(self) -> Collection[str]:
        """Return nothing: that host's context decides who gets a name when commands are handed over."""
        return ()

    def ask(self, tool_name: str, reason: str, rule_key: str) -> str | None:
        """Ask a person about a tool call; return why it must not run, or None. Nobody to ask is a reason."""
        try:
            approval = importlib.import_module("tools.approval")
            answer = approval.request_tool_approval(tool_name, reason, rule_key=rule_key)
        except Exception as error:
            logger.warning("nobody could be asked about %s: %s", tool_name, type(error).__name__)
            return f"blocked: nobody could be asked to approve {tool_name}"
        if answer.get("approved"):
            return None
        return str(answer.get("message") or f"blocked: {tool_name} was not approved")
