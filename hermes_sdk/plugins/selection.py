"""Which of the found plugins load, and why the others do not (semantics 5.3 and 5.4)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from hermes_sdk.config.problems import Problem
from hermes_sdk.config.schema import dotted, unknown_key
from hermes_sdk.errors import did_you_mean
from hermes_sdk.plugins.names import NameSet, normalised, split_source
from hermes_sdk.plugins.section import SECTION_FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath
    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.section import PluginsSection

OWN_ENTRY: Final = "hermes_sdk"
"""Name of the bridge in hermes-agent, normalised: a home that both hosts use lists it, and it is no plugin of ours."""


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
    UNLOADED = "unloaded"
    """Its host took it out by name."""


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


class Wishes:
    """`plugins.enabled` and `plugins.disabled`, asked about one candidate at a time."""

    def __init__(self, section: PluginsSection) -> None:
        self.section = section
        self._enabled = None if section.enabled is None else NameSet(section.enabled)
        self._disabled = NameSet(section.disabled)

    def disabled_by(self, candidate: Candidate) -> str | None:
        """Return the name in `plugins.disabled` that means a candidate, or None."""
        return self._disabled.find(candidate.source, candidate.key, candidate.name)

    def wants(self, candidate: Candidate) -> bool:
        """Whether `plugins.enabled` lets a candidate load; without the key all do but the built-in ones."""
        if candidate.source == "direct":
            return True  # its host asked for it by its place
        if self._enabled is None:
            return candidate.source != "builtin"
        return self._enabled.find(candidate.source, candidate.key, candidate.name) is not None

    def wants_by_full_name(self, candidate: Candidate) -> bool:
        """Whether `plugins.enabled` names a candidate together with its source."""
        names = self._enabled or NameSet(())
        return names.find_with_source(candidate.source, candidate.key, candidate.name) is not None

    def may_want(self, candidate: Candidate) -> bool:
        """Whether a candidate is enabled, or could be: a list that nobody can read might name it."""
        if self.section.unusable is not None:
            return candidate.source != "builtin"
        return self.wants(candidate)


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
    wishes = Wishes(section)
    copies: dict[str, list[Decision]] = defaultdict(list)
    for candidate in candidates:
        decision = Decision(candidate, *_alone(candidate, wishes, safe_mode=safe_mode, kinds=kinds))
        selection.decisions.append(decision)
        copies[candidate.normalised_key].append(decision)
    for group in copies.values():
        if len(group) > 1:
            _refuse_twins(group)
            _settle_copies(group, wishes)
    return selection


def _alone(candidate: Candidate, wishes: Wishes, *, safe_mode: bool, kinds: Collection[str]) -> tuple[Status, str]:
    """Decide on a candidate as if it were the only copy of its name."""
    if safe_mode:
        return Status.SAFE_MODE, "HERMES_SAFE_MODE is set"
    section = wishes.section
    by = wishes.disabled_by(candidate)
    if by is not None:
        return Status.DISABLED, f"plugins.disabled names {by!r}"
    if candidate.broken:
        return Status.BROKEN, candidate.broken
    refusal = _refusal(candidate, section)
    if refusal:
        return Status.REFUSED, refusal
    if candidate.manifest.kind not in kinds:
        return Status.FOREIGN, f"plugins of kind {candidate.manifest.kind!r} have no registrar here"
    if section.unusable is not None:
        return Status.NOT_ENABLED, str(section.unusable)
    if wishes.wants(candidate):
        return Status.ENABLED, ""
    if section.enabled is None:
        return (
            Status.NOT_ENABLED,
            f"built-in plugins load when enabled: hermes-sdk plugins enable {candidate.key}",
        )
    return Status.NOT_ENABLED, f"plugins.enabled does not name it: hermes-sdk plugins enable {candidate.key}"


def _refusal(candidate: Candidate, section: PluginsSection) -> str:
    """Return why a plugin must not load although nothing is broken, or an empty text."""
    entry = section.entry(candidate)
    if entry.misspelt_gate and entry.misspelt_gate not in candidate.manifest.settings:
        place = dotted((*entry.path, entry.misspelt_gate))
        return f"{place} was meant as fail_closed: true or a list of hooks; write it so"
    wanted = candidate.manifest.requires_sdk
    if wanted:
        from importlib_metadata import version
        from packaging.specifiers import SpecifierSet

        installed = version("hermes-sdk")
        if not SpecifierSet(wanted).contains(installed, prereleases=True):
            return f"it requires hermes-sdk {wanted}, {installed} is installed"
    return ""


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


def _settle_copies(group: list[Decision], wishes: Wishes) -> None:
    """Let one copy of a name win: the last source, or the built-in one that is enabled by its full name."""
    enabled = [decision for decision in group if decision.status is Status.ENABLED]
    if not enabled:
        return
    winner = enabled[-1]
    for decision in enabled:
        candidate = decision.candidate
        if candidate.source == "builtin" and wishes.wants_by_full_name(candidate):
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


def unknown_names(config: Config, section: PluginsSection, candidates: Collection[Candidate]) -> list[Problem]:
    """Return what the configuration names and nobody has installed, with the nearest names."""
    known = _Known(candidates)
    problems = [
        known.not_installed(config, ("plugins", key, index), name)
        for key, names in (("enabled", section.enabled or ()), ("disabled", section.disabled))
        for index, name in enumerate(names)
        if name not in known and normalised(name) != OWN_ENTRY
    ]
    problems.extend(
        known.not_installed(config, entry.path, entry.name)
        for entry in section.entries
        if entry.name not in known and normalised(entry.name) != OWN_ENTRY
    )
    # plugins read keys of their own name directly below `plugins:`, and hermes-agent lets them
    fields = [field.name for field in SECTION_FIELDS]
    problems.extend(unknown_key(config, ("plugins", key), fields) for key in section.other_keys if key not in known)
    return problems


class _Known:
    """The names of everything that is installed."""

    def __init__(self, candidates: Collection[Candidate]) -> None:
        self._keys = {candidate.key for candidate in candidates}
        self._sources: dict[str, set[str]] = defaultdict(set)
        for candidate in candidates:
            for name in (candidate.key, candidate.name):
                self._sources[normalised(name)].add(candidate.source)

    def __contains__(self, name: str) -> bool:
        source, bare = split_source(name)
        sources = self._sources.get(normalised(bare), set())
        return bool(sources) if source is None else source in sources

    def not_installed(self, config: Config, path: KeyPath, name: str) -> Problem:
        source, bare = split_source(name)
        elsewhere = sorted(self._sources.get(normalised(bare), ()))
        fix = f"{bare!r} comes from {' and '.join(elsewhere)}" if source and elsewhere else ""
        fix = fix or did_you_mean(bare, self._keys)
        wanted = "the name of an installed plugin"
        return Problem("HS107", dotted(path), config.where(path), repr(name), wanted, fix, "warning")
