"""One answer from the model: middleware, the attempts, and the hooks around each of them.

Order: llm_request middleware -> pre_api_request -> llm_execution middleware -> the model -> post_api_request,
or api_request_error and perhaps one more attempt. (Rule: semantics 6.1.)
"""

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.host.api_payload import message_of, reason_of, request_of, usage_of
from hermes_sdk.host.conversation import characters
from hermes_sdk.host.events import MiddlewareApplied, ModelAnswered, ModelFailed, ModelRequested
from hermes_sdk.host.models.base import ModelError, as_reply
from hermes_sdk.host.sanitise import sanitised
from hermes_sdk.plugins.middleware import apply_request, run_execution

if TYPE_CHECKING:
    from hermes_sdk.host.conversation import Message
    from hermes_sdk.host.fire import HookRelay
    from hermes_sdk.host.models.base import Model, ModelReply
    from hermes_sdk.host.session import Session, Turn
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

API_MODE = "chat_completions"
"""Sent as ``api_mode``: the only form of request that this host knows."""


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """How often and how soon a failed request is repeated."""

    max_retries: int = 3
    first_delay: float = 0.5
    """Seconds before the first repetition; doubled for each further one, with up to a quarter of jitter."""
    longest_delay: float = 20.0


@dataclass(slots=True)
class _Exchange:
    """One request and what hooks are told about it."""

    turn: Turn
    request: dict[str, Any]
    api_request_id: str
    trace: list[dict[str, Any]]
    started_at: float = 0.0


class TurnInterruptedError(Exception):
    """The turn was asked to end while the host waited for the model."""


