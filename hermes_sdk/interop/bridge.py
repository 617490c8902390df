"""The bridge: this whole framework inside of hermes-agent, as one of its plugins.

`register` is the entry point ``hermes-sdk`` of the group ``hermes_agent.plugins``. It loads the plugins that
``plugins.entries.hermes-sdk.plugins`` names, and registers one callback a hook: our plugins stand together at the
bridge's place in that host's order, and in our own order among themselves. (Rule: semantics 9.)
"""

from __future__ import annotations

import atexit
import logging
import runpy
import sys
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS
from hermes_hookspecs.agent_host import AgentHost
from hermes_sdk.home import hermes_home
from hermes_sdk.interop.agent_link import AgentLink
from hermes_sdk.interop.answers import reader_of
from hermes_sdk.interop.bridged_middleware import BridgedMiddleware
from hermes_sdk.interop.chosen import bridged_config
from hermes_sdk.interop.forwarding import Forwarding
from hermes_sdk.interop.native_order import transforms_in_front
from hermes_sdk.interop.running import forget, remember, running_bridge
from hermes_sdk.plugins.manager import PluginManager

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from hermes_sdk.config import Config
    from hermes_sdk.plugins.loaded import LoadedPlugin

logger = logging.getLogger(__name__)

COMMAND: Final = "sdk"
"""``hermes sdk ...`` is ``hermes-sdk ...``."""
_ONCE_A_TURN: Final = "on_session_end"
"""The hook that hermes-agent fires at the end of every turn: when the run file is looked after."""


def register(ctx: Any) -> None:
    """Start the bridge; called by hermes-agent, again when it loads its plugins anew.

    Args:
        ctx: hermes-agent's `PluginContext`.

    Raises:
        StrictError: ``plugins.strict`` is on and something is not in order; hermes-agent lists the bridge as failed.
    """
    home = hermes_home()
    earlier = running_bridge(home)
    if earlier is not None:
        earlier.close()
    bridge = Bridge(ctx, home)
    try:
        bridge.start()
    except BaseException:
        bridge.close()
        raise


class BridgedManager(PluginManager):
    """The manager inside of the bridge: it reads that host's config.yaml as far as it is about its plugins."""

    def __init__(self, home: Path, hook_added: Callable[[], None]) -> None:
        self._hook_added = hook_added
        super().__init__(home)

    def _read_config(self) -> Config:
        return bridged_config(self.home, self.discover)

    def add_callback(self, plugin: LoadedPlugin, hook: str, callback: Callable[..., Any]) -> None:
        """Register a hook callback of a plugin; the bridge may have to listen to one hook more."""
        super().add_callback(plugin, hook, callback)
        if plugin.registered:
            self._hook_added()


