"""The spans of all sessions: found by the ids that hooks send, begun below the right one, and ended.

See open_spans.py for what is kept.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from opentelemetry import context as otel_context
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    get_current_span,
    set_span_in_context,
)

from . import attributes as at
from .open_spans import Open, OpenTurns, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.trace import Tracer

    from .content import Content
    from .instruments import Instruments


class Spans:
    """What the spans of turns, model requests and tools have in common.

    Args:
        tracer: Makes spans.
        instruments: The metrics.
        content: Puts what was said into attributes; None leaves it out.
    """

    def __init__(self, tracer: Tracer, instruments: Instruments, content: Content | None) -> None:
        self.tracer = tracer
        self.instruments = instruments
        self.turns = OpenTurns(self.give_up)
        self._content = content

    # -- looking up ------------------------------------------------------------------------------------

    def turn(self, payload: Mapping[str, Any]) -> Turn | None:
        """Return the open turn that a hook belongs to."""
        session = at.text(payload, "session_id", "parent_session_id", "task_id")
        turn_id = at.text(payload, "turn_id", "parent_turn_id")
        if session:
            return self.turns.of(session, turn_id)
        return self.turns.of_turn_id(turn_id) or self.turns.of(at.text(payload, "session_key"), turn_id)

    def loose(self, payload: Mapping[str, Any]) -> Turn:
        """Return a place for what belongs to no open turn."""
        return self.turns.loose(at.text(payload, "session_id", "task_id"), at.text(payload, "turn_id"))

    def call(self, payload: Mapping[str, Any], kind: str, key: str) -> Open | None:
        """Return what is open below the turn of a hook; `key` is its id."""
        turn = self.turn(payload)
        return None if turn is None else turn.calls.get((kind, key))

    def context(self, turn: Turn) -> otel_context.Context:
        """Return what a call of a turn belongs below; of one that is over, the turn all the same."""
        if turn.span is not None:
            return set_span_in_context(turn.span, otel_context.Context())
        before = self.turns.previous(turn.session)
        return below(before[1] if before and before[0] == turn.id else self.turns.above(turn.session))

    def running_tool(self, turn: Turn, name: str) -> Span | None:
        """Return the tool that runs in this thread, where middleware could say so; else the first of that name."""
        current = get_current_span()
        tools = turn.open_tools()
        here = next((tool for tool in tools if tool.span is current), None)
        here = here or next((tool for tool in tools if tool.name == name), None)
        return None if here is None else here.span

    # -- beginning and ending --------------------------------------------------------------------------

    def keep(self, turn: Turn, key: str, call: Open) -> None:
        """Note what has begun below a turn."""
        with self.turns.lock:
            gone = turn.calls.put((call.kind, key), call)
        for old in gone:
            old.span.end()

    def take(self, payload: Mapping[str, Any], kind: str, key: str) -> Open | None:
        """Return what is open below the turn of a hook, and forget it: whoever takes it ends its span."""
        turn = self.turn(payload)
        if turn is None:
            return None
        with self.turns.lock:
            call = turn.calls.pop((kind, key))
            if turn.span is None and not turn.calls.values():
                self.turns.remove(turn)
        return call

    def finish_turn(self, turn: Turn, outcome: str, reason: str) -> None:
        """End the span of a turn: ``completed``, ``interrupted`` or ``failed`` for some reason."""
        if turn.span is None:
            return
        labels = turn.labels | {"hermes.turn.outcome": outcome}
        if outcome == "failed":
            # free text of a host would be a metric of its own each time: the words of the contract have no blanks
            labels[at.ERROR] = reason if reason and " " not in reason else "failed"
            turn.span.set_status(Status(StatusCode.ERROR))
        turn.span.set_attributes(labels)
        self.instruments.turns.record(time.monotonic() - turn.started, labels, set_span_in_context(turn.span))
        turn.span.end()

    def give_up(self, turn: Turn, why: str) -> None:
        """End a turn that no hook ended, so that its span is not open forever."""
        self.turns.remove(turn)
        self.end_calls(turn, why)
        self.finish_turn(turn, "failed", why)

    def end_calls(self, turn: Turn, why: str) -> None:
        """End all that is still open below a turn."""
        for call in turn.calls.values():
            if not call.over:
                call.span.set_attribute(at.ERROR, why)
                call.span.set_status(Status(StatusCode.ERROR))
            call.span.end()

    # -- saying ----------------------------------------------------------------------------------------

    def say(self, span: Span, told: Callable[[Content], Mapping[str, str]]) -> None:
        """Add what was said to a span, where the settings want that."""
        if self._content is not None and span.is_recording():
            span.set_attributes({key: value for key, value in told(self._content).items() if value})

    def fail(self, span: Span, message: Any) -> None:
        """Mark a span as failed; what a failure says may hold what somebody said, of any type."""
        if self._content is not None and isinstance(message, str) and span.is_recording():
            span.set_status(Status(StatusCode.ERROR, self._content.text(message)))
        else:
            span.set_status(Status(StatusCode.ERROR))


def below(parent: SpanContext | None) -> otel_context.Context:
    """Return an empty context, or one below a span: what a thread happens to have open is nobody's parent."""
    nothing = otel_context.Context()
    return nothing if parent is None else set_span_in_context(NonRecordingSpan(parent), nothing)


def request_id(payload: Mapping[str, Any]) -> str:
    """Return what a model request is known by."""
    return at.text(payload, "api_request_id") or str(at.number(payload, "api_call_count") or "")


def tool_id(payload: Mapping[str, Any]) -> str:
    """Return what a tool call is known by."""
    return at.text(payload, "tool_call_id", "tool_name")
