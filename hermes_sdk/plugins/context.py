"""`ctx`: what a plugin's `register(ctx)` gets, and may keep.

It has every member of hermes-agent 0.19.0's `PluginContext` with the same signatures, and what surveyed plugins
otherwise wrote by hand. A member that it lacks raises AttributeError, so plugins that probe keep working.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hermes_sdk.errors import PluginError, PluginToolOverrideError
from hermes_sdk.home import profile_name
from hermes_sdk.plugins.background import BackgroundQueue
from hermes_sdk.plugins.conflicts import add_command, add_tool
from hermes_sdk.plugins.middleware import KINDS
from hermes_sdk.plugins.paths import PluginPaths
from hermes_sdk.plugins.providers import ProviderRegistrars
from hermes_sdk.plugins.registrations import (
    CallbackEntry,
    CliCommandEntry,
    CommandEntry,
    SkillEntry,
    ToolEntry,
)
from hermes_sdk.plugins.state import CALLS_KEPT, SESSIONS_KEPT, ScopedState

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from hermes_sdk.plugins.loaded import LoadedPlugin
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

ModelT = TypeVar("ModelT", bound="BaseModel")

_SKILL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")


class PluginContext(ProviderRegistrars):
    """The host, as one plugin sees it."""

    def __init__(self, plugin: LoadedPlugin, manager: PluginManager) -> None:
        self.manifest = plugin.manifest
        """What plugin.yaml says; for a pip-installed plugin what its distribution says."""
        self.paths = PluginPaths(manager.home, plugin.key)
        """Directories of this plugin: ``data``, ``state`` and ``cache``."""
        self._plugin = plugin
        self._manager = manager
        self._registrations = manager.registrations
        self._sessions = ScopedState(SESSIONS_KEPT)
        self._calls = ScopedState(CALLS_KEPT)

    def __repr__(self) -> str:
        return f"<PluginContext of {self._plugin.key!r}>"

    # -- hooks -------------------------------------------------------------------------------------------------

    def register_hook(self, hook_name: str, callback: Callable[..., Any]) -> None:
        """Have a callback called when a hook fires.

        It gets every argument that it names and, with ``**kwargs``, all the others. An unknown hook is warned
        about and kept, for hosts that are newer than this framework.

        Args:
            hook_name: Name of the hook.
            callback: A function, method or callable object, synchronous or asynchronous.

        Raises:
            PluginError: `callback` is not callable, or `hook_name` is no text.
        """
        if not callable(callback) or not isinstance(hook_name, str):
            raise self._misused("register_hook", f"{type(hook_name).__name__}, {type(callback).__name__}")
        self._manager.add_callback(self._plugin, hook_name, callback)

    def register_hookimpls(self, plugin: object) -> None:
        """Have the `@hookimpl` functions of an instance or module called when their hooks fire; for `register` only.

        Those of the plugin's own module are found without it, and count once. ``register = registrar(...)`` of
        hermes_hookspecs calls this here, and does without it in hermes-agent.

        Args:
            plugin: An instance or a module.

        Raises:
            PluginError: `plugin` is a class, or implements what the plugin implements already; or `register` is over.
        """
        if self._plugin.registered:
            raise PluginError(
                f"plugin {self._plugin.key!r} registers @hookimpl functions too late",
                why="pluggy has what it implements already",
                fix="call ctx.register_hookimpls from register(), or ctx.register_hook at any time",
                code="HS243",
            )
        self._plugin.holder.add_hookimpls(plugin)

    def trace_hooks(self) -> None:
        """Have the outcome of every hook call name each implementation with its duration, while this plugin is loaded.

        For a plugin whose wrappers look on: `outcome.steps` is then complete. Each hook call costs a little more.
        """
        self.on_unload(self._manager.keep_tracing())

    def register_middleware(self, kind: str, callback: Callable[..., Any]) -> None:
        """Have a callback rewrite requests or stand round executions (see `hermes_sdk.plugins.middleware`).

        Args:
            kind: ``tool_request``, ``tool_execution``, ``llm_request`` or ``llm_execution``; any other is kept.
            callback: The middleware, synchronous or asynchronous.

        Raises:
            PluginError: `callback` is not callable.
        """
        if not callable(callback):
            raise self._misused("register_middleware", type(callback).__name__)
        if kind not in KINDS:
            known = ", ".join(KINDS)
            logger.warning("plugin %r registers unknown middleware %r (known: %s)", self._plugin.key, kind, known)
        self._registrations.middleware_table.add(CallbackEntry(kind, callback, self._plugin.key))

    def register_restorer(self, callback: Callable[..., Any]) -> None:
        """Have a callback put originals of placeholders back, right before a tool runs.

        No hook, middleware, approval or recording sees what it puts in (semantics 6.2).

        Args:
            callback: ``callback(args, tool_name=..., session_id=...)``; returns the arguments to run with.
        """
        if not callable(callback):
            raise self._misused("register_restorer", type(callback).__name__)
        self._registrations.restorer_table.add(CallbackEntry("restorer", callback, self._plugin.key))

    # -- tools and commands ------------------------------------------------------------------------------------

    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: dict[str, Any],
        handler: Callable[..., Any],
        check_fn: Callable[..., Any] | None = None,
        requires_env: list[str] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> None:
        """Offer a tool to the model.

        A name that the host or another plugin's toolset has is not taken, and that is logged, unless `override`.

        Args:
            name: Name of the tool.
            toolset: Group of tools that it belongs to.
            schema: Function schema, with ``description`` and ``parameters``.
            handler: ``handler(args, **kwargs)``; returns what the model gets, mostly a JSON string.
            check_fn: Whether the tool can be used at the moment.
            requires_env: Environment variables without which it is not offered.
            is_async: Whether `handler` is a coroutine function; told from the handler itself too.
            description: For people; the schema's by default.
            emoji: For people.
            override: Take the name from whoever has it.

        Raises:
            PluginToolOverrideError: `override` without ``plugins.entries.<name>.allow_tool_override: true``.
            PluginError: `handler` is not callable, or `name` is no text.
        """
        key = self._plugin.key
        if not callable(handler) or not isinstance(name, str) or not name:
            raise self._misused("register_tool", f"{type(name).__name__}, {type(handler).__name__}")
        if override and not self._may_override():
            raise PluginToolOverrideError(
                f"plugin {key!r} cannot replace the tool {name!r}",
                why="only the user can allow that",
                fix=f"set plugins.entries.{key}.allow_tool_override: true in config.yaml",
            )
        about = description or (schema.get("description", "") if isinstance(schema, dict) else "")
        environment = tuple(requires_env or ())
        entry = ToolEntry(name, toolset, schema, handler, check_fn, environment, is_async, about, emoji, override, key)
        add_tool(self._registrations, entry, self._manager.host)

    def _may_override(self) -> bool:
        # a built-in plugin is part of the host: what it replaces, the host's authors chose to replace
        return self._plugin.source == "builtin" or self._plugin.entry.allow_tool_override

    def register_command(
        self, name: str, handler: Callable[..., Any], description: str = "", args_hint: str = ""
    ) -> None:
        """Offer a slash command of sessions.

        Args:
            name: Name, with or without the slash; lower-cased, blanks become ``-``.
            handler: ``handler(text behind the command)``; returns text or None, or an awaitable of these.
            description: For people.
            args_hint: What to write behind the command: ``"<file>"``.
        """
        clean = name.lower().strip().lstrip("/").replace(" ", "-")
        if not clean:
            logger.warning("plugin %r registers a command without a name: ignored", self._plugin.key)
            return
        if not callable(handler):
            raise self._misused("register_command", type(handler).__name__)
        about = description or "Plugin command"
        entry = CommandEntry(clean, handler, about, (args_hint or "").strip(), self._plugin.key)
        add_command(self._registrations, entry, self._manager.host)

    def register_cli_command(
        self,
        name: str,
        help: str,  # noqa: A002 - upstream's name
        setup_fn: Callable[..., Any],
        handler_fn: Callable[..., Any] | None = None,
        description: str = "",
    ) -> None:
        """Offer ``hermes-sdk <name> ...`` on the command line.

        Args:
            name: The sub-command.
            help: One line for people.
            setup_fn: Gets an `argparse` parser and adds arguments to it.
            handler_fn: Gets the parsed arguments; by default what `setup_fn` set as ``func``.
            description: More for people.
        """
        self._registrations.cli_table.add(
            CliCommandEntry(name, help, setup_fn, handler_fn, description, self._plugin.key)
        )

    def register_skill(self, name: str, path: Path, description: str = "") -> None:
        """Offer a read-only skill as ``<plugin>:<name>``.

        Args:
            name: Letters, digits, ``-`` and ``_``.
            path: Its SKILL.md.
            description: For people.

        Raises:
            ValueError: The name is malformed.
            FileNotFoundError: There is no file at `path`.
        """
        if not isinstance(name, str) or not _SKILL_NAME.fullmatch(name):
            raise ValueError(f"a skill's name has letters, digits, '-' and '_', not {name!r}")
        path = Path(path)
        if not path.exists():
            raise FileNotFoundError(f"no skill at {path}")
        full = f"{self.manifest.name}:{name}"
        self._registrations.skill_table.add(SkillEntry(full, path, name, description, self._plugin.key))

    # -- what the host does for a plugin -----------------------------------------------------------------------

    @property
    def llm(self) -> Any:
        """The host's model, with upstream's methods (``complete``, ``complete_structured``, ...).

        Always there, so that it can be kept; a call without a host that has a model raises PluginError. Any,
        because hosts bring their own class.
        """
        return _HostModel(self._manager, self._plugin.key)

    @property
    def profile_name(self) -> str:
        """Name of the home's profile: ``default``, the name under ``profiles/``, or ``custom``."""
        return profile_name(self._manager.home)

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Put a message into the running conversation, as if the user had sent it.

        Args:
            content: The text.
            role: Any other role than ``user`` is written in front of the text.

        Returns:
            Whether it was queued; False without a host that has a conversation.
        """
        host = self._manager.host
        if host is None:
            logger.warning("plugin %r: there is no conversation to put a message into", self._plugin.key)
            return False
        return host.inject_message(content, role)

    def dispatch_tool(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool along the model's path: hooks, approval and transforms (semantics 4.8).

        Args:
            tool_name: Name of the tool.
            args: Its arguments, as a model would send them.
            kwargs: Passed on to the host, of whatever type it takes.

        Returns:
            What the model would get, mostly a JSON string.

        Raises:
            PluginError: No host runs a session here.
        """
        host = self._manager.host
        if host is None:
            raise PluginError(
                f"plugin {self._plugin.key!r} cannot run the tool {tool_name!r}",
                why="no session runs here",
                fix="run tools from hooks and commands, not from register()",
                code="HS241",
            )
        return host.dispatch_tool(tool_name, args, **kwargs)

    def supports(self, name: str) -> bool:
        """Whether the host has something, asked politely.

        Args:
            name: A member of `ctx`; ``hook:NAME``; or ``arg:HOOK.NAME``.
        """
        from hermes_hookspecs.contract import HOOKS

        what, separator, rest = name.partition(":")
        if not separator:
            return not name.startswith("_") and hasattr(self, name)
        if what == "hook":
            return rest in HOOKS
        hook, _, argument = rest.partition(".")
        return what == "arg" and hook in HOOKS and argument in HOOKS[hook].argument_names

    def settings(self, model: type[ModelT]) -> ModelT:
        """Return the plugin's settings as one validated pydantic model.

        Defaults < ``plugins.entries.<name>`` in config.yaml < ``HERMES_PLUGIN_<NAME>_<FIELD>``, with
        ``<home>/.env`` below the environment.

        Args:
            model: The model; give each field a default.

        Raises:
            ConfigError: A value does not fit; the message names key and place, never the value.
        """
        from hermes_sdk.plugins.settings import read_settings

        return read_settings(model, self._plugin.key, self._plugin.entry, self._manager.config)

    @property
    def background(self) -> BackgroundQueue:
        """A bounded queue for slow work; it is emptied before the host ends."""
        with self._registrations.lock:
            if self._plugin.queue is None:
                self._plugin.queue = BackgroundQueue(self._plugin.key, self._manager.call_isolated)
            return self._plugin.queue

    def on_unload(self, callback: Callable[[], Any]) -> None:
        """Have something called when the plugin is unloaded or the host ends; the latest first.

        Args:
            callback: Takes nothing; synchronous or asynchronous, what it returns is ignored.
        """
        self._plugin.on_unload.append(callback)

    def session_state(self, session_id: str) -> dict[str, Any]:
        """Return this plugin's own dict for a session; of 1,000 sessions the oldest ones are forgotten."""
        return self._sessions.of(session_id)

    def call_state(self, tool_call_id: str) -> dict[str, Any]:
        """Return this plugin's own dict for a tool call, from pre_tool_call to transform_tool_result."""
        return self._calls.of(tool_call_id)

    def _misused(self, method: str, found: str) -> PluginError:
        return PluginError(
            f"plugin {self._plugin.key!r} calls ctx.{method} with the wrong types",
            why=f"found {found}",
            fix="names are text, callbacks are callable",
            code="HS242",
        )


class _HostModel:
    """Looks the host's model up at each use: a plugin may keep `ctx.llm` from before there was a session."""

    def __init__(self, manager: PluginManager, plugin: str) -> None:
        self._manager = manager
        self._plugin = plugin

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        host = self._manager.host
        if host is not None:
            bind = getattr(host.llm, "bound_to", None)  # a host whose model asks who is speaking
            return getattr(bind(self._plugin) if callable(bind) else host.llm, name)

        def nobody_there(*_: Any, **__: Any) -> Any:
            raise PluginError(f"plugin {self._plugin!r} cannot ask a model", why="no session runs here", code="HS241")

        return nobody_there
