"""A plan: the implementations of one hook in calling order, and the callers generated for them."""

from __future__ import annotations

import bisect
import time
import types
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch import fold as folds
from hermes_sdk.dispatch.awaiting import awaited, is_awaitable
from hermes_sdk.dispatch.concerns import Concerned
from hermes_sdk.dispatch.fold_tool import ToolFold
from hermes_sdk.dispatch.nesting import PLAN, inside
from hermes_sdk.dispatch.outcomes import (
    NO_CONTEXT,
    NO_DISPATCH,
    NO_VERIFY,
    NOTHING_OBSERVED,
    ToolDecision,
    Transformed,
)
from hermes_sdk.dispatch.own_spec import OwnSpec
from hermes_sdk.dispatch.source import CallerShape, CallShape, Mode, caller_code
from hermes_sdk.dispatch.twin import twin
from hermes_sdk.dispatch.watch import any_copy, is_flat, snapshot

if TYPE_CHECKING:
    from hermes_hookspecs.contract import HookContract
    from hermes_sdk.dispatch.guard import Guard
    from hermes_sdk.dispatch.implementation import Implementation

_DECISIONS: Final = {
    "pre_tool_call": "tool",
    "pre_gateway_dispatch": "dispatch",
    "pre_verify": "verify",
}
_FOLDS: Final[Mapping[str, type[folds.Fold]]] = {
    "observer": folds.Fold,
    "context": folds.ContextFold,
    "dispatch": folds.DispatchFold,
    "verify": folds.VerifyFold,
    "transform": folds.TransformFold,
}
_UNSAID: Final[Mapping[str, Any]] = {
    "observer": NOTHING_OBSERVED,
    "context": NO_CONTEXT,
    "dispatch": NO_DISPATCH,
    "verify": NO_VERIFY,
    "transform": Transformed,
    "tool": ToolDecision,
    "list": None,
}

_NOT_DECLARED: Final = OwnSpec()

MISSING: Final = object()
"""Stands for an argument that the host left out."""

Careful = Callable[[dict[str, Any], dict[str, Any]], Any]
"""The way for calls that are out of the ordinary: (named arguments, extra arguments) -> outcome."""


def kind_of(contract: HookContract | None) -> str:
    """Return the shape of a hook's caller: its kind, with the decisions told apart."""
    if contract is None:
        return "list"
    return _DECISIONS[contract.name] if contract.kind == "decision" else contract.kind


