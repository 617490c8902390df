"""What plugins may ask of the host that runs them: the one way from a plugin up to a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection


class HostBridge(Protocol):
    """Implemented by a host and set as `manager.host`; without one, plugins are told that there is none."""

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Put a message into the running conversation and return whether it was queued."""
        ...

    def dispatch_tool(self, name: str, args: dict[str, Any], **options: Any) -> str:
        """Run a tool along the model's path: hooks, approval and transforms; return what the model would get.

        Args:
            name: Name of the tool.
            args: Its arguments, as a model would send them.
            options: What hermes-agent's plugins pass besides, of any type; a host may ignore it.
        """
        ...

    @property
    def llm(self) -> Any:
        """The model, for plugins' own questions; Any, as hosts bring their own class with upstream's methods."""
        ...

    def builtin_tools(self) -> Collection[str]:
        """Return the tools that plugins replace only with the user's leave."""
        ...

    def builtin_commands(self) -> Collection[str]:
        """Return the slash commands that plugins cannot take."""
        ...


@runtime_checkable
class ConversingHost(Protocol):
    """A host that also runs agents which belong to no chat, as a gateway does."""

    def model_name(self) -> str:
        """Return the name of the model that its agents have."""
        ...

    def converse(self, prompt: str, *, max_iterations: int | None = None, system_prompt: str = "") -> str:
        """Run one turn of such an agent and return its answer; blocks the calling thread.

        Args:
            prompt: What the agent is asked.
            max_iterations: Model requests of the turn.
            system_prompt: Added to the system prompt.
        """
        ...
