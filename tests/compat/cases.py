"""What is put into a home and fired there: plugins whose callbacks are described as data.

Such a plugin says what it sees through `compat_probe`, so a comparison knows which callback ran on what, not only
what came out.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Firing:
    """One hook or middleware that fires with one payload."""

    call: str
    """``hook/label``, for people."""
    hook: str
    payload: dict[str, Any]


@dataclass(frozen=True)
class Parameter:
    """A parameter that a callback names."""

    name: str
    keyword_only: bool = False
    default: str | None = None
    """Source of its default; None when it is required."""


@dataclass(frozen=True)
class Callback:
    """One callback of ``ctx.register_hook``."""

    label: str
    hook: str
    parameters: tuple[Parameter, ...] = ()
    rest: bool = True
    """Whether it has ``**rest``."""
    form: str = "function"
    """A key of `plugin_source.FORMS`."""
    changes: tuple[str, str] | None = None
    """An argument that it changes in place, and the statement that changes it, named ``it`` there."""
    answer: str = "None"
    """Source of what it answers."""
    raises: str = ""
    """Source of an exception that it raises instead."""
    times: int = 1
    """How often it is registered."""

    @property
    def is_async(self) -> bool:
        """Whether an answer has to be awaited."""
        return self.form in {"coroutine function", "asynchronous object", "awaitable answer"}

    def is_called_with(self, names) -> bool:
        """Whether Python can call it with these keywords and no others."""
        required = {parameter.name for parameter in self.parameters if parameter.default is None}
        named = {parameter.name for parameter in self.parameters}
        return required <= set(names) and (self.rest or set(names) <= named)


@dataclass(frozen=True)
class Plugin:
    """One plugin of a home."""

    name: str
    callbacks: tuple[Callback, ...] = ()
    registers: tuple[str, ...] = ()
    """Further statements of its ``register(ctx)``."""
    ends: str = ""
    """The last statement of ``register(ctx)``: one that raises."""
    form: str = "directory"
    """``directory``, ``module`` or ``register function``: the latter two are entry points."""
    directory: str = ""
    """Name of its directory; by default its own."""
    source: str | None = None
    """The whole text of a plugin that was not made up here."""


@dataclass(frozen=True)
class Case:
    """Plugins in one home, and what fires there."""

    name: str
    plugins: tuple[Plugin, ...]
    firings: tuple[Firing, ...]
    enabled: bool = True
    """Whether ``plugins.enabled`` names them; else there is no such key."""

    @cached_property
    def callbacks(self) -> dict[str, Callback]:
        """Every callback by its label."""
        return {callback.label: callback for plugin in self.plugins for callback in plugin.callbacks}

    @cached_property
    def owners(self) -> dict[str, str]:
        """The plugin of each label."""
        return {callback.label: plugin.name for plugin in self.plugins for callback in plugin.callbacks}

    @cached_property
    def twins(self) -> set[str]:
        """Names that more than one plugin has."""
        names = [plugin.name for plugin in self.plugins]
        return {name for name in names if names.count(name) > 1}

    @property
    def speaks(self) -> bool:
        """Whether every plugin says what it sees."""
        return all(plugin.source is None for plugin in self.plugins)
