"""The tools of one agent: built in, or registered by plugins."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hermes_sdk.errors import did_you_mean
from hermes_sdk.host.calls import CallInFlight, ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.plugins.registrations import ToolEntry

Handler: TypeAlias = Callable[[dict[str, Any], CallInFlight], ToolOutcome]
"""Runs a tool. The dict holds the arguments to work with, the call's own are those that hooks may see."""

BUILTIN_TOOLS: Final = (
    "terminal",
    "process",
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "delegate_task",
)
"""Names that plugins cannot register without the user's leave (semantics 4.7)."""


class ToolArgumentError(ValueError):
    """An argument is missing or of the wrong type; the model gets the message."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as the model sees it, and what runs it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""
    handler: Handler
    plugin: str | None = None
    """Who registered it; None for a built-in tool."""
    restores: bool = True
    """Whether placeholders in its arguments are put back: not where other hooks would see the originals."""
    agent_thread: bool = False
    """Whether it runs in the agent's thread even beside others."""

    @property
    def definition(self) -> dict[str, Any]:
        """The tool in the form of OpenAI's chat completions."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


@dataclass(slots=True)
class Toolbox:
    """What one agent can call.

    Args:
        manager: Whose plugin tools are offered; looked up at each request, so that loading and unloading
        count. builtin: The built-in tools.
    """

    manager: PluginManager
    builtin: dict[str, Tool] = field(default_factory=dict)

    def add(self, tools: Iterable[Tool]) -> None:
        """Add built-in tools."""
        self.builtin.update({tool.name: tool for tool in tools})

    def find(self, name: str) -> Tool | None:
        """Return a tool by its name; one that a plugin registered in place of a built-in tool goes first."""
        entry = self.manager.registrations.tools.get(name)
        return self._of_plugin(entry) if entry is not None else self.builtin.get(name)

    def unknown(self, name: str) -> str:
        """Return what to tell a model that asked for a tool that does not exist."""
        hint = did_you_mean(name, self.names())
        return f"unknown tool {name!r}{'; ' + hint if hint else ''}"

    def names(self) -> list[str]:
        """Return the name of every tool."""
        return sorted({*self.builtin, *self.manager.registrations.tools})

    def definitions(self) -> list[dict[str, Any]]:
        """Return what the model is offered: the built-in tools, and plugins' whose requirements are met."""
        entries = self.manager.registrations.tools
        offered = {name: tool for name, tool in self.builtin.items() if name not in entries}
        offered |= {name: self._of_plugin(entry) for name, entry in entries.items() if self._usable(entry)}
        return [tool.definition for _, tool in sorted(offered.items())]

    def _usable(self, entry: ToolEntry) -> bool:
        if any(not os.environ.get(name) for name in entry.requires_env or ()):
            return False
        if entry.check_fn is None:
            return True
        usable, _ = self.manager.call_isolated(entry.plugin, f"check of tool {entry.name}", entry.check_fn)
        return bool(usable)

    def _of_plugin(self, entry: ToolEntry) -> Tool:
        def run(args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
            value, error = self.manager.call_isolated(
                entry.plugin,
                f"tool {entry.name}",
                entry.handler,
                args,
                task_id=call.task_id,
                session_id=call.session_id,
            )
            if error is not None:
                kind = error.partition(":")[0]
                return ToolOutcome.failed(f"tool {entry.name} failed: {error}", error_type=kind)
            return ToolOutcome.of_result(value)

        schema = entry.schema
        return Tool(
            entry.name,
            str(schema.get("description") or entry.description or ""),
            schema.get("parameters") or {"type": "object", "properties": {}},
            run,
            plugin=entry.plugin,
        )


def text_argument(args: dict[str, Any], name: str) -> str:
    """Return a required argument that must be text.

    Raises:
        ToolArgumentError: It is missing or something else.
    """
    value = args.get(name)
    if not isinstance(value, str):
        found = "missing" if value is None else f"{type(value).__name__}, not text"
        raise ToolArgumentError(f"argument {name!r} is {found}")
    return value


def number_argument(args: dict[str, Any], name: str, default: float, *, least: float, most: float) -> float:
    """Return an optional number, kept between `least` and `most`.

    Raises:
        ToolArgumentError: It is no number.
    """
    value = args.get(name)
    if value is None:
        return default
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise ToolArgumentError(f"argument {name!r} must be a number, not {value!r}") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ToolArgumentError(f"argument {name!r} must be a number, not {type(value).__name__}")
    return min(max(value, least), most)


def integer_argument(args: dict[str, Any], name: str, default: int, *, least: int, most: int) -> int:
    """Return an optional whole number, kept between `least` and `most`.

    Raises:
        ToolArgumentError: It is no number.
    """
    return int(number_argument(args, name, default, least=least, most=most))
