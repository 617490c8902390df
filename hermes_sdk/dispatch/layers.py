"""The way of a hook call with something round it: wrappers, monitors, or a hook of the host's own.

A hook of the contract that nobody wraps or monitors does not come this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import pluggy

from hermes_sdk.dispatch.nesting import excluded
from hermes_sdk.dispatch.payload import complete, complete_own, split
from hermes_sdk.dispatch.replacement import as_answers
from hermes_sdk.dispatch.wrappers import Wrapper, Wrapping

if TYPE_CHECKING:
    from types import TracebackType

    from hermes_sdk.dispatch.guard import Guard
    from hermes_sdk.dispatch.plan import Plan
    from hermes_sdk.dispatch.source import Mode

Before = Callable[[str, Sequence[pluggy.HookImpl], Mapping[str, Any]], None]
After = Callable[[pluggy.Result[Any], str, Sequence[pluggy.HookImpl], Mapping[str, Any]], None]
Monitor = tuple[Before, After]


@dataclass(frozen=True, slots=True)
class Layers:
    """What a hook call runs, from the outside in."""

    monitors: tuple[Monitor, ...]
    impls: Sequence[pluggy.HookImpl]
    """All implementations in calling order, for monitors."""
    wrappers: tuple[Wrapper, ...]
    plan: Plan


class LayeredCall:
    """One call of a hook: a context manager that stands round the call of its callbacks.

    Whoever uses it calls `inner` inside, and puts what that gives into `answer`.
    """

    def __init__(
        self, dispatcher: object, guard: Guard, layers: Layers, mode: Mode, payload: Mapping[str, Any]
    ) -> None:
        plan = layers.plan
        off = excluded(dispatcher, plan.hook) if guard.running else frozenset()
        named, extra = split(plan.contract, payload)
        if plan.contract is None:
            extra = complete_own(plan.hook, plan.own, extra, guard.log)
        self._payload = {**complete(plan.contract, named, guard.log), **extra}
        self._layers = layers
        self._raw = mode.raw
        self._running = guard.running
        self._wrapping = Wrapping(
            dispatcher,
            guard,
            [wrapper for wrapper in layers.wrappers if wrapper.impl.plugin not in off],
            args=self._payload["args"] if plan.kind == "tool" else None,
            folded=plan.contract is not None,
            traced=mode.traced,
        )
        wide = bool(extra) or plan.contract is None
        self._callbacks = plan.without(off).inside(replace(mode, wide=wide, entry=False))
        self.answer: Any = None
        """What the callbacks gave, and afterwards what the host gets; of the hook's type."""

    def __enter__(self) -> Self:
        for before, _ in reversed(self._layers.monitors):  # the latest is outermost, as in pluggy
            before(self._layers.plan.hook, self._layers.impls, self._payload)
        self._running.append(None)
        try:
            self._wrapping.enter(self._payload)
        except BaseException as error:
            self._end(error)
            raise
        return self

    def inner(self) -> Any:
        """Call the callbacks and return what they give: an outcome, or something to await that gives it."""
        return self._callbacks(**self._payload)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            try:
                outcome = self._leave()
            except BaseException as raised:
                self._end(raised)
                raise
            self._end(None, outcome)
        else:
            self._end(error)

    def _leave(self) -> Any:
        """Let the wrappers end, put what the host gets into `answer`, and return the outcome."""
        if self._layers.plan.contract is None:
            return self._leave_own()
        raw, outcome = self.answer if self._raw else ([], self.answer)
        final = self._wrapping.leave(outcome)
        self.answer = [*as_answers(outcome, final), *raw] if self._raw else final
        return final

    def _leave_own(self) -> Any:
        first = self._layers.plan.own.first
        value = next(iter(self.answer), None) if first else self.answer
        value = self._wrapping.leave(value)
        self.answer = value
        if self._raw and first:
            self.answer = [] if value is None else [value]
        return value

    def _end(self, error: BaseException | None, outcome: Any = None) -> None:
        try:
            if error is not None:
                self._wrapping.abort(error)
        finally:
            self._running.pop()
        for _, after in self._layers.monitors:
            after(pluggy.Result(outcome, error), self._layers.plan.hook, self._layers.impls, self._payload)
