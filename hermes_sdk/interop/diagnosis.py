"""What is wrong with the plugins of a home, in our own host or inside of hermes-agent: `hermes-sdk doctor` as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import counted
from hermes_sdk.interop.running import running_bridge
from hermes_sdk.plugins.listing import list_installed
from hermes_sdk.plugins.runfile import running_hosts
from hermes_sdk.plugins.selection import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WRONG: Final = frozenset({Status.FAILED, Status.REFUSED, Status.BROKEN, Status.DEGRADED})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as somebody wants it."""

    about: str
    """A plugin, ``config``, or the host."""
    text: str


@dataclass(slots=True)
class Diagnosis:
    """Everything that was looked at."""

    host: str
    """``hermes-agent`` and its version inside of it, else empty."""
    plugins: list[str]
    """The plugins in force, in calling order; outside of hermes-agent those that would be."""
    findings: list[Finding] = field(default_factory=list)
    live: list[dict[str, Any]] = field(default_factory=list)
    """The running hosts of this home, JSON-ready: their ``pid`` and when they ``started``."""


def diagnose(home: Path) -> Diagnosis:
    """Look at the plugins of a home; inside of hermes-agent at those of its bridge, which are loaded there.

    Args:
        home: The home.
    """
    bridge = running_bridge(home)
    if bridge is None:
        rows, problems = list_installed(home)
    else:
        rows, problems = bridge.manager.list_plugins(), bridge.manager.problems
    findings = [Finding("config", str(problem)) for problem in problems]
    findings.extend(_about_plugins(rows))
    host = ""
    if bridge is not None:
        host = bridge.host.name()
        findings.extend(Finding("gate", block.text) for block in bridge.manager.standing_blocks)
        findings.extend(Finding(host, limit) for limit in bridge.limits())
    in_force = [row["key"] for row in rows if row["order"] is not None]
    live = [{"pid": each["pid"], "started": each["started"]} for each in running_hosts(home)]
    return Diagnosis(host, in_force, findings, live)


def _about_plugins(rows: list[dict[str, Any]]) -> Iterator[Finding]:
    for row in rows:
        if row["status"] in _WRONG or row["needs"]:
            yield Finding(row["key"], f"{row['status']}: {row['why']}")
        if row["failures"]:
            yield Finding(row["key"], f"{counted(row['failures'], 'failure')}, the last one: {row['last_failure']}")
        for problem in row["problems"]:
            if problem != row["why"]:
                yield Finding(row["key"], problem)
