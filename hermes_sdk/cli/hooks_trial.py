"""`hooks test`: an event fired at its scripts for real, and what their answers mean."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.cli.ask import someone_is_there
from hermes_sdk.cli.hooks_consent import agrees, nobody_there
from hermes_sdk.cli.hooks_screen import show_fact, show_heading, show_notice, show_trial
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK, warn
from hermes_sdk.cli.screen import console, print_json
from hermes_sdk.errors import ConfigError
from hermes_sdk.shell_hooks.listing import list_hooks
from hermes_sdk.shell_hooks.runner import EntryRunner
from hermes_sdk.shell_hooks.trial import read_given, sample_firing, try_entry, why_not_concerned

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.listing import ListedEntry
    from hermes_sdk.shell_hooks.trial import Firing, Trial


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """What the command line asked for."""

    event: str
    home: Path
    cwd: Path
    tool: str = ""
    payload_file: Path | None = None
    yes: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class _Tried:
    """One entry of the event and what became of it."""

    listed: ListedEntry
    why_not: str = ""
    """Why it was not run."""
    missed: bool = False
    """It concerns the event and was not run all the same."""
    trial: Trial | None = None

    @property
    def wrong(self) -> bool:
        return self.missed or (self.trial is not None and self.trial.meaning.level == "wrong")


def try_hooks(request: TrialRequest) -> int:
    """Fire the event at each entry that it concerns and return the exit code.

    Raises:
        ConfigError: The event is unknown or has no entry, the payload cannot be used, or an entry is not approved and
            nobody can be asked.
    """
    given = None if request.payload_file is None else read_given(request.payload_file)
    firing = sample_firing(request.event, tool=request.tool, given=given)
    listing = list_hooks(request.home, request.cwd)
    for problem in (*listing.problems, *firing.remarks):
        warn(problem)
    entries = [listed for listed in listing.entries if listed.entry.event == request.event]
    if not entries:
        raise ConfigError(
            f"no shell hook is configured for {request.event}",
            where=str(listing.config.path),
            fix="`hermes-sdk hooks list` shows what there is",
            code="HS130",
        )
    _see_that_somebody_can_be_asked(request, entries, firing)
    # the warning stands in front of everything that is started, on stderr too when stdout is for a program
    screen = console(sys.stderr if request.as_json else None)
    show_notice(screen, request.cwd)
    runner = EntryRunner(request.home, lambda: str(request.cwd))
    tried: list[_Tried] = []
    try:
        for listed in entries:
            one = _try(request, runner, listed, firing)
            if not request.as_json:
                _show(one, next((before.trial for before in reversed(tried) if before.trial), None))
            tried.append(one)
    finally:
        runner.close()
    if request.as_json:
        print_json({"event": request.event, "cwd": str(request.cwd), "hooks": list(map(_document, tried))})
    return EXIT_FAILED if any(one.wrong for one in tried) else EXIT_OK


def _see_that_somebody_can_be_asked(request: TrialRequest, entries: list[ListedEntry], firing: Firing) -> None:
    asked = [
        listed
        for listed in entries
        if not listed.may_run and not listed.entry.refused and listed.entry.matches(firing.arguments)
    ]
    if asked and not request.yes and not someone_is_there():
        raise nobody_there(len(asked), "run")


def _try(request: TrialRequest, runner: EntryRunner, listed: ListedEntry, firing: Firing) -> _Tried:
    entry = listed.entry
    apart = why_not_concerned(entry, firing.arguments)
    if apart:
        return _Tried(listed, f"not concerned: {apart}")
    if entry.refused:
        return _Tried(listed, f"not run, it cannot be used and so it blocks: {entry.refused}", missed=True)
    if not listed.may_run and not request.yes and not agrees(listed, "not approved; run it now, this once"):
        return _Tried(listed, "not run: it is not approved", missed=True)
    return _Tried(listed, trial=try_entry(runner, entry, firing.arguments))


def _show(tried: _Tried, before: Trial | None) -> None:
    screen = console()
    show_heading(screen, tried.listed.entry)
    if tried.trial is None:
        show_fact(screen, "note", tried.why_not)
    else:
        show_trial(screen, tried.trial, before)


def _document(tried: _Tried) -> dict[str, Any]:
    from hermes_sdk.cli.hooks_documents import listed_document, trial_document

    ran = tried.trial
    what = {"ran": ran is not None, "why_not": tried.why_not, "wrong": tried.wrong}
    return listed_document(tried.listed) | what | ({} if ran is None else trial_document(ran))
