"""From hooks to spans: which hook begins which span, which one ends it, and what is known by then.

`begins` comes before anybody else's part in a hook where the host allows it, `ends` after it; where it does not, both
come at once. Everything is looked up by the ids that hooks send (see open_spans.py).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import context as otel_context
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
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

_FAILED: Final = frozenset(("error", "timeout", "blocked"))
"""Statuses of a tool call that the model sees as an error."""
_UNKNOWN_TOOL: Final = "_OTHER"
"""Stands for names that a model made up, of which there is no end, in metrics."""
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
        self._agent_name = agent_name
        self._content = content
        self._nested = nested
        self._turns = OpenTurns(self._give_up)
        self._begin: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "on_session_start": self._session_began,
            "pre_llm_call": self._turn_began,
            "pre_tool_call": self._tool_began,
            "post_tool_call": self._tool_over,
            "post_api_request": self._request_answered,
            "api_request_error": self._request_failed,
            "post_approval_response": self._person_answered,
        }
        self._end: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "pre_api_request": self._request_began,
            "pre_approval_request": self._person_asked,
            "subagent_start": self._child_began,
            "subagent_stop": self._child_over,
            "post_llm_call": self._answered,
            "on_session_end": self._turn_ended,
            "on_session_finalize": self._session_over,
        }
        self._end[last_of_call] = self._tool_ended

    # -- for the hooks ---------------------------------------------------------------------------------

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
        call = self._call(payload, "tool", _tool_id(payload))
        if call is not None and plugin:
            call.blocked_by = plugin

    def place_of(self, hook: str, payload: Mapping[str, Any]) -> Span | None:
        """Return the span that a hook is fired in; None where nothing is open."""
        tool, turn = self.tool_span(payload), self._turn(payload)
        if tool is not None or turn is None:
            return tool
        name = _FIRED_BY_TOOLS.get(hook)
        return (self._running_tool(turn, name) if name else None) or turn.span

    def request_span(self, payload: Mapping[str, Any]) -> Span | None:
        """Return the open span of a model request."""
        call = self._call(payload, "chat", _request_id(payload))
        return None if call is None else call.span

    def tool_span(self, payload: Mapping[str, Any]) -> Span | None:
        """Return the open span of a tool call."""
        call = self._call(payload, "tool", _tool_id(payload))
        return None if call is None else call.span

    def close(self) -> None:
        """End all that is open."""
        for turn in self._turns.everything():
            self._give_up(turn, "shutdown")

    # -- turns -----------------------------------------------------------------------------------------

    def _session_began(self, payload: Mapping[str, Any]) -> None:
        self._begin_turn(payload, "", asked=False)

    def _turn_began(self, payload: Mapping[str, Any]) -> None:
        turn_id = at.text(payload, "turn_id")
        turn = self._turns.of(at.text(payload, "session_id"), turn_id)
        if turn is None or turn.asked or turn.span is None:
            turn = self._begin_turn(payload, turn_id, asked=True)
        turn.asked, turn.id = True, turn_id
        if turn.span is None:
            return
        if turn_id:
            turn.span.set_attribute("hermes.turn.id", turn_id)
        self._say(turn.span, lambda content: {"hermes.turn.message": content.text(payload.get("user_message"))})

    def _begin_turn(self, payload: Mapping[str, Any], turn_id: str, *, asked: bool) -> Turn:
        session = at.text(payload, "session_id", "task_id")
        above, before = self._turns.above(session), self._turns.previous(session)
        platform = at.text(payload, "platform")
        labels: dict[str, at.Value] = at.present(hermes__platform=platform)
        name = self._agent_name
        span = self.tracer.start_span(
            f"invoke_agent {name}",
            context=otel_context.get_current() if self._nested and above is None else _below(above),
            kind=SpanKind.INTERNAL,
            links=[Link(before[1])] if before and above is None else [],
            attributes={at.OPERATION: "invoke_agent", at.AGENT: name}
            | at.present(gen_ai__request__model=at.text(payload, "model"), gen_ai__conversation__id=session)
            | labels,
        )
        turn = Turn(session, turn_id, span, labels, asked=asked)
        self._turns.add(turn)
        return turn

    def _answered(self, payload: Mapping[str, Any]) -> None:
        turn = self._turn(payload)
        if turn is not None and turn.span is not None:
            self._say(
                turn.span, lambda content: {"hermes.turn.answer": content.text(payload.get("assistant_response") or "")}
            )

    def _turn_ended(self, payload: Mapping[str, Any]) -> None:
        turn = self._turn(payload)
        if turn is None or turn.span is None or not self._turns.remove(turn):
            return
        interrupted = payload.get("interrupted") is True
        outcome = "completed" if payload.get("completed") is True else "interrupted" if interrupted else "failed"
        self._end_calls(turn, "interrupted" if interrupted else "turn_ended")
        reason = "" if interrupted else at.text(payload, "reason")
        self._finish_turn(turn, outcome, reason)

    def _finish_turn(self, turn: Turn, outcome: str, reason: str) -> None:
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

    def _give_up(self, turn: Turn, why: str) -> None:
        """End a turn that no hook ended, so that its span is not open forever."""
        self._turns.remove(turn)
        self._end_calls(turn, why)
        self._finish_turn(turn, "failed", why)

    def _end_calls(self, turn: Turn, why: str) -> None:
        for call in turn.calls.values():
            if not call.over:
                call.span.set_attribute(at.ERROR, why)
                call.span.set_status(Status(StatusCode.ERROR))
            call.span.end()

    def _session_over(self, payload: Mapping[str, Any]) -> None:
        session = at.text(payload, "session_id")
        for turn in self._turns.of_session(session):
            self._give_up(turn, "session_over")
        self._turns.forget_session(session)

    # -- model requests --------------------------------------------------------------------------------

    def _request_began(self, payload: Mapping[str, Any]) -> None:
        turn = self._turn(payload) or self._loose(payload)
        model, provider = at.text(payload, "model"), at.provider(payload)
        labels: dict[str, at.Value] = {at.OPERATION: "chat", at.PROVIDER: provider}
        labels |= at.present(gen_ai__request__model=model) | at.server(payload)
        most = at.number(payload, "max_tokens")
        details = at.present(
            gen_ai__conversation__id=turn.session,
            gen_ai__request__max_tokens=None if most is None else int(most),
            hermes__api_request__id=at.text(payload, "api_request_id"),
        )
        span = self.tracer.start_span(
            f"chat {model}".rstrip(),
            context=self._context(turn),
            kind=SpanKind.CLIENT,
            attributes=labels | details,
        )
        if turn.span is not None:
            turn.span.set_attribute(at.PROVIDER, provider)
        self._say(span, lambda content: content.request(payload.get("request_messages")))
        self._keep(turn, _request_id(payload), Open("chat", span, model, labels))

    def _request_answered(self, payload: Mapping[str, Any]) -> None:
        call = self._take(payload, "chat", _request_id(payload))
        if call is None:
            return
        usage, reason = payload.get("usage"), at.text(payload, "finish_reason")
        labels = call.labels | at.present(gen_ai__response__model=at.text(payload, "response_model"))
        call.span.set_attributes(labels | at.usage_attributes(usage))
        if reason:
            call.span.set_attribute("gen_ai.response.finish_reasons", [reason])
        self._say(call.span, lambda content: content.answer(payload.get("assistant_message"), reason))
        context = set_span_in_context(call.span)
        for kind, count in zip(("input", "output"), at.tokens(usage), strict=True):
            if count is not None:
                self.instruments.tokens.record(count, labels | {"gen_ai.token.type": kind}, context)
        self._end_request(call, payload, labels)

    def _request_failed(self, payload: Mapping[str, Any]) -> None:
        call = self._take(payload, "chat", _request_id(payload))
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
        self._fail(call.span, error.get("message") if isinstance(error, dict) else None)
        self._end_request(call, payload, labels)

    def _end_request(self, call: Open, payload: Mapping[str, Any], labels: dict[str, at.Value]) -> None:
        seconds = at.number(payload, "api_duration")
        if seconds is not None and seconds >= 0:
            self.instruments.requests.record(seconds, labels, set_span_in_context(call.span))
        call.span.end()

    # -- tools -----------------------------------------------------------------------------------------

    def _tool_began(self, payload: Mapping[str, Any]) -> None:
        if self._call(payload, "tool", _tool_id(payload)) is not None:
            return  # judged again, on arguments that changed
        turn = self._turn(payload) or self._loose(payload)
        name, call_id = at.text(payload, "tool_name"), at.text(payload, "tool_call_id")
        details = at.present(gen_ai__conversation__id=turn.session, gen_ai__tool__call__id=call_id)
        span = self.tracer.start_span(
            f"execute_tool {name}".rstrip(),
            context=self._context(turn),
            kind=SpanKind.INTERNAL,
            attributes=details | {at.OPERATION: "execute_tool", at.TOOL: name, "gen_ai.tool.type": "function"},
        )
        self._keep(turn, call_id or name, Open("tool", span, name))

    def _tool_over(self, payload: Mapping[str, Any]) -> None:
        call = self._call(payload, "tool", _tool_id(payload))
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
            self._fail(call.span, payload.get("error_message"))
        self._say(
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
            self.instruments.tools.record(milliseconds / 1000, labels, set_span_in_context(call.span))

    def _tool_ended(self, payload: Mapping[str, Any]) -> None:
        call = self._take(payload, "tool", _tool_id(payload))
        if call is not None:
            call.span.end()

    # -- people and child agents -----------------------------------------------------------------------

    def _person_asked(self, payload: Mapping[str, Any]) -> None:
        turn = self._turn(payload)
        if turn is None:
            return
        call_id = at.text(payload, "tool_call_id")
        tool = turn.calls.get(("tool", call_id))
        span = self.tracer.start_span(
            "approval",
            context=self._context(turn) if tool is None else set_span_in_context(tool.span),
            attributes=at.present(
                gen_ai__conversation__id=turn.session, hermes__approval__surface=at.text(payload, "surface")
            ),
        )
        self._keep(turn, call_id, Open("approval", span, ""))

    def _person_answered(self, payload: Mapping[str, Any]) -> None:
        call = self._take(payload, "approval", at.text(payload, "tool_call_id"))
        if call is not None:
            call.span.set_attributes(
                at.present(
                    hermes__approval__choice=at.text(payload, "choice"),
                    hermes__approval__decided_by=at.text(payload, "decided_by"),
                )
            )
            call.span.end()

    def _child_began(self, payload: Mapping[str, Any]) -> None:
        child, turn = at.text(payload, "child_session_id"), self._turn(payload)
        if not child or turn is None:
            return
        parent = self._running_tool(turn, "delegate_task") or turn.span
        if parent is not None:
            self._turns.put_below(child, parent.get_span_context())

    def _child_over(self, payload: Mapping[str, Any]) -> None:
        child = at.text(payload, "child_session_id")
        if child:
            self._session_over({"session_id": child})

    def _running_tool(self, turn: Turn, name: str) -> Span | None:
        """Return the tool that runs in this thread, where middleware could say so; else the first of that name."""
        current = get_current_span()
        tools = turn.open_tools()
        here = next((tool for tool in tools if tool.span is current), None)
        here = here or next((tool for tool in tools if tool.name == name), None)
        return None if here is None else here.span

    # -- looking up ------------------------------------------------------------------------------------

    def _turn(self, payload: Mapping[str, Any]) -> Turn | None:
        session = at.text(payload, "session_id", "parent_session_id", "task_id")
        turn_id = at.text(payload, "turn_id", "parent_turn_id")
        if session:
            return self._turns.of(session, turn_id)
        return self._turns.of_turn_id(turn_id) or self._turns.of(at.text(payload, "session_key"), turn_id)

    def _loose(self, payload: Mapping[str, Any]) -> Turn:
        return self._turns.loose(at.text(payload, "session_id", "task_id"), at.text(payload, "turn_id"))

    def _call(self, payload: Mapping[str, Any], kind: str, key: str) -> Open | None:
        turn = self._turn(payload)
        return None if turn is None else turn.calls.get((kind, key))

    def _take(self, payload: Mapping[str, Any], kind: str, key: str) -> Open | None:
        turn = self._turn(payload)
        if turn is None:
            return None
        with self._turns.lock:
            call = turn.calls.pop((kind, key))
            if turn.span is None and not turn.calls.values():
                self._turns.remove(turn)
        return call

    def _keep(self, turn: Turn, key: str, call: Open) -> None:
        with self._turns.lock:
            gone = turn.calls.put((call.kind, key), call)
        for old in gone:
            old.span.end()

    def _context(self, turn: Turn) -> otel_context.Context:
        """Return what a call of a turn belongs below; of one that is over, the turn all the same."""
        if turn.span is not None:
            return set_span_in_context(turn.span, otel_context.Context())
        before = self._turns.previous(turn.session)
        return _below(before[1] if before and before[0] == turn.id else self._turns.above(turn.session))

    # -- saying ----------------------------------------------------------------------------------------

    def _say(self, span: Span, told: Callable[[Content], Mapping[str, str]]) -> None:
        if self._content is not None and span.is_recording():
            span.set_attributes({key: value for key, value in told(self._content).items() if value})

    def _fail(self, span: Span, message: Any) -> None:
        """Mark a span as failed; what a failure says may hold what somebody said, of any type."""
        if self._content is not None and isinstance(message, str) and span.is_recording():
            span.set_status(Status(StatusCode.ERROR, self._content.text(message)))
        else:
            span.set_status(Status(StatusCode.ERROR))


def _below(parent: SpanContext | None) -> otel_context.Context:
    """Return an empty context, or one below a span: what a thread happens to have open is nobody's parent."""
    nothing = otel_context.Context()
    return nothing if parent is None else set_span_in_context(NonRecordingSpan(parent), nothing)


def _request_id(payload: Mapping[str, Any]) -> str:
    return at.text(payload, "api_request_id") or str(at.number(payload, "api_call_count") or "")


def _tool_id(payload: Mapping[str, Any]) -> str:
    return at.text(payload, "tool_call_id", "tool_name")
