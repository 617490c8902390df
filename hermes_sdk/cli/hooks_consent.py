"""`hooks approve` and `hooks revoke`: what a person agrees to, asked one by one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hermes_sdk.cli.ask import ask, someone_is_there
from hermes_sdk.cli.hooks_screen import details, show_fact, show_heading
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.errors import ConfigError
from hermes_sdk.shell_hooks.approving import revoke, to_approve
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.listing import Consent, list_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.listing import ListedEntry, ListedTarget


def approve_hooks(home: Path, command: str | None, *, yes: bool, as_json: bool) -> int:
    """Approve the entries of a command, or ask about each that waits; return the exit code.

    Raises:
        ConfigError: No entry has the command, nobody is there to be asked, or the allowlist is damaged.
    """
    listing = list_hooks(home)
    waiting = to_approve(listing, command)
    if listing.allowlist_problem:
        Allowlist(home).approve([])  # raises with the whole story
    if waiting and command is None and not yes and not someone_is_there():
        raise nobody_there(len(waiting), "approve")
    agreed = [listed for listed in waiting if yes or command is not None or agrees(listed, "approve it")]
    if agreed:
        Allowlist(home).approve([listed.entry for listed in agreed])
    refused = [listed for listed in waiting if listed not in agreed]
    if as_json:
        pairs = [
            [{"event": one.entry.event, "command": one.entry.command} for one in some] for some in (agreed, refused)
        ]
        print_json({"approved": pairs[0], "not_approved": pairs[1]})
    else:
        for listed in agreed:
            print(plain(f"approved {listed.entry.command} on {listed.entry.event}"))
        if not waiting:
            print("nothing waits for approval")
        for host in listing.hosts if agreed else ():
            print(f"pid {host.pid} runs since {host.since} and takes that up when it is started anew")
    return EXIT_FAILED if refused else EXIT_OK


def revoke_hooks(home: Path, command: str, *, as_json: bool) -> int:
    """Take every approval of a command back and return the exit code.

    Raises:
        ConfigError: Nothing with this command is approved, or the allowlist is damaged.
    """
    revoked = revoke(home, command)
    if as_json:
        print_json(
            {
                "revoked": [{"event": one.event, "command": one.command} for one in revoked.approvals],
                "still_live": [{"pid": host.pid, "since": host.since} for host in revoked.still_live],
            }
        )
        return EXIT_OK
    for approval in revoked.approvals:
        print(plain(f"revoked {approval.command} on {approval.event}, from the next start on"))
    for host in revoked.still_live:
        print(f"pid {host.pid} runs since {host.since} and keeps it until it ends")
    if not revoked.still_live:
        print("a host that is already running keeps its hooks until it ends")
    return EXIT_OK


def agrees(listed: ListedEntry | ListedTarget, what: str) -> bool:
    """Show an entry and ask the person at the terminal about it; the question goes to stderr."""
    screen = console(sys.stderr)
    show_heading(screen, listed.entry)
    if listed.entry.argv:
        show_fact(screen, "runs", " ".join(listed.entry.argv))
    show_fact(screen, "with", ", ".join(details(listed)))
    if listed.consent is Consent.CHANGED and listed.approval is not None:
        show_fact(screen, "note", f"it changed since it was approved {listed.approval.approved_at or 'by hand'}")
    return ask(what, ("yes", "no"), screen=sys.stderr) == "yes"


def nobody_there(count: int, verb: str) -> ConfigError:
    """Return the error of a question that nobody can answer."""
    return ConfigError(
        f"{count} shell {'hook is' if count == 1 else 'hooks are'} not approved",
        why="standard input is no terminal, so nobody can be asked",
        fix=f"read what they do, then add --yes to {verb} them",
        code="HS131",
    )
