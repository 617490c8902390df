"""Spans of turns, those of child agents too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry import context as otel_context
from opentelemetry.trace import Link, SpanKind

from . import attributes as at
from .open_spans import Turn
from .spans import below

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .spans import Spans


class TurnSpans:
    """Begins and ends them.

    Args:
        spans: All that are open.
        agent_name: What the agent is called.
        nested: Whether turns belong below what the application has open: its spans go where ours go.
    """

    def __init__(self, spans: Spans, agent_name: str, *, nested: bool) -> None:
        self._spans = spans
        self._agent_name = agent_name
        self._nested = nested

    def session_began(self, payload: Mapping[str, Any]) -> None:
        """A session began: its first turn, before anybody knows what was asked."""
        self._begin_turn(payload, "", asked=False)

    def began(self, payload: Mapping[str, Any]) -> None:
        """A turn began: the user's message is known."""
        turn_id = at.text(payload, "turn_id")
        turn = self._spans.turns.of(at.text(payload, "session_id"), turn_id)
        if turn is None or turn.asked or turn.span is None:
            turn = self._begin_turn(payload, turn_id, asked=True)
        turn.asked, turn.id = True, turn_id
        if turn.span is None:
            return
        if turn_id:
            turn.span.set_attribute("hermes.turn.id", turn_id)
        self._spans.say(turn.span, lambda content: {"hermes.turn.message": content.text(payload.get("user_message"))})

    def _begin_turn(self, payload: Mapping[str, Any], turn_id: str, *, asked: bool) -> Turn:
        session = at.text(payload, "session_id", "task_id")
        above, before = self._spans.turns.above(session), self._spans.turns.previous(session)
        platform = at.text(payload, "platform")
        labels: dict[str, at.Value] = at.present(hermes__platform=platform)
        name = self._agent_name
        span = self._spans.tracer.start_span(
            f"invoke_agent {name}",
            context=otel_context.get_current() if self._nested and above is None else below(above),
            kind=SpanKind.INTERNAL,
            links=[Link(before[1])] if before and above is None else [],
            attributes={at.OPERATION: "invoke_agent", at.AGENT: name}
            | at.present(gen_ai__request__model=at.text(payload, "model"), gen_ai__conversation__id=session)
            | labels,
        )
        turn = Turn(session, turn_id, span, labels, asked=asked)
        self._spans.turns.add(turn)
        return turn

    def answered(self, payload: Mapping[str, Any]) -> None:
        """The model gave its last answer."""
        turn = self._spans.turn(payload)
        if turn is not None and turn.span is not None:
            self._spans.say(
                turn.span, lambda content: {"hermes.turn.answer": content.text(payload.get("assistant_response") or "")}
            )

    def ended(self, payload: Mapping[str, Any]) -> None:
        """A turn is over."""
        turn = self._spans.turn(payload)
        if turn is None or turn.span is None or not self._spans.turns.remove(turn):
            return
        interrupted = payload.get("interrupted") is True
        outcome = "completed" if payload.get("completed") is True else "interrupted" if interrupted else "failed"
        self._spans.end_calls(turn, "interrupted" if interrupted else "turn_ended")
        reason = "" if interrupted else at.text(payload, "reason")
        self._spans.finish_turn(turn, outcome, reason)

    def session_over(self, payload: Mapping[str, Any]) -> None:
        """A session is over: nothing of it stays open."""
        session = at.text(payload, "session_id")
        for turn in self._spans.turns.of_session(session):
            self._spans.give_up(turn, "session_over")
        self._spans.turns.forget_session(session)

    def child_began(self, payload: Mapping[str, Any]) -> None:
        """A child agent began: what its session does belongs below the parent's tool."""
        child, turn = at.text(payload, "child_session_id"), self._spans.turn(payload)
        if not child or turn is None:
            return
        parent = self._spans.running_tool(turn, "delegate_task") or turn.span
        if parent is not None:
            self._spans.turns.put_below(child, parent.get_span_context())

    def child_over(self, payload: Mapping[str, Any]) -> None:
        """A child agent's session is over."""
        child = at.text(payload, "child_session_id")
        if child:
            self.session_over({"session_id": child})
