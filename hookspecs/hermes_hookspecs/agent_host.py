"""Registers `@hookimpl` functions with hermes-agent itself, and says what that host cannot do with them.

Loaded by `registrar` inside hermes-agent only, so importing the contract stays cheap. Works with every release of that
host whose ``ctx`` has ``register_hook``.
"""

from __future__ import annotations

import inspect
import logging
import sys
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pluggy

from hermes_hookspecs.agent_callback import make_callback
from hermes_hookspecs.contract import HOOKS
from hermes_hookspecs.markers import PROJECT, impl_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pluggy import HookimplOpts

    from hermes_hookspecs.registrar import PluginContext

logger = logging.getLogger(__name__)

_parser: Final = pluggy.PluginManager(PROJECT)


@dataclass(frozen=True, slots=True)
class Found:
    """One implementation of a plugin."""

    hook: str
    function: Callable[..., Any]
    options: HookimplOpts

    @property
    def wrapper(self) -> bool:
        """Whether it goes round the call."""
        return bool(self.options["wrapper"] or self.options["hookwrapper"])

    @property
    def band(self) -> int:
        """Where it stands among the implementations of its plugin."""
        return -1 if self.options["tryfirst"] else 1 if self.options["trylast"] else 0


class AgentHost:
    """What one release of hermes-agent can do.

    Args:
        ctx: The context that it handed over; the module of its class is that host's `hermes_cli.plugins`.
    """

    def __init__(self, ctx: PluginContext) -> None:
        module = sys.modules.get(type(ctx).__module__)
        self._hooks = getattr(module, "VALID_HOOKS", None)
        self.asks = self._hooks is None or hasattr(module, "get_pre_tool_call_directive")
        """Whether a plugin's approve reaches a person; releases before 0.18 overlook it."""

    def fires(self, hook: str) -> bool:
        """Whether this release fires a hook, as far as it says."""
        return self._hooks is None or hook in self._hooks

    @staticmethod
    def name() -> str:
        """Return name and version for messages."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return f"hermes-agent {version('hermes-agent')}"
        except PackageNotFoundError:  # run from a checkout
            return "this hermes-agent"


def register_callbacks(plugin: object, ctx: PluginContext) -> None:
    """Register every implementation of a plugin that the host has a use for.

    Args:
        plugin: A module or instance.
        ctx: The host's context for this plugin.

    Raises:
        ValueError: An implementation requires an argument that its hook does not send; nothing is registered.
    """
    host = AgentHost(ctx)
    found = sorted(implementations(plugin), key=lambda one: one.band)
    usable = [one for one in found if host.fires(one.hook) and not one.wrapper]
    callbacks = [(one.hook, make_callback(one.hook, one.function, asks=host.asks)) for one in usable]
    limits = [limit for one in found for limit in _limits(one, host)]
    if limits:
        name = getattr(plugin, "__name__", type(plugin).__qualname__)
        logger.warning("plugin %s in %s: %s", name, host.name(), "; ".join(dict.fromkeys(limits)))
    for hook, callback in callbacks:
        ctx.register_hook(hook, callback)


def implementations(plugin: object) -> list[Found]:
    """Return the `@hookimpl` functions of a module or instance, in the order of definition."""
    names = vars(plugin) if isinstance(plugin, types.ModuleType) else dir(plugin)
    found = []
    for name in list(names):
        if name.startswith("__"):
            continue
        options = _parser.parse_hookimpl_opts(plugin, name)
        if options is not None:
            found.append(Found(options["specname"] or name, getattr(plugin, name), options))
    return sorted(found, key=lambda one: _first_line(one.function))


def _first_line(function: Callable[..., Any]) -> int:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_firstlineno if code else 0


def _limits(one: Found, host: AgentHost) -> Iterator[str]:
    """Yield what is lost of an implementation in this host, one clause each."""
    hook = one.hook
    if not host.fires(hook):
        yield f"{hook} is never fired"
        return
    if one.wrapper:
        yield f"the wrapper round {hook} is left out, there are none"
        return
    notes = impl_notes(one.function)
    if one.band:
        yield f"tryfirst and trylast of {hook} count among the plugin's own implementations only"
    if notes.timeout is not None:
        yield f"the deadline of {hook} is not kept"
    if notes.fail_closed:
        yield f"fail_closed of {hook} holds while the plugin is loaded only"
    contract = HOOKS.get(hook)
    if contract is not None and contract.kind == "transform":
        yield f"{hook} is not chained, the first plugin that returns a text wins"
    if hook == "pre_tool_call" and not host.asks:
        yield "no person can be asked, so an approve blocks"
