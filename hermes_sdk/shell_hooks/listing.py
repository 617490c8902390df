"""`hooks list` as data: every entry, whether it may run, and what running hosts do with it (seed S35)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from hermes_sdk.config import Config
from hermes_sdk.config.dotenv import environment
from hermes_sdk.shell_hooks.answer import ANSWERABLE
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.drift import Drift, drift, suspends
from hermes_sdk.shell_hooks.entries import RESERVED, read_entries
from hermes_sdk.shell_hooks.live import live_hosts

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.consent import Approval
    from hermes_sdk.shell_hooks.entries import ShellConfig, ShellEntry
    from hermes_sdk.shell_hooks.live import LiveEntry, LiveHost
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget


class Consent(StrEnum):
    """Whether a person agreed to an entry."""

    APPROVED = "approved"
    UNAPPROVED = "not approved"
    CHANGED = "changed since approval"
    REVOKED = "revoked but live"
    """Nobody agrees any more, and a host that started before still runs it."""
    REFUSED = "refused"
    """A gate whose entry cannot be used: it blocks, consent or not."""


@dataclass(frozen=True, slots=True)
class Live:
    """What one running host did with an entry."""

    pid: int
    since: str
    entry: LiveEntry


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One configured entry and its standing."""

    entry: ShellEntry
    consent: Consent
    approval: Approval | None
    drift: Drift
    """What became of its files since the approval; unchanged without one."""
    suspended: bool
    """It changed, and `hooks_trust: content` keeps it from running."""
    live: tuple[Live, ...]
    """The running hosts that have it in force."""

    @property
    def may_run(self) -> bool:
        """Whether a host that starts now runs it."""
        return self.approval is not None and not self.suspended and not self.entry.refused

    @property
    def answer_ignored(self) -> bool:
        """Whether its event takes no answer."""
        return self.entry.event not in ANSWERABLE

    @property
    def approve_command(self) -> str:
        """What a person types to approve it."""
        return approve_command(self.entry.command)


@dataclass(frozen=True, slots=True)
class ListedTarget:
    """One outbound target and its standing."""

    entry: OutboundTarget
    approval: Approval | None
    has_key: bool
    """Whether the variable with the key of its signature is set here."""

    @property
    def consent(self) -> Consent:
        """Whether a person agreed to it."""
        return Consent.UNAPPROVED if self.approval is None else Consent.APPROVED

    @property
    def approve_command(self) -> str:
        """What a person types to approve it."""
        return approve_command(self.entry.command)


@dataclass(slots=True)
class Listing:
    """The shell hooks of one home."""

    config: Config
    found: ShellConfig
    entries: list[ListedEntry] = field(default_factory=list)
    targets: list[ListedTarget] = field(default_factory=list)
    """Where copies of events are sent."""
    problems: list[str] = field(default_factory=list)
    """What is wrong in the configuration, with its place."""
    allowlist_problem: str = ""
    hosts: list[LiveHost] = field(default_factory=list)
    switched_off: int = 0
    """Entries with ``enabled: false``."""
    left_behind: list[Live] = field(default_factory=list)
    """What running hosts have in force and the configuration does not have any more."""

    @property
    def home(self) -> Path:
        """Whose hooks."""
        return self.config.home

    @property
    def everything(self) -> list[ListedEntry | ListedTarget]:
        """Whatever a person may agree to."""
        return [*self.entries, *self.targets]

    @property
    def trust(self) -> Literal["command", "content"]:
        """``hooks_trust``."""
        return self.found.trust

    @property
    def nothing_configured(self) -> bool:
        """Whether there is truly nothing: no entry, none switched off, and nothing that was not understood."""
        return not (self.entries or self.targets or self.switched_off or self.problems)


def list_hooks(home: Path, cwd: Path | None = None) -> Listing:
    """Return the shell hooks of a home. Nothing is run and nothing is written.

    Args:
        home: The home.
        cwd: Where scripts would run: what relative words of their commands mean; by default the process's directory.
    """
    config = Config.load(home)
    found = read_entries(config)
    allowlist = Allowlist(home)
    hosts = live_hosts(home)
    problems = [*config.problems, *found.problems]
    listing = Listing(config, found, problems=[str(problem) for problem in problems], hosts=hosts)
    listing.allowlist_problem = allowlist.problem()
    listing.switched_off = _switched_off(config)
    listing.entries = [_listed(entry, allowlist.find(entry), found, hosts, cwd) for entry in found.entries]
    variables = environment(home)
    listing.targets = [
        ListedTarget(target, allowlist.find(target), bool(variables.get(target.secret_env)))
        for target in found.outbound
    ]
    configured = {(entry.event, entry.command) for entry in found.entries}
    listing.left_behind = [
        Live(host.pid, host.since, entry)
        for host in hosts
        for entry in host.entries
        if (entry.event, entry.command) not in configured and not entry.refused
    ]
    return listing


def approve_command(command: str) -> str:
    """Return what a person types to approve a command."""
    return f"hermes-sdk hooks approve {shlex.quote(command)}"


def _listed(
    entry: ShellEntry, approval: Approval | None, found: ShellConfig, hosts: list[LiveHost], cwd: Path | None
) -> ListedEntry:
    became = Drift.NONE if approval is None else drift(entry, approval, cwd)
    there = [(host, host.find(entry.event, entry.command)) for host in hosts]
    live = tuple(Live(host.pid, host.since, known) for host, known in there if known is not None and not known.refused)
    if entry.refused:
        consent = Consent.REFUSED
    elif approval is None:
        consent = Consent.REVOKED if live else Consent.UNAPPROVED
    else:
        consent = Consent.CHANGED if became is Drift.CHANGED or suspends(became, found.trust) else Consent.APPROVED
    return ListedEntry(entry, consent, approval, became, suspends(became, found.trust), live)


def _switched_off(config: Config) -> int:
    hooks = config.get("hooks")
    lists = [value for event, value in hooks.items() if event not in RESERVED] if isinstance(hooks, dict) else []
    entries = [entry for listed in lists for entry in (listed if isinstance(listed, list) else [listed])]
    return sum(isinstance(entry, dict) and entry.get("enabled") is False for entry in entries)
