"""The ``plugins:`` section of config.yaml as typed values. What is wrong in it is collected, never raised."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.schema import (
    Field,
    check_mapping,
    is_flag,
    is_flag_or_names,
    is_mapping,
    is_names,
    is_seconds,
    unknown_key,
    wrong_type,
)
from hermes_sdk.plugins.gates import FailClosed, is_near_miss, read_fail_closed
from hermes_sdk.plugins.names import NameSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hermes_sdk.config import Config, Problem
    from hermes_sdk.config.document import KeyPath
    from hermes_sdk.plugins.candidate import Candidate

SECONDS: Final = "a positive number of seconds"
NAMES: Final = "a list of names"
FLAG: Final = "true or false"


SECTION_FIELDS: Final = (
    Field(
        "enabled",
        NAMES,
        is_names,
        "Plugins to load; without the key all installed ones load but the built-in ones.",
        null_is_absent=False,
    ),
    Field("disabled", NAMES, is_names, "Plugins that are never loaded, whatever else says so."),
    Field(
        "order",
        "a mapping of names",
        is_mapping,
        "`NAME: {before: [...], after: [...]}` moves a plugin in the calling order; `*` means all others.",
    ),
    Field("entries", "a mapping of names", is_mapping, "`NAME: {...}`: settings of one plugin."),
    Field("strict", FLAG, is_flag, "Whether anything that is not in order ends the start.", "false"),
    Field("hook_callback_timeout", SECONDS, is_seconds, "Deadline of every Python callback.", "none"),
    Field("suspend_seconds", SECONDS, is_seconds, "How long a plugin that hangs is left out.", "60"),
)
"""Every key below ``plugins:``; besides these only names of installed plugins may stand there."""

ENTRY_FIELDS: Final = (
    Field(
        "fail_closed",
        "true, false or a list of hooks",
        is_flag_or_names,
        "Whether a failure blocks or withholds; beats plugin.yaml.",
        "false",
        null_is_absent=False,
    ),
    Field("timeout", SECONDS, is_seconds, "Deadline of this plugin's callbacks.", "none"),
    Field("rejudge", FLAG, is_flag, "Whether it judges a tool call again after a change.", "true"),
    Field("hooks", "a mapping of hooks", is_mapping, "`HOOK: false` switches one hook off."),
    Field("allow_tool_override", FLAG, is_flag, "Whether it may replace tools of others.", "false"),
    Field("llm", "a mapping", is_mapping, "What it may choose when it uses the host's model."),
)
"""Keys below ``plugins.entries.<name>`` that are not the plugin's own settings."""

_RULE_FIELDS: Final = tuple(
    Field(name, NAMES, lambda value: is_names(value) or (isinstance(value, str) and bool(value.strip())), "")
    for name in ("before", "after")
)


@dataclass(slots=True)
class Entry:
    """``plugins.entries.<name>``."""

    name: str
    """As it is written in the file."""
    path: KeyPath
    values: Mapping[str, Any] = field(default_factory=dict)
    """Everything in it, the plugin's own settings too; values of any YAML type."""
    fail_closed: FailClosed | None = None
    """None where it says nothing."""
    timeout: float | None = None
    rejudge: bool = True
    hooks_off: frozenset[str] = frozenset()
    allow_tool_override: bool = False
    misspelt_gate: str = ""
    """A key that was meant as ``fail_closed``: the plugin is refused and blocks, as a shell entry is."""


@dataclass(slots=True)
class OrderRule:
    """``plugins.order.<name>``."""

    name: str
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass(slots=True)
class PluginsSection:
    """What ``plugins:`` says."""

    enabled: list[str] | None = None
    """None: the key is absent."""
    disabled: list[str] = field(default_factory=list)
    order: list[OrderRule] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    strict: bool = False
    default_timeout: float | None = None
    suspend_seconds: float = 60.0
    other_keys: list[str] = field(default_factory=list)
    """Keys that are none of ours; they are fine where a plugin of that name is installed."""
    unusable: Problem | None = None
    """Why no plugin may be loaded: nobody can tell which ones the user wants."""
    problems: list[Problem] = field(default_factory=list)
    _entries: dict[str, Entry] | None = None
    _entry_names: NameSet = field(default_factory=lambda: NameSet(()))

    def entry(self, candidate: Candidate) -> Entry:
        """Return the entry of a plugin; an empty one where there is none."""
        if self._entries is None:
            self._entries = {entry.name: entry for entry in self.entries}
            self._entry_names = NameSet(self._entries)
        found = self._entry_names.find(candidate.source, candidate.key, candidate.name)
        if found is not None:
            return self._entries[found]
        return Entry(candidate.key, ("plugins", "entries", candidate.key))


