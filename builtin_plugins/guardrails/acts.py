"""What a tool call would do, one act at a time: the things that rules are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .paths import PathPattern

DOES: Final = {
    "call": "calls a tool of which nothing else is known",
    "run": "runs a program in a shell command",
    "read": "reads a file",
    "write": "makes or changes a file",
    "delete": "deletes a file or a directory",
    "connect": "reaches a host",
    "privilege": "runs something with another user's rights",
    "discard": "cannot be undone: throws work away (`git reset --hard`, a forced push), or publishes a package",
    "permissions": "opens a file for everybody, or changes rights or owners of a whole tree",
    "system": "changes the machine or the agent: services, accounts, disks, schedules, other processes, plugins",
    "download-run": "runs what was just downloaded",
    "opaque": "cannot be judged: code of another language, a program that is only known when it runs, broken syntax",
}
"""Every kind of act, and what it means."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a call would do."""

    does: str
    """A key of `DOES`."""
    program: str = ""
    """The program that does it, with its directory where that is no usual one; empty where no shell command does."""
    words: str = ""
    """That program with its arguments, a blank between each two."""
    path: PathPattern | None = None
    recursive: bool = False
    """Whether everything below the path is meant too."""
    host: str | None = None
    """For `connect`: a normalised name or address, with ``:port`` where one is written; empty when unknown."""
    why: str = ""
    """For people, where the rest does not say it."""

    @property
    def target(self) -> str:
        """What it is done to, for people and for the memory of approvals."""
        if self.path is not None:
            return self.path.readable
        return self.host or (self.why if self.does == "opaque" else self.words or self.program)

    def __str__(self) -> str:
        if self.does == "opaque":
            return f"cannot be judged: {self.why}"
        if self.does == "connect":
            return f"connects to {self.host or 'a host that is not known yet'}"
        verbs = {"read": "reads", "write": "writes", "delete": "deletes", "run": "runs", "call": "calls"}
        verb = verbs.get(self.does, self.why or self.does)
        return f"{verb} {self.target}".rstrip() if self.does in verbs else f"{verb}: {self.target}"
