"""Works out who writes, and where, from what the hooks tell. Where they do not tell enough, nobody does."""

from __future__ import annotations

import os
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.fired_by import working_directory

from .places import chat_place, local_place

if TYPE_CHECKING:
    from .places import Place

_CHILD: Final = "subagent"
_COMMAND_LINE: Final = frozenset({"cli", "tui"})
_KNOWN: Final = 10_000
"""Sessions that are remembered; the oldest go."""


@dataclass(frozen=True, slots=True)
class _Message:
    """Where a message of a gateway came from."""

    platform: str
    user: str
    chat: str
    thread: str
    private: bool


_MESSAGE: Final[ContextVar[_Message | None]] = ContextVar("memory_recall_message", default=None)
"""The message that is worked on; each has a context of its own, and its turn runs in it."""


class Whereabouts:
    """Knows the places of the sessions of one process.

    Args:
        name: What tells this machine's users from those of others, where memories are shared.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._sessions: dict[str, _Message] = {}
        self._children: dict[str, None] = {}
        self._in_gateway = False
        self._directory = ""
        """Where the last turn or message was worked on: a slash command is not told."""

    def note_message(self, event: Any) -> None:
        """Note where a message of a gateway comes from (any type: each host has its own class)."""
        self._in_gateway = True
        self._directory = working_directory()
        _MESSAGE.set(None)
        source = getattr(event, "source", None)
        platform, chat = getattr(source, "platform", None), getattr(source, "chat_id", None)
        if platform is None or chat is None:
            return
        user, thread = getattr(source, "user_id", None), getattr(source, "thread_id", None)
        _MESSAGE.set(
            _Message(
                str(getattr(platform, "value", platform)).lower(),
                "" if user is None else str(user),
                str(chat),
                "" if thread is None else str(thread),
                getattr(source, "chat_type", None) == "dm",
            )
        )

    def note_child(self, session_id: str | None) -> None:
        """Note the session of a child agent: some hosts give it its parent's platform."""
        if session_id:
            _keep(self._children, session_id, None)

    def forget_session(self, session_id: str) -> None:
        """Drop a session whose id means nothing any more."""
        self._sessions.pop(session_id, None)
        self._children.pop(session_id, None)

    def of_session(self, session_id: str, platform: str, sender: str = "") -> Place | None:
        """Return the place of who speaks in a session; None for child agents and where it is not sure.

        Args:
            session_id: The session.
            platform: As the hook tells.
            sender: Who writes, where the hook tells.
        """
        platform = platform.lower()
        self._directory = working_directory()
        if platform == _CHILD or session_id in self._children:
            return None
        own = _MESSAGE.get()
        message = own or self._sessions.get(session_id)
        if message is None or message.platform != (platform or message.platform):
            # a message first: an adapter may call itself `cli` too
            alone = platform in _COMMAND_LINE or not (platform or sender or self._in_gateway)
            return local_place(self._name) if alone else None
        if sender and sender != message.user:
            if message.private:
                return None
            # hermes-agent keeps a group's agent, and tells who wrote first; the message itself knows better
            if own is None or not own.user:
                message = replace(message, user=sender)
        if session_id:
            _keep(self._sessions, session_id, message)
        return self._place(message)

    def of_command(self) -> Place | None:
        """Return the place of who typed a slash command; None where it is not sure."""
        message = _MESSAGE.get()
        if message is not None:
            return self._place(message)
        return None if self._in_gateway else local_place(self._name)

    def project(self) -> str:
        """Return the directory of the project: the nearest one with a repository, or the working directory itself."""
        where = Path(self._directory or working_directory())
        for directory in (where, *where.parents):
            if (directory / ".git").exists():
                return os.path.realpath(directory)
        return os.path.realpath(where)

    def _place(self, message: _Message) -> Place:
        return chat_place(
            message.platform, message.user, message.chat, message.thread, private=message.private, name=self._name
        )


def _keep(kept: dict[str, Any], key: str, value: Any) -> None:
    """Keep a value (of any type) as the newest one, within the limit."""
    kept.pop(key, None)
    while len(kept) >= _KNOWN:
        kept.pop(next(iter(kept)), None)
    kept[key] = value
