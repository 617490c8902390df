"""What plugins reach of a gateway through their `ctx`: always the chat whose turn they are called in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import PluginError
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.bridge import CURRENT
from hermes_sdk.host.gateway.messages import MessageEvent
from hermes_sdk.host.gateway.slash import OWN_COMMANDS
from hermes_sdk.host.plugin_llm import PluginLlm
from hermes_sdk.host.session import Surface
from hermes_sdk.host.toolbox import BUILTIN_TOOLS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Collection

    from hermes_sdk.host.gateway.runner import GatewayRunner


class GatewayLink:
    """Implements `HostBridge` and `ConversingHost` of `hermes_sdk.plugins.bridge` for all chats of a gateway.

    Args:
        runner: The gateway, started.
        loop: Its loop.
    """

    def __init__(self, runner: GatewayRunner, loop: asyncio.AbstractEventLoop) -> None:
        self._runner = runner
        self._loop = loop

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Put a message into the chat whose turn runs here; False outside of one."""
        agent = CURRENT.get()
        source = None if agent is None else self._runner.source_of(agent.shop.surface.session_key)
        if source is None:
            return False
        text = content if role == "user" else f"[{role}] {content}"
        event = MessageEvent(text, source, internal=True)
        self._loop.call_soon_threadsafe(self._runner.receive_nowait, event)
        return True

    def dispatch_tool(self, name: str, args: dict[str, Any], **options: Any) -> str:  # noqa: ARG002
        """Run a tool along the model's path, for the chat whose turn or command runs here.

        Raises:
            PluginError: None does.
        """
        agent = CURRENT.get()
        if agent is None:
            raise PluginError(
                f"the tool {name!r} cannot be run",
                why="no chat's turn or command runs here",
                fix="run tools from hooks and commands",
                code="HS241",
            )
        return agent.dispatch_tool(name, dict(args))

    @property
    def llm(self) -> PluginLlm:
        """The model, for plugins' own questions."""
        agent = CURRENT.get()
        model = self._runner.parts.model() if agent is None else agent.model
        return PluginLlm(model.for_plugins(), self._runner.parts.manager.config)

    def model_name(self) -> str:
        """Return the name of the model that the gateway's agents have."""
        agent = CURRENT.get()
        model = self._runner.parts.model() if agent is None else agent.model
        return model.name

    def converse(self, prompt: str, *, max_iterations: int | None = None, system_prompt: str = "") -> str:
        """Run one turn of an agent of its own, which belongs to no chat, and return its answer.

        Nobody can be asked: what needs approval is blocked. Blocks the calling thread.

        Args:
            prompt: What the agent is asked.
            max_iterations: Model requests of the turn.
            system_prompt: Added to the system prompt.
        """
        parts = self._runner.parts
        agent = Agent(
            parts.manager,
            parts.model(),
            workdir=parts.workdir,
            platform="gateway",
            settings=parts.host_settings,
            system_prompt=system_prompt or parts.system_prompt,
            max_iterations=max_iterations,
            listener=parts.listener,
            surface=Surface("gateway"),
            hosted=True,
            tools=parts.tools,
        )
        try:
            parts.before_turn(agent.model)
            result = agent.run_turn(prompt)
        finally:
            agent.close()
        if result.error is not None:
            raise result.error
        return result.answer or ""

    def builtin_tools(self) -> Collection[str]:
        """Return names of tools that plugins replace only with the user's leave."""
        return (*BUILTIN_TOOLS, *(tool.name for tool in self._runner.parts.tools))

    def builtin_commands(self) -> Collection[str]:
        """Return slash commands that plugins cannot take."""
        return tuple(OWN_COMMANDS)
