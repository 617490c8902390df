"""What adapters and the gateway exchange: incoming messages, what a send led to, and notes beside the reply."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

ChatType = Literal["dm", "group", "forum", "channel", "thread"]

NoteKind = Literal[
    "tool_started",
    "tool_finished",
    "approval_request",
    "approval_closed",
    "session_reset",
    "typing",
    "notice",
]
"""What a note tells. ``tool_*``: the agent's tool calls; ``approval_*``: a question to the chat and its end;
``session_reset``: the chat's conversation was replaced; ``typing``: a turn began (data ``active`` True) or ended
(False); ``notice``: anything else that a person should read."""


class PlatformName(str):
    """A platform's name, which also answers as the enum member that existing plugins expect: ``platform.value``."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The name itself."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a message came from, and so where its answer goes."""

    platform: str
    """Name of the adapter: ``webchat``, ``telegram``."""
    chat_id: str
    chat_type: ChatType = "dm"
    user_id: str = ""
    """Who wrote it, by the platform's own id; empty when the platform does not say."""
    user_name: str = ""
    thread_id: str | None = None
    """Topic or thread inside the chat; each has a conversation of its own."""

    def __post_init__(self) -> None:
        """Let the platform answer as an enum member too."""
        object.__setattr__(self, "platform", PlatformName(self.platform))


def new_message_id() -> str:
    """Return an id for a message whose platform gave it none."""
    return f"msg_{uuid.uuid4().hex[:16]}"


@dataclass(slots=True)
class MessageEvent:
    """One incoming message. `text` is replaceable: a rewrite of pre_gateway_dispatch sets it."""

    text: str
    source: Source
    message_id: str = field(default_factory=new_message_id)
    internal: bool = False
    """Made by the host itself, as the end of a background process is; no plugin's policy gates it."""


@dataclass(frozen=True, slots=True)
class SendResult:
    """What sending a message led to."""

    ok: bool
    message_id: str | None = None
    """The platform's id of the message that was sent."""
    error: str | None = None
    """Why it was not sent."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something to show in a chat that is not the agent's reply."""

    kind: NoteKind
    text: str
    """A sentence for people; all that a surface without forms of its own needs."""
    data: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """The same in parts. ``tool_started``: tool_call_id, tool_name, args (masked); ``tool_finished``: tool_call_id,
    tool_name, args, status (``ok``, ``error``, ``blocked``, ``cancelled``), duration_ms, result (its first 500
    characters, masked), why (the error, masked); ``approval_request``: session_key, approval_id, command, description,
    choices, timeout (s); ``approval_closed``: session_key, approval_id, choice; ``session_reset``: session_key,
    session_id (the new one), reason (``new``, ``reset``, ``clear``, ``idle``); ``typing``: active; ``notice``:
    level."""