def read_section(config: Config) -> PluginsSection:
    """Read ``plugins:`` of a home's configuration."""
    section = PluginsSection()
    if config.broken:
        section.unusable = config.problems[-1]
        return section
    values = config.get("plugins")
    if values is None:
        return section
    if not isinstance(values, dict):
        section.unusable = wrong_type(config, ("plugins",), values, "a mapping")
        section.problems.append(section.unusable)
        return section
    reader = _Reader(config, section)
    reader.read(values)
    return section


class _Reader:
    """Fills one `PluginsSection`."""

    def __init__(self, config: Config, section: PluginsSection) -> None:
        self.config = config
        self.section = section
        self.problems = section.problems

    def read(self, values: dict[Any, Any]) -> None:
        section = self.section
        known = {field.name for field in SECTION_FIELDS}
        section.other_keys = [str(key) for key in values if key not in known]
        path: KeyPath = ("plugins",)
        good, problems = check_mapping(self.config, path, values, SECTION_FIELDS, unknown_matters=False)
        self.problems.extend(problems)
        for key in ("enabled", "disabled"):
            if key in values and key not in good and (key, values[key]) != ("disabled", None):
                section.unusable = self._explain_list(key, values[key])
        section.enabled = good.get("enabled")
        section.disabled = good.get("disabled", [])
        section.strict = good.get("strict", False)
        section.default_timeout = good.get("hook_callback_timeout")
        section.suspend_seconds = good.get("suspend_seconds", 60.0)
        section.order = list(self._order(good.get("order", {})))
        section.entries = list(self._entries(good.get("entries", {})))

    def _explain_list(self, key: str, value: Any) -> Problem:
        """Replace the plain problem of a list that is none by one that shows the way out."""
        path: KeyPath = ("plugins", key)
        fix = f"write {key}: [name, other-name]"
        if isinstance(value, str) and value.lstrip().startswith(("[", "-")):
            fix = "take the list out of its quotes"
        elif value is None:
            fix = f"write {key}: [] for none, or delete the line"
        elif isinstance(value, list):
            bad = next(at for at, item in enumerate(value) if not (isinstance(item, str) and item.strip()))
            path, value = (*path, bad), value[bad]
            fix = "names such as 3, on or off need quotes"
        problem = wrong_type(self.config, path, value, NAMES if isinstance(path[-1], str) else "a name", fix)
        self.problems[:] = [other for other in self.problems if other.key != f"plugins.{key}"]
        self.problems.append(problem)
        return problem

    def _order(self, rules: dict[Any, Any]) -> Iterator[OrderRule]:
        for name, rule in rules.items():
            path: KeyPath = ("plugins", "order", str(name))
            if not isinstance(rule, dict):
                wanted = "a mapping with before or after"
                self.problems.append(wrong_type(self.config, path, rule, wanted))
                continue
            good, problems = check_mapping(self.config, path, rule, _RULE_FIELDS)
            self.problems.extend(problems)
            before, after = (good.get(key, []) for key in ("before", "after"))
            yield OrderRule(str(name), _as_list(before), _as_list(after))

    def _entries(self, entries: dict[Any, Any]) -> Iterator[Entry]:
        for name, values in entries.items():
            path: KeyPath = ("plugins", "entries", str(name))
            if values is None:
                continue
            if not isinstance(values, dict):
                self.problems.append(wrong_type(self.config, path, values, "a mapping of settings"))
                continue
            yield self._entry(Entry(str(name), path, values), values)

    def _entry(self, entry: Entry, values: dict[Any, Any]) -> Entry:
        good, problems = check_mapping(self.config, entry.path, values, ENTRY_FIELDS, unknown_matters=False)
        self.problems.extend(problems)
        entry.timeout = good.get("timeout")
        entry.rejudge = good.get("rejudge", True)
        entry.allow_tool_override = good.get("allow_tool_override", False)
        entry.misspelt_gate = next((key for key in values if is_near_miss(key)), "")
        if "fail_closed" in good:
            path = (*entry.path, "fail_closed")
            entry.fail_closed, found = read_fail_closed(self.config, path, good["fail_closed"])
            self.problems.extend(found)
        elif "fail_closed" in values:
            entry.misspelt_gate = "fail_closed"
        entry.hooks_off = frozenset(self._hooks_off(entry, good.get("hooks", {})))
        return entry

    def _hooks_off(self, entry: Entry, hooks: dict[Any, Any]) -> Iterator[str]:
        for hook, wanted in hooks.items():
            path = (*entry.path, "hooks", str(hook))
            if not isinstance(wanted, bool):
                self.problems.append(wrong_type(self.config, path, wanted, FLAG))
            elif not wanted:
                yield str(hook)
            self._check_hook(str(hook), path)

    def _check_hook(self, hook: str, path: KeyPath) -> None:
        from hermes_hookspecs.contract import HOOKS

        if hook not in HOOKS:
            self.problems.append(unknown_key(self.config, path, HOOKS, "hook"))


def _as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
