"""What plugins registered beside hooks: tools, commands, skills, middleware and the rest.

A plugin's entries are stored as it registers them and count once it is loaded as a whole (`activate`); `drop`
takes back all of them. The views are dicts that are replaced, never changed, so a host may read them from any
thread.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool that the model can call."""

    name: str
    toolset: str
    schema: dict[str, Any]
    """The function schema, in whatever detail the plugin gives it."""
    handler: Callable[..., Any]
    """Takes the arguments and keywords of the host; returns what the model gets, mostly a JSON string."""
    check_fn: Callable[[], Any] | None = None
    """Whether the tool can be used at the moment; anything true counts."""
    requires_env: tuple[str, ...] = ()
    is_async: bool = False
    description: str = ""
    emoji: str = ""
    override: bool = False
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A slash command of a session."""

    name: str
    """Without the slash."""
    handler: Callable[..., Any]
    """Takes the text behind the command; returns text, None, or an awaitable of these."""
    description: str = ""
    args_hint: str = ""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class CliCommandEntry:
    """A sub-command of the command line."""

    name: str
    help: str
    setup_fn: Callable[..., Any]
    """Takes an `argparse` parser and adds arguments to it."""
    handler_fn: Callable[..., Any] | None = None
    """Takes the parsed arguments."""
    description: str = ""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """A read-only skill, found as ``plugin:name``."""

    name: str
    """``plugin:name``."""
    path: Path
    bare_name: str
    description: str = ""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class PlatformEntry:
    """A messaging platform of the gateway."""

    name: str
    label: str
    adapter_factory: Callable[..., Any]
    check_fn: Callable[..., Any]
    validate_config: Callable[..., Any] | None = None
    required_env: tuple[str, ...] = ()
    install_hint: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    """Everything else that was given, for hosts that know what it means."""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """An object that stands behind one of the host's services."""

    name: str
    """``kind:name``; a context engine has no name of its own."""
    kind: str
    """``image_gen``, ``video_gen``, ``web_search``, ``browser``, ``tts``, ``transcription``,
    ``secret_source``, ``dashboard_auth``, ``context_engine`` or ``slack_action``."""
    provider: Any
    """Whatever the plugin handed over; only a host with such a service can tell whether it will do."""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class AuxiliaryTaskEntry:
    """A side job for a language model, configured under ``auxiliary.<key>``."""

    name: str
    display_name: str
    description: str
    defaults: dict[str, Any]
    """Defaults of its configuration, with the routing fields filled in."""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class CallbackEntry:
    """A callback that is one of a list: middleware of one kind, or a restorer."""

    name: str
    """The kind of middleware, or ``restorer``."""
    callback: Callable[..., Any]
    plugin: str = ""


class Named(Protocol):
    """An entry of a table."""

    @property
    def name(self) -> str:
        """What it is looked up by."""
        ...

    @property
    def plugin(self) -> str:
        """The key of the plugin that registered it."""
        ...


EntryT = TypeVar("EntryT", bound=Named)


class Table(Generic[EntryT]):
    """Entries of one kind. Where two plugins have one name, the later in calling order counts.

    Args:
        registrations: Knows which plugins are loaded.
        several: Whether one plugin may have several entries of one name, as with middleware.
    """

    def __init__(self, registrations: Registrations, *, several: bool = False) -> None:
        self._registrations = registrations
        self._several = several
        self._by_name: dict[str, list[EntryT]] = {}
        self._view: dict[str, EntryT] | None = None

    def add(self, entry: EntryT) -> None:
        """Store an entry; the plugin's own earlier one of the same name is replaced, unless there are several."""
        with self._registrations.lock:
            known = self._by_name.get(entry.name, [])
            kept = known if self._several else [other for other in known if other.plugin != entry.plugin]
            self._by_name[entry.name] = [*kept, entry]
            self._view = None

    def latest(self, name: str) -> EntryT | None:
        """Return the latest entry of a name, whether its plugin is loaded yet or not."""
        known = self._by_name.get(name)
        return known[-1] if known else None

    def view(self) -> dict[str, EntryT]:
        """Return the entries that count, by name."""
        view = self._view
        if view is None:
            with self._registrations.lock:
                view = self._view = {entry.name: entry for entry in self.active()}
        return view

    def active(self) -> list[EntryT]:
        """Return every entry of the loaded plugins, plugins in calling order."""
        place = self._registrations.place
        with self._registrations.lock:
            placed = [
                (where, entry)
                for known in self._by_name.values()
                for entry in known
                if (where := place(entry.plugin)) is not None
            ]
        return [entry for _, entry in sorted(placed, key=lambda pair: pair[0])]

    def of(self, plugin: str) -> list[EntryT]:
        """Return the entries of one plugin."""
        with self._registrations.lock:
            return [entry for known in self._by_name.values() for entry in known if entry.plugin == plugin]

    def remove(self, entry: EntryT) -> None:
        """Remove one entry."""
        with self._registrations.lock:
            known = self._by_name.get(entry.name, [])
            self._by_name[entry.name] = [other for other in known if other is not entry]
            self._view = None

    def drop(self, plugin: str) -> None:
        """Remove every entry of a plugin."""
        for entry in self.of(plugin):
            kept = [other for other in self._by_name[entry.name] if other.plugin != plugin]
            self._by_name[entry.name] = kept
        self._by_name = {name: known for name, known in self._by_name.items() if known}
        self._view = None

    def stale(self) -> None:
        """Forget the view, because other plugins count now."""
        self._view = None


