"""Ask a person before a tool call, once, with every reason: plugins' and the host's own.

A prompt comes after pre_tool_call's fold, so it shows the final arguments. `session` and `always` are
remembered under (plugin, rule key); a reason without a rule key can only be answered once or denied.
Whoever cannot be asked blocks the call. (Rule: semantics 6.3.)
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import ConfigError
from hermes_sdk.host.approval_store import HOST, ApprovalStore, Key
from hermes_sdk.host.approvers import Approver, NobodyThere, Prompt, Reason, UnansweredError
from hermes_sdk.host.dangerous import dangers
from hermes_sdk.host.events import ApprovalAnswered, ApprovalRequested, Notice

if TYPE_CHECKING:
    from hermes_sdk.dispatch.outcomes import ToolDecision
    from hermes_sdk.host.calls import CallInFlight
    from hermes_sdk.host.events import Choice
    from hermes_sdk.host.fire import HookRelay
    from hermes_sdk.host.session import Session

logger = logging.getLogger(__name__)

DEFAULT_TIMEOUT: Final = 300.0
"""Seconds that a prompt waits; ``approvals.timeout`` in config.yaml."""


@dataclass(frozen=True, slots=True)
class Clearance:
    """Whether a tool call may run."""

    allowed: bool
    asked: bool = False
    """Whether a person was asked just now, and agreed."""
    message: str = ""
    """Why not; the model sees it."""
    error_type: str = ""
    """``approval_denied``, ``approval_timeout`` or ``approval_unavailable``."""


_FREE: Final = Clearance(allowed=True)


class ApprovalGate:
    """The approvals of one sitting: a session, the sessions after it, and all their child agents.

    Args:
        approver: Who is asked.
        store: Where `always` is kept; None keeps it for this sitting only.
        timeout: Seconds that a prompt waits for an answer.
    """

    def __init__(
        self,
        approver: Approver | None = None,
        store: ApprovalStore | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self.approver: Approver = approver or NobodyThere()
        self._store = store
        self._timeout = timeout
        self._session: set[Key] = set()
        # one prompt at a time; reentrant, since a hook around a prompt may run a tool that asks
        self._one_prompt = threading.RLock()

    @property
    def remembers(self) -> bool:
        """Whether something was allowed for the session."""
        return bool(self._session)

    def forget_session(self) -> None:
        """Drop what was allowed for the session: a new one begins."""
        self._session.clear()

    def clear(
        self,
        call: CallInFlight,
        decision: ToolDecision,
        session: Session,
        relay: HookRelay,
        *,
        again: bool = False,
        runs: bool = True,
    ) -> Clearance:
        """Decide whether `call` may run, asking a person where somebody has a reason to.

        Args:
            call: The call, with its final arguments.
            decision: What pre_tool_call made of it; not a block.
            session: Whose call it is.
            relay: Fires the approval hooks.
            again: The arguments changed after a person agreed, so that even without a reason one is asked.
            runs: False in a replay, where nothing runs: only plugins have reasons then.
        """
        reasons = [*_plugin_reasons(decision), *(_host_reasons(call) if runs else ())]
        if again and not reasons:
            reasons = [Reason(HOST, "the arguments changed after they were approved", None)]
        if not reasons:
            return _FREE
        with self._one_prompt:
            reasons = self._remembered(reasons)
            if not again and all(reason.remembered for reason in reasons):
                return _FREE
            prompt = Prompt(call.name, call.args, tuple(reasons), _offered(reasons), session.id, session.depth)
            if not self.approver.available():
                message = f"blocked: needs approval and nobody is there to ask: {prompt.description}"
                return Clearance(allowed=False, message=message, error_type="approval_unavailable")
            return self._ask(call, prompt, relay)

    def _ask(self, call: CallInFlight, prompt: Prompt, relay: HookRelay) -> Clearance:
        keys = tuple(dict.fromkeys(_pattern_key(reason) for reason in prompt.reasons))
        payload: dict[str, Any] = {
            "command": prompt.command,
            "description": prompt.description,
            "pattern_key": keys[0],
            "pattern_keys": list(keys),
        }
        relay.pre_approval_request(call, payload)
        relay.emit(
            ApprovalRequested,
            call.turn,
            call_id=call.id,
            command=prompt.command,
            reasons=tuple(reason.text for reason in prompt.reasons),
            pattern_keys=keys,
            offered=prompt.offered,
        )
        choice: Choice = "deny"
        unanswered = ""
        try:
            choice = self._answer(call, prompt, relay)
        except UnansweredError as error:
            unanswered = str(error)
        finally:
            # Ctrl-C at the prompt is a refusal, and both hooks still pair up
            decided_by = None if unanswered or choice == "timeout" else self.approver.name
            payload = {**payload, "pattern_keys": list(keys)}
            relay.post_approval_response(call, payload, choice, decided_by)
            relay.emit(
                ApprovalAnswered,
                call.turn,
                call_id=call.id,
                command=prompt.command,
                choice=choice,
                decided_by=decided_by,
            )
        if unanswered:
            message = f"blocked: needs approval and {unanswered}: {prompt.description}"
            return Clearance(allowed=False, message=message, error_type="approval_unavailable")
        self._remember(prompt.reasons, choice)
        return self._clearance(prompt, choice)

    def _answer(self, call: CallInFlight, prompt: Prompt, relay: HookRelay) -> Choice:
        try:
            choice = self.approver.ask(prompt, self._timeout, call.turn.interrupt)
        except UnansweredError:
            raise
        except Exception:
            logger.exception("approver %r failed, the call is denied", self.approver.name)
            return "deny"
        if choice in prompt.offered or choice == "timeout":
            return choice
        text = f"the answer {choice!r} was not offered ({', '.join(prompt.offered)}), the call is denied"
        relay.emit(Notice, call.turn, text=text, level="warning")
        return "deny"

    def _clearance(self, prompt: Prompt, choice: Choice) -> Clearance:
        if choice == "deny":
            message = f"denied by the user: {prompt.description}"
            return Clearance(allowed=False, message=message, error_type="approval_denied")
        if choice == "timeout":
            message = f"denied: nobody answered within {self._timeout:g} s: {prompt.description}"
            return Clearance(allowed=False, message=message, error_type="approval_timeout")
        return Clearance(allowed=True, asked=True)

    def _remembered(self, reasons: list[Reason]) -> list[Reason]:
        keys = {(reason.plugin, reason.rule_key) for reason in reasons if reason.rule_key}
        known: set[Key] = {key for key in keys if key in self._session}
        if self._store is not None:
            known |= self._store.approved(keys - known)
        return [replace(reason, remembered=(reason.plugin, reason.rule_key) in known) for reason in reasons]

    def _remember(self, reasons: tuple[Reason, ...], choice: Choice) -> None:
        if choice not in ("session", "always"):
            return
        for reason in reasons:
            if reason.rule_key is None:
                continue
            self._session.add((reason.plugin, reason.rule_key))
            if choice == "always" and self._store is not None:
                try:
                    self._store.add(reason.plugin, reason.rule_key, reason.text)
                except (ConfigError, OSError) as error:
                    logger.warning("an approval holds for this session only: %s", error)


def _offered(reasons: list[Reason]) -> tuple[Choice, ...]:
    if all(reason.rule_key for reason in reasons):
        return ("once", "session", "always", "deny")
    return ("once", "deny")


def _pattern_key(reason: Reason) -> str:
    return reason.rule_key or f"{reason.plugin}:unnamed"


def _plugin_reasons(decision: ToolDecision) -> list[Reason]:
    reasons = [
        Reason(step.plugin, step.detail or f"plugin {step.plugin} asks for approval", step.rule_key)
        for step in decision.steps
        if step.what == "approve"
    ]
    if decision.needs_approval and not reasons:
        # a wrapper made the decision stricter without an answer of its own
        reasons.append(Reason("wrapper", decision.message or "a plugin asks for approval", decision.rule_key))
    return list(dict.fromkeys(reasons))


def _host_reasons(call: CallInFlight) -> list[Reason]:
    command = call.args.get("command")
    if call.name != "terminal" or not isinstance(command, str):
        return []
    return [Reason(HOST, danger.description, danger.key) for danger in dangers(command)]
