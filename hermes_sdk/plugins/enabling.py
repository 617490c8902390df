"""`plugins enable` and `plugins disable`: what they write into config.yaml, and say (semantics 5.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hermes_sdk.config import Config
from hermes_sdk.config.edit import write_lists
from hermes_sdk.errors import PluginError, did_you_mean
from hermes_sdk.plugins.names import normalised, split_source
from hermes_sdk.plugins.section import read_section
from hermes_sdk.plugins.selection import select

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.section import PluginsSection

RESTART: Final = "a running host keeps what it has loaded until it reloads or restarts"


@dataclass(slots=True)
class Change:
    """What was done to config.yaml."""

    name: str
    """The name as it was written."""
    changed: bool
    """False: the file said so already."""
    messages: list[str] = field(default_factory=list)
    """What happened, one sentence each, for whoever asked."""


def enable(home: Path, name: str, candidates: Sequence[Candidate]) -> Change:
    """Have a plugin loaded from now on.

    Args:
        home: Whose config.yaml to change.
        name: The plugin; it may carry its source.
        candidates: What discovery found.

    Raises:
        PluginError: No such plugin is installed.
        ConfigError: config.yaml is broken, or cannot be edited safely.
    """
    section = _section(home)
    meant = installed(name, candidates)
    written = _name_to_write(name, meant)
    change = Change(written, changed=False)
    enabled = section.enabled
    if enabled is None:
        enabled = [candidate.key for candidate in select(candidates, section).chosen]
        change.messages.append(
            "plugins.enabled was absent, so everything installed was loaded; it now names all of that"
            f" ({', '.join(enabled) or 'nothing'}), and what you install later has to be enabled"
        )
    lists = {"enabled": _replaced(enabled, written)}
    if any(candidate.is_called(listed) for listed in section.disabled for candidate in meant):
        lists["disabled"] = [
            listed for listed in section.disabled if not any(candidate.is_called(listed) for candidate in meant)
        ]
        change.messages.append(f"{written} was taken out of plugins.disabled")
    change.changed = lists != {"enabled": section.enabled}
    write_lists(home / "config.yaml", "plugins", lists)
    change.messages.append(f"plugins.enabled names {written}" if change.changed else f"{written} is enabled already")
    return _finished(change)


def disable(home: Path, name: str, candidates: Sequence[Candidate]) -> Change:
    """Never load a plugin from now on; nothing but `plugins.disabled` is touched.

    A plugin that only the configuration names can be disabled too: that ends the standing block of a
    fail-closed plugin that is gone.

    Raises:
        PluginError: Neither is such a plugin installed nor does the configuration name it.
        ConfigError: config.yaml is broken, or cannot be edited safely.
    """
    section = _section(home)
    meant = [candidate for candidate in candidates if candidate.is_called(name)]
    source, bare = split_source(name)
    if meant:
        key = meant[0].key
        written = f"{source}:{key}" if source else key
    elif any(normalised(split_source(known)[1]) == normalised(bare) for known in _named(section)):
        written = name.strip()
    else:
        raise _no_such_plugin(name, candidates)
    already = normalised(written) in {normalised(listed) for listed in section.disabled}
    change = Change(written, changed=not already)
    if already:
        change.messages.append(f"{written} is disabled already")
        return change
    write_lists(home / "config.yaml", "plugins", {"disabled": [*section.disabled, written]})
    change.messages.append(f"plugins.disabled names {written}, which beats plugins.enabled")
    return _finished(change)


def _finished(change: Change) -> Change:
    if change.changed:
        change.messages.append(RESTART)
    return change


def _section(home: Path) -> PluginsSection:
    """Read the section, or refuse: a list that is no list cannot be extended."""
    section = read_section(Config.load(home))
    if section.unusable is not None:
        raise section.unusable.error()
    return section


def _name_to_write(name: str, meant: Sequence[Candidate]) -> str:
    """Return a plugin's name, with ``builtin:`` where only a built-in plugin has it."""
    source, _ = split_source(name)
    key = meant[0].key
    if source is None and all(candidate.source == "builtin" for candidate in meant):
        source = "builtin"
    return f"{source}:{key}" if source else key


def _replaced(enabled: Iterable[str], written: str) -> list[str]:
    """Return the list with `written` in place of any other spelling of the same name."""
    bare = normalised(split_source(written)[1])
    names: list[str] = []
    for listed in enabled:
        same = normalised(split_source(listed)[1]) == bare
        if not same:
            names.append(listed)
        elif written not in names:
            names.append(written)
    return names if written in names else [*names, written]


def _named(section: PluginsSection) -> list[str]:
    return [*(section.enabled or ()), *(entry.name for entry in section.entries)]


def installed(name: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the plugins that a name means, in calling order.

    Raises:
        PluginError: There is none; the message names the nearest.
    """
    meant = [candidate for candidate in candidates if candidate.is_called(name)]
    if not meant:
        raise _no_such_plugin(name, candidates)
    return meant


def _no_such_plugin(name: str, candidates: Sequence[Candidate]) -> PluginError:
    source, bare = split_source(name)
    elsewhere = sorted({candidate.source for candidate in candidates if candidate.is_called(bare)})
    if source and elsewhere:
        fix = f"{bare!r} comes from {' and '.join(elsewhere)}"
    else:
        fix = did_you_mean(bare, {candidate.key for candidate in candidates})
    fix = fix or "`hermes-sdk plugins list` shows what is installed"
    return PluginError(f"no plugin {name!r} is installed", fix=fix, code="HS203")
