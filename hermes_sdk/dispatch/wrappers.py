"""Wrappers: generators around the whole folded call, the first in calling order outermost.

A wrapper cannot break the call it wraps. Raising before its ``yield`` it counts as absent; raising after, the inner
outcome stands; returning None keeps the outcome (under pluggy's rule a forgotten return would drop a block). What it
returns otherwise replaces the outcome only as far as `replacement` allows. Arguments that it changes before its
``yield`` are judged like any other modify; once they are judged it cannot change them any more.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pluggy

from hermes_sdk.dispatch.fold import refused
from hermes_sdk.dispatch.nesting import inside
from hermes_sdk.dispatch.outcomes import Step, ToolDecision, Transformed
from hermes_sdk.dispatch.replacement import carried, replaced, summary, why_not
from hermes_sdk.dispatch.watch import changed_keys, deep_copy, same, snapshot, undo_changes

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from hermes_sdk.dispatch.guard import Guard
    from hermes_sdk.dispatch.implementation import Implementation
    from hermes_sdk.dispatch.watch import Snapshot

logger = logging.getLogger(__name__)


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
    duration_ms: float | None
    """How long it took to get there; None unless tracing is on."""


class Wrapping:
    """The wrappers of one call. The call itself is made between `enter` and `leave`."""

    def __init__(
        self,
        dispatcher: object,
        guard: Guard,
        wrappers: Sequence[Wrapper],
        *,
        args: dict[str, Any] | None = None,
        folded: bool = True,
        traced: bool = False,
    ) -> None:
        """Prepare to wrap a call.

        Args:
            dispatcher: Whose call it is.
            guard: Contains failures.
            wrappers: The wrappers, in calling order.
            args: The arguments of a tool call that is judged.
            folded: Whether the outcome is one of ours; a hook of the host's own gives any value.
            traced: Whether every wrapper leaves a step with its duration.
        """
        self._dispatcher = dispatcher
        self._guard = guard
        self._wrappers = wrappers
        self._args = args
        self._folded = folded
        self._traced = traced
        self._opened: list[Opened] = []
        self._early: list[Step] = []
        self._closed: list[tuple[Implementation, str]] = []

    def enter(self, payload: Mapping[str, Any]) -> None:
        """Run every wrapper up to its ``yield``."""
        for wrapper in self._wrappers:
            impl = wrapper.impl
            before = None if self._args is None else snapshot(self._args)
            started = time.perf_counter()
            try:
                self._guard.refuse_suspended(impl.plugin)
                with inside((self._dispatcher, impl.hook, impl.plugin)):
                    generator = _begun(impl, payload)
                changed = self._changed(before)
            except BaseException as error:
                text = self._guard.failed(impl, error)
                if before is not None and self._args is not None:
                    undo_changes(self._args, before)
                self._early.append(_step(impl, "failed", error=text, duration_ms=self._since(started)))
                if impl.fail_closed:
                    self._closed.append((impl, text))
            else:
                if changed:
                    self._early.append(_step(impl, "modify", ", ".join(changed), value=deep_copy(self._args)))
                self._opened.append(Opened(wrapper, generator, self._since(started)))

    def _changed(self, before: Snapshot | None) -> list[str]:
        if before is None or self._args is None or self._args == before:
            return []
        return changed_keys(before.copy(), self._args)

    def leave(self, outcome: Any) -> Any:
        """Run every wrapper to its end, innermost first, and return the outcome (of the same kind)."""
        if self._folded and self._early:
            outcome = outcome._replace(steps=(*self._early, *outcome.steps))
        for impl, cause in self._closed:
            outcome = refused(outcome, impl, cause)
        judged = None if self._args is None else snapshot(self._args)
        while self._opened:
            opened = self._opened.pop()
            started = time.perf_counter()
            before, outcome = outcome, self._left(opened, outcome)
            if judged is not None:
                outcome = self._as_judged(opened.wrapper.impl, outcome, judged)
            if self._traced and self._folded:
                outcome = self._with_duration(opened, outcome, len(before.steps), started)
        return outcome

    def _left(self, opened: Opened, outcome: Any) -> Any:
        impl = opened.wrapper.impl
        try:
            with inside((self._dispatcher, impl.hook, impl.plugin)):
                answer = _finish(opened, outcome)
            return self._replaced(impl, outcome, answer)
        except BaseException as error:
            text = self._guard.failed(impl, error)
            outcome = self._noted(outcome, _step(impl, "failed", error=text))
            return refused(outcome, impl, text) if impl.fail_closed else outcome

    def _replaced(self, impl: Implementation, outcome: Any, answer: Any) -> Any:
        if answer is None or answer is outcome:
            return outcome
        if isinstance(outcome, Transformed) and isinstance(answer, str):
            answer = outcome._replace(value=answer)
        problem = why_not(outcome, answer) if self._folded else _why_no_list(outcome, answer)
        if problem:
            self._guard.ignored(impl, problem)
            return self._noted(outcome, _step(impl, "ignored", problem))
        if not self._folded:
            return answer
        if isinstance(outcome, ToolDecision) and answer.action != "block" and not same(answer.args, outcome.args):
            outcome = self._drop_change(impl, outcome)
        final = replaced(outcome, answer, impl.hook)
        return (
            outcome
            if final == outcome
            else self._noted(final, _step(impl, "wrapped", summary(final), value=carried(final)))
        )

    def _as_judged(self, impl: Implementation, outcome: ToolDecision, judged: Snapshot) -> ToolDecision:
        """Take back what a wrapper did to arguments that nobody would judge any more."""
        return self._drop_change(impl, outcome) if undo_changes(outcome.args, judged) else outcome

    def _drop_change(self, impl: Implementation, outcome: ToolDecision) -> ToolDecision:
        why = "change of arguments: they are final"
        logger.info("pre_tool_call: %s by wrapper of plugin %r is dropped", why, impl.plugin)
        decision: ToolDecision = self._noted(outcome, _step(impl, "ignored", why))
        return decision

    def abort(self, error: BaseException) -> None:
        """Let every opened wrapper clean up while an exception of the host passes through."""
        while self._opened:
            opened = self._opened.pop()
            try:
                _close(opened.generator, error)
            except BaseException as raised:
                if raised is not error and not isinstance(raised, StopIteration | KeyboardInterrupt):
                    self._guard.failed(opened.wrapper.impl, raised)

    def _noted(self, outcome: Any, step: Step) -> Any:
        return outcome._replace(steps=(*outcome.steps, step)) if self._folded else outcome

    def _since(self, started: float) -> float | None:
        return (time.perf_counter() - started) * 1000.0 if self._traced else None

    def _with_duration(self, opened: Opened, outcome: Any, done: int, started: float) -> Any:
        """Put a wrapper's duration on the first of its steps behind `done`; at least one is left."""
        steps = list(outcome.steps)
        if len(steps) == done:
            steps.append(_step(opened.wrapper.impl, "observed"))
        duration_ms = (opened.duration_ms or 0.0) + (self._since(started) or 0.0)
        steps[done] = replace(steps[done], duration_ms=duration_ms)
        return outcome._replace(steps=tuple(steps))


