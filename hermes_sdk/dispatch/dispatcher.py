"""One hook call from start to end: which function serves it, and the way of calls that are out of the ordinary.

Signatures and order are worked out when plugins change, not when hooks fire. A change only marks what it touches as
stale, under the lock that the next call builds under; a running call keeps the function it started with, so that
registering and unregistering during a call is harmless.
"""

from __future__ import annotations

import itertools
import threading
import types
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pluggy

from hermes_hookspecs.contract import HOOKS
from hermes_hookspecs.markers import PROJECT
from hermes_sdk.dispatch.caller import adopt, dress
from hermes_sdk.dispatch.guard import Guard
from hermes_sdk.dispatch.holder import PluginHolder, first_line, function_id
from hermes_sdk.dispatch.implementation import Implementation, description, implementation
from hermes_sdk.dispatch.layers import LayeredCall, Layers, Monitor
from hermes_sdk.dispatch.nesting import excluded
from hermes_sdk.dispatch.own_spec import own_spec
from hermes_sdk.dispatch.payload import complete
from hermes_sdk.dispatch.plan import Plan
from hermes_sdk.dispatch.policy import PluginPolicy, place
from hermes_sdk.dispatch.signature import is_generator, read_signature, unsent
from hermes_sdk.dispatch.source import Mode
from hermes_sdk.dispatch.wrappers import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hermes_sdk.dispatch.caller import EachResult

_NO_POLICY = PluginPolicy()
_TEMPORARY = "<temp>"


