"""Hooks for type checkers: a wrong parameter or a wrong answer is an error before anything runs.

    from hermes_hookspecs import Block, typed


    @typed.pre_tool_call
    def guard(tool_name: str, **kwargs: object) -> Block | None:
        return Block("not on a Friday") if tool_name == "deploy" else None

`typed.<hook>` is `hookimpl` for one hook, with the same options; `Hooks` is the base of classes whose methods are
checked; `Context` types the ``ctx`` of ``register(ctx)``. What checkers know stands in typed.pyi, which is written from
the specs. At run time there is nothing in the way: a function stays the function that it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_hookspecs.contract import HOOKS
from hermes_hookspecs.markers import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable


class Hooks:
    """The base of a class whose `@hookimpl` methods are held to their specs by type checkers; empty at run time."""

    __slots__ = ()


Context = Any
"""The type of ``ctx``; whatever a host hands over at run time."""


def __getattr__(name: str) -> Callable[..., Any]:
    """Return the marker of one hook."""
    if name not in HOOKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def mark(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        # Any: the function itself, or a decorator for it
        marker = hookimpl(specname=name, **options)
        return marker if function is None else marker(function)

    mark.__name__ = mark.__qualname__ = name
    return mark


def __dir__() -> list[str]:
    return ["Context", "Hooks", *HOOKS]
