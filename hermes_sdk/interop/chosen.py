"""Which plugins the bridge loads: those that ``plugins.entries.hermes-sdk.plugins`` names and that host does not run.

The home's config.yaml is hermes-agent's. What of it is about the chosen plugins is kept with its place in the file;
`plugins.enabled` is that host's own list and becomes the chosen names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config import Config
from hermes_sdk.config.problems import Problem
from hermes_sdk.config.schema import dotted, is_names, wrong_type
from hermes_sdk.errors import did_you_mean
from hermes_sdk.plugins.names import normalised, split_source
from hermes_sdk.plugins.order import ALL_OTHERS
from hermes_sdk.plugins.section import SECTION_FIELDS, read_section
from hermes_sdk.plugins.selection import OWN_ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from hermes_sdk.config.document import KeyPath
    from hermes_sdk.plugins.candidate import Candidate

KEY: Final = "plugins"
"""The key below ``plugins.entries.hermes-sdk``."""
_ABOUT_PLUGINS: Final = ("enabled", "disabled", "entries", "order")


def bridged_config(home: Path, discover: Callable[[], list[Candidate]]) -> Config:
    """Return the configuration of a home as the bridge's manager is to read it.

    Args:
        home: The home that hermes-agent runs in.
        discover: Finds every plugin that there is for us.
    """
    config = Config.load(home)
    raw = config.get("plugins")
    plugins: dict[str, Any] = raw if isinstance(raw, dict) else {}
    path, wanted = _wanted(config)
    names, candidates = _Choice(config, plugins, discover()).of(path, wanted)
    kept = {field.name: plugins[field.name] for field in SECTION_FIELDS if field.name in plugins}
    about = {
        "enabled": names,
        "disabled": [name for name in _names(plugins, "disabled") if _means(name, candidates)],
        "entries": {name: entry for name, entry in _mapping(plugins, "entries").items() if _means(name, candidates)},
        "order": dict(_rules(_mapping(plugins, "order"), candidates)),
    }
    config.data = {**config.data, "plugins": {**kept, **{key: about[key] for key in _ABOUT_PLUGINS}}}
    return config


def _wanted(config: Config) -> tuple[KeyPath, list[str]]:
    """Return the place of the list, and what it says; what is wrong with it becomes a problem of `config`."""
    for entry in read_section(config).entries:
        if normalised(entry.name) == OWN_ENTRY:
            path = (*entry.path, KEY)
            value = entry.values.get(KEY)
            if value is None or is_names(value):
                return path, list(value or ())
            config.problems.append(wrong_type(config, path, value, "a list of names", "write plugins: [name, ...]"))
            return path, []
    return ("plugins", "entries", "hermes-sdk", KEY), []


class _Choice:
    """Decides on one name after the other."""

    def __init__(self, config: Config, plugins: Mapping[str, Any], candidates: list[Candidate]) -> None:
        self._config = config
        self._candidates = candidates
        self._enabled = frozenset(_names(plugins, "enabled"))
        self._disabled = frozenset(_names(plugins, "disabled"))

    def of(self, path: KeyPath, wanted: list[str]) -> tuple[list[str], list[Candidate]]:
        """Return the names to enable, and the candidates that they mean."""
        names: list[str] = []
        chosen: list[Candidate] = []
        for index, name in enumerate(wanted):
            called = [candidate for candidate in self._candidates if candidate.is_called(name)]
            ours = [candidate for candidate in called if not self._runs_natively(candidate)]
            chosen.extend(ours)
            if not called:
                self._unknown((*path, index), name)
            elif len(ours) == len(called):
                names.append(name)
            else:
                names.extend(f"{candidate.source}:{candidate.key}" for candidate in ours)
                self._doubled((*path, index), name)
        return names, chosen

    def _runs_natively(self, candidate: Candidate) -> bool:
        """Whether hermes-agent loads it itself: it knows no built-in plugins of ours, and compares names as written."""
        own = {candidate.key, candidate.name}
        return candidate.source != "builtin" and bool(own & self._enabled) and not own & self._disabled

    def _unknown(self, path: KeyPath, name: str) -> None:
        fix = did_you_mean(split_source(name)[1], {candidate.key for candidate in self._candidates})
        self._problem("HS107", path, repr(name), "the name of an installed plugin", fix)

    def _doubled(self, path: KeyPath, name: str) -> None:
        found = f"{name!r}, which plugins.enabled names as well"
        fix = "hermes-agent runs it itself; take it out of plugins.enabled to have hermes-sdk run it"
        self._problem("HS250", path, found, "a plugin that hermes-agent does not load", fix)

    def _problem(self, code: str, path: KeyPath, found: str, wanted: str, fix: str) -> None:
        place = self._config.where(path)
        self._config.problems.append(Problem(code, dotted(path), place, found, wanted, fix, "warning"))


def _rules(rules: Mapping[str, Any], candidates: Collection[Candidate]) -> dict[str, Any]:
    """Return the rules of `plugins.order` as far as they are about the chosen plugins."""
    kept: dict[str, Any] = {}
    for name, rule in rules.items():
        if not _means(name, candidates):
            continue
        kept[name] = rule
        if isinstance(rule, dict):
            kept[name] = {key: _targets(value, candidates) for key, value in rule.items()}
    return kept


def _targets(value: Any, candidates: Collection[Candidate]) -> Any:
    """Return the plugins that a rule names (any YAML value), without those of hermes-agent."""
    if not isinstance(value, list):
        return value
    return [name for name in value if name == ALL_OTHERS or not isinstance(name, str) or _means(name, candidates)]


def _means(name: Any, candidates: Collection[Candidate]) -> bool:
    return isinstance(name, str) and any(candidate.is_called(name) for candidate in candidates)


def _names(plugins: Mapping[str, Any], key: str) -> list[str]:
    value = plugins.get(key)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _mapping(plugins: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = plugins.get(key)
    return value if isinstance(value, dict) else {}
