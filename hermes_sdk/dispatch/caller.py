"""Making pluggy's own hook callers ours, by giving each a class made for its hook.

pluggy makes the caller, keeps its lists and checks what is registered; only what happens at a call is replaced. The
class adds no state (a caller has neither ``__dict__`` nor weak references): everything it needs hangs on the class.
This uses nothing private of pluggy. Own callers, an overridden executor and a relay of our own beside ``manager.hook``
were tried and are worse: they break with pluggy's internals, or make two ways to call one hook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pluggy


class Calls(Protocol):
    """What a caller needs of its dispatcher."""

    def first_call(self, caller: pluggy.HookCaller) -> Callable[..., Any]:
        """Return the function that serves this caller until something changes."""
        ...

    def call_with(
        self, caller: pluggy.HookCaller, methods: Sequence[Callable[..., Any]], payload: Mapping[str, Any]
    ) -> Any:
        """Call a hook with additional methods; the outcome is of the hook's type."""
        ...

    def call_subset(self, caller: pluggy.HookCaller, payload: Mapping[str, Any]) -> Any:
        """Call only the implementations that this caller shows; the outcome is of the hook's type."""
        ...


def adopt(caller: pluggy.HookCaller, calls: Calls) -> None:
    """Give a caller a class of its own, unless it has one."""
    if isinstance(caller, _Adopted):
        return
    base = type(caller)

    class AdoptedCaller(_Adopted, base):  # type: ignore[valid-type,misc]  # the base is only known here
        __slots__ = ()

        def call_extra(self, methods: Sequence[Callable[..., Any]], kwargs: Mapping[str, Any]) -> Any:
            """Call the hook with some methods that take part in this call only."""
            return calls.call_with(self, methods, kwargs)

    AdoptedCaller.__name__ = AdoptedCaller.__qualname__ = base.__name__
    caller.__class__ = AdoptedCaller
    refresh(caller, calls)


def adopt_subset(caller: pluggy.HookCaller, calls: Calls) -> pluggy.HookCaller:
    """Let a subset caller go the same way as any other; it is looked up anew at each call, and not fast."""
    base = type(caller)

    class SubsetCaller(_Adopted, base):  # type: ignore[valid-type,misc]
        __slots__ = ()

        def __call__(self, **payload: Any) -> Any:
            """Call every implementation but those of the removed plugins."""
            return calls.call_subset(self, payload)

        def call_extra(self, methods: Sequence[Callable[..., Any]], kwargs: Mapping[str, Any]) -> Any:
            """Call the remaining implementations and some methods that take part in this call only."""
            return calls.call_with(self, methods, kwargs)

    caller.__class__ = SubsetCaller
    return caller


def refresh(caller: pluggy.HookCaller, calls: Calls) -> None:
    """Forget the function of an adopted caller: the next call works it out anew."""

    def first(**payload: Any) -> Any:
        return calls.first_call(caller)(**payload)

    install(caller, first)


def install(caller: pluggy.HookCaller, function: Callable[..., Any]) -> None:
    """Make `function` what a call of an adopted caller runs."""
    # static: the function knows everything from its own globals, and binding it would cost 40 ns a call
    type(caller).__call__ = staticmethod(function)  # type: ignore[method-assign,assignment]


class _Adopted:
    """Marks the callers that are ours."""

    __slots__ = ()
