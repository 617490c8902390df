"""What a script reads on standard input: one strict UTF-8 JSON object, whatever the values are (semantics 8.1).

Scripts in any language must be able to read it, so a value that JSON cannot carry becomes a string that says what it
was: ``"<bytes: ff>"``, ``"<float: nan>"``, ``"<object: Session>"``, ``"<cycle>"``. Nothing is left out (seed S24).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from hermes_hookspecs import HOOKS, TELEMETRY_SCHEMA_VERSION

MAX_DEPTH: Final = 64
"""Levels of nesting that are kept; deeper values become ``"<too deep>"``."""

MAX_TEXT: Final = 8 * 1024 * 1024
"""Characters of one string that are kept; the rest is replaced by a count."""

_GLANCE: Final = 64
"""Bytes of a binary value that are shown."""

_TOOL_INPUT: Final = ("args", "arguments")
_OBJECTS: Final = frozenset({"gateway", "session_store"})
"""Live objects of the host, sent as null."""

_EVENT_FIELDS: Final = ("text", "message_id", "internal")
_SOURCE_FIELDS: Final = ("platform", "chat_id", "chat_type", "user_id", "user_name", "thread_id", "chat_name")


def payload_of(event: str, arguments: Mapping[str, Any], cwd: str) -> dict[str, Any]:
    """Return the payload of one firing, before it is made into JSON.

    Args:
        event: The hook.
        arguments: What it was fired with.
        cwd: The session's working directory.
    """
    contract = HOOKS.get(event)
    aliases = contract.aliases if contract else {}
    tool_input = next((arguments[name] for name in _TOOL_INPUT if name in arguments), None)
    session = arguments.get("session_id") or arguments.get("parent_session_id") or ""
    apart = {"tool_name", "session_id", "telemetry_schema_version", *_TOOL_INPUT, *aliases}
    extra = {name: _extra(name, value) for name, value in arguments.items() if name not in apart}
    return {
        "hook_event_name": event,
        "tool_name": arguments.get("tool_name"),
        "tool_input": tool_input,
        "session_id": session,
        "cwd": cwd,
        "extra": {**extra, "telemetry_schema_version": TELEMETRY_SCHEMA_VERSION},
    }


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
        # the usual payload needs no help, and json's C encoder is twenty times as fast as looking at each value
        return json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):
        safe = json_safe(payload)
        return json.dumps(safe, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def json_safe(value: Any, depth: int = 0, around: tuple[int, ...] = ()) -> Any:
    """Return a value of any type as one that JSON can carry; what it cannot becomes a tagged string."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str | int | float | bytes | bytearray):
        return _scalar(value)
    if id(value) in around:
        return "<cycle>"
    if depth >= MAX_DEPTH:
        return "<too deep>"
    inside = (*around, id(value))
    try:
        if isinstance(value, Mapping):
            return {_key(key): json_safe(item, depth + 1, inside) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [json_safe(item, depth + 1, inside) for item in value]
    except Exception as error:  # a container whose own code fails
        return f"<{type(value).__name__}: {type(error).__name__}>"
    return f"<object: {type(value).__name__}>"


def _scalar(value: str | float | bytes | bytearray) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else f"<float: {value!r}>"
    return f"<bytes: {bytes(value[:_GLANCE]).hex()}{'...' if len(value) > _GLANCE else ''}>"


def _key(key: Any) -> str:
    if isinstance(key, str):
        return _text(key)
    return str(json_safe(key)) if isinstance(key, int | float | bytes | None) else f"<{type(key).__name__}: {key!r}>"


def _text(text: str) -> str:
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}<{len(text) - MAX_TEXT} characters more>"
    return text.encode("utf-8", "backslashreplace").decode() if _has_surrogates(text) else str(text)


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