class Bridge:
    """Our manager at work inside of one hermes-agent.

    Args:
        ctx: hermes-agent's context for the plugin ``hermes-sdk``, of its own type.
        home: The home that both share.
    """

    def __init__(self, ctx: Any, home: Path) -> None:
        self.home = home
        self.host = AgentHost(ctx)
        """What this release of hermes-agent can do."""
        self.manager = BridgedManager(home, self._listen)
        self._ctx = ctx
        self._link = AgentLink(ctx, self.manager)
        self._forwarding = Forwarding(self._link)
        self._callbacks: dict[str, Callable[..., Any]] = {}
        self._failures_shown = -1

    # -- start and end -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Load the plugins, and register what they have with hermes-agent.

        Raises:
            StrictError: ``plugins.strict`` is on and something is not in order.
        """
        self.manager.kinds |= {"backend", "platform"}
        self.manager.host = self._link
        self.manager.discover_and_load()
        self._listen()
        self._register_middleware()
        self._forwarding.forward(self.manager.registrations)
        self._ctx.register_cli_command(COMMAND, "the command line of hermes-sdk", _take_everything, _run_command)
        atexit.register(self.close)
        remember(self)
        loaded = ", ".join(self.manager.plugins) or "none: plugins.entries.hermes-sdk.plugins names none that loads"
        logger.info("hermes-sdk runs inside of %s with these plugins: %s", self.host.name(), loaded)
        for limit in self.limits():
            logger.warning("hermes-sdk in %s: %s", self.host.name(), limit)

    def close(self) -> None:
        """Unload every plugin; hermes-agent keeps callbacks that do nothing from now on."""
        atexit.unregister(self.close)
        forget(self)
        self.manager.shutdown()

    def limits(self) -> list[str]:
        """Return what of our plugins this hermes-agent cannot do, one sentence each."""
        return [*self._unheard(), *self._forwarding.refused, *transforms_in_front(self._ctx, self._callbacks)]

    def _unheard(self) -> list[str]:
        never = [hook for hook in self._hooks() if not self.host.fires(hook)]
        if self.manager.registrations.middleware_table.active() and not hasattr(self._ctx, "register_middleware"):
            never.append("middleware")
        unheard = [f"{hook} is never fired" for hook in never]
        if "pre_tool_call" in self._callbacks and not self.host.asks:
            unheard.append("no person can be asked, so an approve blocks")
        return unheard

    # -- hooks -------------------------------------------------------------------------------------------------

    def _hooks(self) -> list[str]:
        """Return the hooks that our plugins implement, those of the contract first."""
        implemented = {hook for plugin in self.manager.plugins.values() for hook in plugin.hooks}
        standing = {hook for hook in HOOKS if self.manager.has_hook(hook)}
        return sorted(implemented | standing, key=lambda hook: (hook not in HOOKS, hook))

    def _listen(self) -> None:
        """Register a callback for every hook that is new among those of our plugins."""
        for hook in dict.fromkeys((*self._hooks(), _ONCE_A_TURN)):
            if hook not in self._callbacks and self.host.fires(hook):
                self._callbacks[hook] = self._callback(hook)
                self._ctx.register_hook(hook, self._callbacks[hook])

    def _callback(self, hook: str) -> Callable[..., Any]:
        relay, read = self.manager.hook, reader_of(hook, asks=self.host.asks)

        def callback(**payload: Any) -> Any:
            return read(getattr(relay, hook)(**payload), payload)

        def judge(**payload: Any) -> Any:
            try:
                return callback(**payload)
            except Exception as error:  # that host would take it for no opinion
                logger.exception("hermes-sdk could not judge a tool call, which is blocked")
                return {"action": "block", "message": f"blocked: hermes-sdk could not judge this call: {error}"}

        def at_end_of_turn(**payload: Any) -> None:
            callback(**payload)
            self._look_after_run_file()

        made = {"pre_tool_call": judge, _ONCE_A_TURN: at_end_of_turn}.get(hook, callback)
        made.__name__ = made.__qualname__ = f"hermes_sdk_{hook}"
        return made

    def _look_after_run_file(self) -> None:
        """Keep the run file from the first turn on, so that commands which only look leave none."""
        failures = sum(failed.count for failed in self.manager.failures.values())
        if failures != self._failures_shown:
            self._failures_shown = failures
            self.manager.publish_run_file()

    def _register_middleware(self) -> None:
        register_middleware = getattr(self._ctx, "register_middleware", None)
        if register_middleware is None:
            return
        for kind, callback in BridgedMiddleware(self.manager, self._link).callbacks().items():
            register_middleware(kind, callback)


def _take_everything(parser: argparse.ArgumentParser) -> None:
    """Have every argument handed over unread, options too: our own command line knows them."""
    parser.prefix_chars = ""
    parser.add_argument("arguments", nargs="*")


def _run_command(parsed: argparse.Namespace) -> None:
    """Run ``hermes sdk ...`` as ``python -m hermes_sdk ...`` in this process, which knows the running bridge."""
    before = sys.argv
    sys.argv = ["hermes sdk", *parsed.arguments]
    try:
        runpy.run_module("hermes_sdk", run_name="__main__", alter_sys=False)
    finally:
        sys.argv = before
