"""What a wrapper may make of an outcome: something of the same kind and, for a decision, at least as strict.

Who did what, and on which arguments a tool call was judged, is not a wrapper's to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from hermes_sdk.dispatch.outcomes import (
    AddedContext,
    DispatchDecision,
    Observed,
    Outcome,
    ToolDecision,
    Transformed,
    VerifyDecision,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_STRICTNESS: Final = {
    ToolDecision: {"run": 0, "approve": 1, "block": 2},
    DispatchDecision: {"allow": 0, "rewrite": 1, "skip": 2},
}
_TEXTS: Final[Mapping[type, tuple[str, ...]]] = {
    ToolDecision: ("message", "rule_key"),
    DispatchDecision: ("text", "reason"),
    VerifyDecision: ("message",),
    AddedContext: ("text",),
    Transformed: ("value",),
    Observed: (),
}
"""The fields of an outcome that hold text, or None."""

_O = TypeVar("_O", bound=Outcome)


def why_not(outcome: Outcome, answer: Any) -> str:
    """Say why an answer, of any type, cannot replace an outcome; an empty string when it can."""
    if type(answer) is not type(outcome):
        return f"a wrapper returned {type(answer).__name__}: the outcome is {type(outcome).__name__}"
    return _weaker(outcome, answer) or _unusable(answer)


def _weaker(outcome: Outcome, answer: Any) -> str:
    if isinstance(outcome, ToolDecision | DispatchDecision):
        strictness = _STRICTNESS[type(outcome)]
        if strictness.get(answer.action, -1) < strictness[outcome.action]:
            return f"a wrapper may not weaken {outcome.action!r}: it returned {answer.action!r}"
    if isinstance(outcome, VerifyDecision) and outcome.message is not None and answer.message is None:
        return "a wrapper may not drop a continue"
    return ""


def _unusable(answer: Any) -> str:
    """Say what no host could use in an outcome that a plugin made."""
    for name in _TEXTS[type(answer)]:
        text = getattr(answer, name)
        if not isinstance(text, str if name == "value" else str | None):
            return f"{name} of a {type(answer).__name__} is a str: a wrapper returned {type(text).__name__}"
    if isinstance(answer, ToolDecision) and answer.action == "block" and not _is_text(answer.message):
        return "a block needs a non-blank message"
    if isinstance(answer, DispatchDecision) and answer.action == "rewrite" and answer.text is None:
        return "a rewrite needs a text"
    if isinstance(answer, VerifyDecision) and answer.message is not None and not _is_text(answer.message):
        return "a continue needs a non-blank message"
    return ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def replaced(outcome: _O, answer: _O, hook: str) -> _O:
    """Return what replaces `outcome` of `hook`: an answer that may, with the steps and arguments of the outcome."""
    if isinstance(answer, Transformed) and not answer.value and hook == "transform_llm_output":
        return outcome  # nothing replaces the model's answer by nothing
    if isinstance(answer, ToolDecision) and isinstance(outcome, ToolDecision):
        answer = answer._replace(args=outcome.args)
    elif isinstance(answer, AddedContext) and isinstance(outcome, AddedContext) and answer.text != outcome.text:
        text = answer.text if _is_text(answer.text) else None
        answer = answer._replace(text=text, pieces=(text,) if text else ())
    return cast("_O", answer._replace(steps=outcome.steps))


def summary(outcome: Outcome) -> str:
    """Return one word or two about what a wrapper made of an outcome."""
    if isinstance(outcome, ToolDecision | DispatchDecision):
        return outcome.action
    if isinstance(outcome, Transformed):
        return f"{len(outcome.value)} characters"
    return type(outcome).__name__


def carried(outcome: Outcome) -> str | None:
    """Return the text that an outcome hands on, None where it hands on none."""
    if isinstance(outcome, Transformed):
        return outcome.value
    return outcome.text if isinstance(outcome, AddedContext | DispatchDecision) else None


def as_answers(before: Outcome, after: Outcome) -> list[Any]:
    """Return what wrappers made of an outcome, as an answer for hosts that read raw returns; empty if nothing."""
    if before._replace(steps=()) == after._replace(steps=()):
        return []
    if isinstance(after, ToolDecision) and after.action != "run":
        return [_named(after, "action", "message", "rule_key")]
    if isinstance(after, DispatchDecision):
        return [_named(after, "action", "text", "reason")]
    if isinstance(after, VerifyDecision):
        return [{"action": "continue", "message": after.message}]
    return [after.value] if isinstance(after, Transformed) else []


def _named(outcome: ToolDecision | DispatchDecision, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(outcome, name)) is not None}
