"""Slash commands of a session: the host's own, and those of plugins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.host.agent import Agent
    from hermes_sdk.plugins.registrations import CommandEntry

OWN_COMMANDS: Final = {
    "new": "end this session and begin a new one",
    "help": "list the commands",
    "exit": "leave",
}

_COMMAND: Final = re.compile(r"/([A-Za-z][\w-]*)(?:\s+(.*))?", re.DOTALL)
"""A slash command; ``/etc/hosts`` is none, so that a message may begin with a path."""


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What a slash command did."""

    name: str
    text: str = ""
    """What to show, empty for nothing."""
    failed: bool = False
    leaves: bool = False
    """Whether the person wants to leave."""


def parse_command(line: str) -> tuple[str, str] | None:
    """Return the name of a slash command, in lower case, and the text behind it; None for a line that is none."""
    found = _COMMAND.fullmatch(line.strip())
    return None if found is None else (found[1].lower(), found[2] or "")


def run_command(agent: Agent, line: str) -> CommandAnswer | None:
    """Run a line that is a slash command; None for a line that is a message.

    A plugin's handler gets the text behind the command. What it returns is shown; when it fails, that is said and
    the session goes on.
    """
    found = parse_command(line)
    if found is None:
        return None
    name, arguments = found
    if name == "exit":
        return CommandAnswer(name, leaves=True)
    if name == "help":
        return CommandAnswer(name, help_text(agent.manager.registrations.commands))
    if name == "new":
        return CommandAnswer(name, f"new session {agent.new_session()}")
    entry = agent.manager.registrations.commands.get(name)
    if entry is None:
        known = [*OWN_COMMANDS, *agent.manager.registrations.commands]
        hint = did_you_mean(name, known) or "/help lists them"
        return CommandAnswer(name, f"no command /{name}; {hint}", failed=True)
    said, error = agent.manager.call_isolated(entry.plugin, f"command /{name}", entry.handler, arguments)
    if error is not None:
        return CommandAnswer(name, f"/{name} of plugin {entry.plugin} failed: {error}", failed=True)
    return CommandAnswer(name, "" if said is None else str(said))


def help_text(plugin_commands: Mapping[str, CommandEntry]) -> str:
    """Return one line for each command, in columns, for a terminal.

    Args:
        plugin_commands: Those of plugins, by name.
    """
    rows = command_rows(plugin_commands)
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name.ljust(width)}  {what}" for name, what in rows)


def command_rows(
    plugin_commands: Mapping[str, CommandEntry], own: Mapping[str, str] = OWN_COMMANDS
) -> list[tuple[str, str]]:
    """Return each command as it is written, and what it does.

    Args:
        plugin_commands: Those of plugins, by name.
        own: The host's, name and what it does.
    """
    rows = [(f"/{name}", what) for name, what in own.items()]
    rows += [
        (f"/{name} {entry.args_hint}".rstrip(), f"{entry.description} ({entry.plugin})")
        for name, entry in sorted(plugin_commands.items())
    ]
    return rows
