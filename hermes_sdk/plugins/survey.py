"""Everything that is known about a home's plugins without importing one: found, decided, put in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_sdk.home import safe_mode
from hermes_sdk.plugins.discovery import Found, discover
from hermes_sdk.plugins.order import calling_order
from hermes_sdk.plugins.section import PluginsSection, read_section
from hermes_sdk.plugins.selection import select, unknown_names

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from hermes_sdk.config import Config, Problem
    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.selection import Decision


@dataclass(frozen=True, slots=True)
class Sources:
    """Where plugins are looked for, besides the home itself."""

    builtin_dir: Path | None = None
    """Directory of the built-in plugins; None: ours."""
    project_dir: Path | None = None
    """The project; None: the working directory."""
    entry_points: bool = True
    """Whether installed distributions are looked at."""

    def discover(self, home: Path) -> Found:
        """Find the plugins of a home."""
        return discover(
            home,
            builtin_dir=self.builtin_dir,
            project_dir=self.project_dir,
            entry_points=self.entry_points,
        )


@dataclass(slots=True)
class Survey:
    """The plugins of a home as they are to be."""

    section: PluginsSection
    decisions: list[Decision]
    """On every plugin that was found."""
    order: list[Candidate]
    """Those to load, in calling order."""
    problems: list[Problem]
    """What is wrong in config.yaml and around the plugins."""


def survey(home: Path, config: Config, sources: Sources, kinds: Collection[str] = ("standalone",)) -> Survey:
    """Find the plugins of a home, decide on each, and put those to load in order.

    Args:
        home: The home.
        config: Its configuration.
        sources: Where to look besides.
        kinds: Kinds of plugins that the host has a registrar for.
    """
    section = read_section(config)
    found = sources.discover(home)
    selection = select(found.candidates, section, safe_mode=safe_mode() != "off", kinds=kinds)
    order, order_problems = calling_order(selection.chosen, section.order, config)
    problems = [
        *config.problems,
        *section.problems,
        *found.problems,
        *unknown_names(config, section, found.candidates),
        *order_problems,
    ]
    return Survey(section, selection.decisions, order, list(dict.fromkeys(problems)))
