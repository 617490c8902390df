"""`DispatchManager`: a `pluggy.PluginManager` whose hooks are called the Hermes way.

Everything that pluggy offers keeps working on it. It knows nothing of files, configuration or discovery; those belong
to `hermes_sdk.plugins.PluginManager`, which builds on it.
"""

from __future__ import annotations

import inspect
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import pluggy

from hermes_hookspecs.contract import FAMILIES, HOOKS, nearest_hook
from hermes_hookspecs.markers import PROJECT
from hermes_sdk.dispatch.awaiting import is_awaitable
from hermes_sdk.dispatch.caller import adopt_subset
from hermes_sdk.dispatch.dispatcher import Dispatcher
from hermes_sdk.dispatch.failures import describe
from hermes_sdk.dispatch.guard import must_propagate
from hermes_sdk.dispatch.holder import Held, PluginHolder, marked_functions, refuse_class
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.dispatch.relay import AsyncRelay
from hermes_sdk.dispatch.signature import location
from hermes_sdk.dispatch.source import Mode
from hermes_sdk.errors import PluginSignatureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from hermes_sdk.dispatch.failures import PluginFailures
    from hermes_sdk.dispatch.layers import After, Before
    from hermes_sdk.dispatch.relay import SyncRelay

logger = logging.getLogger(__name__)


class SignatureError(PluginSignatureError, pluggy.PluginValidationError):
    """An implementation cannot be called by its hook; also a `pluggy.PluginValidationError`."""

    def __init__(self, plugin: object, what: str, **parts: str) -> None:
        PluginSignatureError.__init__(self, what, **parts)
        self.plugin = plugin


