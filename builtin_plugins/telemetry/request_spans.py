"""Spans of requests to a model, one for each attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.trace import SpanKind, set_span_in_context

from . import attributes as at
from .open_spans import Open
from .spans import request_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .spans import Spans


class RequestSpans:
    """Begins and ends them.

    Args:
        spans: All that are open.
    """

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def began(self, payload: Mapping[str, Any]) -> None:
        """A request goes out."""
        turn = self._spans.turn(payload) or self._spans.loose(payload)
        model, provider = at.text(payload, "model"), at.provider(payload)
        labels: dict[str, at.Value] = {at.OPERATION: "chat", at.PROVIDER: provider}
        labels |= at.present(gen_ai__request__model=model) | at.server(payload)
        most = at.number(payload, "max_tokens")
        details = at.present(
            gen_ai__conversation__id=turn.session,
            gen_ai__request__max_tokens=None if most is None else int(most),
            hermes__api_request__id=at.text(payload, "api_request_id"),
        )
        span = self._spans.tracer.start_span(
            f"chat {model}".rstrip(),
            context=self._spans.context(turn),
            kind=SpanKind.CLIENT,
            attributes=labels | details,
        )
        if turn.span is not None:
            turn.span.set_attribute(at.PROVIDER, provider)
        self._spans.say(span, lambda content: content.request(payload.get("request_messages")))
        self._spans.keep(turn, request_id(payload), Open("chat", span, model, labels))

    def answered(self, payload: Mapping[str, Any]) -> None:
        """A request was answered."""
        call = self._spans.take(payload, "chat", request_id(payload))
        if call is None:
            return
        usage, reason = payload.get("usage"), at.text(payload, "finish_reason")
        labels = call.labels | at.present(gen_ai__response__model=at.text(payload, "response_model"))
        call.span.set_attributes(labels | at.usage_attributes(usage))
        if reason:
            call.span.set_attribute("gen_ai.response.finish_reasons", [reason])
        self._spans.say(call.span, lambda content: content.answer(payload.get("assistant_message"), reason))
        context = set_span_in_context(call.span)
        for kind, count in zip(("input", "output"), at.tokens(usage), strict=True):
            if count is not None:
                self._spans.instruments.tokens.record(count, labels | {"gen_ai.token.type": kind}, context)
        self._end_request(call, payload, labels)

    def failed(self, payload: Mapping[str, Any]) -> None:
        """An attempt of a request failed."""
        call = self._spans.take(payload, "chat", request_id(payload))
        if call is None:
            return
        labels = call.labels | {at.ERROR: at.error_of_request(payload)}
        attempt = at.number(payload, "retry_count")
        retryable = payload.get("retryable")
        call.span.set_attributes(
            labels
            | at.present(
                hermes__api_request__attempt=None if attempt is None else int(attempt) + 1,
                hermes__api_request__retryable=retryable if isinstance(retryable, bool) else None,
                hermes__api_request__reason=at.text(payload, "reason"),
            )
        )
        error = payload.get("error")
        self._spans.fail(call.span, error.get("message") if isinstance(error, dict) else None)
        self._end_request(call, payload, labels)

    def _end_request(self, call: Open, payload: Mapping[str, Any], labels: dict[str, at.Value]) -> None:
        seconds = at.number(payload, "api_duration")
        if seconds is not None and seconds >= 0:
            self._spans.instruments.requests.record(seconds, labels, set_span_in_context(call.span))
        call.span.end()
