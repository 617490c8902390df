"""Calling a ``**kwargs`` callback without paying for keyword matching.

Most of the price of ``callback(**fourteen_arguments)`` is CPython matching keywords. The twin of a function is the
same code object whose ``*args`` and ``**kwargs`` slots are ordinary parameters, so it can be called positionally with
a fresh dict for the rest: the same locals, about a fourth of the time (590 against 130 ns for a callback that names
three of fourteen arguments).

It relies on the order of CPython's variable slots: parameters, keyword-only ones, ``*args``, ``**kwargs``. A self-test
at first use checks that; where it fails, or with ``HERMES_SDK_TWINS=0``, callbacks are called by keyword.
"""

from __future__ import annotations

import functools
import inspect
import os
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def twin(callback: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the positional twin of a plain ``**kwargs`` function or bound method, or None where there is none.

    The twin takes the named parameters in the order of `Signature.names`, then ``*args`` as a tuple (where the
    function has it), then the dict for ``**kwargs``.
    """
    return _make(callback) if _slots_are_as_expected() else None


def _make(callback: Callable[..., Any]) -> Callable[..., Any] | None:
    function = callback.__func__ if isinstance(callback, types.MethodType) else callback
    if not isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__"):
        return None
    code = function.__code__
    if function is not callback and not code.co_argcount:  # its instance goes into ``*args``
        return None
    if not code.co_flags & inspect.CO_VARKEYWORDS or code.co_flags & inspect.CO_COROUTINE:
        return None
    count = code.co_argcount + code.co_kwonlyargcount + 1 + bool(code.co_flags & inspect.CO_VARARGS)
    same = types.FunctionType(
        code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~_VARIADIC),
        function.__globals__,
        function.__name__,
        None,
        function.__closure__,
    )
    return types.MethodType(same, callback.__self__) if isinstance(callback, types.MethodType) else same


@functools.cache
def _slots_are_as_expected() -> bool:
    if os.environ.get("HERMES_SDK_TWINS") == "0":
        return False
    outer = object()

    def probe(first: Any, second: Any = 2, *args: Any, only: Any, other: Any = 4, **rest: Any) -> object:
        inner = first

        def closes_over() -> object:
            return inner, outer, rest

        return first, second, only, other, args, rest, closes_over()

    same = _make(probe)
    if same is None:
        return False
    values = ({"a": 1}, "two", "three", "four", (), {"five": 5})
    expected = probe(values[0], values[1], only=values[2], other=values[3], five=5)
    return bool(same(*values) == expected)
