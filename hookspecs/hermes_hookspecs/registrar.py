"""`registrar`: the one line that gives a plugin of `@hookimpl` functions the ``register(ctx)`` of hermes-agent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class PluginContext(Protocol):
    """What ``register`` gets: hermes-agent's `PluginContext`, or the one of hermes-sdk."""

    @property
    def register_hook(self) -> Callable[..., Any]:
        """``register_hook(hook_name, callback)`` has a callback called when a hook fires."""
        ...


def registrar(plugin: object) -> Callable[[PluginContext], None]:
    """Return a ``register(ctx)`` for a plugin, so that one package loads in hermes-agent and under hermes-sdk.

    In hermes-agent each implementation becomes a callback of ``ctx.register_hook``, without any manager of ours: it
    gets what it names, typed directives reach the host as the documented dicts, a modify changes the arguments in
    place, and asynchronous implementations are run. What that host cannot do is logged once, as a warning, when the
    plugin loads. Under hermes-sdk the implementations go to pluggy itself, once, with everything that pluggy knows.

    Args:
        plugin: An instance with `@hookimpl` methods, a module, or the name of a module: ``registrar(__name__)``.

    Raises:
        TypeError: `plugin` is a class; its methods have no instance to run on.

    Example:
        from hermes_hookspecs import Block, hookimpl, registrar


        @hookimpl
        def pre_tool_call(tool_name):
            return Block("not on a Friday") if tool_name == "deploy" else None


        register = registrar(__name__)
    """
    if isinstance(plugin, type):
        raise TypeError(f"registrar needs an instance, not a class: registrar({plugin.__name__}())")

    def register(ctx: PluginContext) -> None:
        # by name, because a module that is still being run cannot be handed over as a whole
        implementations = sys.modules[plugin] if isinstance(plugin, str) else plugin
        register_hookimpls = getattr(ctx, "register_hookimpls", None)
        if register_hookimpls is not None:
            register_hookimpls(implementations)
            return
        from hermes_hookspecs.agent_host import register_callbacks

        register_callbacks(implementations, ctx)

    return register
