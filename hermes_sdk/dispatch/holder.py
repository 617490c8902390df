"""What stands for a loaded plugin in pluggy: its `@hookimpl` functions and its `ctx.register_hook` callbacks.

pluggy compares plugins with ``==``, puts them into sets and looks at every attribute of a module. A holder is
compared by identity and shows implementations only, so a thousand plugins register fast and a plugin's own ``__eq__``
never runs.
"""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

from hermes_hookspecs.markers import PROJECT
from hermes_sdk.dispatch.implementation import CALLBACK
from hermes_sdk.dispatch.signature import location, read_signature
from hermes_sdk.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pluggy import HookimplOpts

_IMPL_MARK = f"{PROJECT}_impl"
_MARKABLE = (types.FunctionType, types.MethodType, staticmethod, classmethod)
_mark = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class Held:
    """One implementation of a plugin."""

    attribute: str
    """Where pluggy finds it."""
    hook: str
    callback: Callable[..., Any]
    options: HookimplOpts | None
    """What its `@hookimpl` says; None for a callback of ``ctx.register_hook``."""

    @property
    def wrapper(self) -> bool:
        """Whether it goes round the call."""
        return self.options is not None and bool(self.options["wrapper"] or self.options["hookwrapper"])


class PluginHolder:
    """All implementations of one plugin, in the order in which they count."""

    def __init__(self, name: str, module: object = None) -> None:
        self.name = name
        self.module = module
        """The plugin's module or object, for whoever asks pluggy for the plugin."""
        self._numbers: dict[int, tuple[bool, int]] = {}
        self._held: list[Held] = []

    def __dir__(self) -> list[str]:
        """Show pluggy the implementations and nothing else."""
        return [held.attribute for held in self._held]

    def __repr__(self) -> str:
        return f"<plugin {self.name!r}>"

    def add_hookimpls(self, plugin: object) -> int:
        """Collect the `@hookimpl` functions of a module or instance and return how many were new.

        Properties and other descriptors are not evaluated. A function that is held already counts once.

        Raises:
            PluginError: `plugin` is a class, or has others than those that are held under the same name.
        """
        refuse_class(plugin)
        known = {function_id(held.callback) for held in self._held if held.options is not None}
        new = [held for held in marked_functions(plugin) if function_id(held.callback) not in known]
        for held in new:
            if held.attribute in dir(self):
                raise PluginError(f"plugin {self.name!r} implements {held.attribute!r} twice", code="HS202")
            self._add(held, held.callback)
        return len(new)

    def add_callback(self, hook: str, callback: Callable[..., Any]) -> bool:
        """Add a callback that was registered on `hook`; return False where the hook has the same one already."""
        own = function_id(callback)
        if any(held.hook == hook and function_id(held.callback) == own for held in self._held):
            return False

        def implementation(**arguments: Any) -> Any:
            return callback(**arguments)

        name = getattr(callback, "__name__", None)
        implementation.__name__ = name if isinstance(name, str) else type(callback).__name__
        setattr(implementation, CALLBACK, callback)
        _mark(implementation, specname=hook, optionalhook=True)  # a plugin for a newer host is no mistake
        self._add(Held(f"callback_{len(self._held):05}", hook, callback, None), implementation)
        return True

    def _add(self, held: Held, function: Callable[..., Any]) -> None:
        setattr(self, held.attribute, function)
        self._numbers[id(function)] = (held.options is None, len(self._numbers))
        self._held.append(held)

    def number_of(self, function: Callable[..., Any]) -> tuple[bool, int]:
        """Return the place of an implementation among this plugin's: `@hookimpl` functions come before callbacks."""
        return self._numbers[id(function)]

    @property
    def hooks(self) -> list[str]:
        """The hooks that this plugin implements, each once, in the order of its implementations."""
        return list(dict.fromkeys(held.hook for held in self._held))

    def callbacks(self) -> list[tuple[str, Callable[..., Any]]]:
        """Return every (hook, callback)."""
        return [(held.hook, held.callback) for held in self._held]

    def held(self) -> list[Held]:
        """Return every implementation."""
        return list(self._held)

    def fixed_callbacks(self) -> list[str]:
        """Return ``hook at file:line`` of each callback of ``ctx.register_hook`` that takes no ``**kwargs``."""
        callbacks = [held for held in self._held if held.options is None]
        fixed = [held for held in callbacks if not read_signature(held.callback).takes_rest]
        return [f"{held.hook} at {location(held.callback)}" for held in fixed]


def refuse_class(plugin: object) -> None:
    """Raise where a class was given instead of an instance.

    Raises:
        PluginError: Methods of a class have no instance to run on.
    """
    if inspect.isclass(plugin):
        raise PluginError(
            f"plugin {plugin.__qualname__!r} is a class",
            why="its methods have no instance to run on",
            fix=f"pass an instance: {plugin.__name__}()",
            code="HS201",
        )


def marked_functions(plugin: object) -> list[Held]:
    """Return every `@hookimpl` of a module or instance, in the order of definition."""
    if isinstance(plugin, types.ModuleType):
        # a module can be large, and pluggy's own look at an attribute is slow
        names = [name for name, value in vars(plugin).items() if _is_marked(value)]
    else:
        names = [name for name in dir(plugin) if not name.startswith("__")]
    found = []
    for name in names:
        options = _parser.parse_hookimpl_opts(plugin, name)
        if options is not None:
            function = getattr(plugin, name)  # a function or method: no descriptor runs code
            if not _is_marked(function):  # its mark is on the staticmethod or classmethod around it
                _mark(getattr(function, "__func__", function), **options)
            found.append(Held(name, options["specname"] or name, function, options))
    return sorted(found, key=lambda held: first_line(held.callback))


_parser = pluggy.PluginManager(PROJECT)


def _is_marked(value: object) -> bool:
    # a module may hold objects that run code, or raise, when they are asked for any attribute
    return isinstance(value, _MARKABLE) and hasattr(value, _IMPL_MARK)


def first_line(function: Callable[..., Any]) -> int:
    """Return the line on which a function starts, looking through decorators; 0 where it has none."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_firstlineno if code else 0


def function_id(function: Callable[..., Any]) -> tuple[int, int]:
    """Return what only the same function or bound method has, without asking a plugin's own ``__eq__``."""
    if isinstance(function, types.MethodType):
        return id(function.__func__), id(function.__self__)
    return id(function), 0
