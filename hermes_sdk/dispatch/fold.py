"""How answers become one outcome, for every kind of hook but pre_tool_call (see fold_tool).

A fold exists only once an implementation said something or failed; until then a call keeps no record at all. Each
method returns what the generated caller goes on with. (Rule: semantics 2, the table of kinds.)
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hermes_hookspecs.directives import AddContext, Allow, Continue, Rewrite, Skip
from hermes_sdk.dispatch.answers import (
    Reader,
    read_context,
    read_dispatch_directive,
    read_verify_directive,
)
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
    from collections.abc import Iterator

    from hermes_hookspecs.directives import Directive
    from hermes_sdk.dispatch.guard import Guard
    from hermes_sdk.dispatch.implementation import Implementation

logger = logging.getLogger(__name__)


class Fold:
    """What happened in one hook call so far. The base class is the fold of observers: answers mean nothing."""

    reader: Reader | None = None
    """How answers are read; None where every answer is ignored."""

    def __init__(self, guard: Guard, impls: tuple[Implementation, ...]) -> None:
        self._guard = guard
        self._impls = impls
        self.steps: list[Step] = []
        self.forced: list[Any] = []
        """Answers given in the name of fail-closed implementations that failed; of the hook's return type."""

    def step(self, index: int, what: str, detail: str = "", **more: Any) -> None:
        """Note what implementation number `index` did; `more` are the further fields of `Step`."""
        impl = self._impls[index]
        self.steps.append(Step(impl.plugin, impl.source, what, detail, **more))

    def timed(self, index: int, first: int, duration_ms: float) -> None:
        """Put the duration on the steps of `index` that were added since `first`; at least one step is left."""
        impl = self._impls[index]
        if len(self.steps) == first:
            self.steps.append(Step(impl.plugin, impl.source, "observed", duration_ms=duration_ms))
            return
        step = self.steps[first]
        self.steps[first] = Step(
            step.plugin, step.source, step.what, step.detail, duration_ms, step.error, step.rule_key, step.value
        )

    @contextmanager
    def timing(self, index: int) -> Iterator[None]:
        """Measure how long an implementation runs, and put that on its step."""
        first, started = len(self.steps), time.perf_counter()
        yield
        self.timed(index, first, (time.perf_counter() - started) * 1000.0)

    def failed(self, index: int, error: BaseException) -> str:
        """Note that an implementation failed and return the failure as text."""
        text = self._guard.failed(self._impls[index], error)
        self.step(index, "failed", error=text)
        return text

    def answered(self, index: int, answer: Any) -> None:
        """Take an answer (any type) that was not None."""
        impl = self._impls[index]
        if self.reader is None:
            return
        directive, problem = self.reader(answer)
        if problem:
            self.step(index, "ignored", problem)
            self._guard.ignored(impl, problem)
        elif directive is not None:
            self.directive(index, directive)

    def directive(self, index: int, directive: Directive) -> None:
        """Take a valid directive."""

    def outcome(self) -> Any:
        """Return the folded outcome, of the hook's outcome type."""
        return Observed(tuple(self.steps))


class ContextFold(Fold):
    """Every contribution counts; they are joined with one blank line in calling order."""

    reader = staticmethod(read_context)

    def __init__(self, guard: Guard, impls: tuple[Implementation, ...]) -> None:
        super().__init__(guard, impls)
        self._pieces: list[str] = []

    def directive(self, index: int, directive: Directive) -> None:
        """Add a contribution."""
        if isinstance(directive, AddContext):
            self._pieces.append(directive.context)
            self.step(index, "context", f"{len(directive.context)} characters", value=directive.context)

    def outcome(self) -> AddedContext:
        """Return the joined text."""
        return AddedContext("\n\n".join(self._pieces) or None, tuple(self.steps), tuple(self._pieces))