class ModelCaller:
    """Asks one session's model."""

    def __init__(
        self, manager: PluginManager, model: Model, session: Session, relay: HookRelay, retry: RetrySettings
    ) -> None:
        self._manager = manager
        self._model = model
        self._session = session
        self._relay = relay
        self._retry = retry

    def ask(self, turn: Turn, messages: list[Message], tools: list[dict[str, Any]]) -> ModelReply:
        """Send the conversation and return the answer.

        Raises:
            ModelError: No attempt gave an answer.
            TurnInterruptedError: The turn was asked to end between two attempts.
        """
        request: dict[str, Any] = {"model": self._model.name, "messages": messages}
        if tools:
            request["tools"] = tools
        api_request_id = turn.next_api_request()
        exchange = _Exchange(turn, request, api_request_id, [])
        exchange.request, exchange.trace = apply_request(self._manager, "llm_request", request, **self._ids(exchange))
        if exchange.trace:
            plugins = tuple(str(entry.get("plugin", "")) for entry in exchange.trace)
            self._tell_rewrite(exchange, "llm_request", plugins, request, exchange.request)
        for attempt in range(self._retry.max_retries + 1):
            try:
                return self._attempt(exchange, attempt)
            except ModelError as error:
                if not self._again(error, attempt):
                    raise
            if turn.interrupt.wait(self._delay(attempt)):
                raise TurnInterruptedError
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _again(self, error: ModelError, attempt: int) -> bool:
        return error.retryable and attempt < self._retry.max_retries

    def _delay(self, attempt: int) -> float:
        delay = min(self._retry.first_delay * 2.0**attempt, self._retry.longest_delay)
        return delay * random.uniform(1.0, 1.25)  # noqa: S311 - jitter, not a secret

    def _attempt(self, exchange: _Exchange, attempt: int) -> ModelReply:
        exchange.started_at = time.time()
        self._announce(exchange)
        started = time.monotonic()
        try:
            answer = run_execution(
                self._manager,
                "llm_execution",
                exchange.request,
                lambda passed: self._complete(exchange, passed),
                **self._ids(exchange),
            )
            reply = as_reply(answer)
        except ModelError as error:
            self._tell_failure(exchange, error, attempt, time.monotonic() - started)
            raise
        self._tell_answer(exchange, reply, time.monotonic() - started)
        return reply

    def _complete(self, exchange: _Exchange, request: dict[str, Any]) -> ModelReply:
        if request is not exchange.request and request != exchange.request:
            standing = self._manager.registrations.middleware("llm_execution")
            plugins = tuple(dict.fromkeys(plugin for plugin, _ in standing))
            self._tell_rewrite(exchange, "llm_execution", plugins, exchange.request, request)
        try:
            return self._model.complete(request)
        except ModelError:
            raise
        except Exception as error:
            logger.exception("model %s failed", self._model.name)
            why = f"{type(error).__name__}: {error}"
            raise ModelError(f"model {self._model.name!r} failed", why=why) from error

    def _ids(self, exchange: _Exchange) -> dict[str, Any]:
        return {
            "task_id": self._session.task_id,
            "session_id": self._session.id,
            "turn_id": exchange.turn.id,
            "api_request_id": exchange.api_request_id,
            "api_call_count": exchange.turn.api_calls,
            "provider": self._model.provider,
            "base_url": self._model.base_url,
            "api_mode": API_MODE,
            "platform": self._session.platform,
            "model": self._model.name,
        }

    def _announce(self, exchange: _Exchange) -> None:
        request, turn = exchange.request, exchange.turn
        messages = request.get("messages") or []
        tools = request.get("tools") or []
        self._relay.emit(
            ModelRequested,
            turn,
            api_request_id=exchange.api_request_id,
            message_count=len(messages),
            tool_count=len(tools),
        )
        # counting and copying cost the length of the history on every request: only for somebody who looks
        watched = self._manager.has_hook("pre_api_request")
        size = sum(map(characters, messages)) if watched else 0
        payload = self._ids(exchange) | {
            "user_message": turn.user_message,
            "conversation_history": list(self._session.history),
            "request_messages": [dict(message) for message in messages] if watched else [],
            "message_count": len(messages),
            "tool_count": len(tools),
            "approx_input_tokens": size // 4,
            "request_char_count": size,
            "max_tokens": request.get("max_tokens"),
            "started_at": exchange.started_at,
            "middleware_trace": list(exchange.trace),
            "request": request_of(request) if watched else {},
        }
        self._relay.pre_api_request(turn, payload)

    def _tell_answer(self, exchange: _Exchange, reply: ModelReply, seconds: float) -> None:
        message, usage = message_of(reply), usage_of(reply.usage)
        payload = self._ids(exchange) | {
            "api_duration": seconds,
            "started_at": exchange.started_at,
            "ended_at": exchange.started_at + seconds,
            "finish_reason": reply.finish_reason,
            "message_count": len(exchange.request.get("messages") or []),
            "response_model": reply.model,
            "response": sanitised(
                {
                    "model": reply.model,
                    "finish_reason": reply.finish_reason,
                    "usage": usage,
                    "assistant_message": message,
                }
            ),
            "usage": usage,
            "assistant_message": message,
            "assistant_content_chars": len(reply.text),
            "assistant_tool_call_count": len(reply.tool_calls),
        }
        self._relay.post_api_request(exchange.turn, payload)
        self._relay.emit(
            ModelAnswered,
            exchange.turn,
            api_request_id=exchange.api_request_id,
            text=reply.text,
            tool_names=tuple(call.name for call in reply.tool_calls),
            finish_reason=reply.finish_reason,
            duration_ms=seconds * 1000,
        )

    def _tell_failure(self, exchange: _Exchange, error: ModelError, attempt: int, seconds: float) -> None:
        again = self._again(error, attempt)
        logger.info("attempt %d of %s failed: %s", attempt + 1, exchange.api_request_id, error.what)
        payload = self._ids(exchange) | {
            "api_duration": seconds,
            "started_at": exchange.started_at,
            "ended_at": exchange.started_at + seconds,
            "status_code": error.status_code,
            "retry_count": attempt,
            "max_retries": self._retry.max_retries,
            "retryable": error.retryable,
            "reason": reason_of(error),
            "error": sanitised({"type": type(error).__name__, "message": str(error), "code": error.code}),
            "request": request_of(exchange.request) if self._manager.has_hook("api_request_error") else {},
        }
        self._relay.api_request_error(exchange.turn, payload)
        self._relay.emit(
            ModelFailed,
            exchange.turn,
            api_request_id=exchange.api_request_id,
            error=str(error),
            retry_count=attempt,
            will_retry=again,
        )

    def _tell_rewrite(
        self,
        exchange: _Exchange,
        kind: str,
        plugins: tuple[str, ...],
        before: dict[str, Any],
        after: dict[str, Any],
    ) -> None:
        changed = tuple(key for key in {**before, **after} if before.get(key) != after.get(key))
        self._relay.emit(MiddlewareApplied, exchange.turn, kind=kind, plugins=plugins, changed=changed)
