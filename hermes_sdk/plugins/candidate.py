"""A plugin that was found, before anybody decided whether to load it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.plugins.names import DISCOVERED_SOURCES, normalised, split_source

if TYPE_CHECKING:
    from hermes_sdk.config import Problem
    from hermes_sdk.plugins.manifest import Manifest

_POSITIONS: Final = {source: position for position, source in enumerate(DISCOVERED_SOURCES)}


@dataclass(slots=True, eq=False)
class Candidate:
    """One plugin in one place. Nothing of it was imported."""

    key: str
    """``name`` at top level, ``category/directory`` in a category, the entry point's name."""
    name: str
    """What its manifest calls it."""
    source: str
    """``builtin``, ``user``, ``project``, ``entrypoint``, or ``direct`` for a directory that a host names."""
    label: str
    """What it sorts by inside its source: the directory below the source's, or the entry point's name."""
    path: str
    """Its directory, or what the entry point names."""
    manifest: Manifest
    entry_point: Any = None
    """The `importlib_metadata.EntryPoint`; untyped, because only the loader imports that library."""
    distribution: str = ""
    version: str = ""
    problems: list[Problem] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, str, str]:
        """Place in the calling order, before `plugins.order` (semantics 1.1)."""
        return _POSITIONS.get(self.source, len(_POSITIONS)), self.label.casefold(), self.label

    @property
    def broken(self) -> str:
        """Why it cannot be loaded at all; empty when nothing is in the way."""
        return next((str(problem) for problem in self.problems if problem.severity == "error"), "")

    @property
    def normalised_key(self) -> str:
        """The key in the form in which keys are compared."""
        return normalised(self.key)

    def is_called(self, name: str) -> bool:
        """Whether a name in configuration or on a command line means this plugin."""
        source, bare = split_source(name)
        if source is not None and source != self.source:
            return False
        wanted = normalised(bare)
        return wanted == normalised(self.key) or wanted == normalised(self.name)

    @property
    def place(self) -> str:
        """Where it is, for messages: its directory, or its distribution."""
        if self.entry_point is None:
            return self.path
        return " ".join(filter(None, (self.distribution, self.version, f"({self.path})")))
