"""Wrappers: generators around the whole folded call, the first in calling order outermost.

A wrapper cannot break the call it wraps. Raising before its ``yield`` it counts as absent; raising after, the inner
outcome stands; returning None keeps the outcome (under pluggy's rule a forgotten return would drop a block). What it
returns otherwise replaces the outcome only if it is of the same kind and, for a decision, at least as strict.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pluggy

from hermes_sdk.dispatch.nesting import inside
from hermes_sdk.dispatch.outcomes import (
    AddedContext,
    DispatchDecision,
    Observed,
    Step,
    ToolDecision,
    Transformed,
    VerifyDecision,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from hermes_sdk.dispatch.guard import Guard
    from hermes_sdk.dispatch.implementation import Implementation

logger = logging.getLogger(__name__)

_STRICTNESS: Final = {"run": 0, "approve": 1, "block": 2, "allow": 0, "rewrite": 1, "skip": 2}


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A wrapper implementation and its style."""

    impl: Implementation
    old_style: bool
    """``hookwrapper=True``: its yield gives a `pluggy.Result` and its return value means nothing."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A wrapper that stands at its ``yield``."""

    wrapper: Wrapper
    generator: Generator[None, Any, Any]


class Wrapping:
    """The wrappers of one call. The call itself is made between `enter` and `leave`."""

    def __init__(self, dispatcher: object, guard: Guard, wrappers: Sequence[Wrapper]) -> None:
        self._dispatcher = dispatcher
        self._guard = guard
        self._wrappers = wrappers
        self._opened: list[Opened] = []

    def enter(self, payload: Mapping[str, Any]) -> None:
        """Run every wrapper up to its ``yield``."""
        for wrapper in self._wrappers:
            impl = wrapper.impl
            try:
                with inside((self._dispatcher, impl.hook, impl.plugin)):
                    generator = impl.call(**impl.arguments(payload))
                    next(generator)
            except StopIteration:
                self._guard.failed(impl, RuntimeError("the wrapper did not yield"))
            except BaseException as error:
                self._guard.failed(impl, error)
            else:
                self._opened.append(Opened(wrapper, generator))

    def leave(self, outcome: Any) -> Any:
        """Run every wrapper to its end, innermost first, and return the outcome (of the same kind)."""
        while self._opened:
            opened = self._opened.pop()
            impl = opened.wrapper.impl
            try:
                with inside((self._dispatcher, impl.hook, impl.plugin)):
                    answer = _finish(opened, outcome)
            except BaseException as error:
                outcome = _with_step(outcome, impl, "failed", error=self._guard.failed(impl, error))
            else:
                outcome = self._replaced(impl, outcome, answer)
        return outcome

    def abort(self, error: BaseException) -> None:
        """Let every opened wrapper clean up while an exception of the host passes through."""
        while self._opened:
            opened = self._opened.pop()
            try:
                opened.generator.throw(error)
            except BaseException as raised:
                if raised is not error and not isinstance(raised, StopIteration):
                    self._guard.failed(opened.wrapper.impl, raised)
            finally:
                opened.generator.close()

    def _replaced(self, impl: Implementation, outcome: Any, answer: Any) -> Any:
        if answer is None or answer is outcome:
            return outcome
        if isinstance(outcome, Transformed) and isinstance(answer, str):
            answer = outcome._replace(value=answer)
        problem = _why_not(outcome, answer)
        if problem:
            self._guard.ignored(impl, problem)
            return _with_step(outcome, impl, "ignored", detail=problem)
        if isinstance(answer, AddedContext) and answer.text != outcome.text:
            answer = answer._replace(pieces=(answer.text,) if answer.text else ())
        return _with_step(answer, impl, "wrapped", detail=_summary(answer))


def _finish(opened: Opened, outcome: Any) -> Any:
    """Send the outcome into a wrapper and return what it answers, of any type."""
    result: pluggy.Result[Any] = pluggy.Result(outcome, None)
    try:
        opened.generator.send(result if opened.wrapper.old_style else outcome)
    except StopIteration as stop:
        return result.get_result() if opened.wrapper.old_style else stop.value
    opened.generator.close()
    raise RuntimeError("the wrapper yielded more than once")


def _why_not(outcome: Any, answer: Any) -> str:
    """Say why an answer cannot replace the outcome; an empty string when it can."""
    if type(answer) is not type(outcome):
        return f"a wrapper returned {type(answer).__name__}, the outcome is {type(outcome).__name__}"
    if isinstance(outcome, ToolDecision | DispatchDecision):
        if _STRICTNESS.get(answer.action, -1) < _STRICTNESS[outcome.action]:
            return f"a wrapper may not weaken {outcome.action!r} to {answer.action!r}"
        if answer.action == "block" and not (isinstance(answer.message, str) and answer.message.strip()):
            return "a block needs a non-blank message"
    if isinstance(outcome, VerifyDecision) and outcome.message is not None and answer.message is None:
        return "a wrapper may not drop a continue"
    if isinstance(outcome, Transformed) and not isinstance(answer.value, str):
        return f"a transform gives str, not {type(answer.value).__name__}"
    return ""


def _with_step(outcome: Any, impl: Implementation, what: str, **more: Any) -> Any:
    if isinstance(outcome, list):  # a hook without a spec has no steps
        return outcome
    return outcome._replace(steps=(*outcome.steps, Step(impl.plugin, impl.source, what, **more)))


def _summary(outcome: Any) -> str:
    if isinstance(outcome, ToolDecision | DispatchDecision):
        return str(outcome.action)
    if isinstance(outcome, Transformed):
        return f"{len(outcome.value)} characters"
    if isinstance(outcome, AddedContext | VerifyDecision | Observed):
        return type(outcome).__name__
    return f"{len(outcome)} answers"
