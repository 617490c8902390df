"""The system prompt: built before a session's first turn, byte-identical for all of its requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.plugins.registrations import Registrations

_MAIN: Final = (
    "You are an agent that works with tools in a directory on the user's machine. "
    "Do what the user asks, say what you did, and say so when something did not work."
)
_CHILD: Final = (
    "You are a child agent: another agent gave you one task. "
    "Do it with your tools and answer with a report that stands on its own."
)
_CHECKOUTS: Final = (".git", ".hg", ".jj", ".svn")


def build_system_prompt(workdir: Path, registrations: Registrations, *, child: bool, extra: str = "") -> str:
    """Return the prompt of a new session.

    Args:
        workdir: Where tools run.
        registrations: Whose skills are listed.
        child: Whether the session is a child agent's.
        extra: What the user or a session file adds.
    """
    parts = [_CHILD if child else _MAIN, f"Working directory: {workdir}"]
    if registrations.skills:
        listed = "\n".join(
            f"- {name}: {skill.description} ({skill.path})" for name, skill in sorted(registrations.skills.items())
        )
        parts.append(f"Skills; read the file of one that fits the task:\n{listed}")
    if extra:
        parts.append(extra)
    return "\n\n".join(parts)


def in_checkout(directory: Path) -> bool:
    """Whether `directory` lies in a version-controlled tree, so that editing files there is coding."""
    return any((parent / mark).exists() for parent in (directory, *directory.parents) for mark in _CHECKOUTS)
