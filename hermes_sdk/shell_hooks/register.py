"""The host's one call: read the ``hooks:`` block, settle consent, register what may run.

What a person has not agreed to is not registered, but a fail-closed entry then blocks in its own place, so that a
policy does not vanish because nobody was there to be asked (semantics 3.2 and 8.6).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hermes_sdk.config import Config
from hermes_sdk.home import hermes_home, truthy_env
from hermes_sdk.shell_hooks.consent import Allowlist, content_digest
from hermes_sdk.shell_hooks.entries import ShellConfig, ShellEntry, read_entries
from hermes_sdk.shell_hooks.plugin import ShellHooks
from hermes_sdk.shell_hooks.runner import EntryRunner, hook_depth

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.config.problems import Problem
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

ACCEPT: str = "HERMES_ACCEPT_HOOKS"
"""Environment switch that approves every entry found at a start."""

Ask = Callable[[ShellEntry], bool]
"""Asks a person whether an entry may run from now on; only given where a person is there."""


@dataclass(slots=True)
class Registered:
    """What became of a home's shell entries."""

    hooks: ShellHooks | None = None
    """None where nothing was registered."""
    unapproved: list[ShellEntry] = field(default_factory=list)
    """Entries that nobody agreed to; the fail-closed ones among them block."""
    problems: list[Problem] = field(default_factory=list)
    allowlist: Allowlist | None = None

    @property
    def unapproved_gates(self) -> list[ShellEntry]:
        """Fail-closed entries that nobody agreed to."""
        return [entry for entry in self.unapproved if entry.fail_closed]


def register_from_config(
    cfg: Config | Mapping[str, Any] | None = None,
    accept_hooks: bool = False,
    *,
    manager: PluginManager,
    ask: Ask | None = None,
    cwd: Callable[[], str] | None = None,
) -> Registered:
    """Register the shell entries of a configuration with a manager, in place of those registered before.

    Args:
        cfg: The configuration; the manager's home is read when there is none.
        accept_hooks: Approve every entry that is found, as ``--accept-hooks`` does.
        manager: Where they are registered.
        ask: Asks a person about an entry; without it unapproved entries stay out.
        cwd: Says in which directory the session works; by default the process's own.
    """
    config = _config(cfg, manager.home)
    found = read_entries(config)
    allowlist = Allowlist(config.home)
    registered = Registered(problems=list(found.problems), allowlist=allowlist)
    for problem in found.problems:
        logger.warning("%s", problem)
    if hook_depth() > 0:
        logger.info("inside of a hook script: shell hooks are not registered again")
        return registered
    if allowlist.problem():
        logger.error("%s", allowlist.problem())
    accepted = accept_hooks or found.auto_accept or truthy_env(ACCEPT)
    entries = [_settled(entry, allowlist, registered, accepted=accepted, ask=ask) for entry in found.entries]
    kept = [entry for entry in entries if entry is not None]
    runner = EntryRunner(config.home, cwd or os.getcwd)
    registered.hooks = ShellHooks(manager, runner, _Drift(allowlist, found).reason)
    registered.hooks.register(kept)
    return registered


def _config(cfg: Config | Mapping[str, Any] | None, home: Path | None) -> Config:
    if isinstance(cfg, Config):
        return cfg
    where = home or hermes_home()
    return Config.load(where) if cfg is None else Config.of(where, cfg)


def _settled(
    entry: ShellEntry, allowlist: Allowlist, registered: Registered, *, accepted: bool, ask: Ask | None
) -> ShellEntry | None:
    """Return the entry as it is registered, or None where it stays out."""
    if entry.refused or allowlist.find(entry) is not None:
        return entry
    if not allowlist.problem() and (accepted or (ask is not None and ask(entry))):
        allowlist.approve([entry])
        logger.info("approved from now on: %s on %s (%s)", entry.name, entry.event, entry.where)
        return entry
    registered.unapproved.append(entry)
    way_out = f"run: hermes-sdk hooks approve {entry.command!r}"
    if entry.fail_closed:
        logger.error("%s on %s is a gate that nobody approved, so it blocks; %s", entry.name, entry.event, way_out)
        return replace(entry, refused=f"the gate is not approved; {way_out}")
    logger.warning("%s on %s is not registered: nobody approved it; %s", entry.name, entry.event, way_out)
    return None


class _Drift:
    """Sees to `hooks_trust: content`: what was approved is what runs, byte for byte."""

    def __init__(self, allowlist: Allowlist, config: ShellConfig) -> None:
        self._allowlist = allowlist
        self._checks = config.trust == "content"

    def reason(self, entry: ShellEntry) -> str:
        """Return why an entry must not start at this moment, or an empty string."""
        if not self._checks or entry.url:
            return ""
        approval = self._allowlist.find(entry)
        if approval is not None and approval.content == content_digest(entry):
            return ""
        logger.warning("%s on %s is suspended: it changed since it was approved", entry.name, entry.event)
        return f"it changed since it was approved; run: hermes-sdk hooks approve {entry.command!r}"
