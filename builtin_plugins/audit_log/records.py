"""What a record of a hook call says: its payload in short, and who decided what, as the fold tells it."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.outcomes import AddedContext, DispatchDecision, ToolDecision, Transformed, VerifyDecision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hermes_sdk.dispatch.outcomes import Outcome, Step

    from .texts import Texts

IDENTIFIER, TEXT, SAID, VALUE = "identifier", "text", "said", "value"

_IDS: Final = {
    "session_id": ("session", IDENTIFIER),
    "parent_session_id": ("session", IDENTIFIER),
    "turn_id": ("turn", IDENTIFIER),
    "parent_turn_id": ("turn", IDENTIFIER),
    "tool_call_id": ("call", IDENTIFIER),
    "tool_name": ("tool", IDENTIFIER),
    "middleware_trace": ("middleware", VALUE),
}
_MODEL: Final = {"model": ("model", IDENTIFIER), "platform": ("platform", IDENTIFIER)}
_REQUEST: Final = _MODEL | {
    name: (name, IDENTIFIER)
    for name in ("api_request_id", "provider", "base_url", "api_mode", "message_count", "tool_count", "max_tokens")
}
_PROMPT: Final = {
    "command": ("command", TEXT),
    "description": ("description", TEXT),
    "pattern_keys": ("pattern_keys", VALUE),
    "session_key": ("session_key", IDENTIFIER),
    "surface": ("surface", IDENTIFIER),
}
_ENDED: Final = {
    "status": ("status", IDENTIFIER),
    "duration_ms": ("duration_ms", IDENTIFIER),
    "error_type": ("error_type", IDENTIFIER),
    "error_message": ("error", TEXT),
}
_CHILD: Final = {"child_session_id": ("child", IDENTIFIER), "child_role": ("role", IDENTIFIER)}
_SWAP: Final = {name: (name, IDENTIFIER) for name in ("platform", "reason", "old_session_id", "new_session_id")}
_TASK: Final = {name: (name, IDENTIFIER) for name in ("task_id", "profile_name", "board", "assignee", "run_id")}

FIELDS: Final[Mapping[str, dict[str, tuple[str, str]]]] = {
    "pre_tool_call": {"args": ("asked", VALUE)},
    "post_tool_call": _ENDED | {"result": ("result", TEXT)},
    "transform_tool_result": {},
    "transform_terminal_output": {"command": ("command", TEXT)},
    "pre_llm_call": _MODEL | {"user_message": ("user_message", SAID), "sender_id": ("sender", IDENTIFIER)},
    "post_llm_call": _MODEL | {"assistant_response": ("answer", SAID)},
    "transform_llm_output": _MODEL,
    "pre_verify": {"attempt": ("attempt", IDENTIFIER), "changed_paths": ("changed_paths", VALUE)},
    "pre_api_request": _REQUEST,
    "post_api_request": _REQUEST
    | {
        "api_duration": ("duration_s", IDENTIFIER),
        "finish_reason": ("finish_reason", IDENTIFIER),
        "response_model": ("response_model", IDENTIFIER),
        "usage": ("usage", VALUE),
    },
    "api_request_error": _REQUEST
    | {
        "status_code": ("status_code", IDENTIFIER),
        "retry_count": ("retry_count", IDENTIFIER),
        "retryable": ("retryable", IDENTIFIER),
        "reason": ("reason", TEXT),
        "error": ("error", VALUE),
    },
    "on_session_start": _MODEL,
    "on_session_end": _MODEL
    | {name: (name, IDENTIFIER) for name in ("completed", "interrupted")}
    | {"reason": ("reason", TEXT)},
    "on_session_finalize": _SWAP,
    "on_session_reset": _SWAP,
    "subagent_start": _CHILD | {"child_goal": ("goal", SAID)},
    "subagent_stop": _CHILD
    | {
        "child_status": ("status", IDENTIFIER),
        "child_summary": ("summary", SAID),
        "duration_ms": ("duration_ms", IDENTIFIER),
    },
    "pre_gateway_dispatch": {},
    "pre_approval_request": _PROMPT,
    "post_approval_response": _PROMPT | {"choice": ("choice", IDENTIFIER), "decided_by": ("decided_by", IDENTIFIER)},
    "kanban_task_claimed": _TASK,
    "kanban_task_completed": _TASK | {"summary": ("summary", SAID)},
    "kanban_task_blocked": _TASK | {"reason": ("reason", TEXT)},
}
"""Arguments of each hook that are recorded, under which name, and as what."""

API: Final = frozenset(("pre_api_request", "post_api_request", "api_request_error"))
TRANSFORMS: Final = frozenset(("transform_tool_result", "transform_terminal_output", "transform_llm_output"))
QUIET: Final = TRANSFORMS | {"pre_verify"}
"""Hooks whose call is worth a record only if somebody did something."""

_LOOKED_ON: Final = frozenset(("observed", "no opinion"))
_CALLS_KEPT: Final = 1_000
"""Tool calls whose session is known when a person is asked about them."""

_SENDER: Final = {"platform": "platform", "chat_id": "chat", "user_id": "sender", "thread_id": "thread"}


class Records:
    """Makes records.

    Args:
        texts: Masks and cuts.
        folded: Whether the host tells outcomes; one that does not is asked for the executed arguments instead.
    """

    def __init__(self, texts: Texts, *, folded: bool) -> None:
        self._texts = texts
        self._folded = folded
        self._session_of: OrderedDict[str, str] = OrderedDict()
        self._as: dict[str, Callable[[Any], Any]] = {
            IDENTIFIER: texts.identifier,
            TEXT: texts.text,
            SAID: texts.said,
            VALUE: texts.value,
        }

    def asked(self, hook: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of a record that is known before anybody answers."""
        record: dict[str, Any] = {"kind": hook}
        for name, (shown, how) in (_IDS | FIELDS[hook]).items():
            value = payload.get(name)
            if value not in (None, "", []):
                record[shown] = self._as[how](value)
        if payload.get("judgement") == 2:  # noqa: PLR2004 - the second one, as the contract counts
            record["judgement"] = 2
        self._add_session(record)
        if hook == "post_tool_call" and not self._folded:
            record["args"] = self._texts.value(payload.get("args"))
        if hook == "pre_gateway_dispatch":
            record |= self._message(payload.get("event"))
        return record

    def _add_session(self, record: dict[str, Any]) -> None:
        """Add the session that a call belongs to, where a hook names the call only."""
        call, session = record.get("call"), record.get("session")
        if call is None:
            return
        if session is None:
            if call in self._session_of:
                record["session"] = self._session_of[call]
        elif record["kind"] == "pre_tool_call":
            self._session_of[call] = session
            if len(self._session_of) > _CALLS_KEPT:
                self._session_of.popitem(last=False)

    def _message(self, event: Any) -> dict[str, Any]:
        """Return what is kept of an incoming message (each host has a class of its own)."""
        source = getattr(event, "source", None)
        told = {shown: getattr(source, name, None) for name, shown in _SENDER.items()}
        told["platform"] = getattr(told["platform"], "value", told["platform"])  # an enumeration in hermes-agent
        told["message"] = getattr(event, "message_id", None)
        kept = {shown: self._texts.identifier(value) for shown, value in told.items() if value not in (None, "")}
        return kept | {"text": self._texts.said(getattr(event, "text", None))}

    def decided(self, outcome: Outcome) -> dict[str, Any]:
        """Return the part of a record that the fold tells: what came out, by whom, and every step to it."""
        record = self._verdict(outcome)
        steps = [self._step(step) for step in outcome.steps if step.what not in _LOOKED_ON]
        return record | ({"steps": steps} if steps else {})

    def _verdict(self, outcome: Outcome) -> dict[str, Any]:
        texts = self._texts
        if isinstance(outcome, ToolDecision):
            return self._tool_verdict(outcome)
        if isinstance(outcome, DispatchDecision):
            verdict: dict[str, Any] = {"decision": outcome.action}
            if outcome.reason:
                verdict["why"] = texts.text(outcome.reason)
            return verdict | ({} if outcome.text is None else {"rewritten": texts.said(outcome.text)})
        if isinstance(outcome, VerifyDecision):
            return {"decision": "continue", "why": texts.text(outcome.message)} if outcome.message else {}
        if isinstance(outcome, Transformed) and acted(outcome):
            return {"value": texts.said(outcome.value)}
        if isinstance(outcome, AddedContext) and outcome.text:
            return {"context_chars": len(outcome.text)}
        return {}

    def _tool_verdict(self, outcome: ToolDecision) -> dict[str, Any]:
        verdict: dict[str, Any] = {"decision": outcome.action}
        by = next((step.plugin for step in outcome.steps if _decided(outcome, step)), None)
        if by is not None:
            verdict["by"] = by
        if outcome.message:
            verdict["why"] = self._texts.text(outcome.message)
        if outcome.rule_key:
            verdict["rule_key"] = self._texts.identifier(outcome.rule_key)
        if any(step.what == "modify" for step in outcome.steps):
            verdict["args"] = self._texts.value(outcome.args)
        return verdict

    def _step(self, step: Step) -> dict[str, Any]:
        texts = self._texts
        told: dict[str, Any] = {"plugin": step.plugin, "source": step.source, "what": step.what}
        if step.detail:
            told["detail"] = texts.text(step.detail)
        if step.error:
            told["error"] = texts.text(step.error)
        if step.rule_key:
            told["rule_key"] = texts.identifier(step.rule_key)
        if step.what == "context":
            told["added"] = texts.said(step.value)
        elif isinstance(step.value, str):
            told["chars"] = len(step.value)
        return told


def acted(outcome: Outcome) -> bool:
    """Whether anybody did something in a hook call, or failed to."""
    return any(step.what not in _LOOKED_ON for step in outcome.steps)


def _decided(outcome: ToolDecision, step: Step) -> bool:
    """Whether the verdict is the one of this step."""
    if outcome.blocked:
        return outcome.blocked_by(step.plugin)
    return outcome.needs_approval and step.what == outcome.action
