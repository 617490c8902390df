"""The events of a messaging gateway as data: when each fires, and every key of its context.

Messages about unknown events, `hermes-sdk gateway hooks emit`, the reference page and tests are all made from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.watch import any_copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST_TEXT: Final = 500
"""Characters of a message or response that handlers get."""

COMMANDS: Final = "command"
"""The family whose events are named after what the user wrote: ``command:reset``."""


@dataclass(frozen=True, slots=True)
class ContextKey:
    """One key of an event's context."""

    name: str
    type: str
    description: str
    sample: Any
    """A made-up value, of the type above, for trials."""
    clipped: bool = False
    """Whether only the first `LONGEST_TEXT` characters are handed over."""


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """One event, or the family ``command:*``."""

    name: str
    fires: str
    """When, as the reference page prints it."""
    keys: tuple[ContextKey, ...]

    @property
    def key_names(self) -> frozenset[str]:
        """Names of all keys of its context."""
        return frozenset(key.name for key in self.keys)

    @property
    def sample(self) -> dict[str, Any]:
        """A made-up context, values of the documented types."""
        return {key.name: any_copy(key.sample) for key in self.keys}


_PLATFORM: Final = ContextKey("platform", "str", "Name of the messaging platform.", "webchat")
_USER: Final = ContextKey(
    "user_id", "str", "Who wrote, by the platform's own id; empty where it does not say.", "user-1"
)
_SESSION: Final = ContextKey("session_id", "str", "The conversation.", "session-1")
_SESSION_KEY: Final = ContextKey(
    "session_key", "str", "The chat, which outlives its conversations.", "webchat:dm:chat-1"
)
_MESSAGE: Final = ContextKey(
    "message", "str", f"What the user wrote, its first {LONGEST_TEXT} characters.", "a sample message", clipped=True
)
_RESPONSE: Final = ContextKey(
    "response", "str", f"What the agent answered, its first {LONGEST_TEXT} characters.", "a sample answer", clipped=True
)

EVENTS: Final = (
    GatewayEvent(
        "gateway:startup",
        "Once, when the gateway's adapters have started.",
        (ContextKey("platforms", "list[str]", "Platforms that are connected.", ["webchat"]),),
    ),
    GatewayEvent(
        "session:start",
        "At the first message of a new conversation, before `agent:start`.",
        (_PLATFORM, _USER, _SESSION, _SESSION_KEY),
    ),
    GatewayEvent(
        "session:end",
        "When `/new`, `/reset`, `/clear` or idleness ends a conversation, before it is replaced.",
        (_PLATFORM, _USER, _SESSION_KEY),
    ),
    GatewayEvent(
        "session:reset",
        "When a conversation was replaced by a new one.",
        (_PLATFORM, _USER, _SESSION_KEY),
    ),
    GatewayEvent("agent:start", "The agent begins to work on a message.", (_PLATFORM, _USER, _SESSION, _MESSAGE)),
    GatewayEvent(
        "agent:step",
        "At each round of the loop in which the model calls tools.",
        (
            _PLATFORM,
            _USER,
            _SESSION,
            ContextKey("iteration", "int", "Number of the round in this turn, from 1.", 1),
            ContextKey("tool_names", "list[str]", "Tools of the round, in the order of the calls.", ["terminal"]),
        ),
    ),
    GatewayEvent(
        "agent:end",
        "The agent has worked on a message, whatever came of it.",
        (_PLATFORM, _USER, _SESSION, _MESSAGE, _RESPONSE),
    ),
    GatewayEvent(
        "command:*",
        "A slash command that the gateway or a plugin knows; the event is `command:reset` for `/reset`.",
        (
            _PLATFORM,
            _USER,
            ContextKey("command", "str", "Name of the command, without the slash.", "help"),
            ContextKey("args", "str", "What stood behind it.", ""),
        ),
    ),
)
"""Every event, in the order in which a conversation meets them."""

_BY_NAME: Final = {event.name: event for event in EVENTS}


def event_of(event_type: str) -> GatewayEvent | None:
    """Return the event that a name means, ``command:reset`` too; None for an unknown one."""
    family, _, member = event_type.partition(":")
    if family == COMMANDS and member:
        return _BY_NAME[f"{COMMANDS}:*"]
    return _BY_NAME.get(event_type)


def known_patterns() -> list[str]:
    """Return what `events:` of a HOOK.yaml may name, but for single commands."""
    families = {event.name.partition(":")[0]: None for event in EVENTS}
    return [*_BY_NAME, *(f"{family}:*" for family in families if family != COMMANDS)]


def is_known(pattern: str) -> bool:
    """Whether `events:` of a HOOK.yaml may name this: an event, ``family:*`` or ``command:<name>``."""
    return event_of(pattern) is not None or pattern in known_patterns()


def matches(patterns: Iterable[str], event_type: str) -> str | None:
    """Return the pattern by which an event is subscribed to, the exact one before ``family:*``; None when it is not."""
    family, colon, _ = event_type.partition(":")
    listed = set(patterns)
    return next((pattern for pattern in (event_type, f"{family}{colon}*") if pattern in listed), None)


def clipped(event_type: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a context (values of any type) whose long texts are cut to what handlers get."""
    event = event_of(event_type)
    cut = dict(context)
    for key in () if event is None else event.keys:
        value = cut.get(key.name)
        if key.clipped and isinstance(value, str) and len(value) > LONGEST_TEXT:
            cut[key.name] = value[:LONGEST_TEXT]
    return cut
