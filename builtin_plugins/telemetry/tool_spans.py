"""Spans of tool calls, and of the people who are asked about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from opentelemetry.trace import SpanKind, set_span_in_context

from . import attributes as at
from .open_spans import Open
from .spans import tool_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .spans import Spans

_FAILED: Final = frozenset(("error", "timeout", "blocked"))
"""Statuses of a tool call that the model sees as an error."""
_UNKNOWN_TOOL: Final = "_OTHER"
"""Stands for names that a model made up, of which there is no end, in metrics."""


class ToolSpans:
    """Begins and ends them.

    Args:
        spans: All that are open.
    """

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def began(self, payload: Mapping[str, Any]) -> None:
        """A tool was wished for."""
        if self._spans.call(payload, "tool", tool_id(payload)) is not None:
            return  # judged again, on arguments that changed
        turn = self._spans.turn(payload) or self._spans.loose(payload)
        name, call_id = at.text(payload, "tool_name"), at.text(payload, "tool_call_id")
        details = at.present(gen_ai__conversation__id=turn.session, gen_ai__tool__call__id=call_id)
        span = self._spans.tracer.start_span(
            f"execute_tool {name}".rstrip(),
            context=self._spans.context(turn),
            kind=SpanKind.INTERNAL,
            attributes=details | {at.OPERATION: "execute_tool", at.TOOL: name, "gen_ai.tool.type": "function"},
        )
        self._spans.keep(turn, call_id or name, Open("tool", span, name))

    def over(self, payload: Mapping[str, Any]) -> None:
        """A tool has run, or was not let run; hooks may still change its result."""
        call = self._spans.call(payload, "tool", tool_id(payload))
        if call is None:
            return
        call.over = True
        status, error = at.text(payload, "status") or "ok", at.text(payload, "error_type")
        labels: dict[str, at.Value] = {"hermes.tool.status": status}
        if status != "ok":
            labels[at.ERROR] = error or status
        call.span.set_attributes(labels)
        if call.blocked_by and status == "blocked":
            call.span.set_attribute("hermes.tool.blocked_by", call.blocked_by)
        if status in _FAILED:
            self._spans.fail(call.span, payload.get("error_message"))
        self._spans.say(
            call.span,
            lambda content: {
                "gen_ai.tool.call.arguments": content.text(payload.get("args")),
                "gen_ai.tool.call.result": content.text(payload.get("result")),
            },
        )
        milliseconds = at.number(payload, "duration_ms")
        if milliseconds is not None and milliseconds >= 0:
            name = _UNKNOWN_TOOL if error == "unknown_tool" else call.name
            labels |= {at.TOOL: name}
            self._spans.instruments.tools.record(milliseconds / 1000, labels, set_span_in_context(call.span))

    def ended(self, payload: Mapping[str, Any]) -> None:
        """Nothing changes the result any more."""
        call = self._spans.take(payload, "tool", tool_id(payload))
        if call is not None:
            call.span.end()

    # -- who is asked ----------------------------------------------------------------------------------

    def person_asked(self, payload: Mapping[str, Any]) -> None:
        """Somebody is asked whether a tool may run."""
        turn = self._spans.turn(payload)
        if turn is None:
            return
        call_id = at.text(payload, "tool_call_id")
        tool = turn.calls.get(("tool", call_id))
        span = self._spans.tracer.start_span(
            "approval",
            context=self._spans.context(turn) if tool is None else set_span_in_context(tool.span),
            attributes=at.present(
                gen_ai__conversation__id=turn.session, hermes__approval__surface=at.text(payload, "surface")
            ),
        )
        self._spans.keep(turn, call_id, Open("approval", span, ""))

    def person_answered(self, payload: Mapping[str, Any]) -> None:
        """They answered, or nobody did in time."""
        call = self._spans.take(payload, "approval", at.text(payload, "tool_call_id"))
        if call is not None:
            call.span.set_attributes(
                at.present(
                    hermes__approval__choice=at.text(payload, "choice"),
                    hermes__approval__decided_by=at.text(payload, "decided_by"),
                )
            )
            call.span.end()