class Registrations:
    """Everything that the plugins of one manager registered beside hooks."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._places: dict[str, int] = {}
        self.tool_table: Table[ToolEntry] = Table(self)
        self.command_table: Table[CommandEntry] = Table(self)
        self.cli_table: Table[CliCommandEntry] = Table(self)
        self.skill_table: Table[SkillEntry] = Table(self)
        self.platform_table: Table[PlatformEntry] = Table(self)
        self.provider_table: Table[ProviderEntry] = Table(self)
        self.task_table: Table[AuxiliaryTaskEntry] = Table(self)
        self.middleware_table: Table[CallbackEntry] = Table(self, several=True)
        self.restorer_table: Table[CallbackEntry] = Table(self, several=True)

    def _tables(self) -> tuple[Table[Any], ...]:
        return (
            self.tool_table,
            self.command_table,
            self.cli_table,
            self.skill_table,
            self.platform_table,
            self.provider_table,
            self.task_table,
            self.middleware_table,
            self.restorer_table,
        )

    def activate(self, plugins: Iterable[str]) -> None:
        """Let the entries of exactly these plugins count; their order is the calling order."""
        with self.lock:
            self._places = {plugin: place for place, plugin in enumerate(plugins)}
            for table in self._tables():
                table.stale()

    def drop(self, plugin: str) -> None:
        """Take back everything that a plugin registered."""
        with self.lock:
            self._places.pop(plugin, None)
            for table in self._tables():
                table.drop(plugin)

    def place(self, plugin: str) -> int | None:
        """Return the place of a loaded plugin in the calling order, or None."""
        return self._places.get(plugin)

    @property
    def tools(self) -> dict[str, ToolEntry]:
        """Tools by name."""
        return self.tool_table.view()

    @property
    def commands(self) -> dict[str, CommandEntry]:
        """Slash commands by name, without the slash."""
        return self.command_table.view()

    @property
    def cli_commands(self) -> dict[str, CliCommandEntry]:
        """Sub-commands of the command line by name."""
        return self.cli_table.view()

    @property
    def skills(self) -> dict[str, SkillEntry]:
        """Skills by ``plugin:name``."""
        return self.skill_table.view()

    @property
    def platforms(self) -> dict[str, PlatformEntry]:
        """Messaging platforms by name."""
        return self.platform_table.view()

    @property
    def providers(self) -> dict[str, ProviderEntry]:
        """Providers by ``kind:name``."""
        return self.provider_table.view()

    @property
    def auxiliary_tasks(self) -> dict[str, AuxiliaryTaskEntry]:
        """Side jobs for language models by key."""
        return self.task_table.view()

    @property
    def restorers(self) -> list[tuple[str, Callable[..., Any]]]:
        """(plugin, callback) of all that puts originals back at a tool's boundary, in calling order."""
        return [(entry.plugin, entry.callback) for entry in self.restorer_table.active()]

    def middleware(self, kind: str) -> list[tuple[str, Callable[..., Any]]]:
        """Return (plugin, callback) of every middleware of a kind, in calling order."""
        entries = self.middleware_table.active()
        return [(entry.plugin, entry.callback) for entry in entries if entry.name == kind]
