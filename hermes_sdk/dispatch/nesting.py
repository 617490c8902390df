"""Which callbacks are running around this call: a hook fired inside a callback is not delivered to it again.

A (plugin, hook) pair that is running is left out of a nested call of the same hook, and more than eight nested calls
are an error (semantics 1.4). Keeping a record of what runs would cost every call about 100 ns for something that
hardly ever happens. So a call leaves only a mark that *something* runs (`running`), and a nested call reads the rest
off the stack: a generated caller's globals hold its plan, and its line number tells which implementation it is in.
What the stack cannot show (an async callback, a worker thread, a wrapper) is carried in the context variable `CHAIN`.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import HookDepthError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.dispatch.plan import Plan

MAX_DEPTH: Final = 8
"""How many hook calls may be nested in each other."""

PLAN: Final = "_hermes_plan"
"""Global name under which a generated caller holds its plan."""

Link = tuple[object, str, str]
"""A running implementation: (dispatcher, hook, plugin)."""

CHAIN: ContextVar[tuple[Link, ...]] = ContextVar("hermes_hook_chain", default=())
"""Implementations around this context that the stack does not show."""


def chain() -> tuple[Link, ...]:
    """Return every implementation that this call is nested in, of any dispatcher, innermost last."""
    links = []
    frame = inspect.currentframe()
    while frame is not None:
        plan: Plan | None = frame.f_globals.get(PLAN)
        if plan is not None:
            plugin = plan.plugin_at(frame.f_code, frame.f_lineno)
            if plugin is not None:
                links.append((plan.dispatcher, plan.hook, plugin))
        frame = frame.f_back
    # the two overlap where an asynchronous callback is awaited in place
    return tuple(dict.fromkeys(CHAIN.get() + tuple(reversed(links))))


def copied_context() -> Context:
    """Return a copy of the context for another thread or task, with what only this stack shows written into it."""
    context = copy_context()
    context.run(CHAIN.set, chain())
    return context


@contextmanager
def inside(link: Link) -> Iterator[None]:
    """Run a callback that no generated caller calls."""
    token = CHAIN.set((*CHAIN.get(), link))
    try:
        yield
    finally:
        CHAIN.reset(token)


def excluded(dispatcher: object, hook: str) -> frozenset[str]:
    """Return the plugins that a call of `hook` must leave out here.

    Raises:
        HookDepthError: More than `MAX_DEPTH` hook calls are nested.
    """
    links = [link for link in chain() if link[0] is dispatcher]
    if len(links) >= MAX_DEPTH:
        path = " > ".join(f"{plugin}:{name}" for _, name, plugin in links)
        raise HookDepthError(
            f"hook {hook!r} is fired {len(links) + 1} calls deep",
            where=path,
            why=f"callbacks that fire hooks may nest {MAX_DEPTH} deep",
            fix="fire it from outside a callback, or from ctx.background",
        )
    return frozenset(plugin for _, name, plugin in links if name == hook)
