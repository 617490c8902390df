"""Who gets a name that two want: tools and slash commands (as upstream's registry decides it, and [D] logs it)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.plugins.bridge import HostBridge
    from hermes_sdk.plugins.registrations import CommandEntry, Registrations, ToolEntry

logger = logging.getLogger(__name__)


def add_tool(registrations: Registrations, entry: ToolEntry, host: HostBridge | None) -> None:
    """Register a tool, unless its name is the host's or belongs to another toolset and it does not override."""
    known = registrations.tool_table.latest(entry.name)
    if known is not None and known.plugin == entry.plugin:
        known = None
    if not entry.override:
        if host is not None and entry.name in host.builtin_tools():
            _refuse(entry, "the host has a tool of that name")
            return
        if known is not None and known.toolset != entry.toolset:
            _refuse(entry, f"plugin {known.plugin!r} has it in toolset {known.toolset!r}")
            return
    if known is not None:
        logger.warning("plugin %r: its tool %r replaces plugin %r's", entry.plugin, entry.name, known.plugin)
    registrations.tool_table.add(entry)


def _refuse(entry: ToolEntry, why: str) -> None:
    logger.error(
        "plugin %r: its tool %r is left out: %s; to replace it, register with override=True and set"
        " plugins.entries.%s.allow_tool_override: true",
        entry.plugin,
        entry.name,
        why,
        entry.plugin,
    )


def add_command(registrations: Registrations, entry: CommandEntry, host: HostBridge | None) -> None:
    """Register a slash command, unless the host has one of that name."""
    if host is not None and entry.name in host.builtin_commands():
        logger.warning("plugin %r: /%s is the host's, its command is left out", entry.plugin, entry.name)
        return
    known = registrations.command_table.latest(entry.name)
    if known is not None and known.plugin != entry.plugin:
        logger.warning("plugin %r: its /%s replaces plugin %r's", entry.plugin, entry.name, known.plugin)
    registrations.command_table.add(entry)


def yield_to_host(registrations: Registrations, host: HostBridge) -> None:
    """Take back what plugins registered under names of a host that came after them."""
    tools, commands = set(host.builtin_tools()), set(host.builtin_commands())
    for tool in registrations.tool_table.active():
        if tool.name in tools and not tool.override:
            _refuse(tool, "the host has a tool of that name")
            registrations.tool_table.remove(tool)
    for command in registrations.command_table.active():
        if command.name in commands:
            logger.warning("plugin %r: /%s is the host's, its command is left out", command.plugin, command.name)
            registrations.command_table.remove(command)