class DispatchManager(pluggy.PluginManager):
    """Registers plugins and calls their hooks: in Hermes' order, isolated, folded to one typed outcome."""

    def __init__(self) -> None:
        super().__init__(PROJECT)
        self._dispatcher = Dispatcher()
        self._dispatcher.guard.log.when_suspended = self._refresh
        self._in_pluggys_view = False
        self._tracing = False
        self._tracers: set[object] = set()
        self.ahook = AsyncRelay(lambda name: self._dispatcher.function(name, Mode(asynchronous=True)))
        """The hooks for asynchronous hosts: ``await manager.ahook.pre_tool_call(...)``."""
        for family in FAMILIES:
            self.add_hookspecs(family)

    if TYPE_CHECKING:
        hook: SyncRelay  # type: ignore[assignment,misc]  # pluggy types every call as Any

    @contextmanager
    def _pluggys_view(self) -> Iterator[None]:
        """Let pluggy work on its own callers, and take its changes over afterwards."""
        relay, dispatcher = self._relay(), self._dispatcher
        with dispatcher.lock:
            if self._in_pluggys_view:
                yield
                return
            relay.update(dispatcher.callers)
            self._in_pluggys_view = True
            try:
                yield
            finally:
                self._in_pluggys_view = False
                dispatcher.adopt(relay)
                self._refresh()

    def _refresh(self) -> None:
        """Forget what was worked out about calls, and put the functions of today on ``manager.hook``."""
        dispatcher = self._dispatcher
        with dispatcher.lock:
            dispatcher.stale()
            self._relay().update((name, dispatcher.function(name, Mode())) for name in dispatcher.callers)

    def _relay(self) -> dict[str, Any]:
        return vars(cast("pluggy.HookRelay", self.hook))

    # -- registering ---------------------------------------------------------------------------------------

    def add_hookspecs(self, module_or_class: ModuleType | type) -> None:
        """Add specs; a hook outside of the contract gives the list of answers, or the first if its spec says so."""
        with self._pluggys_view():
            super().add_hookspecs(module_or_class)
            self._dispatcher.dress_again()
            for name, plugin in self.list_name_plugin():
                if isinstance(plugin, PluginHolder):  # what it could not know when it was registered
                    self._note_unusable(name, plugin.held())

    def register(self, plugin: object, name: str | None = None, *, policy: PluginPolicy | None = None) -> str | None:
        """Register a plugin and return its name, or None where the name is blocked.

        Args:
            plugin: A module or an instance with `@hookimpl` functions, or a `PluginHolder`.
            name: Its name; by default a module's name, or one made from an instance's class.
            policy: How it is ordered, timed and trusted to fail; `PluginPolicy()` by default.

        Raises:
            PluginError: A class was given instead of an instance.
            PluginSignatureError: An implementation requires an argument that its hook does not send.
            ValueError: The plugin or the name is registered already.
        """
        if plugin is None:
            return None
        refuse_class(plugin)
        with self._pluggys_view():
            name = name or self.get_canonical_name(plugin)
            held = plugin.held() if isinstance(plugin, PluginHolder) else marked_functions(plugin)
            if not self.is_blocked(name):
                self._check(plugin, name, held)
            registered = super().register(plugin, name)
            if registered is None:
                return None
            self._dispatcher.policies[registered] = policy or PluginPolicy()
            self._dispatcher.label(registered, _label(plugin, registered))
            self._note_unknown(registered, held)
            self._note_unusable(registered, held)
        self._dispatcher.replay(registered)
        return registered

    def replace(self, plugin: object, name: str, *, policy: PluginPolicy | None = None) -> str | None:
        """Register a plugin in place of the one that has its name; each call meets the one or the other.

        Arguments, return value and errors are those of `register`.
        """
        with self._dispatcher.lock:
            if self.has_plugin(name):
                self.unregister(name=name)
            return self.register(plugin, name, policy=policy)

    def _check(self, plugin: object, name: str, held: list[Held]) -> None:
        """Refuse a plugin with a `@hookimpl` that cannot be called; callbacks of `ctx.register_hook` are left out."""
        for one in held:
            problems = one.options and self._dispatcher.problems(one.hook, one.callback, wrapper=one.wrapper)
            if problems:
                function = one.callback
                raise SignatureError(
                    plugin,
                    f"plugin {name!r} cannot implement {one.hook!r}",
                    where=f"{getattr(function, '__name__', one.hook)}{_signature(function)} at {location(function)}",
                    why="; ".join(problems),
                    fix="name only arguments that the hook sends, and add **kwargs for those to come",
                )

    def _note_unknown(self, name: str, held: list[Held]) -> None:
        for one in held:
            optional = one.options is not None and one.options["optionalhook"]
            if not (optional or one.hook in HOOKS or self._has_spec(one.hook)):
                close = nearest_hook(one.hook)
                hint = f"; did you mean {close!r}?" if close else ""
                logger.warning(
                    "plugin %r registers the unknown hook %r%s: kept, and called if a host fires it",
                    name,
                    one.hook,
                    hint,
                )

    def _note_unusable(self, name: str, held: list[Held]) -> None:
        known, found = self._dispatcher.unusable.get(name, ()), []
        for one in held:
            problems = None if one.options else self._dispatcher.problems(one.hook, one.callback)
            if problems:
                found.append(f"{one.hook} at {location(one.callback)}: {'; '.join(problems)}")
                if found[-1] not in known:
                    logger.warning("plugin %r: a callback is not called: %s", name, found[-1])
        if found:
            self._dispatcher.unusable[name] = found

    def _has_spec(self, hook: str) -> bool:
        caller = self._dispatcher.callers.get(hook)
        return caller is not None and caller.has_spec()

    def unregister(self, plugin: object | None = None, name: str | None = None) -> Any | None:
        """Unregister a plugin, given by itself or by name, and return it; calls under way finish as they began."""
        with self._pluggys_view():
            registered = name or (self.get_name(plugin) if plugin is not None else None)
            gone = super().unregister(plugin, name)
            if registered is not None:
                self._dispatcher.forget(registered)
            return gone

    def get_hookcallers(self, plugin: object) -> list[pluggy.HookCaller] | None:
        """Return the callers of the hooks that a plugin implements, or None if it is not registered."""
        with self._pluggys_view():
            return super().get_hookcallers(plugin)

    def check_pending(self) -> None:
        """Raise `pluggy.PluginValidationError` where a `@hookimpl` is for a hook without a spec."""
        with self._pluggys_view():
            super().check_pending()

    # -- settings ------------------------------------------------------------------------------------------

    def policy(self, name: str) -> PluginPolicy:
        """Return the policy of a registered plugin."""
        return self._dispatcher.policies.get(name, PluginPolicy())

    def set_policy(self, name: str, policy: PluginPolicy) -> None:
        """Change the policy of a plugin; it counts from the next call."""
        with self._dispatcher.lock:
            self._dispatcher.policies[name] = policy
            self._refresh()

    @property
    def tracing(self) -> bool:
        """Whether every implementation leaves a step with its duration; off, nobody pays for it."""
        return self._dispatcher.traced

    @tracing.setter
    def tracing(self, on: bool) -> None:
        with self._dispatcher.lock:
            self._tracing = on
            self._retrace()

    def keep_tracing(self) -> Callable[[], None]:
        """Have `tracing` on, whatever others set it to, until the returned function is called."""
        mine = object()
        with self._dispatcher.lock:
            self._tracers.add(mine)
            self._retrace()

        def undo() -> None:
            with self._dispatcher.lock:
                self._tracers.discard(mine)
                self._retrace()

        return undo

    def _retrace(self) -> None:
        on = self._tracing or bool(self._tracers)
        if on != self._dispatcher.traced:
            self._dispatcher.traced = on
            self._refresh()

    # -- calling -------------------------------------------------------------------------------------------

    def invoke_hook(self, hook_name: str, /, **payload: Any) -> list[Any]:
        """Call a hook and return the non-None raw returns in calling order, as hosts of hermes-agent expect.

        A fail-closed failure is among them, as the block or notice that it means.
        """
        answer = self._dispatcher.function(hook_name, Mode(raw=True))(**payload)
        raw: list[Any] = answer[0] if isinstance(answer, tuple) else answer
        return raw

    def has_hook(self, hook_name: str) -> bool:
        """Whether anybody implements a hook."""
        return bool(self._dispatcher.ordered(hook_name))

    def calling_order(self, hook_name: str) -> list[tuple[str, str, str]]:
        """Return (plugin, source, ``file:line``) of every implementation in calling order, wrappers too."""
        return [self._dispatcher.describe(impl) for impl in self._dispatcher.ordered(hook_name)]

    def call_isolated(
        self, plugin_name: str, what: str, callback: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> tuple[Any, str | None]:
        """Run other code of a plugin (a tool, a command, `register`) as safely as a hook.

        Args:
            plugin_name: Whose code it is.
            what: What it is, for the log: ``command /recall``.
            callback: The code; an awaitable that it returns is awaited.
            args: Its positional arguments.
            kwargs: Its keyword arguments.

        Returns:
            (what it returned, of any type; None), or (None, ``ErrorClass: text``) where it failed.

        Raises:
            KeyboardInterrupt: Ctrl-C is the user's, not the plugin's.
        """
        try:
            value = callback(*args, **kwargs)
            return (self._dispatcher.guard.loop.run(value) if is_awaitable(value) else value), None
        except BaseException as error:
            if must_propagate(error):
                raise
            self._dispatcher.guard.log.record(plugin_name, what, error, location(callback), level=logging.WARNING)
            return None, describe(error)

    # -- looking on ----------------------------------------------------------------------------------------

    @property
    def failures(self) -> dict[str, PluginFailures]:
        """The failures of each plugin that had any."""
        return self._dispatcher.guard.log.by_plugin

    def reset_failures(self, name: str) -> None:
        """Forget the failures of a plugin, and end its suspension."""
        self._dispatcher.guard.log.forget(name)
        self._refresh()

    @property
    def degraded(self) -> dict[str, list[str]]:
        """Plugins with callbacks that cannot be called, and why."""
        return self._dispatcher.unusable

    def add_hookcall_monitoring(self, before: Before, after: After) -> Callable[[], None]:
        """Have functions called before and after every hook call; the returned function ends that.

        Implementations are handed over in calling order, and the result holds the folded outcome.
        """
        pair = (before, after)
        with self._dispatcher.lock:
            self._dispatcher.monitors.append(pair)
            self._refresh()

        def undo() -> None:
            with self._dispatcher.lock:
                if pair in self._dispatcher.monitors:
                    self._dispatcher.monitors.remove(pair)
                    self._refresh()

        return undo

    def subset_hook_caller(self, name: str, remove_plugins: Iterable[object]) -> pluggy.HookCaller:
        """Return a caller of a hook that leaves some plugins out."""
        with self._pluggys_view():
            caller = super().subset_hook_caller(name, remove_plugins)
            return caller if caller is self._relay()[name] else adopt_subset(caller, self._dispatcher)

    def shutdown(self) -> None:
        """End the background loop of asynchronous callbacks; it starts again if it is needed again."""
        self._dispatcher.guard.loop.stop()


def _label(plugin: object, name: str) -> str:
    """Return what a plugin sorts by: pluggy names an instance by its address, which says nothing."""
    return type(plugin).__qualname__ if name == str(id(plugin)) else name


def _signature(function: Callable[..., Any]) -> str:
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(...)"
