"""What a callable accepts, worked out once at registration.

Bare pluggy fills no ``**kwargs`` and raises for keyword-only parameters, while authors of Hermes plugins are told to
write ``**kwargs``. Here a callback gets every argument it names and, with ``**kwargs``, all the rest (semantics 4.2).
"""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one callable, without a bound first one."""

    positional_only: tuple[str, ...]
    names: tuple[str, ...]
    """Positional-only, positional-or-keyword and keyword-only parameters, in this order."""
    keyword_only: frozenset[str]
    required: frozenset[str]
    takes_rest: bool
    """Whether there is a ``**kwargs``."""
    takes_args: bool
    """Whether there is a ``*args``."""
    plain: bool
    """A Python function or bound method that nothing wraps: what it shows is what it takes."""

    def accepts(self, name: str) -> bool:
        """Whether an argument of this name may be passed."""
        return self.takes_rest or name in self.names


def read_signature(callback: Callable[..., Any]) -> Signature:
    """Return what `callback` accepts; a callable without a readable signature is taken to accept anything."""
    function = callback.__func__ if isinstance(callback, types.MethodType) else callback
    if isinstance(function, types.FunctionType) and not hasattr(function, "__wrapped__"):
        return _read_code(function, bound=function is not callback)
    try:
        # `follow_wrapped=False`: a wrapper shows the signature it wraps, but it is the wrapper that gets called
        parameters = inspect.signature(callback, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):  # some builtins have none
        return Signature((), (), frozenset(), frozenset(), takes_rest=True, takes_args=True, plain=False)
    return _from_parameters(tuple(parameters))


def _read_code(function: types.FunctionType, *, bound: bool) -> Signature:
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = len(function.__defaults__ or ())
    required = {*positional[: len(positional) - defaults], *keyword_only} - {*(function.__kwdefaults__ or ())}
    skip = 1 if bound and positional else 0
    return Signature(
        positional_only=positional[skip : code.co_posonlyargcount],
        names=positional[skip:] + keyword_only,
        keyword_only=frozenset(keyword_only),
        required=frozenset(required - {*positional[:skip]}),
        takes_rest=bool(code.co_flags & inspect.CO_VARKEYWORDS),
        takes_args=bool(code.co_flags & inspect.CO_VARARGS),
        plain=True,
    )


def _from_parameters(parameters: tuple[inspect.Parameter, ...]) -> Signature:
    def of(*kinds: object) -> tuple[inspect.Parameter, ...]:
        return tuple(parameter for parameter in parameters if parameter.kind in kinds)

    positional_only = of(inspect.Parameter.POSITIONAL_ONLY)
    keyword_only = of(inspect.Parameter.KEYWORD_ONLY)
    named = positional_only + of(inspect.Parameter.POSITIONAL_OR_KEYWORD) + keyword_only
    return Signature(
        positional_only=tuple(parameter.name for parameter in positional_only),
        names=tuple(parameter.name for parameter in named),
        keyword_only=frozenset(parameter.name for parameter in keyword_only),
        required=frozenset(parameter.name for parameter in named if parameter.default is inspect.Parameter.empty),
        takes_rest=bool(of(inspect.Parameter.VAR_KEYWORD)),
        takes_args=bool(of(inspect.Parameter.VAR_POSITIONAL)),
        plain=False,
    )


def unsent(signature: Signature, hook: str, sent: Iterable[str]) -> list[str]:
    """Return one message for each required parameter that `hook` does not send, naming the nearest that it does."""
    known = frozenset(sent)
    messages = []
    for name in signature.names:
        if name in signature.required and name not in known:
            close = nearest(name, known)
            messages.append(f"{hook} sends {close!r}, not {name!r}" if close else f"{hook} does not send {name!r}")
    return messages


def is_async(callback: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine: ``async def``, or an object whose ``__call__`` is."""
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(
        getattr(type(callback), "__call__", None)  # noqa: B004 - the function itself is looked at, not called
    )


def is_generator(callback: Callable[..., Any]) -> bool:
    """Whether calling it only makes a generator, so that its body would never run."""
    return inspect.isgeneratorfunction(callback) or inspect.isasyncgenfunction(callback)


def location(callback: Callable[..., Any]) -> str:
    """Return ``file:line`` of a callback, or its repr where it has no code."""
    function = inspect.unwrap(callback) if callable(callback) else callback
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None) or getattr(
        getattr(type(function), "__call__", None),  # noqa: B004 - where is its code?
        "__code__",
        None,
    )
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(callback)
