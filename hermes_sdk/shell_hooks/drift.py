"""Whether what a person approved is still what runs (semantics 8.6; seed S34)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from hermes_sdk.shell_hooks.content import content_digest, script_mtime

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.consent import Approval
    from hermes_sdk.shell_hooks.entries import ShellEntry


_SAME_MOMENT: Final = 0.001
"""Seconds: the allowlist stores modification times in microseconds, file systems know nanoseconds."""


class Drift(StrEnum):
    """What became of an entry's files since it was approved."""

    NONE = "unchanged"
    TOUCHED = "touched"
    """Another modification time, the same content."""
    CHANGED = "changed"
    UNKNOWN = "unknown"
    """The approval was written by hand and says neither time nor content."""


def drift(entry: ShellEntry, approval: Approval, cwd: Path | None = None) -> Drift:
    """Return what became of an entry's files since this approval.

    Args:
        entry: The entry.
        approval: When a person agreed to it.
        cwd: Where its script runs, see `content_digest`.
    """
    if entry.url:
        return Drift.NONE
    touched = _touched(approval.script_mtime, script_mtime(entry))
    if approval.content:
        if approval.content != content_digest(entry, cwd):
            return Drift.CHANGED
        return Drift.TOUCHED if touched else Drift.NONE
    if approval.script_mtime is None:
        return Drift.UNKNOWN
    return Drift.CHANGED if touched else Drift.NONE


def _touched(then: float | None, now: float | None) -> bool:
    if then is None:
        return False
    return now is None or abs(now - then) > _SAME_MOMENT


def suspends(found: Drift, trust: Literal["command", "content"]) -> bool:
    """Whether an entry with this drift is kept from running: only `hooks_trust: content` does that."""
    return trust == "content" and found in {Drift.CHANGED, Drift.UNKNOWN}
