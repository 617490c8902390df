"""The one place where the host calls hooks: builds the payload once, times the call, tells the listener.

One method a hook, so that nobody calls an untyped relay; the ids that every hook of a turn shares are filled
in here and nowhere else. Nothing is decided here: the callers act on the outcomes.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from hermes_sdk.host.calls import own_copy
from hermes_sdk.host.events import Event, HookFired
from hermes_sdk.json_values import json_safe
from hermes_sdk.shell_hooks.fired_by import FIRED_BY, FiredBy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hermes_sdk.dispatch.manager import DispatchManager
    from hermes_sdk.dispatch.outcomes import (
        AddedContext,
        Observed,
        ToolDecision,
        Transformed,
        VerifyDecision,
    )
    from hermes_sdk.host.calls import CallInFlight
    from hermes_sdk.host.events import ChildStatus, Choice, Listener
    from hermes_sdk.host.session import Session, Turn

logger = logging.getLogger(__name__)

_E = TypeVar("_E", bound=Event)
_HOSTS_OWN: Final = frozenset({"gateway", "session_store"})
"""Arguments that are parts of a host, not data."""


@dataclass(slots=True)
class HookClock:
    """How many hook calls a session and its children made, and how long these took."""

    calls: int = 0
    seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, seconds: float) -> None:
        """Count one hook call."""
        with self._lock:
            self.calls += 1
            self.seconds += seconds


def sent_payload(payload: Mapping[str, Any]) -> Any:
    """Return a payload as JSON has it (Any); a message becomes its fields, a gateway and its store become null."""
    plain = {name: None if name in _HOSTS_OWN else value for name, value in payload.items()}
    event = plain.get("event")
    if is_dataclass(event) and not isinstance(event, type):
        plain["event"] = asdict(event)
    return json_safe(plain)


class HookRelay:
    """Calls the hooks of one session.

    Args:
        manager: Whose hooks to call.
        session: Whose ids to send.
        listener: Told about each call, or None.
        clock: Adds up the time; shared with child agents.
    """

    def __init__(
        self,
        manager: DispatchManager,
        session: Session,
        listener: Listener | None = None,
        clock: HookClock | None = None,
    ) -> None:
        self._manager = manager
        self._session = session
        self._listener = listener
        self._fired_by = FiredBy(session.id, session.workdir)
        self.clock = clock or HookClock()

    def emit(self, kind: Callable[..., _E], turn: Turn | None = None, /, **values: Any) -> None:
        """Tell the listener; `values` are the fields of the event."""
        if self._listener is None:
            return
        event = kind(session_id=self._session.id, turn_id=turn.id if turn else "", depth=self._session.depth, **values)
        try:
            self._listener(event)
        except Exception:
            logger.exception("the listener failed on %s", type(event).__name__)

    # -- tools -----------------------------------------------------------------------------------------

    def pre_tool_call(self, call: CallInFlight, args: dict[str, Any], *, judgement: int = 1) -> ToolDecision:
        """Ask whether the call may run; `args` may be changed in place."""
        payload = self._of_call(call) | {"args": args, "middleware_trace": list(call.trace)}
        return cast("ToolDecision", self._fire("pre_tool_call", payload | {"judgement": judgement}, call=call))

    def post_tool_call(self, call: CallInFlight, result: str) -> Observed:
        """Say that the call is over."""
        payload = self._of_call(call) | self._ended(call)
        payload |= {"args": own_copy(call.args), "result": result, "middleware_trace": list(call.trace)}
        return cast("Observed", self._fire("post_tool_call", payload, call=call))

    def transform_tool_result(self, call: CallInFlight, result: str) -> Transformed:
        """Let the result be rewritten before it joins the conversation."""
        payload = self._of_call(call) | self._ended(call) | {"arguments": own_copy(call.args), "result": result}
        return cast("Transformed", self._fire("transform_tool_result", payload, call=call))

    def transform_terminal_output(
        self, call: CallInFlight, *, command: str, output: str, exit_code: int, cwd: str
    ) -> Transformed:
        """Let the raw output of a foreground command be rewritten."""
        payload = {
            "command": command,
            "output": output,
            "exit_code": exit_code,
            "cwd": cwd,
            "task_id": self._session.task_id,
            "env_type": "local",
        }
        return cast("Transformed", self._fire("transform_terminal_output", payload, call=call))

    # -- turns and sessions ----------------------------------------------------------------------------

    def on_session_start(self, turn: Turn) -> Observed:
        """Say that a new session begins."""
        return self._observe("on_session_start", self._of_session(), turn)

    def pre_llm_call(self, turn: Turn, *, is_first_turn: bool) -> AddedContext:
        """Ask what to add to the user message of this turn."""
        payload = self._of_session() | {
            "task_id": self._session.task_id,
            "turn_id": turn.id,
            "user_message": turn.user_message,
            "conversation_history": list(self._session.history),
            "is_first_turn": is_first_turn,
            "sender_id": turn.sender_id,
        }
        return cast("AddedContext", self._fire("pre_llm_call", payload, turn))

    def transform_llm_output(self, turn: Turn, text: str) -> Transformed:
        """Let the final answer be rewritten."""
        payload = self._of_session() | {"response_text": text}
        return cast("Transformed", self._fire("transform_llm_output", payload, turn))

    def post_llm_call(self, turn: Turn, answer: str) -> Observed:
        """Say that a turn ended with an answer."""
        payload = self._of_session() | {
            "task_id": self._session.task_id,
            "turn_id": turn.id,
            "user_message": turn.user_message,
            "assistant_response": answer,
            "conversation_history": list(self._session.history),
        }
        return self._observe("post_llm_call", payload, turn)

    def pre_verify(self, turn: Turn, *, answer: str, coding: bool) -> VerifyDecision:
        """Ask whether the agent, which edited files, may give its answer."""
        payload = self._of_session() | {
            "coding": coding,
            "attempt": turn.verify_attempts,
            "final_response": answer,
            "changed_paths": turn.changed_paths,
        }
        return cast("VerifyDecision", self._fire("pre_verify", payload, turn))

    def on_session_end(self, turn: Turn, *, completed: bool, interrupted: bool, reason: str | None) -> Observed:
        """Say that a turn is over, whatever its outcome."""
        payload = self._of_session() | {
            "completed": completed,
            "interrupted": interrupted,
            "reason": reason,
            "task_id": self._session.task_id,
            "turn_id": turn.id,
            "api_request_id": turn.api_request_id,
        }
        return self._observe("on_session_end", payload, turn)

    def on_session_finalize(self, *, reason: str | None, new_session_id: str | None) -> Observed:
        """Say that the session's id is about to disappear."""
        old = self._session.id if self._session.started else None
        payload = {
            "session_id": old,
            "platform": self._session.platform,
            "reason": reason,
            "old_session_id": old,
            "new_session_id": new_session_id,
        }
        return self._observe("on_session_finalize", payload)

    # -- model requests, payloads made by api.py -------------------------------------------------------

    def pre_api_request(self, turn: Turn, payload: dict[str, Any]) -> Observed:
        """Say that a request goes out to the provider."""
        return self._observe("pre_api_request", self._of_session() | payload, turn)

    def post_api_request(self, turn: Turn, payload: dict[str, Any]) -> Observed:
        """Say that the provider answered."""
        return self._observe("post_api_request", self._of_session() | payload, turn)

    def api_request_error(self, turn: Turn, payload: dict[str, Any]) -> Observed:
        """Say that an attempt failed."""
        return self._observe("api_request_error", self._of_session() | payload, turn)

    # -- child agents and approvals --------------------------------------------------------------------

    def subagent_start(self, turn: Turn, *, child_id: str, role: str | None, goal: str) -> Observed:
        """Say that a child agent is about to run."""
        payload = {
            "parent_session_id": self._session.id,
            "parent_turn_id": turn.id,
            "parent_subagent_id": self._session.id if self._session.depth else None,
            "child_session_id": child_id,
            "child_subagent_id": child_id,
            "child_role": role,
            "child_goal": goal,
        }
        return self._observe("subagent_start", payload, turn)

    def subagent_stop(
        self,
        turn: Turn,
        *,
        child_id: str,
        role: str | None,
        summary: str | None,
        status: ChildStatus,
        duration_ms: int,
    ) -> Observed:
        """Say that a child agent is over."""
        payload = {
            "parent_session_id": self._session.id,
            "parent_turn_id": turn.id,
            "child_session_id": child_id,
            "child_role": role,
            "child_summary": summary,
            "child_status": status,
            "duration_ms": duration_ms,
        }
        return self._observe("subagent_stop", payload, turn)

    def pre_approval_request(self, call: CallInFlight, prompt: dict[str, Any]) -> Observed:
        """Say that a person is about to be asked."""
        return cast("Observed", self._fire("pre_approval_request", self._of_prompt(call, prompt), call=call))

    def post_approval_response(
        self, call: CallInFlight, prompt: dict[str, Any], choice: Choice, decided_by: str | None
    ) -> Observed:
        """Say what the person answered."""
        payload = self._of_prompt(call, prompt) | {"choice": choice, "decided_by": decided_by}
        return cast("Observed", self._fire("post_approval_response", payload, call=call))

    # -- payloads --------------------------------------------------------------------------------------

    def _of_session(self) -> dict[str, Any]:
        session = self._session
        return {"session_id": session.id, "model": session.model, "platform": session.platform}

    def _of_call(self, call: CallInFlight) -> dict[str, Any]:
        return {
            "tool_name": call.name,
            "task_id": self._session.task_id,
            "session_id": self._session.id,
            "tool_call_id": call.id,
            "turn_id": call.turn.id,
            "api_request_id": call.api_request_id,
        }

    def _ended(self, call: CallInFlight) -> dict[str, Any]:
        outcome = call.outcome
        return {
            "duration_ms": call.duration_ms,
            "status": outcome.status,
            "error_type": outcome.error_type,
            "error_message": outcome.error_message,
        }

    def _of_prompt(self, call: CallInFlight, prompt: dict[str, Any]) -> dict[str, Any]:
        ids = {"turn_id": call.turn.id, "tool_call_id": call.id}
        surface = self._session.surface
        return prompt | ids | {"session_key": surface.session_key or self._session.id, "surface": surface.name}

    def _observe(self, hook: str, payload: dict[str, Any], turn: Turn | None = None) -> Observed:
        return cast("Observed", self._fire(hook, payload, turn))

    def _fire(
        self, hook: str, payload: dict[str, Any], turn: Turn | None = None, call: CallInFlight | None = None
    ) -> Any:
        # Any: each hook has its own outcome type; the method above says which.
        sent = sent_payload(payload) if getattr(self._listener, "wants_payloads", False) else None
        started = time.perf_counter()
        token = FIRED_BY.set(self._fired_by)
        try:
            outcome = getattr(self._manager.hook, hook)(**payload)
        finally:
            FIRED_BY.reset(token)
        seconds = time.perf_counter() - started
        self.clock.add(seconds)
        if self._listener is not None:
            about = {"tool_name": call.name, "call_id": call.id} if call else {}
            turn = call.turn if call else turn
            self.emit(HookFired, turn, hook=hook, outcome=outcome, duration_ms=seconds * 1000, payload=sent, **about)
        return outcome
