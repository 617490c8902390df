"""What a script reads on standard input: one strict UTF-8 JSON object, whatever the values are (semantics 8.1)."""

from __future__ import annotations

import json
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.payload import StandIn
from hermes_sdk.json_values import MAX_DEPTH, MAX_TEXT, json_safe, too_deep

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOOL_INPUT: Final = ("args", "arguments")
_OBJECTS: Final = frozenset({"gateway", "session_store"})
"""Live objects of the host, sent as null."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

_EVENT_FIELDS: Final = ("text", "message_id", "internal")
_SOURCE_FIELDS: Final = ("platform", "chat_id", "chat_type", "user_id", "user_name", "thread_id", "chat_name")


def payload_of(event: str, arguments: Mapping[str, Any], cwd: str) -> dict[str, Any]:
    """Return the payload of one firing, before it is made into JSON.

    Args:
        event: The hook.
        arguments: What it was fired with.
        cwd: The session's working directory.
    """
    apart = _apart(event)
    return {
        "hook_event_name": event,
        "tool_name": arguments.get("tool_name"),
        "tool_input": _tool_input(arguments),
        "session_id": arguments.get("session_id") or arguments.get("parent_session_id") or "",
        "cwd": cwd,
        "extra": {name: _extra(name, value) for name, value in arguments.items() if name not in apart},
    }


@cache
def _apart(event: str) -> frozenset[str]:
    """Return the arguments of a hook that stand in no `extra`: they have a key of their own, or another name."""
    contract = HOOKS.get(event)
    return frozenset({"tool_name", "session_id", *_TOOL_INPUT, *(contract.aliases if contract else ())})


def _tool_input(arguments: Mapping[str, Any]) -> Any:
    found = next((arguments[name] for name in _TOOL_INPUT if name in arguments), None)
    # a model may send any JSON as arguments: a script can judge what Python callbacks cannot
    return found.sent if isinstance(found, StandIn) and not found else found


def _extra(name: str, value: Any) -> Any:
    if name in _OBJECTS:
        return None
    if name == "event":
        source = getattr(value, "source", None)
        fields = {field: getattr(value, field, None) for field in _EVENT_FIELDS}
        return {**fields, "source": {field: _plain(getattr(source, field, None)) for field in _SOURCE_FIELDS}}
    return value


def _plain(value: Any) -> Any:
    """Return the value behind an enumeration member, as platforms are."""
    inner = getattr(value, "value", value)
    return inner if isinstance(inner, str | int | float | bool | None) else value


def encode(payload: Mapping[str, Any]) -> bytes:
    """Return a payload as strict JSON on one line, in UTF-8."""
    try:
        # the usual payload needs no help, and json's C encoder is twenty times as fast as a look at each value
        line = _dumps(payload)
    except (TypeError, ValueError, RecursionError):
        return _dumps(json_safe(payload))
    return _dumps(json_safe(payload)) if len(line) > MAX_TEXT or _is_too_deep(line, payload) else line


def _is_too_deep(line: bytes, payload: Any) -> bool:
    # so few brackets cannot be nested too deep, whatever they are
    return line.count(b"{") + line.count(b"[") > MAX_DEPTH and too_deep(payload)


def _dumps(payload: Any) -> bytes:
    return _ENCODER.encode(payload).encode() + b"\n"


class Message:
    """A payload on its way to one or several scripts; it is encoded once."""

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self.payload = payload

    @property
    def session_id(self) -> str:
        """The session that fired it."""
        return str(self.payload["session_id"])

    @property
    def cwd(self) -> str:
        """Where the session works."""
        return str(self.payload["cwd"])

    @cached_property
    def line(self) -> bytes:
        """The payload as one line of JSON."""
        return encode(self.payload)

    def numbered(self, number: int) -> bytes:
        """Return the line with an ``id`` in front, for a script that answers many."""
        return b'{"id":%d,%b' % (number, self.line[1:])
