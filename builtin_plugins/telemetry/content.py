"""What people, models and tools said, for those who want it in their traces: masked, then cut."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.masking import redact
from hermes_sdk.trace.recording import kept

from .attributes import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TAIL: Final = 8_192
"""Characters behind a first cut that are masked and dropped: a secret that it halves would not be recognised."""


class Content:
    """Puts texts into the form of the GenAI conventions.

    Args:
        limit: Characters of one text, and of all messages of one request.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def text(self, value: Any) -> str:
        """Return a text, or a value of another type as JSON, masked and cut."""
        if not isinstance(value, str):
            return self._cut(clean(_dumps(kept(value, redacted=True))))
        if len(value) <= self._limit + 2 * _TAIL:
            return self._cut(clean(redact(value)))
        # masked text is shorter than what it stands for: the tail goes from its end, wherever that is now
        return self._cut(clean(redact(value[: self._limit + 2 * _TAIL])[:-_TAIL]), len(value))

    def _cut(self, masked: str, length: int | None = None) -> str:
        more = max(len(masked), length or 0) - self._limit
        return masked if more <= 0 else f"{masked[: self._limit]}<{more:,} characters more>"

    def request(self, messages: Any) -> dict[str, str]:
        """Return the system prompt and the messages of a request, in OpenAI's form; the oldest are left out."""
        if not isinstance(messages, list | tuple):
            return {}
        system = [message for message in messages if _role(message) == "system"]
        shown: list[dict[str, Any]] = []
        room = self._limit
        for message in reversed([message for message in messages if _role(message) not in ("system", "")]):
            shown.append(self._message(message))
            room -= len(_dumps(shown[-1]))
            if room <= 0:
                break
        told = {"gen_ai.input.messages": _dumps(shown[::-1])}
        if system:
            parts = [part for message in system for part in self._texts(message.get("content"))]
            told["gen_ai.system_instructions"] = _dumps(parts)
        return told

    def answer(self, message: Any, finish_reason: str) -> dict[str, str]:
        """Return the message of an answer; of any type that is a mapping."""
        if not isinstance(message, dict):
            return {}
        return {"gen_ai.output.messages": _dumps([self._message(message) | {"finish_reason": finish_reason}])}

    def _message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        role = _role(message) or "assistant"
        if role == "tool":
            said = {"type": "tool_call_response", "id": str(message.get("tool_call_id") or "")}
            return {"role": role, "parts": [said | {"response": self.text(message.get("content"))}]}
        return {"role": role, "parts": [*self._texts(message.get("content")), *self._calls(message.get("tool_calls"))]}

    def _texts(self, content: Any) -> list[dict[str, Any]]:
        if isinstance(content, str):
            return [{"type": "text", "content": self.text(content)}] if content else []
        parts: Sequence[Any] = content if isinstance(content, list) else []
        return [
            {"type": "text", "content": self.text(part["text"])} if "text" in part else {"type": str(part.get("type"))}
            for part in parts
            if isinstance(part, dict)
        ]

    def _calls(self, calls: Any) -> list[dict[str, Any]]:
        made = []
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                arguments = self.text(_parsed(function.get("arguments")))
                told = {"id": str(call.get("id") or ""), "name": str(function.get("name") or "")}
                made.append({"type": "tool_call", **told, "arguments": arguments})
        return made


def _role(message: Any) -> str:
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else ""


def _parsed(arguments: Any) -> Any:
    """Return arguments as the JSON that they are: names of keys tell secrets; as they came where they are none."""
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments


def _dumps(value: Any) -> str:
    return clean(json.dumps(value, ensure_ascii=False))
