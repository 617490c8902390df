"""What the host asks of a model, and what it gets back.

A request is a dict in the form of OpenAI's chat completions (``model``, ``messages``, ``tools``, ...),
because that is what llm_request middleware rewrites. A reply is a `ModelReply`; `as_reply` also reads what
an llm_execution middleware may hand back instead: a chat completion as an object or as a dict, or plain
text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from hermes_sdk.errors import SessionError
from hermes_sdk.host.conversation import text_of
from hermes_sdk.host.session import new_call_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call that a model asks for."""

    name: str
    arguments: dict[str, Any]
    id: str = field(default_factory=new_call_id)
    problem: str | None = None
    """Why it cannot run as asked: its arguments are no JSON object. `arguments` is then empty."""
    raw: str | None = None
    """The arguments as the model wrote them, when it wrote text."""

    @property
    def arguments_json(self) -> str:
        """The arguments as JSON text, as they stand in the conversation."""
        return self.raw if self.raw is not None else json.dumps(self.arguments, ensure_ascii=False, default=str)

    @classmethod
    def parse(cls, name: str, arguments: object, call_id: str | None = None) -> ToolCall:
        """Read a call whose arguments are JSON text, or already a dict."""
        call_id = call_id or new_call_id()
        if isinstance(arguments, dict):
            return cls(name, arguments, call_id)
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
        try:
            parsed = json.loads(raw) if raw.strip() else {}
        except ValueError as error:
            return cls(name, {}, call_id, f"the arguments are not valid JSON: {error}", raw)
        if not isinstance(parsed, dict):
            found = type(parsed).__name__
            return cls(name, {}, call_id, f"the arguments must be a JSON object, not {found}", raw)
        return cls(name, parsed, call_id, None, raw)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one request took."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens

    def to_dict(self) -> dict[str, int]:
        """Return the three numbers under the names that post_api_request sends."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "total_tokens": self.total_tokens,
        }


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One answer of a model."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage | None = None
    model: str | None = None
    """Which model answered, where the endpoint says so."""


class ModelError(SessionError):
    """A model could not answer; `retryable` says whether the same request may work a moment later."""

    default_code = "HS410"

    def __init__(
        self,
        what: str,
        *,
        status_code: int | None = None,
        retryable: bool = False,
        why: str = "",
        fix: str = "",
    ) -> None:
        super().__init__(what, why=why, fix=fix)
        self.status_code = status_code
        self.retryable = retryable


class Model(Protocol):
    """Anything that answers requests. One model serves a session, its children and its plugins."""

    name: str
    """Sent as ``model`` to hooks, ``provider/model`` where there is a provider."""
    provider: str
    base_url: str

    def complete(self, request: dict[str, Any]) -> ModelReply:
        """Answer one request.

        Raises:
            ModelError: No answer; the host retries when it is marked retryable.
        """
        ...

    def for_child(self, goal: str) -> Model:
        """Return the model of a child agent with this goal; a real endpoint returns itself."""
        ...

    def for_plugins(self) -> Model:
        """Return the model behind ``ctx.llm``; a real endpoint returns itself."""
        ...


def as_reply(value: object) -> ModelReply:
    """Read a `ModelReply`, a chat completion (object or dict), or text.

    Raises:
        ModelError: It is none of these.
    """
    if isinstance(value, ModelReply):
        return value
    if isinstance(value, str):
        return ModelReply(value)
    choices = _field(value, "choices")
    if not isinstance(choices, list | tuple) or not choices:
        found = type(value).__name__
        raise ModelError(
            f"a model reply of type {found} cannot be read",
            why="it has no choices",
            fix="return a ModelReply, a chat completion or text",
        )
    message = _field(choices[0], "message")
    calls = _field(message, "tool_calls") or ()
    return ModelReply(
        text=text_of(_field(message, "content")),
        tool_calls=tuple(_calls(calls)),
        finish_reason=str(_field(choices[0], "finish_reason") or "stop"),
        usage=_usage(_field(value, "usage")),
        model=_text_or_none(_field(value, "model")),
    )


def reply_from_message(message: Mapping[str, Any]) -> ModelReply:
    """Read an assistant message of a stored conversation."""
    calls = tuple(_calls(message.get("tool_calls") or ()))
    return ModelReply(
        text=text_of(message.get("content")),
        tool_calls=calls,
        finish_reason="tool_calls" if calls else "stop",
    )


def _calls(calls: Iterable[object]) -> Iterable[ToolCall]:
    for call in calls:
        function = _field(call, "function")
        yield ToolCall.parse(
            str(_field(function, "name") or ""),
            _field(function, "arguments"),
            _text_or_none(_field(call, "id")),
        )


def _usage(value: object) -> Usage | None:
    if value is None:
        return None
    sent = _field(value, "prompt_tokens") or _field(value, "input_tokens")
    received = _field(value, "completion_tokens") or _field(value, "output_tokens")
    return Usage(
        input_tokens=sent if isinstance(sent, int) else 0,
        output_tokens=received if isinstance(received, int) else 0,
    )


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _field(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)
