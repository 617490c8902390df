"""Messages in OpenAI's chat format, and the few things that the host does with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hermes_sdk.host.models.base import ToolCall

Message: TypeAlias = dict[str, Any]
"""One message: ``{"role": "user", "content": ...}``; values as OpenAI's chat completions take them."""

UserMessage: TypeAlias = str | list[dict[str, Any]]
"""What a person sends: text, or a list of content parts when it is more than text."""


def text_of(content: object) -> str:
    """Return the text of a message's content; parts that are not text are left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def user_message(content: UserMessage) -> Message:
    """Return the message of a person."""
    return {"role": "user", "content": content}


def assistant_message(text: str, calls: Sequence[ToolCall] = ()) -> Message:
    """Return the message of the model, with the tool calls that it asks for."""
    message: Message = {"role": "assistant", "content": text or None if calls else text}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments_json},
            }
            for call in calls
        ]
    return message


def tool_message(call_id: str, tool_name: str, result: str) -> Message:
    """Return the result of a tool call."""
    return {"role": "tool", "tool_call_id": call_id, "name": tool_name, "content": result}


def with_context(message: Message, context: str) -> Message:
    """Return a copy of a user message with `context` added; the message itself stays as it is.

    Text gets it behind one blank line; a list of parts gets one more text part.
    """
    content = message["content"]
    if isinstance(content, str):
        joined = f"{content}\n\n{context}" if content else context
        return {**message, "content": joined}
    return {**message, "content": [*content, {"type": "text", "text": context}]}


def characters(message: Message) -> int:
    """Return about how many characters a message puts into a request."""
    content = message.get("content")
    size = len(content) if isinstance(content, str) else len(text_of(content))
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        size += len(str(function.get("name", ""))) + len(str(function.get("arguments", "")))
    return size


def error_result(message: str, **fields: Any) -> str:
    """Return the JSON text that the model sees instead of a result; `fields` go beside the error."""
    return json.dumps({"error": message, **fields}, ensure_ascii=False, default=str)
