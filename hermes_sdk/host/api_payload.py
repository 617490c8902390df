"""The forms in which hooks of the api family are told about requests, answers and failures.

They are those of hermes-agent 0.19.0: plugins read `request["body"]`, `assistant_message.content` and
`usage["prompt_tokens"]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.conversation import assistant_message
from hermes_sdk.host.sanitise import sanitised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.host.models.base import ModelError, ModelReply, Usage

_REASONS: Final = {
    400: "format_error",
    401: "auth",
    402: "billing",
    403: "auth",
    404: "model_not_found",
    408: "timeout",
    413: "payload_too_large",
    422: "format_error",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_SERVER_ERRORS: Final = range(500, 600)


class Readable(dict[str, Any]):
    """A dict whose items are attributes too.

    hermes-agent hands plugins objects where this host has messages: ``message.content`` and ``message["content"]``
    both work, and JSON has a form for it.
    """

    def __getattr__(self, name: str) -> Any:
        """Return an item; of whatever type it is."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def request_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request as observers get it: JSON-able, secrets masked."""
    return {"method": "POST", "body": sanitised(request)}


def message_of(reply: ModelReply) -> Readable:
    """Return the message of an answer as observers get it."""
    message = assistant_message(reply.text, reply.tool_calls)
    calls = [
        Readable(call | {"function": Readable(call["function"])} | call["function"])
        for call in message.get("tool_calls", ())
    ]
    told = {"tool_calls": calls or None, "finish_reason": reply.finish_reason, "reasoning": None}
    return Readable(message | told)


def usage_of(usage: Usage | None) -> dict[str, int] | None:
    """Return how many tokens an answer took, under every name that plugins know; None where nobody says."""
    if usage is None:
        return None
    return usage.to_dict() | {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
        "request_count": 1,
    }


def reason_of(error: ModelError) -> str:
    """Return the kind of a failure in one word, as plugins compare it."""
    if error.status_code in _REASONS:
        return _REASONS[error.status_code]
    if error.status_code is None:
        return "timeout" if error.retryable else "unknown"
    return "server_error" if error.status_code in _SERVER_ERRORS else "unknown"