class Plan:
    """The implementations of a hook in calling order. Immutable: a change of plugins makes a new one."""

    def __init__(
        self,
        dispatcher: object,
        hook: str,
        contract: HookContract | None,
        impls: tuple[Implementation, ...],
        guard: Guard,
        own: OwnSpec = _NOT_DECLARED,
    ) -> None:
        """Take what was worked out.

        Args:
            dispatcher: Whose plan it is.
            hook: The hook.
            contract: What our contract says about it; None for a hook of the host's own.
            impls: The callbacks, in calling order.
            guard: Contains their failures.
            own: What the host's own spec says, where there is no contract.
        """
        self.dispatcher = dispatcher
        self.hook = hook
        self.contract = contract
        self.kind = kind_of(contract)
        self.impls = impls
        self.own = own
        self._guard = guard
        self._starts: dict[types.CodeType, tuple[int, ...]] = {}
        self._without: dict[frozenset[str], Plan] = {}
        self._insides: dict[Mode, Callable[..., Any]] = {}

    def without(self, plugins: frozenset[str]) -> Plan:
        """Return the plan that leaves these plugins out."""
        if not plugins:
            return self
        plan = self._without.get(plugins)
        if plan is None:
            kept = tuple(impl for impl in self.impls if impl.plugin not in plugins)
            plan = Plan(self.dispatcher, self.hook, self.contract, kept, self._guard, self.own)
            self._without[plugins] = plan
        return plan

    def plugin_at(self, code: types.CodeType, line: int) -> str | None:
        """Return the plugin whose implementation runs on this line of a generated caller, if any does."""
        starts = self._starts.get(code)
        if starts is None:
            return None
        number = bisect.bisect_right(starts, line) - 1
        return self.impls[number].plugin if 0 <= number < len(self.impls) else None

    def inside(self, mode: Mode) -> Callable[..., Any]:
        """Return the caller behind the careful way, which takes a complete payload; kept once made."""
        function = self._insides.get(mode)
        if function is None:
            empty = _empty_async if mode.asynchronous else _empty
            function = types.FunctionType(empty.__code__, {}, self.hook)
            self.fill(function, None, mode)
            self._insides[mode] = function
        return function

    def fill(self, function: types.FunctionType, careful: Careful | None, mode: Mode) -> None:
        """Make a function the generated caller.

        Args:
            function: What becomes it; its globals are its own.
            careful: Where calls out of the ordinary go; None for a caller behind the careful way.
            mode: Which caller it becomes.
        """
        shape = self._shape(mode)
        code, starts = caller_code(shape)
        namespace = function.__globals__
        namespace.update(self._namespace(shape), _careful=careful)
        exec(code, namespace)  # noqa: S102 - our own text, made of contract names only (see source)
        made: types.FunctionType = namespace["call"]
        self._starts[made.__code__] = starts
        function.__kwdefaults__ = made.__kwdefaults__
        function.__code__ = made.__code__  # last: another thread may call it at any moment

    def _shape(self, mode: Mode) -> CallerShape:
        calls = tuple(self._call_shape(impl, asynchronous=mode.asynchronous, wide=mode.wide) for impl in self.impls)
        if self.contract is None:
            return CallerShape(self.hook, "list", (), calls=calls, mode=mode, first=self.own.first)
        arguments = self.contract.arguments
        aliases = self.contract.aliases
        paired = {*aliases, *aliases.values()}
        return CallerShape(
            hook=self.hook,
            kind=self.kind,
            parameters=tuple(argument.name for argument in arguments),
            required=tuple(a.name for a in arguments if a.required and a.name not in paired),
            fresh=tuple(argument.name for argument in arguments if isinstance(argument.default, list)),
            aliases=tuple(aliases.items()),
            value=self.contract.value or "",
            calls=calls,
            mode=mode,
        )

    def _call_shape(self, impl: Implementation, *, asynchronous: bool, wide: bool) -> CallShape:
        sent = () if self.contract is None else tuple(argument.name for argument in self.contract.arguments)
        signature = impl.signature
        other = asynchronous and impl.notes.asynchronous is not None
        coroutine = asynchronous and (impl.asynchronous or impl.timeout is not None or other)
        bridged = impl.timeout is not None or other or self._guard.log.is_suspended(impl.plugin)
        direct = signature.plain and not bridged and (asynchronous or not impl.asynchronous)
        filtered = impl.notes.concerns is not None and "tool_name" in sent
        names = signature.names
        style = "keyword"
        if direct and not wide and set(names) <= set(sent):
            if not signature.takes_rest and not signature.keyword_only:
                style = "positional"
            elif signature.takes_rest and not signature.bound & {*sent} and twin(impl.callback) is not None:
                style = "twin"
        if style == "keyword":
            names = tuple(name for name in sent if signature.accepts(name))
        return CallShape(style, names, signature.takes_args and style == "twin", coroutine, filtered)

    def _namespace(self, shape: CallerShape) -> dict[str, Any]:
        guard, impls = self._guard, self.impls
        namespace: dict[str, Any] = {
            PLAN: self,
            "_missing": MISSING,
            "_running": guard.running,
            "_nothing": _UNSAID[self.kind],
            "_new": tuple.__new__,
            "_awaitable": is_awaitable,
            "_settle": guard.loop.run,
            "_await": awaited,
            "_is_flat": is_flat,
            "_copy_dict": dict.copy,
            "_copy": any_copy,
            "_snapshot": snapshot,
            "_clock": time.perf_counter,
            "_pick": self._pick,
            "_failed": lambda index, error: guard.failed(impls[index], error),
            "_rejudge": partial(self._rejudge, shape.mode.traced),
            "_rejudge_async": partial(self._rejudge_async, shape.mode.traced),
            "_fold": self._fold_maker(),
        }
        for argument in () if self.contract is None else self.contract.arguments:
            namespace[f"_default_{argument.name}"] = argument.default
        filters = [impl.notes.concerns for impl in impls if impl.notes.concerns is not None]
        namespace["_concerned"] = concerned = Concerned(filters)
        namespace["_nobody"] = concerned.nobody
        for index, (impl, call) in enumerate(zip(impls, shape.calls, strict=True)):
            namespace[f"l{index}"] = (self.dispatcher, self.hook, impl.plugin)
            if call.style == "twin":
                namespace[f"f{index}"] = twin(impl.callback)
            elif call.style == "positional":
                namespace[f"f{index}"] = impl.callback
            else:
                bridge = guard.asynchronous if shape.mode.asynchronous else guard.synchronous
                namespace[f"f{index}"] = bridge(impl)
        return namespace

    def _fold_maker(self) -> Callable[..., folds.Fold]:
        guard, impls = self._guard, self.impls
        if self.kind == "tool":
            return lambda args, before: ToolFold(guard, impls, args, before)
        fold = folds.LlmOutputFold if self.hook == "transform_llm_output" else _FOLDS.get(self.kind, folds.Fold)
        return lambda: fold(guard, impls)

    def _pick(self, index: int, payload: Mapping[str, Any]) -> dict[str, Any]:
        return self.impls[index].arguments(payload)

    def _rejudge(
        self, traced: bool, fold: ToolFold, again: list[int], payload: dict[str, Any], raw: list[Any] | None
    ) -> None:
        """Ask implementations once more on the final arguments; only block and approve count there."""
        before = fold.second_judgement()
        for index in again:
            payload.update(judgement=2, already_blocked=fold.blocked)
            impl = self.impls[index]
            if not impl.concerned(payload):
                continue
            with fold.timing(index) if traced else nullcontext():
                try:
                    with inside((self.dispatcher, self.hook, impl.plugin)):
                        answer = self._guard.synchronous(impl)(**self._pick(index, payload))
                        if answer is not None and is_awaitable(answer):
                            answer = self._guard.loop.run(answer)
                    _keep(raw, answer)
                    before = fold.answer(index, answer, before)
                except BaseException as error:
                    before = fold.broke(index, error, before)

    async def _rejudge_async(
        self, traced: bool, fold: ToolFold, again: list[int], payload: dict[str, Any], raw: list[Any] | None
    ) -> None:
        """Do what `_rejudge` does, awaiting asynchronous callbacks in place."""
        before = fold.second_judgement()
        for index in again:
            payload.update(judgement=2, already_blocked=fold.blocked)
            impl = self.impls[index]
            if not impl.concerned(payload):
                continue
            link = (self.dispatcher, self.hook, impl.plugin)
            with fold.timing(index) if traced else nullcontext():
                try:
                    with inside(link):
                        answer = self._guard.asynchronous(impl)(**self._pick(index, payload))
                        if answer is not None and is_awaitable(answer):
                            answer = await awaited(answer, link)
                    _keep(raw, answer)
                    before = fold.answer(index, answer, before)
                except BaseException as error:
                    before = fold.broke(index, error, before)


def _keep(raw: list[Any] | None, answer: Any) -> None:
    if raw is not None and answer is not None:
        raw.append(answer)


def _empty(**_arguments: Any) -> None:
    """Be the code of a caller that is not filled yet."""


async def _empty_async(**_arguments: Any) -> None:
    """Be that of an asynchronous one; a function keeps its kind."""
