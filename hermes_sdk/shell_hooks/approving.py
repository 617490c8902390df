"""`hooks approve` and `hooks revoke`: which entries a person means, and what becomes of running hosts (seed S37)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_sdk.errors import ConfigError, did_you_mean
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.listing import Consent
from hermes_sdk.shell_hooks.live import live_hosts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hermes_sdk.shell_hooks.consent import Approval
    from hermes_sdk.shell_hooks.listing import ListedEntry, ListedTarget, Listing
    from hermes_sdk.shell_hooks.live import LiveHost

_SETTLED = (Consent.APPROVED, Consent.REFUSED)


@dataclass(frozen=True, slots=True)
class Revoked:
    """What a revocation took back."""

    approvals: tuple[Approval, ...]
    still_live: tuple[LiveHost, ...]
    """Running hosts that keep the command until they end."""


def to_approve(listing: Listing, command: str | None) -> list[ListedEntry | ListedTarget]:
    """Return what is to be approved: everything with one command, or everything that waits for it.

    An entry that was approved and changed since waits too.

    Args:
        listing: The home's hooks.
        command: As it is written in config.yaml, for a URL ``POST <url>``; None for all that waits.

    Raises:
        ConfigError: No entry has this command, or it can never run as it is configured.
    """
    everything = listing.everything
    if command is None:
        return [listed for listed in everything if listed.consent not in _SETTLED]
    found = [listed for listed in everything if listed.entry.command == command]
    if not found:
        known = [listed.entry.command for listed in everything]
        raise _no_such("configured", command, known, str(listing.config.path))
    for listed in listing.entries:
        if listed in found and listed.entry.refused:
            entry = listed.entry
            raise ConfigError(f"{command!r} cannot be approved", where=entry.where, why=entry.refused, code="HS123")
    return found


def revoke(home: Path, command: str) -> Revoked:
    """Take back every approval of a command and say which running hosts keep it all the same.

    Args:
        home: Whose allowlist.
        command: As it is written in config.yaml, a tilde unexpanded (seed K14).

    Raises:
        ConfigError: Nothing with this command is approved, or the allowlist is damaged.
        OSError: The allowlist cannot be written.
    """
    allowlist = Allowlist(home)
    approvals = allowlist.revoke(command)
    if not approvals:
        known = [approval.command for approval in allowlist.approvals()]
        raise _no_such("approved", command, known, str(allowlist.path))
    pairs = {(approval.event, approval.command) for approval in approvals}
    live = [host for host in live_hosts(home) if any((entry.event, entry.command) in pairs for entry in host.entries)]
    return Revoked(tuple(approvals), tuple(live))


def _no_such(what: str, command: str, known: Iterable[str], where: str) -> ConfigError:
    known = list(dict.fromkeys(known))
    same = next((one for one in known if os.path.expanduser(one) == os.path.expanduser(command)), "")  # noqa: PTH111
    fix = f"write it as it stands there: {same!r}" if same else did_you_mean(command, known)
    return ConfigError(
        f"no shell hook with the command {command!r} is {what}",
        where=where,
        fix=fix or "`hermes-sdk hooks list` shows what there is",
        code="HS130",
    )
