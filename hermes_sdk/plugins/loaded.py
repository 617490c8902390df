"""A plugin that is loaded, or just being loaded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.dispatch.holder import PluginHolder
    from hermes_sdk.plugins.background import BackgroundQueue
    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.context import PluginContext
    from hermes_sdk.plugins.gates import FailClosed
    from hermes_sdk.plugins.manifest import Manifest
    from hermes_sdk.plugins.section import Entry


@dataclass(slots=True, eq=False)
class LoadedPlugin:
    """One plugin in one manager."""

    candidate: Candidate
    entry: Entry
    """``plugins.entries.<name>``, empty where there is none."""
    holder: PluginHolder
    """What pluggy knows it by."""
    module: Any = None
    """Its module, or the object that its entry point names; any type."""
    module_name: str = ""
    """Name in `sys.modules` of a directory plugin; a pip-installed one has the process's only module."""
    context: PluginContext | None = None
    registered: bool = False
    """Whether its hooks are with pluggy; until then they are only collected."""
    on_unload: list[Callable[[], Any]] = field(default_factory=list)
    queue: BackgroundQueue | None = None
    patches: list[str] = field(default_factory=list)
    """What of hermes-agent it patches that is not here, as dotted names: it loads but cannot act."""

    @property
    def key(self) -> str:
        """The name that everything refers to it by."""
        return self.candidate.key

    @property
    def name(self) -> str:
        """What its manifest calls it."""
        return self.candidate.name

    @property
    def source(self) -> str:
        """Where it came from."""
        return self.candidate.source

    @property
    def manifest(self) -> Manifest:
        """What it says about itself."""
        return self.candidate.manifest

    @property
    def hooks(self) -> list[str]:
        """The hooks that it implements."""
        return self.holder.hooks

    @property
    def shared_module(self) -> bool:
        """Whether other homes of the process share its module and so its module state (semantics 5.1)."""
        return self.candidate.entry_point is not None

    @property
    def fail_closed(self) -> FailClosed:
        """What was declared: the user's word counts before plugin.yaml's."""
        return declared_gate(self.candidate, self.entry)


def declared_gate(candidate: Candidate, entry: Entry) -> FailClosed:
    """Return what a plugin's entry in config.yaml, else its plugin.yaml, declares as fail-closed."""
    if entry.misspelt_gate and entry.misspelt_gate not in candidate.manifest.settings:
        return True if entry.fail_closed is None else entry.fail_closed
    return candidate.manifest.fail_closed if entry.fail_closed is None else entry.fail_closed
