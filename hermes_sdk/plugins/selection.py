"""Which of the found plugins load, and why the others do not (semantics 5.3 and 5.4)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from hermes_sdk.config.problems import Problem
from hermes_sdk.config.schema import dotted, unknown_key
from hermes_sdk.errors import did_you_mean
from hermes_sdk.plugins.names import normalised, split_source
from hermes_sdk.plugins.section import SECTION_FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath
    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.section import PluginsSection

OWN_ENTRY: Final = "hermes_sdk"
"""``plugins.entries.hermes-sdk`` belongs to the bridge and names no plugin (normalised)."""


class Status(StrEnum):
    """What became of a plugin; the values are what `plugins list` shows."""

    ENABLED = "enabled"
    """It is to be loaded and is not loaded yet."""
    LOADED = "loaded"
    DEGRADED = "degraded"
    """Loaded, but some of its callbacks cannot be called."""
    DISABLED = "disabled"
    NOT_ENABLED = "not enabled"
    PRESENT = "present, not enabled"
    """Not enabled, while another copy of the same name is."""
    SHADOWED = "shadowed"
    BROKEN = "broken manifest"
    REFUSED = "refused"
    FOREIGN = "not for this host"
    FAILED = "failed"
    SAFE_MODE = "safe mode"


@dataclass(slots=True)
class Decision:
    """What is to become of one candidate."""

    candidate: Candidate
    status: Status
    why: str = ""


@dataclass(slots=True)
class Selection:
    """The decisions on all candidates, in the candidates' order."""

    decisions: list[Decision] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Names in the configuration that mean no plugin."""

    @property
    def chosen(self) -> list[Candidate]:
        """The candidates to load."""
        return [decision.candidate for decision in self.decisions if decision.status is Status.ENABLED]


def select(
    candidates: Iterable[Candidate],
    section: PluginsSection,
    *,
    safe_mode: bool = False,
    kinds: Collection[str] = ("standalone",),
) -> Selection:
    """Decide on every candidate.

    Args:
        candidates: In calling order: a later source shadows an earlier one.
        section: The user's wishes.
        safe_mode: Nothing loads.
        kinds: Kinds of plugins that the host has a registrar for.
    """
    selection = Selection()
    copies: dict[str, list[Decision]] = defaultdict(list)
    for candidate in candidates:
        decision = Decision(candidate, *_alone(candidate, section, safe_mode=safe_mode, kinds=kinds))
        selection.decisions.append(decision)
        copies[candidate.normalised_key].append(decision)
    for group in copies.values():
        if len(group) > 1:
            _refuse_twins(group)
            _settle_copies(group, section)
    return selection


def _alone(
    candidate: Candidate, section: PluginsSection, *, safe_mode: bool, kinds: Collection[str]
) -> tuple[Status, str]:
    """Decide on a candidate as if it were the only copy of its name."""
    if safe_mode:
        return Status.SAFE_MODE, "HERMES_SAFE_MODE is set"
    by = next((name for name in section.disabled if candidate.is_called(name)), None)
    if by is not None:
        return Status.DISABLED, f"plugins.disabled names {by!r}"
    if candidate.broken:
        return Status.BROKEN, candidate.broken
    if candidate.manifest.kind not in kinds:
        return Status.FOREIGN, f"plugins of kind {candidate.manifest.kind!r} have no registrar here"
    if section.unusable is not None:
        return Status.NOT_ENABLED, str(section.unusable)
    if is_enabled(candidate, section):
        return Status.ENABLED, ""
    if section.enabled is None:
        return (
            Status.NOT_ENABLED,
            f"built-in plugins load when enabled: hermes-sdk plugins enable {candidate.key}",
        )
    return Status.NOT_ENABLED, f"plugins.enabled does not name it: hermes-sdk plugins enable {candidate.key}"


def is_enabled(candidate: Candidate, section: PluginsSection) -> bool:
    """Whether the user wants a candidate, as far as `plugins.enabled` says."""
    if section.enabled is None:
        return candidate.source != "builtin"
    return any(candidate.is_called(name) for name in section.enabled)


def is_enabled_by_full_name(candidate: Candidate, section: PluginsSection) -> bool:
    """Whether `plugins.enabled` names a candidate together with its source."""
    return any(split_source(name)[0] and candidate.is_called(name) for name in section.enabled or ())


def _refuse_twins(group: list[Decision]) -> None:
    """Refuse plugins of one source that have one name: nobody can say which of them is meant."""
    by_source: dict[str, list[Decision]] = defaultdict(list)
    for decision in group:
        by_source[decision.candidate.source].append(decision)
    for twins in by_source.values():
        if len(twins) == 1:
            continue
        places = " and ".join(twin.candidate.place for twin in twins)
        for twin in twins:
            if twin.status in {Status.ENABLED, Status.NOT_ENABLED}:
                twin.status = Status.REFUSED
                name = f"{twin.candidate.source}:{twin.candidate.key}"
                twin.why = f"{name} is there twice, in {places}: rename one"


def _settle_copies(group: list[Decision], section: PluginsSection) -> None:
    """Let one copy of a name win: the last source, or the built-in one that is enabled by its full name."""
    enabled = [decision for decision in group if decision.status is Status.ENABLED]
    if not enabled:
        return
    winner = enabled[-1]
    for decision in enabled:
        candidate = decision.candidate
        if candidate.source == "builtin" and is_enabled_by_full_name(candidate, section):
            winner = decision
    for decision in group:
        if decision is winner:
            continue
        if decision.status is Status.ENABLED:
            decision.status = Status.SHADOWED
            decision.why = f"shadowed by {winner.candidate.place}"
            if winner is not enabled[-1]:
                decision.why += ", which is enabled by its full name and never shadowed"
        elif decision.status is Status.NOT_ENABLED:
            decision.status = Status.PRESENT
            decision.why = f"{winner.candidate.place} is in force under this name"


def unknown_names(
    config: Config, section: PluginsSection, candidates: Collection[Candidate]
) -> list[Problem]:
    """Return what the configuration names and nobody has installed, with the nearest names."""
    return [*_unknown_in_lists(config, section, candidates), *_unknown_keys(config, section, candidates)]


def _unknown_in_lists(
    config: Config, section: PluginsSection, candidates: Collection[Candidate]
) -> Iterator[Problem]:
    for key, names in (("enabled", section.enabled or ()), ("disabled", section.disabled)):
        for index, name in enumerate(names):
            path: KeyPath = ("plugins", key, index)
            if not any(candidate.is_called(name) for candidate in candidates):
                yield _not_installed(config, path, name, candidates)
    for entry in section.entries:
        names_plugin = any(candidate.is_called(entry.name) for candidate in candidates)
        if not names_plugin and normalised(entry.name) != OWN_ENTRY:
            yield _not_installed(config, entry.path, entry.name, candidates)


def _not_installed(config: Config, path: KeyPath, name: str, candidates: Collection[Candidate]) -> Problem:
    source, bare = split_source(name)
    elsewhere = [candidate.source for candidate in candidates if candidate.is_called(bare)]
    if source and elsewhere:
        fix = f"{bare!r} comes from {' and '.join(elsewhere)}"
    else:
        fix = did_you_mean(bare, {candidate.key for candidate in candidates})
    wanted = "the name of an installed plugin"
    return Problem("HS107", dotted(path), config.where(path), repr(name), wanted, fix, "warning")


def _unknown_keys(
    config: Config, section: PluginsSection, candidates: Collection[Candidate]
) -> Iterator[Problem]:
    known = [field.name for field in SECTION_FIELDS]
    for key in section.other_keys:
        # plugins read keys of their own name directly below `plugins:`, and hermes-agent lets them
        if not any(candidate.is_called(key) for candidate in candidates):
            yield unknown_key(config, ("plugins", key), known)
