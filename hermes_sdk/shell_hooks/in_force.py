"""The shell hooks of one manager: which may run, which only block, and why; kept up to date with the manager."""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.dotenv import environment
from hermes_sdk.errors import ConfigError
from hermes_sdk.home import safe_mode
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.entries import ShellConfig, ShellEntry, read_entries
from hermes_sdk.shell_hooks.listing import approve_command
from hermes_sdk.shell_hooks.live import RUN_FILE_KEY
from hermes_sdk.shell_hooks.outbound import Outbound
from hermes_sdk.shell_hooks.plugin import ShellHooks
from hermes_sdk.shell_hooks.runner import EntryRunner, hook_depth
from hermes_sdk.shell_hooks.trust import ContentTrust

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.config import Config
    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget

logger = logging.getLogger(__name__)

DRAIN: Final = 5.0
"""Seconds that background runs and deliveries have when the host ends."""

_TO_END: Final[weakref.WeakSet[HooksInForce]] = weakref.WeakSet()
"""What is to be ended with the process, unless it was closed before."""


class HooksInForce:
    """The shell hooks of one manager; a companion of it (`hermes_sdk.plugins.companions`).

    Args:
        manager: Where they are registered.
        cwd: Says in which directory the session works.
    """

    def __init__(self, manager: PluginManager, cwd: Callable[[], str]) -> None:
        self.name = RUN_FILE_KEY
        self.allowlist = Allowlist(manager.home)
        self.found = ShellConfig()
        """What the configuration says."""
        self.unapproved: list[ShellEntry | OutboundTarget] = []
        """What nobody agreed to; the fail-closed entries among these block."""
        self._manager = manager
        self._cwd = cwd
        self._not_in_order: list[str] = []
        self._trust = ContentTrust(self.allowlist)
        self._pid = os.getpid()
        self._open()

    def _open(self) -> None:
        self._closed = False
        self.hooks = ShellHooks(self._manager, EntryRunner(self._manager.home, self._cwd, self._trust.refusal))
        self.outbound = Outbound(self._manager, self._cwd)
        _TO_END.add(self)

    @property
    def entries(self) -> list[ShellEntry]:
        """The entries that are registered, gates that only block included."""
        return self.hooks.entries

    @property
    def unapproved_gates(self) -> list[ShellEntry]:
        """Fail-closed entries that nobody agreed to."""
        return [entry for entry in self.unapproved if isinstance(entry, ShellEntry) and entry.fail_closed]

    # -- coming into force -----------------------------------------------------------------------------------

    def settle(self, config: Config, *, accept: bool, ask: Callable[[Any], bool] | None = None) -> None:
        """Come into force by a configuration, in place of what was in force.

        Args:
            config: The configuration.
            accept: Approve everything that is found.
            ask: Asks a person about an entry or target; None: nobody is there.
        """
        if self._closed:
            self._open()
        self._not_in_order = []
        self.unapproved = []
        self.found = read_entries(config)
        for problem in self.found.problems:
            self._report(str(problem), logging.WARNING if problem.severity == "warning" else logging.ERROR)
        before = self.entries
        if safe_mode() != "off" or hook_depth() > 0:
            if hook_depth() > 0:
                logger.info("this process was started by a hook script: shell hooks are not registered in it")
            self.hooks.unregister()
            self.outbound.unregister()
        else:
            approved = self._approved(accept=accept or self.found.auto_accept, ask=ask)
            self._trust.bind(self.found.trust)
            settled = [self._settled(entry, approved=entry in approved) for entry in self.found.entries]
            self.hooks.register(entry for entry in settled if entry is not None)
            self.outbound.register(self._targets(approved))
            self._look_at_content()
            self._summarise()
        self.hooks.runner.retire(before)

    def _approved(self, *, accept: bool, ask: Callable[[Any], bool] | None) -> set[ShellEntry | OutboundTarget]:
        """Return the entries and targets that a person agreed to, now or earlier."""
        wanted: list[ShellEntry | OutboundTarget] = [entry for entry in self.found.entries if not entry.refused]
        wanted += self.found.outbound
        approved: set[ShellEntry | OutboundTarget] = set()
        if not wanted:
            return approved
        damage = self.allowlist.problem()
        if damage:
            self._report(damage, logging.ERROR)
        pairs = {(known.event, known.command) for known in self.allowlist.approvals()}
        for entry in wanted:
            if (entry.event, entry.command) in pairs:
                approved.add(entry)
            elif not damage and (accept or (ask is not None and ask(entry))) and self._approve(entry):
                pairs.add((entry.event, entry.command))
                approved.add(entry)
        return approved

    def _approve(self, entry: ShellEntry | OutboundTarget) -> bool:
        try:
            self.allowlist.approve([entry], self._cwd())
        except ConfigError as error:  # somebody damaged it a moment ago
            logger.error("%s", error)  # noqa: TRY400 - it says everything, and is no failure of ours
            return False
        except OSError as error:
            logger.warning("%s: the approval counts for this start only: %s", self.allowlist.path, error)
            return True
        logger.info("approved from now on: %s on %s (%s)", entry.name, entry.event, entry.where)
        return True

    def _settled(self, entry: ShellEntry, *, approved: bool) -> ShellEntry | None:
        """Return an entry as it is registered, or None where it stays out."""
        if entry.refused or approved:
            return entry
        self.unapproved.append(entry)
        way_out = f"nobody approved it; run: {approve_command(entry.command)}"
        if entry.fail_closed:
            self._report(f"{entry.name} on {entry.event} is a gate, so it blocks: {way_out}", logging.ERROR)
            return replace(entry, refused=f"the gate is not approved; run: {approve_command(entry.command)}")
        self._report(f"{entry.name} on {entry.event} is not registered: {way_out}", logging.WARNING)
        return None

    def _targets(self, approved: set[ShellEntry | OutboundTarget]) -> list[tuple[OutboundTarget, bytes]]:
        variables = environment(self._manager.home)
        found = []
        for target in self.found.outbound:
            key = variables.get(target.secret_env, "")
            if target not in approved:
                self.unapproved.append(target)
                way_out = f"nobody approved it; run: {approve_command(target.command)}"
                self._report(f"{target.name} is not registered: {way_out}", logging.WARNING)
            elif not key:
                wanted = f"{target.secret_env}, the variable with the key of its signature, is not set"
                self._report(f"{target.name} ({target.where}) is not registered: {wanted}", logging.ERROR)
            else:
                found.append((target, key.encode()))
        return found

    def _look_at_content(self) -> None:
        """Say at the start what `hooks_trust: content` is going to suspend."""
        for entry in self.entries:
            reason = "" if entry.refused else self._trust.refusal(entry, self._cwd())
            if reason:
                self._not_in_order.append(f"{entry.name} on {entry.event}: {reason}")
                self.hooks.runner.figures.warn_once(entry, reason)

    def _summarise(self) -> None:
        gates = len(self.unapproved_gates)
        if gates:
            verbs = ("gate is", "blocks") if gates == 1 else ("gates are", "block")
            logger.error("%d %s not approved and %s", gates, *verbs)

    def _report(self, text: str, level: int) -> None:
        logger.log(level, "%s", text)
        self._not_in_order.append(text)

    # -- as a companion of the manager -----------------------------------------------------------------------

    def reload(self, config: Config) -> None:
        """Come into force anew; it is no start, so nobody is asked and nothing is approved but by configuration."""
        self.settle(config, accept=False)

    def describe(self) -> list[dict[str, Any]]:
        """Return one row an entry for the run file."""
        rows = []
        for entry in self.entries:
            figures = self.hooks.runner.figures.of(entry)
            rows.append(
                {
                    "event": entry.event,
                    "command": entry.command,
                    "where": entry.where,
                    "matcher": entry.matcher.pattern if entry.matcher else None,
                    "timeout": entry.timeout,
                    "fail_closed": entry.fail_closed,
                    "refused": entry.refused,
                    "runs": figures.runs,
                    "failures": figures.failures,
                    "last_failure": figures.last_failure,
                    "p95_ms": figures.p95_ms,
                }
            )
        return rows

    def not_in_order(self) -> list[str]:
        """Return what is wrong or not in force."""
        return list(self._not_in_order)

    def gates_off(self) -> list[str]:
        """Return the gates that safe mode keeps out."""
        return [f"{entry.name} ({entry.event})" for entry in self.found.entries if entry.fail_closed]

    def interrupt(self, session_id: str) -> None:
        """End the scripts that run for a session."""
        self.hooks.runner.interrupt(session_id)

    def close(self) -> None:
        """Go out of force: let background runs and deliveries end in time, then end everything."""
        if self._closed:
            return
        self._closed = True
        _TO_END.discard(self)
        self._end()
        self.hooks.unregister()
        self.outbound.unregister()

    def end_with_the_process(self) -> None:
        """End what runs; hooks stay registered, since the host may still have to fire the last ones."""
        if os.getpid() == self._pid:  # a forked child leaves its parent's scripts alone
            self._end()

    def _end(self) -> None:
        self.hooks.close(DRAIN)
        self.outbound.close(DRAIN)


@atexit.register
def _end_all() -> None:
    for hooks in list(_TO_END):
        hooks.end_with_the_process()