class Dispatcher:
    """Serves the hook calls of one manager."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.policies: dict[str, PluginPolicy] = {}
        self.callers: dict[str, pluggy.HookCaller] = {}
        """pluggy's callers, adopted, by hook."""
        self.lock = threading.RLock()
        self.monitors: list[Monitor] = []
        self.traced = False
        self.unusable: dict[str, list[str]] = {}
        """Plugins with callbacks that cannot be called, and why."""
        self._running = self.guard.running
        self._labels: dict[str, tuple[str, int]] = {}
        self._sequence = itertools.count()
        self._made: dict[str, Layers] = {}
        self._history: list[tuple[str, EachResult | None, Mapping[str, Any]]] = []
        self._functions: dict[tuple[str, Mode], types.FunctionType] = {}
        self._served: set[tuple[str, Mode]] = set()

    # -- what changes --------------------------------------------------------------------------------------

    def stale(self) -> None:
        """Forget everything that was worked out, because plugins, policies, tracing or monitors changed."""
        with self.lock:
            self._made.clear()
            served, self._served = self._served, set()
            for hook, mode in served:
                # whoever still holds it is led to what is right now; a call under way keeps its own code
                _lead(self._functions.pop((hook, mode)), mode, partial(self.function, hook, mode))

    def label(self, name: str, text: str) -> None:
        """Say how a directly registered plugin sorts among its kind; pluggy names instances by address."""
        self._labels[name] = (text, next(self._sequence))

    def forget(self, name: str) -> None:
        """Drop what is known about a plugin that was unregistered."""
        self.policies.pop(name, None)
        self.unusable.pop(name, None)
        self._labels.pop(name, None)
        self.guard.log.forget(name)

    def adopt(self, callers: Mapping[str, pluggy.HookCaller]) -> None:
        """Take over the callers that pluggy made; known ones are kept."""
        for name, caller in callers.items():
            adopt(caller, self)
            self.callers[name] = caller

    def dress_again(self) -> None:
        """Let the functions on the relay show specs that were added after them."""
        for name, caller in self.callers.items():
            function = self._functions.get((name, Mode()))
            if function is not None and getattr(function, "spec", None) is not caller.spec:
                dress(function, caller)

    # -- the functions that hosts call ---------------------------------------------------------------------

    def function(self, hook: str, mode: Mode) -> types.FunctionType:
        """Return what a host calls for a hook, with every argument by keyword.

        It is worked out at its first call, and stays right, though not fast, when something changes later.
        """
        function = self._functions.get((hook, mode))
        if function is None:
            with self.lock:
                function = self._functions.get((hook, mode)) or self._new_function(hook, mode)
        return function

    def _new_function(self, hook: str, mode: Mode) -> types.FunctionType:
        function = types.FunctionType(_leader(mode), {}, hook)
        function.__qualname__ = hook  # what Python calls it where a host passes arguments by position
        _lead(function, mode, partial(self._serve, hook, mode))
        if mode == Mode() and hook in self.callers:
            dress(function, self.callers[hook])
        self._functions[hook, mode] = function
        return function

    def _serve(self, hook: str, mode: Mode) -> Callable[..., Any]:
        """Work out a function at its first call, and return what serves that call."""
        with self.lock:
            function = self.function(hook, mode)
            if (hook, mode) in self._served:  # by another thread, meanwhile
                return function
            self._served.add((hook, mode))
            layers = self._layers(hook)
            plan = layers.plan
            if plan.contract is None or layers.wrappers or self.monitors:
                layered = self._layered(mode, lambda: self._layers(hook))
                _lead(function, mode, lambda: layered)
                return layered
            plan.fill(function, self._careful(plan, mode), replace(mode, traced=self.traced))
            return function

    def call(self, hook: str, payload: Mapping[str, Any]) -> Any:
        """Call a hook; the outcome is of the hook's type."""
        return self.function(hook, Mode())(**payload)

    def _layers(self, hook: str) -> Layers:
        made = self._made.get(hook)
        if made is None:
            with self.lock:
                made = self._made[hook] = self._make_layers(hook, self.ordered(hook))
        return made

    def _make_layers(self, hook: str, impls: Sequence[pluggy.HookImpl]) -> Layers:
        callbacks, wrappers = [], []
        for impl in impls:
            made = implementation(hook, impl, self.policies.get(impl.plugin_name, _NO_POLICY))
            if impl.wrapper or impl.hookwrapper:
                wrappers.append(Wrapper(made, impl.hookwrapper))
            elif self._usable(made):
                callbacks.append(made)
        plan = Plan(self, hook, HOOKS.get(hook), tuple(callbacks), self.guard, own_spec(self.callers.get(hook)))
        return Layers(tuple(self.monitors), impls, tuple(wrappers), plan)

    def _usable(self, impl: Implementation) -> bool:
        return not self.problems(impl.hook, impl.callback)

    def problems(self, hook: str, callback: Callable[..., Any], *, wrapper: bool = False) -> list[str]:
        """Return why a callback on a hook cannot be called: parameters that are not sent, or a generator."""
        contract = HOOKS.get(hook)
        sent = contract.argument_names if contract else own_spec(self.callers.get(hook)).names
        found = [] if sent is None else unsent(read_signature(callback), hook, sent)
        if not wrapper and is_generator(callback):
            found.append(f"it is a generator function, so calling it on {hook} would run nothing")
        return found

    def ordered(self, hook: str) -> list[pluggy.HookImpl]:
        """Return the implementations of a hook in calling order: band, source, name, number of the callback.

        The same function of a plugin is there once, whatever names it has.
        """
        caller = self.callers.get(hook)
        kept: dict[tuple[str, int, int], pluggy.HookImpl] = {}
        for impl in sorted([] if caller is None else caller.get_hookimpls(), key=self._rank):
            if hook not in self._policy(impl).hooks_off:
                kept.setdefault((impl.plugin_name, *function_id(impl.function)), impl)
        return list(kept.values())

    def _policy(self, impl: pluggy.HookImpl) -> PluginPolicy:
        return self.policies.get(impl.plugin_name, _NO_POLICY)

    def _rank(self, impl: pluggy.HookImpl) -> tuple[Any, ...]:
        band = 0 if impl.tryfirst else 2 if impl.trylast else 1
        text, sequence = self._labels.get(impl.plugin_name, (impl.plugin_name, 0))
        holder, function = impl.plugin, impl.function
        number = holder.number_of(function) if isinstance(holder, PluginHolder) else first_line(function)
        return band, place(self._policy(impl), text, sequence), number

    # -- out of the ordinary -------------------------------------------------------------------------------

    def _careful(self, plan: Plan, mode: Mode) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
        """Return the way for calls with extra or missing arguments, or inside of other hook calls."""

        def careful(named: dict[str, Any], extra: dict[str, Any]) -> Any:
            values = complete(plan.contract, named, self.guard.log)
            off = excluded(self, plan.hook) if self._running else frozenset()
            return self._inside(plan.without(off), mode, wide=bool(extra))(**values, **extra)

        return careful

    def _inside(self, plan: Plan, mode: Mode, *, wide: bool) -> Callable[..., Any]:
        wide = wide or plan.contract is None
        return plan.inside(replace(mode, traced=self.traced, wide=wide, entry=False))

    def _layered(self, mode: Mode, layers: Callable[[], Layers]) -> Callable[..., Any]:
        """Return the way of a call with wrappers or monitors round it, or of a hook without a contract."""

        def call(**payload: Any) -> Any:
            with LayeredCall(self, self.guard, layers(), self._watched(mode), payload) as this:
                this.answer = this.inner()
            return this.answer

        async def call_async(**payload: Any) -> Any:
            with LayeredCall(self, self.guard, layers(), self._watched(mode), payload) as this:
                this.answer = await this.inner()
            return this.answer

        return call_async if mode.asynchronous else call

    def _watched(self, mode: Mode) -> Mode:
        """Return `mode` with tracing where somebody watches."""
        return replace(mode, traced=self.traced or bool(self.monitors))

    # -- pluggy's other ways to call -----------------------------------------------------------------------

    def call_with(
        self, caller: pluggy.HookCaller, methods: Sequence[Callable[..., Any]], payload: Mapping[str, Any]
    ) -> Any:
        """Call a hook with additional methods, at the end of the middle band.

        Raises:
            pluggy.HookCallError: A method requires an argument that the hook does not send.
        """
        hook = caller.name
        problems = [problem for method in methods for problem in self.problems(hook, method)]
        if problems:
            raise pluggy.HookCallError("; ".join(problems))
        shown = self._shown(caller)
        last = next((at for at, impl in enumerate(shown) if impl.trylast), len(shown))
        impls = [*shown[:last], *self._temporary(hook, methods), *shown[last:]]
        return self._layered(Mode(), lambda: self._make_layers(hook, impls))(**payload)

    def _temporary(self, hook: str, methods: Sequence[Callable[..., Any]]) -> list[pluggy.HookImpl]:
        """Return implementations that are registered nowhere."""
        holder = PluginHolder(_TEMPORARY)
        for method in methods:
            holder.add_callback(hook, method)
        manager = pluggy.PluginManager(PROJECT)
        manager.register(holder, _TEMPORARY)
        return sorted(getattr(manager.hook, hook).get_hookimpls(), key=self._rank) if methods else []

    def call_subset(self, caller: pluggy.HookCaller, payload: Mapping[str, Any]) -> Any:
        """Call only the implementations that a subset caller shows."""
        return self._layered(Mode(), lambda: self._make_layers(caller.name, self._shown(caller)))(**payload)

    def call_historic(self, caller: pluggy.HookCaller, each: EachResult | None, payload: Mapping[str, Any]) -> None:
        """Call a hook now, and again for every plugin that is registered later."""
        if not caller.is_historic():
            raise AssertionError(f"the spec of {caller.name!r} does not say that it is historic")
        self._history.append((caller.name, each, payload))
        self._replay(caller.name, self.ordered(caller.name), each, payload)

    def replay(self, plugin: str) -> None:
        """Make the historic calls for a plugin that is new."""
        for hook, each, payload in self._history:
            self._replay(hook, [impl for impl in self.ordered(hook) if impl.plugin_name == plugin], each, payload)

    def _replay(
        self, hook: str, impls: Sequence[pluggy.HookImpl], each: EachResult | None, payload: Mapping[str, Any]
    ) -> None:
        results = self._layered(Mode(raw=True), lambda: self._make_layers(hook, impls))(**payload)
        if each is not None:
            for result in results:
                each(result)

    def _shown(self, caller: pluggy.HookCaller) -> list[pluggy.HookImpl]:
        shown = {id(impl) for impl in caller.get_hookimpls()}
        return [impl for impl in self.ordered(caller.name) if id(impl) in shown]

    def describe(self, impl: pluggy.HookImpl) -> tuple[str, str, str]:
        """Return (plugin, source, ``file:line``) of an implementation."""
        return description(impl, self._policy(impl))


def _led_on(**payload: Any) -> Any:
    """Stand in for a function that is not worked out, or out of date; runs with that function's globals."""
    return _current()(**payload)  # type: ignore[name-defined]  # noqa: F821


async def _led_on_async(**payload: Any) -> Any:
    """Do the same for an asynchronous function."""
    return await _current()(**payload)  # type: ignore[name-defined]  # noqa: F821


def _leader(mode: Mode) -> types.CodeType:
    return (_led_on_async if mode.asynchronous else _led_on).__code__


def _lead(function: types.FunctionType, mode: Mode, current: Callable[[], Callable[..., Any]]) -> None:
    """Let calls of `function` go to what `current` returns."""
    function.__globals__["_current"] = current
    function.__code__ = _leader(mode)
