"""Where memories belong: rooms, and which of them somebody sees who writes at some place.

A memory lies in one room and is only ever read from a place that sees that room. A person's room is seen in their own
private chats, the room of a group in that group, the room of a project in that project by whoever sees the room that
it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

THIS_MACHINE: Final = frozenset({"cli", "tui", "console", "webchat", "webhook"})
"""Surfaces whose names of people mean something on one machine only."""
LOCAL: Final = "local"
"""The platform of the machine's own user, on the command line."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody writes."""

    person: str
    """Who: ``telegram:42``; empty where the platform does not say."""
    room: str
    """Where what they say belongs."""
    chat: str = ""
    """The room of this one chat; empty on the command line."""

    def project(self, directory: str) -> str:
        """Return the room of a project."""
        return key_of("project", self.room, directory)

    def rooms(self, directory: str) -> tuple[str, ...]:
        """Return the rooms that are seen from here by who works in a directory."""
        return tuple(dict.fromkeys(filter(None, (self.room, self.chat, self.project(directory)))))

    def owns(self, room: str) -> bool:
        """Whether a room is seen from here in some project."""
        return room in {self.room, self.chat} or room.startswith(f"{key_of('project', self.room)}:")


def key_of(*parts: str) -> str:
    """Return a name in which no part can pass for another: ``user:telegram:42``."""
    safe = (part.replace("%", "%25").replace(":", "%3A") for part in parts)
    return ":".join(safe).encode("utf-8", "backslashreplace").decode().replace("\0", "%00")


def named(key: str, name: str) -> str:
    """Return the key of a room or person as it is where the machine's own surfaces have a name.

    Args:
        key: As `Place` has it, of a machine without a name or of any other.
        name: What this machine is called; empty where it has no name.
    """
    kind, _, rest = key.partition(":")
    if not name:
        return key
    if key == LOCAL:
        return key_of(LOCAL, name)
    if kind == "project":
        room, _, directory = rest.partition(":")
        return key_of(kind, named(_plain(room), name), _plain(directory))
    if kind in {"user", "private", "chat"}:
        return f"{kind}:{named(rest, name)}"
    return f"{key_of(f'{kind}@{name}')}:{rest}" if kind in THIS_MACHINE else key


def _plain(part: str) -> str:
    """Return a part as it was before `key_of`."""
    return part.replace("%00", "\0").replace("%3A", ":").replace("%25", "%")


def local_place(name: str = "") -> Place:
    """Return the place of the machine's own user.

    Args:
        name: What tells this user from those of other machines, where memories are shared.
    """
    person = key_of(LOCAL, name) if name else LOCAL
    return Place(person, f"user:{person}")


def chat_place(platform: str, user: str, chat: str, thread: str, *, private: bool, name: str = "") -> Place:
    """Return the place of somebody who writes in a chat.

    Args:
        platform: The platform's name.
        user: The platform's id of who writes; may be empty.
        chat: Its id of the chat.
        thread: Its id of a topic or thread inside; may be empty.
        private: Whether nobody but this user reads it.
        name: As for `local_place`.
    """
    here = f"{platform}@{name}" if name and platform in THIS_MACHINE else platform
    person = key_of(here, user) if user else ""
    room = key_of("private" if private else "chat", here, chat, *([thread] if thread else []))
    return Place(person, f"user:{person}" if private and user else room, room)
