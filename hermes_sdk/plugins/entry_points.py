"""Plugins in installed distributions: entry points of the group ``hermes_agent.plugins``.

Metadata is read distribution by distribution, so that one with a damaged file does not hide the others; only
those that mention Hermes are parsed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import importlib_metadata

from hermes_sdk.config.problems import Problem
from hermes_sdk.errors import nearest
from hermes_sdk.plugins.candidate import Candidate
from hermes_sdk.plugins.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

GROUP: Final = "hermes_agent.plugins"
OUR_DISTRIBUTION: Final = "hermes-sdk"
"""Its own entry point is the bridge into hermes-agent; here it would run this framework inside itself."""


def scan_entry_points() -> tuple[list[Candidate], list[Problem]]:
    """Find the plugins of every distribution on ``sys.path``; of two with one name the first counts."""
    candidates: list[Candidate] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for distribution in importlib_metadata.distributions():
        try:
            text = distribution.read_text("entry_points.txt") or ""
            if "hermes" not in text:
                continue
            name, version, summary = _about(distribution)
            canonical = name.casefold().replace("_", "-").replace(".", "-")
            if canonical == OUR_DISTRIBUTION or (canonical and canonical in seen):
                continue
            seen.add(canonical)
            points = list(distribution.entry_points)
        except Exception as error:
            logger.warning("the metadata of a distribution cannot be read: %s", type(error).__name__)
            continue
        problems.extend(_near_misses(name, {point.group for point in points}))
        ours = (point for point in points if point.group == GROUP)
        candidates.extend(_candidate(point, name, version, summary) for point in ours)
    return candidates, problems


def entry_point_candidate(target: str, name: str) -> Candidate:
    """Return a candidate for what an entry point would name, without a distribution behind it."""
    return _candidate(importlib_metadata.EntryPoint(name, target, GROUP), "", "", "")


def _candidate(point: Any, distribution: str, version: str, summary: str) -> Candidate:
    manifest = Manifest(point.name, version, summary, source="entrypoint", path=point.value, key=point.name)
    return Candidate(
        key=point.name,
        name=point.name,
        source="entrypoint",
        label=point.name,
        path=point.value,
        manifest=manifest,
        entry_point=point,
        distribution=distribution,
        version=version,
    )


def _about(distribution: Any) -> tuple[str, str, str]:
    """Return name, version and summary (Any: the library has renamed its type); empty without metadata.

    The three lines are read as they stand: `distribution.metadata` loads the whole e-mail package for them, which
    takes longer than everything else that listing a hundred plugins does.
    """
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    headers: dict[str, str] = {}
    for line in text.splitlines():
        if not line:
            break
        key, _, value = line.partition(":")
        headers.setdefault(key.casefold(), value.strip())
    name, version, summary = (headers.get(key, "") for key in ("name", "version", "summary"))
    return name, version, summary


def _near_misses(distribution: str, groups: set[str]) -> Iterator[Problem]:
    if GROUP in groups:
        return
    for group in sorted(groups):
        if is_near_group(group):
            yield Problem(
                "HS104",
                group,
                f"entry points of {distribution}",
                "an unknown entry point group",
                GROUP,
                "its plugins are not found: tell its author",
                "warning",
            )


def is_near_group(group: str) -> bool:
    """Whether a group was probably meant to be ours."""
    plain = group.casefold().replace("-", "_").replace(".", "_")
    return "hermes" in plain and "plugin" in plain and nearest(plain, [GROUP.replace(".", "_")]) is not None
