"""Making pluggy's own hook callers ours, by giving each a class made for its hook.

pluggy makes the caller, keeps its lists and checks what is registered; only what happens at a call is replaced. The
class adds no state (a caller has neither ``__dict__`` nor weak references): everything it needs hangs on the class.
This uses nothing private of pluggy. Own callers and an overridden executor were tried and are worse: they break with
pluggy's internals.

Calling an object whose class defines ``__call__`` makes CPython pack all arguments into a dict and unpack them again:
830 against 210 ns for thirteen arguments. So what stands on ``manager.hook`` is a function *dressed* as its caller; the
callers themselves come back whenever pluggy works on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pluggy

EachResult = Callable[[Any], None]
"""Gets every result of a historic call, of any type."""


class Calls(Protocol):
    """What a caller needs of its dispatcher. Every outcome is of the hook's type."""

    def call(self, hook: str, payload: Mapping[str, Any]) -> Any:
        """Call a hook."""
        ...

    def call_with(
        self, caller: pluggy.HookCaller, methods: Sequence[Callable[..., Any]], payload: Mapping[str, Any]
    ) -> Any:
        """Call a hook with additional methods."""
        ...

    def call_subset(self, caller: pluggy.HookCaller, payload: Mapping[str, Any]) -> Any:
        """Call only the implementations that this caller shows."""
        ...

    def call_historic(self, caller: pluggy.HookCaller, each: EachResult | None, payload: Mapping[str, Any]) -> None:
        """Call a hook now, and again for every plugin that is registered later."""
        ...


def adopt(caller: pluggy.HookCaller, calls: Calls) -> None:
    """Give a caller a class of its own, unless it has one."""
    if isinstance(caller, _Adopted):
        return
    base = type(caller)

    class AdoptedCaller(_Adopted, base):  # type: ignore[valid-type,misc]  # the base is only known here
        __slots__ = ()

        def __call__(self, /, **payload: Any) -> Any:
            """Call every implementation."""
            return calls.call(self.name, payload)

        def call_extra(self, methods: Sequence[Callable[..., Any]], kwargs: Mapping[str, Any]) -> Any:
            """Call the hook with some methods that take part in this call only."""
            return calls.call_with(self, methods, kwargs)

        def call_historic(
            self, result_callback: EachResult | None = None, kwargs: Mapping[str, Any] | None = None
        ) -> None:
            """Call every implementation, and those that are registered later."""
            calls.call_historic(self, result_callback, kwargs or {})

    AdoptedCaller.__name__ = AdoptedCaller.__qualname__ = base.__name__
    caller.__class__ = AdoptedCaller


def adopt_subset(caller: pluggy.HookCaller, calls: Calls) -> pluggy.HookCaller:
    """Let a subset caller go the same way as any other; its implementations are looked up at each call."""
    base = type(caller)

    class SubsetCaller(_Adopted, base):  # type: ignore[valid-type,misc]
        __slots__ = ()

        def __call__(self, /, **payload: Any) -> Any:
            """Call every implementation but those of the removed plugins."""
            return calls.call_subset(self, payload)

        def call_extra(self, methods: Sequence[Callable[..., Any]], kwargs: Mapping[str, Any]) -> Any:
            """Call the remaining implementations and some methods that take part in this call only."""
            return calls.call_with(self, methods, kwargs)

    caller.__class__ = SubsetCaller
    return caller


def dress(function: Callable[..., Any], caller: pluggy.HookCaller) -> None:
    """Give a function the public attributes of a caller, so that it can stand in its place on the relay."""
    for name in dir(caller):
        if not name.startswith("_"):
            setattr(function, name, getattr(caller, name))


class _Adopted:
    """Marks the callers that are ours."""

    __slots__ = ()
