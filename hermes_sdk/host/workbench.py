"""Everything that belongs to one session of an agent, put together in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_sdk.host.api import ModelCaller
from hermes_sdk.host.file_tools import FileTools
from hermes_sdk.host.search import Search
from hermes_sdk.host.session import TERMINAL
from hermes_sdk.host.system_prompt import build_system_prompt
from hermes_sdk.host.terminal import Terminal
from hermes_sdk.host.tool_path import ToolPath
from hermes_sdk.host.toolbox import Toolbox

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hermes_sdk.host.approvals import ApprovalGate
    from hermes_sdk.host.fire import HookRelay
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.host.session import Session, Surface
    from hermes_sdk.host.settings import HostSettings
    from hermes_sdk.host.tool_path import RecordedResults
    from hermes_sdk.host.toolbox import Tool
    from hermes_sdk.plugins.manager import PluginManager


@dataclass(frozen=True, slots=True)
class Workshop:
    """What an agent keeps for all of its sessions, and shares with its child agents."""

    manager: PluginManager
    workdir: Path
    settings: HostSettings
    gate: ApprovalGate
    extra_prompt: str = ""
    """What the user adds to the system prompt."""
    recorded: RecordedResults | None = None
    """Gives tool results when a transcript is replayed; None runs the tools."""
    surface: Surface = TERMINAL
    """Where the person is."""
    tools: tuple[Tool, ...] = ()
    """Built-in tools that only some hosts have: sending messages."""


class Workbench:
    """The parts of one session: its hooks, its model, its tools and their way.

    Args:
        shop: What the agent keeps.
        session: The session.
        relay: Fires its hooks.
        model: Answers it.
        max_iterations: Model requests of one turn.
        more_tools: Built-in tools besides those for files and commands.
    """

    def __init__(
        self,
        shop: Workshop,
        session: Session,
        relay: HookRelay,
        model: Model,
        *,
        max_iterations: int,
        more_tools: Iterable[Tool] = (),
    ) -> None:
        self._shop = shop
        self.manager = shop.manager
        self.settings = shop.settings
        self.workdir = shop.workdir
        self.session = session
        self.relay = relay
        self.max_iterations = max_iterations
        self.caller = ModelCaller(shop.manager, model, session, relay, shop.settings.retry)
        self.toolbox = Toolbox(shop.manager)
        self._terminal = Terminal(
            shop.workdir,
            relay,
            timeout=shop.settings.terminal_timeout,
            redact_secrets=shop.settings.redact_secrets,
        )
        for tools in (self._terminal, FileTools(shop.workdir), Search(shop.workdir)):
            self.toolbox.add(tools.tools())
        self.toolbox.add(more_tools)
        self.path = ToolPath(shop.manager, self.toolbox, session, relay, shop.gate, recorded=shop.recorded)

    def build_system_prompt(self) -> str:
        """Return the system prompt of a new session."""
        return build_system_prompt(
            self.workdir,
            self.manager.registrations,
            child=self.session.depth > 0,
            extra=self._shop.extra_prompt,
        )

    @property
    def has_background(self) -> bool:
        """Whether the session has commands in the background."""
        return self._terminal.has_background

    def close(self) -> None:
        """End what the session left running."""
        self._terminal.close()