class DispatchFold(Fold):
    """The first recognised skip, rewrite or allow is applied; later different ones are logged."""

    reader = staticmethod(read_dispatch_directive)

    def __init__(self, guard: Guard, impls: tuple[Implementation, ...]) -> None:
        super().__init__(guard, impls)
        self._applied: tuple[int, Directive] | None = None

    def directive(self, index: int, directive: Directive) -> None:
        """Apply the first directive; note the others."""
        what = type(directive).__name__.lower()
        if self._applied is None:
            self._applied = (index, directive)
            detail = directive.reason if isinstance(directive, Skip) else ""
            self.step(index, what, detail, value=directive.text if isinstance(directive, Rewrite) else None)
            return
        first, applied = self._applied
        self.step(index, "ignored", f"{what}: {self._impls[first].plugin} decided first")
        if applied != directive:
            logger.info(
                "pre_gateway_dispatch: %r of plugin %r has no effect, plugin %r decided first",
                what,
                self._impls[index].plugin,
                self._impls[first].plugin,
            )

    def outcome(self) -> DispatchDecision:
        """Return the applied directive, or ``allow``."""
        steps = tuple(self.steps)
        directive = self._applied[1] if self._applied else Allow()
        if isinstance(directive, Skip):
            return DispatchDecision("skip", reason=directive.reason or None, steps=steps)
        if isinstance(directive, Rewrite):
            return DispatchDecision("rewrite", text=directive.text, steps=steps)
        return DispatchDecision("allow", steps=steps)


class VerifyFold(Fold):
    """The first continue with a message keeps the agent going."""

    reader = staticmethod(read_verify_directive)

    def __init__(self, guard: Guard, impls: tuple[Implementation, ...]) -> None:
        super().__init__(guard, impls)
        self._message: str | None = None

    def directive(self, index: int, directive: Directive) -> None:
        """Keep the first message."""
        if not isinstance(directive, Continue):
            return
        if self._message is None:
            self._message = directive.message
            self.step(index, "continue", directive.message)
        else:
            self.step(index, "ignored", "another plugin asked to continue first")

    def outcome(self) -> VerifyDecision:
        """Return the message to continue with, or None."""
        return VerifyDecision(self._message, tuple(self.steps))


class TransformFold(Fold):
    """Chained: each implementation receives the previous one's output; a failure leaves the value as it is."""

    empty_replaces = True
    """Whether ``""`` replaces the value (both tool transforms) or leaves it (transform_llm_output)."""

    def transformed(self, index: int, answer: Any, value: str) -> str:
        """Return the value after an answer (any type) that was not None."""
        if not isinstance(answer, str):
            problem = f"returned {type(answer).__name__}, a transform returns str or None"
            self.step(index, "ignored", problem)
            self._guard.ignored(self._impls[index], problem)
            return self._withhold(index, problem) if self._impls[index].fail_closed else value
        if answer == value or not (answer or self.empty_replaces):
            return value
        before = len(value) if isinstance(value, str) else type(value).__name__  # a host may have sent anything
        self.step(index, "transform", f"{before} to {len(answer)} characters", value=answer)
        return answer

    def withheld(self, index: int, error: BaseException, value: str) -> str:
        """Return the value after a failure: unchanged, or a notice where the implementation is fail-closed."""
        text = self.failed(index, error)
        return self._withhold(index, text) if self._impls[index].fail_closed else value

    def _withhold(self, index: int, cause: str) -> str:
        notice = _withheld_notice(self._impls[index], cause)
        self.step(index, "withhold", notice, value=notice)
        self.forced.append(notice)
        return notice

    def result(self, value: str) -> Transformed:
        """Return the outcome with the final value."""
        return Transformed(value, tuple(self.steps))


class LlmOutputFold(TransformFold):
    """The fold of transform_llm_output, where an empty answer is no answer."""

    empty_replaces = False


def refusal(impl: Implementation, cause: str) -> str:
    """Return the message of the block that stands for a fail-closed implementation that failed."""
    return f"blocked: plugin {impl.plugin!r} failed in {impl.hook} and is declared fail-closed: {cause}"


def _withheld_notice(impl: Implementation, cause: str) -> str:
    return f"[output withheld: plugin {impl.plugin!r} failed in {impl.hook} and is declared fail-closed: {cause}]"


def refused(outcome: Any, impl: Implementation, cause: str) -> Any:
    """Return an outcome, of the hook's type, after a fail-closed implementation around it failed."""
    if isinstance(outcome, ToolDecision) and not outcome.blocked:
        message = refusal(impl, cause)
        steps = (*outcome.steps, Step(impl.plugin, impl.source, "block", message))
        return ToolDecision("block", message, None, outcome.args, steps)
    if isinstance(outcome, Transformed):
        notice = _withheld_notice(impl, cause)
        step = Step(impl.plugin, impl.source, "withhold", notice, value=notice)
        return Transformed(notice, (*outcome.steps, step))
    return outcome
