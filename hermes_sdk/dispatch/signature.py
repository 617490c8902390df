"""What a callable accepts, worked out once at registration.

Bare pluggy fills no ``**kwargs`` and raises for keyword-only parameters, while authors of Hermes plugins are told to
write ``**kwargs``. Here a callback gets every argument it names and, with ``**kwargs``, all the rest (semantics 4.2).
"""

from __future__ import annotations

import functools
import inspect
import types
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_EMPTY: Final = inspect.Parameter.empty
_BINDERS: Final = (types.MethodType, staticmethod, classmethod)
_DEEPEST: Final = 32
"""How many wrappers are looked through; they may wrap each other in a circle."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one callable, without a bound first one."""

    positional_only: tuple[str, ...]
    names: tuple[str, ...]
    """Positional-only, positional-or-keyword and keyword-only parameters, in this order."""
    keyword_only: frozenset[str]
    required: frozenset[str]
    fillers: Mapping[str, object]
    """Defaults of positional-only parameters, which stand in where a later one is passed."""
    bound: frozenset[str]
    """Parameters that have their value already, so that not even ``**kwargs`` takes an argument of that name."""
    takes_rest: bool
    """Whether there is a ``**kwargs``."""
    takes_args: bool
    """Whether there is a ``*args``."""
    plain: bool
    """A Python function or bound method: its code says what it takes."""

    def accepts(self, name: str) -> bool:
        """Whether an argument of this name may be passed."""
        return name in self.names or (self.takes_rest and name not in self.bound)


def read_signature(callback: Callable[..., Any]) -> Signature:
    """Return what `callback` accepts; a callable without a readable signature is taken to accept anything."""
    function = callback.__func__ if isinstance(callback, types.MethodType) else callback
    if isinstance(function, types.FunctionType):
        # the code says what is taken; a wrapper may show the signature of what it wraps
        return _read_code(function, bound=function is not callback)
    for follow_wrapped in (False, True):  # a wrapper in C, such as functools.cache, passes on what it gets
        try:
            parameters = inspect.signature(callback, follow_wrapped=follow_wrapped).parameters.values()
        except Exception:  # noqa: S112 - some builtins have none, and an object may raise anything when looked at
            continue
        return _from_parameters(tuple(parameters), _bound_by(callback))
    return Signature((), (), frozenset(), frozenset(), {}, frozenset(), takes_rest=True, takes_args=True, plain=False)


def read_hookimpl(function: Callable[..., Any]) -> Signature:
    """Return what a `@hookimpl` accepts.

    pluggy looks through decorators, and authors rely on it: one that hands on whatever it gets is given what the
    decorated function shows. (A callback of ``ctx.register_hook`` gets everything there, as upstream gives it.)
    """
    own = read_signature(function)
    try:
        inner = inspect.unwrap(function)
    except ValueError:  # it wraps itself
        return own
    if inner is function or not (own.takes_rest or own.takes_args):
        return own
    shown = read_signature(inner)
    if shown.takes_rest and own.takes_rest:
        return own
    names = shown.names[1:] if isinstance(function, types.MethodType) and inspect.isfunction(inner) else shown.names
    if own.takes_rest:
        names = own.names + tuple(name for name in names if name not in own.names)
        return replace(own, names=names, takes_rest=False, plain=False)
    return own if own.names else replace(own, names=names, positional_only=names, plain=False)


def _read_code(function: types.FunctionType, *, bound: bool) -> Signature:
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = function.__defaults__ or ()
    first_optional = len(positional) - len(defaults)
    required = {*positional[:first_optional], *keyword_only} - {*(function.__kwdefaults__ or ())}
    skip = 1 if bound and positional else 0
    positional_only = positional[skip : code.co_posonlyargcount]
    optional = zip(positional[first_optional:], defaults, strict=True)
    return Signature(
        positional_only=positional_only,
        names=positional[skip:] + keyword_only,
        keyword_only=frozenset(keyword_only),
        required=frozenset(required - {*positional[:skip]}),
        fillers={name: default for name, default in optional if name in positional_only},
        bound=frozenset(positional[:skip]),
        takes_rest=bool(code.co_flags & inspect.CO_VARKEYWORDS),
        takes_args=bool(code.co_flags & inspect.CO_VARARGS),
        plain=True,
    )


def _bound_by(callback: object) -> frozenset[str]:
    """Return the parameters that a `functools.partial` gives by position."""
    if not isinstance(callback, functools.partial):
        return frozenset()
    inner = read_signature(callback.func)
    positional = [name for name in inner.names if name not in inner.keyword_only]
    return inner.bound.union(positional[: len(callback.args)])


def _from_parameters(parameters: tuple[inspect.Parameter, ...], bound: frozenset[str]) -> Signature:
    def of(*kinds: object) -> tuple[inspect.Parameter, ...]:
        return tuple(parameter for parameter in parameters if parameter.kind in kinds)

    positional_only = of(inspect.Parameter.POSITIONAL_ONLY)
    keyword_only = of(inspect.Parameter.KEYWORD_ONLY)
    named = positional_only + of(inspect.Parameter.POSITIONAL_OR_KEYWORD) + keyword_only
    return Signature(
        positional_only=tuple(parameter.name for parameter in positional_only),
        names=tuple(parameter.name for parameter in named),
        keyword_only=frozenset(parameter.name for parameter in keyword_only),
        required=frozenset(parameter.name for parameter in named if parameter.default is _EMPTY),
        fillers={parameter.name: parameter.default for parameter in positional_only if parameter.default is not _EMPTY},
        bound=bound,
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
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(_called(callback))


def is_generator(callback: Callable[..., Any]) -> bool:
    """Whether calling it only makes a generator, so that its body would never run."""
    function = _called(callback)
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def location(callback: Callable[..., Any]) -> str:
    """Return ``file:line`` of a callback, or what it is where it has no code. No code of an object runs for that."""
    function: Any = callback
    for _ in range(_DEEPEST):
        function = _called(function)
        wrapped = inspect.getattr_static(function, "__wrapped__", None)
        if wrapped is None:
            break
        function = wrapped
    if isinstance(function, types.FunctionType):
        return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"
    if isinstance(function, types.BuiltinFunctionType | type):
        return repr(function)
    return f"<{type(function).__qualname__} object>"


def _called(callback: Any) -> Any:
    """Return the function that runs when `callback` (any callable) is called, as far as that can be told."""
    while isinstance(callback, functools.partial):
        callback = callback.func
    callback = getattr(callback, "__func__", callback) if isinstance(callback, _BINDERS) else callback
    if isinstance(callback, types.FunctionType):
        return callback
    call = inspect.getattr_static(type(callback), "__call__", None)
    return call if isinstance(call, types.FunctionType) else callback
