"""What comes out of our hooks, in the words of hermes-agent: dicts, texts, and arguments changed in place."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.dispatch.outcomes import (
        AddedContext,
        DispatchDecision,
        ToolDecision,
        Transformed,
        VerifyDecision,
    )

Answer = dict[str, Any] | str | None
"""What that host reads; None is no opinion."""

NOBODY_TO_ASK: Final = "blocked: a person has to approve this, and this release of hermes-agent cannot ask"


def reader_of(hook: str, *, asks: bool) -> Callable[[Any, dict[str, Any]], Answer]:
    """Return what turns an outcome of a hook, and the payload that it came from, into what the host reads.

    Args:
        hook: The hook; one outside of the contract is only observed.
        asks: Whether the host puts an approve before a person.
    """
    contract = HOOKS.get(hook)
    if hook == "pre_tool_call":
        return lambda outcome, payload: tool_answer(outcome, payload, asks=asks)
    if hook == "pre_gateway_dispatch":
        return _dispatch_answer
    if hook == "pre_verify":
        return _verify_answer
    if contract is not None and contract.kind == "context":
        return _context_answer
    if contract is not None and contract.value is not None:
        value = contract.value
        return lambda outcome, payload: _transform_answer(outcome, payload.get(value))
    return _nothing


def tool_answer(decision: ToolDecision, payload: dict[str, Any], *, asks: bool) -> Answer:
    """Return a verdict on a tool call; what was modified is modified in the host's own arguments."""
    if decision.blocked:
        return {"action": "block", "message": decision.message}
    args = payload.get("args")
    if isinstance(args, dict) and decision.args is not args:
        args.clear()
        args.update(decision.args)
    if not decision.needs_approval:
        return None
    if not asks:
        why = f": {decision.message}" if decision.message else ""
        return {"action": "block", "message": f"{NOBODY_TO_ASK}{why}"}
    answer = {"action": "approve", "rule_key": _rule_key(decision, payload)}
    return answer | ({"message": decision.message} if decision.message else {})


def _rule_key(decision: ToolDecision, payload: dict[str, Any]) -> str:
    """Return what the host may remember an approval under.

    It would take a missing key for the whole tool. A key of a plugin is that plugin's only; without one the call
    itself is the key, so that "always" covers this tool with these arguments and no other.
    """
    plugin = next((step.plugin for step in decision.steps if step.what == "approve"), "hermes-sdk")
    if decision.rule_key:
        return f"{plugin}:{decision.rule_key}"
    tool_name = payload.get("tool_name")
    digest = hashlib.sha256(repr((tool_name, decision.args)).encode("utf-8", "replace")).hexdigest()
    return f"{plugin}:{tool_name}:{digest[:16]}"


def _dispatch_answer(decision: DispatchDecision, _payload: dict[str, Any]) -> Answer:
    if decision.action == "skip":
        return {"action": "skip", "reason": decision.reason or ""}
    if decision.action == "rewrite":
        return {"action": "rewrite", "text": decision.text}
    allowed = any(step.what == "allow" for step in decision.steps)
    return {"action": "allow"} if allowed else None


def _verify_answer(decision: VerifyDecision, _payload: dict[str, Any]) -> Answer:
    return None if decision.message is None else {"action": "continue", "message": decision.message}


def _context_answer(added: AddedContext, _payload: dict[str, Any]) -> Answer:
    return None if added.text is None else {"context": added.text}


def _transform_answer(transformed: Transformed, before: object) -> Answer:
    """Return the text where ours changed it; None leaves it to the plugins of that host that come next."""
    return None if transformed.value == before else transformed.value


def _nothing(_outcome: object, _payload: dict[str, Any]) -> Answer:
    return None
