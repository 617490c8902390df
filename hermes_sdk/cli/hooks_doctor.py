"""`hooks doctor`: every check as it is made, and what they come to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hermes_sdk.cli.hooks_documents import check_documents, listed_document
from hermes_sdk.cli.hooks_screen import show_checks, show_heading, show_notice
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.shell_hooks.doctor import entry_checks, general_checks, verdict
from hermes_sdk.shell_hooks.listing import list_hooks
from hermes_sdk.shell_hooks.runner import EntryRunner

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.inspection import Check
    from hermes_sdk.shell_hooks.listing import ListedEntry


def examine_hooks(home: Path, cwd: Path, *, start: bool, as_json: bool) -> int:
    """Examine the shell hooks of a home and return the exit code.

    Args:
        home: Whose hooks.
        cwd: Where approved scripts run.
        start: Whether to run them at all.
        as_json: One document on stdout instead of a screen.
    """
    listing = list_hooks(home)
    screen = console()
    if start and any(listed.may_run for listed in listing.entries):
        show_notice(console(sys.stderr) if as_json else screen, cwd)
    checks = list(general_checks(listing))
    if not as_json:
        show_checks(screen, checks)
    runner = EntryRunner(home, lambda: str(cwd))
    documents: list[dict[str, Any]] = []
    try:
        for listed in listing.entries:
            found = []
            if not as_json:
                show_heading(screen, listed.entry)
            for check in entry_checks(listed, listing, runner, start=start):
                found.append(check)
                if not as_json:
                    show_checks(screen, (check,))
            checks += found
            documents.append(_document(listed, found))
    finally:
        runner.close()
    end = verdict(listing, checks)
    if as_json:
        general = check_documents(checks[: len(checks) - sum(len(one["checks"]) for one in documents)])
        print_json({"healthy": end.healthy, "verdict": end.text, "checks": general, "hooks": documents})
    else:
        if checks:
            screen.print()
        screen.print(Text(plain(end.text), "bold" if end.healthy else "bold red"))
    return EXIT_OK if end.healthy else EXIT_FAILED


def _document(listed: ListedEntry, checks: list[Check]) -> dict[str, Any]:
    return listed_document(listed) | {"checks": check_documents(checks)}