def _begun(impl: Implementation, payload: Mapping[str, Any]) -> Generator[None, Any, Any]:
    """Return the generator of a wrapper, at its ``yield``."""
    generator: Generator[None, Any, Any] = impl.call(**impl.arguments(payload))
    try:
        next(generator)
    except StopIteration:
        raise RuntimeError("the wrapper did not yield") from None
    return generator


def _finish(opened: Opened, outcome: Any) -> Any:
    """Send the outcome into a wrapper and return what it answers, of any type."""
    result: pluggy.Result[Any] = pluggy.Result(outcome, None)
    try:
        opened.generator.send(result if opened.wrapper.old_style else outcome)
    except StopIteration as stop:
        return result.get_result() if opened.wrapper.old_style else stop.value
    opened.generator.close()
    raise RuntimeError("the wrapper yielded more than once")


def _close(generator: Generator[None, Any, Any], error: BaseException) -> None:
    try:
        generator.throw(error)
    finally:
        generator.close()


def _why_no_list(value: Any, answer: Any) -> str:
    """Say why an answer cannot replace what a hook of the host's own gives: a list stays one."""
    if isinstance(value, list) and not isinstance(answer, list):
        return f"a wrapper returned {type(answer).__name__}: the hook gives a list"
    return ""


def _step(impl: Implementation, what: str, detail: str = "", **more: Any) -> Step:
    return Step(impl.plugin, impl.source, what, detail, **more)
