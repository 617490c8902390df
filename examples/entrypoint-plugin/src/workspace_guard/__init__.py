"""Workspace guard: an example plugin that answers pre_tool_call with each of the three typed directives."""

from __future__ import annotations

import re
import shlex
from typing import Any

from hermes_sdk import Approve, Block, Modify, hookimpl

__all__ = ["WorkspaceGuard", "plugin"]

_PAGED = {"log", "diff", "show", "branch", "tag", "blame"}
_GIT = re.compile(r"^git (?=\w)")


class WorkspaceGuard:
    """Keeps recursive deletes in the workspace, has pushes confirmed, and keeps pagers out of the way."""

    @hookimpl
    def pre_tool_call(self, tool_name: str, args: dict[str, Any]) -> Block | Approve | Modify | None:
        """Judge a terminal command; other tools are none of its business."""
        if tool_name != "terminal":
            return None
        command = str(args.get("command", ""))
        parts = _simple_commands(command)
        for words in parts:
            target = _deleted_outside(words)
            if target is not None:
                return Block(f"recursive delete outside of the workspace: {target}")
        if ["git", "push"] in [words[:2] for words in parts]:
            return Approve("git push publishes commits", rule_key="git-push")
        if len(parts) == 1 and _GIT.match(command) and parts[0][1] in _PAGED:
            return Modify({"command": _GIT.sub("git --no-pager ", command)})
        return None


def _simple_commands(command: str) -> list[list[str]]:
    """Split a command line at `;`, `&&`, `|` and the like; one that the shell would refuse too gives []."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    parts: list[list[str]] = [[]]
    try:
        for word in lexer:
            if set(word) <= set(";&|()<>"):
                parts.append([])
            else:
                parts[-1].append(word)
    except ValueError:
        return []
    return [words for words in parts if words]


def _deleted_outside(words: list[str]) -> str | None:
    """Return the first path outside of the workspace that `rm -r` would delete."""
    if words[0] != "rm":
        return None
    options = [word for word in words[1:] if word.startswith("-")]
    recursive = any(option == "--recursive" or re.match(r"-\w*[rR]", option) for option in options)
    if not recursive:
        return None
    paths = (word for word in words[1:] if not word.startswith("-"))
    return next((path for path in paths if path.startswith(("/", "~", "$")) or ".." in path.split("/")), None)


plugin = WorkspaceGuard()
"""What the entry point names."""
