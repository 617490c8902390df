"""What the dispatcher knows about each plugin beyond its callbacks. Plain data: the floors above fill it in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

SOURCES: Final = ("builtin", "user", "project", "entrypoint", "direct", "shell")
"""Where plugins come from, in calling order. ``direct`` is `manager.register(...)` by a host or a test."""

GATED_HOOKS: Final = (
    "pre_tool_call",
    "transform_tool_result",
    "transform_terminal_output",
    "transform_llm_output",
)
"""The hooks where a fail-closed failure can block or withhold (semantics 3.2)."""


@dataclass(frozen=True, slots=True)
class PluginPolicy:
    """Settings of one registered plugin that shape how it is called."""

    source: str = "direct"
    rank: tuple[int | str, ...] | None = None
    """Place among the plugins of one band, compared as a tuple; None: (source, casefolded name, name)."""
    fail_closed: frozenset[str] = field(default_factory=frozenset)
    """Hooks on which a failure blocks or withholds; a subset of `GATED_HOOKS`."""
    timeout: float | None = None
    """The user's deadline for this plugin's callbacks in seconds; it beats the marker's."""
    default_timeout: float | None = None
    """The deadline for all Python callbacks in seconds, where neither user nor marker names one."""
    rejudge: bool = True
    """False opts out of pre_tool_call's second judgement."""
    hooks_off: frozenset[str] = field(default_factory=frozenset)
    """Hooks of this plugin that the user switched off."""
    suspend_seconds: float = 60.0
    """How long a plugin with four late callbacks is left out, in seconds."""

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(f"a plugin's source is one of {', '.join(SOURCES)}, not {self.source!r}")


def place(policy: PluginPolicy, label: str, sequence: int) -> tuple[Any, ...]:
    """Return a plugin's place inside a band, comparable with any other's.

    Discovered plugins come first, those that a host registers directly next, shell entries last. Among the
    discovered ones the floor above ranks all or none. Names decide between equals, and only between plugins without a
    name of their own (several instances of one class) it is who was registered first.

    Args:
        policy: Where the plugin comes from and how it is ranked.
        label: What it sorts by.
        sequence: Its number in the order of registration.
    """
    group = {"direct": 1, "shell": 2}.get(policy.source, 0)
    own = (1, SOURCES.index(policy.source)) if policy.rank is None else (0, *policy.rank)
    return group, own, label.casefold(), label, sequence
