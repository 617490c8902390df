"""`hooks doctor`: every check as it is made, and what they come to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.text import Text

from hermes_sdk.cli.hooks_documents import check_documents, listed_document, target_document
from hermes_sdk.cli.hooks_screen import show_checks, show_heading, show_notice
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.shell_hooks.doctor import entry_checks, general_checks, target_checks, verdict
from hermes_sdk.shell_hooks.listing import list_hooks
from hermes_sdk.shell_hooks.runner import EntryRunner

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rich.console import Console

    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.inspection import Check
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget


def examine_hooks(home: Path, cwd: Path, *, start: bool, as_json: bool) -> int:
    """Examine the shell hooks of a home and return the exit code.

    Args:
        home: Whose hooks.
        cwd: Where approved scripts run.
        start: Whether to run them at all.
        as_json: One document on stdout instead of a screen.
    """
    listing = list_hooks(home, cwd)
    screen = None if as_json else console()
    if start and any(listed.may_run for listed in listing.entries):
        show_notice(screen or console(sys.stderr), cwd)
    general = _seen(general_checks(listing), screen)
    checks = list(general)
    hooks, targets = [], []
    runner = EntryRunner(home, lambda: str(cwd))
    try:
        for listed in listing.entries:
            found = _seen(entry_checks(listed, listing, runner, start=start), screen, listed.entry)
            checks += found
            hooks.append(listed_document(listed) | {"checks": check_documents(found)})
    finally:
        runner.close()
    for target in listing.targets:
        found = _seen(target_checks(target), screen, target.entry)
        checks += found
        targets.append(target_document(target) | {"checks": check_documents(found)})
    end = verdict(listing, checks)
    if screen is None:
        document = {"healthy": end.healthy, "verdict": end.text, "checks": check_documents(general)}
        print_json(document | {"hooks": hooks, "outbound": targets})
    else:
        if checks:
            screen.print()
        screen.print(Text(plain(end.text), "bold" if end.healthy else "bold red"))
    return EXIT_OK if end.healthy else EXIT_FAILED


def _seen(
    checks: Iterable[Check], screen: Console | None, entry: ShellEntry | OutboundTarget | None = None
) -> list[Check]:
    """Return checks, each shown when it is made: a script may take its time."""
    if screen is not None and entry is not None:
        show_heading(screen, entry)
    found = []
    for check in checks:
        found.append(check)
        if screen is not None:
            show_checks(screen, (check,))
    return found
