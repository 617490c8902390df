"""From hooks to spans: which hook begins which span, and which one ends it.

`begins` comes before anybody else's part in a hook where the host allows it, `ends` after it; where it does not, both
come at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .request_spans import RequestSpans
from .spans import Spans, request_id, tool_id
from .tool_spans import ToolSpans
from .turn_spans import TurnSpans

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.trace import Span, Tracer

    from .content import Content
    from .instruments import Instruments

_FIRED_BY_TOOLS: Final = {
    "transform_terminal_output": "terminal",
    "subagent_start": "delegate_task",
    "subagent_stop": "delegate_task",
}
"""Hooks without a tool call's id that are fired by a tool."""


class Tracker:
    """Keeps the spans of every session.

    Args:
        tracer: Makes spans.
        instruments: The metrics.
        agent_name: What the agent is called.
        content: Puts what was said into attributes; None leaves it out.
        last_of_call: The last hook of a tool call in this host.
        nested: Whether turns belong below what the application has open: its spans go where ours go.
    """

    def __init__(
        self,
        tracer: Tracer,
        instruments: Instruments,
        agent_name: str,
        content: Content | None,
        *,
        last_of_call: str,
        nested: bool,
    ) -> None:
        self.tracer = tracer
        self.instruments = instruments
        self._spans = Spans(tracer, instruments, content)
        turns = TurnSpans(self._spans, agent_name, nested=nested)
        requests = RequestSpans(self._spans)
        tools = ToolSpans(self._spans)
        self._begin: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "on_session_start": turns.session_began,
            "pre_llm_call": turns.began,
            "pre_tool_call": tools.began,
            "post_tool_call": tools.over,
            "post_api_request": requests.answered,
            "api_request_error": requests.failed,
            "post_approval_response": tools.person_answered,
        }
        self._end: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "pre_api_request": requests.began,
            "pre_approval_request": tools.person_asked,
            "subagent_start": turns.child_began,
            "subagent_stop": turns.child_over,
            "post_llm_call": turns.answered,
            "on_session_end": turns.ended,
            "on_session_finalize": turns.session_over,
            last_of_call: tools.ended,
        }

    def begins(self, hook: str, payload: Mapping[str, Any]) -> None:
        """Take note of a hook before others do."""
        handler = self._begin.get(hook)
        if handler is not None:
            handler(payload)

    def ends(self, hook: str, payload: Mapping[str, Any]) -> None:
        """Take note of a hook after others did."""
        handler = self._end.get(hook)
        if handler is not None:
            handler(payload)

    def blocked(self, payload: Mapping[str, Any], plugin: str) -> None:
        """Note which plugin blocked a tool call."""
        call = self._spans.call(payload, "tool", tool_id(payload))
        if call is not None and plugin:
            call.blocked_by = plugin

    def place_of(self, hook: str, payload: Mapping[str, Any]) -> Span | None:
        """Return the span that a hook is fired in; None where nothing is open."""
        tool, turn = self.tool_span(payload), self._spans.turn(payload)
        if tool is not None or turn is None:
            return tool
        name = _FIRED_BY_TOOLS.get(hook)
        return (self._spans.running_tool(turn, name) if name else None) or turn.span

    def request_span(self, payload: Mapping[str, Any]) -> Span | None:
        """Return the open span of a model request."""
        call = self._spans.call(payload, "chat", request_id(payload))
        return None if call is None else call.span

    def tool_span(self, payload: Mapping[str, Any]) -> Span | None:
        """Return the open span of a tool call."""
        call = self._spans.call(payload, "tool", tool_id(payload))
        return None if call is None else call.span

    def close(self) -> None:
        """End all that is open."""
        for turn in self._spans.turns.everything():
            self._spans.give_up(turn, "shutdown")
