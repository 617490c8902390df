"""What plugins reach of the host through their `ctx`."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.plugin_llm import PluginLlm
from hermes_sdk.host.toolbox import BUILTIN_TOOLS

if TYPE_CHECKING:
    from collections.abc import Collection

    from hermes_sdk.host.agent import Agent

CURRENT: Final[ContextVar[Agent | None]] = ContextVar("hermes_current_agent", default=None)
"""The agent whose turn runs here: what a plugin asks of the host, it asks of this one."""

BUILTIN_COMMANDS: Final = ("new", "exit", "help")
"""Slash commands of the host, without the slash; plugins cannot take these names."""


class HostLink:
    """Implements `hermes_sdk.plugins.HostBridge` for one agent and its children.

    Args:
        agent: Answers where no turn runs.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Put a message into the person's conversation, also when a child agent's plugin call asks for it."""
        return self._agent.inject_message(content, role)

    def dispatch_tool(self, name: str, args: dict[str, Any], **options: Any) -> str:  # noqa: ARG002
        """Run a tool along the model's path, for the agent whose turn calls; `options` mean nothing here."""
        return (CURRENT.get() or self._agent).dispatch_tool(name, dict(args))

    @property
    def llm(self) -> PluginLlm:
        """The model, for plugins' own questions."""
        return PluginLlm(self._agent.model.for_plugins(), self._agent.manager.config)

    def builtin_tools(self) -> Collection[str]:
        """Return names of tools that plugins replace only with the user's leave."""
        return BUILTIN_TOOLS

    def builtin_commands(self) -> Collection[str]:
        """Return slash commands that plugins cannot take."""
        return BUILTIN_COMMANDS
