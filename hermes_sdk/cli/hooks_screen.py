"""How shell hooks are shown: the list, what a run came to, and what the doctor found."""

from __future__ import annotations

import getpass
import json
import os
from typing import TYPE_CHECKING, Final

from rich.text import Text

from hermes_sdk.cli.screen import console, plain
from hermes_sdk.cli.tables import print_pair
from hermes_sdk.shell_hooks.listing import Consent, ListedEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rich.console import Console

    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.inspection import Check
    from hermes_sdk.shell_hooks.listing import ListedTarget, Listing, Live
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget
    from hermes_sdk.shell_hooks.trial import Trial

_STYLES: Final = {
    "approved": "green",
    "not approved": "yellow",
    "changed since approval": "yellow",
    "revoked but live": "red",
    "refused": "red",
    "ok": "green",
    "note": "yellow",
    "wrong": "bold red",
}
"""Words that a line begins with and their colours."""

_CONSENT: Final = max(len(consent) for consent in Consent)
_LEVEL: Final = 5
_CHECK: Final = 11
_LABEL: Final = 6
_LEAST_BODY: Final = 24
"""Below this many columns a text goes under its words."""
_SHOWN: Final = 2000
"""Characters of a payload or an output that are shown; `--json` has all."""


def show_list(listing: Listing) -> None:
    """Print every entry under its event, then what is wrong and who runs."""
    screen = console()
    event = ""
    for listed in listing.everything:
        if listed.entry.event != event:
            event = listed.entry.event
            screen.print(Text(plain(event), "bold"))
        _print_line(screen, ((str(listed.consent), _CONSENT),), listed.entry.command)
        for line in (", ".join(details(listed)), *_further_lines(listed)):
            _print_line(screen, (("", _CONSENT),), line, "dim")
    notes = list(_notes(listing))
    if event and notes:
        screen.print()
    for about, text in notes:
        print_pair(screen, about, text)


def _further_lines(listed: ListedEntry | ListedTarget) -> Iterator[str]:
    if isinstance(listed, ListedEntry):
        if listed.entry.refused:
            yield listed.entry.refused
        yield from map(_live_line, listed.live)


def details(listed: ListedEntry | ListedTarget) -> Iterator[str]:
    """Yield how an entry or target is configured, one phrase each."""
    return _entry_details(listed) if isinstance(listed, ListedEntry) else _target_details(listed)


def _target_details(listed: ListedTarget) -> Iterator[str]:
    target = listed.entry
    yield f"gets {', '.join(target.events)}"
    yield f"timeout {target.timeout:g} s"
    yield f"signed with {target.secret_env}" + ("" if listed.has_key else ", which is not set here")


def _entry_details(listed: ListedEntry) -> Iterator[str]:
    entry = listed.entry
    if entry.matcher is not None:
        yield f"matcher {entry.matcher.pattern}"
    if entry.conditions:
        yield f"when {', '.join('.'.join(condition.key) for condition in entry.conditions)}"
    yield f"timeout {entry.timeout:g} s"
    if entry.fail_closed:
        in_force = listed.may_run
        yield "fail-closed" if in_force else "fail-closed: it blocks what it is for"
    if listed.suspended:
        yield "suspended by hooks_trust: content"
    for phrase, said in (
        ("mode serve", entry.mode == "serve"),
        ("dialect claude", entry.dialect == "claude"),
        ("background", entry.background),
        ("parallel", entry.parallel),
        ("answer ignored", listed.answer_ignored),
    ):
        if said:
            yield phrase


def _live_line(live: Live) -> str:
    known = live.entry
    last = f", the last one: {known.last_failure}" if known.failures else ""
    return f"live in pid {live.pid} since {live.since}: {known.figures}{last}"


def _notes(listing: Listing) -> Iterator[tuple[str, str]]:
    if listing.nothing_configured:
        yield "config", f"no shell hooks are configured in {listing.config.path}"
    for problem in listing.problems:
        yield "config", problem
    if listing.allowlist_problem:
        yield "allowlist", listing.allowlist_problem
    if listing.switched_off:
        yield "config", f"{listing.switched_off} switched off by enabled: false"
    waiting = {Consent.UNAPPROVED, Consent.CHANGED}
    if any(listed.consent in waiting for listed in listing.everything):
        yield "consent", "read the scripts, then: hermes-sdk hooks approve"
    for left in listing.left_behind:
        yield "live", f"pid {left.pid} still runs {left.entry.command} on {left.entry.event}, no longer configured"
    if listing.entries and not listing.hosts:
        yield "live", "nowhere: no host runs for this home"
    for host in listing.hosts:
        if not host.entries:
            yield "live", f"pid {host.pid} runs since {host.since} and has no shell hook"


def show_notice(screen: Console, cwd: Path) -> None:
    """Say what is about to happen, before any script is started (seed K13)."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a user id without an entry in the system's list, as containers have
        user = f"user {os.getuid()}"
    text = (
        f"Scripts run for real: as {user}, in {cwd}, with your environment. "
        "This is no sandbox: they can change files and use the network."
    )
    for line in Text(plain(text), "bold yellow").wrap(screen, screen.width):
        line.rstrip()
        screen.print(line)


def show_heading(screen: Console, entry: ShellEntry | OutboundTarget) -> None:
    """Print which entry or target the following lines are about."""
    screen.print()
    _print_line(screen, ((entry.event, 0),), entry.command, "bold", margin=0)
    _print_line(screen, (), entry.where, "dim")


def show_checks(screen: Console, checks: Iterable[Check]) -> None:
    """Print what was looked at, one line each."""
    for check in checks:
        _print_line(screen, ((check.level, _LEVEL), (check.name, _CHECK)), check.text)


def show_trial(screen: Console, trial: Trial, before: Trial | None = None) -> None:
    """Print what a script was sent, what it did, and what that means.

    Args:
        screen: Where to.
        trial: What came of it.
        before: What was shown last; the same payload is not shown twice.
    """
    run = trial.run
    again = before is not None and before.payload == trial.payload
    status = "no exit status" if run.returncode is None else f"status {run.returncode}"
    lines = {
        "sent": "the same" if again else json.dumps(trial.payload, ensure_ascii=False),
        "exit": f"{status} after {run.duration * 1000:.0f} ms",
        "stdout": run.stdout.strip(),
        "stderr": run.stderr.strip(),
        "note": "" if trial.answer.remark in trial.meaning.text else trial.answer.remark,
        "means": trial.meaning.text,
    }
    for label, text in lines.items():
        if text:
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ... {len(text) - _SHOWN} characters more"
            level = trial.meaning.level if label == "means" else ""
            _print_line(screen, ((label, _LABEL),), shown, _STYLES.get(level, "dim" if label == "sent" else ""))


def show_fact(screen: Console, label: str, text: str) -> None:
    """Print one more thing about the entry of the last heading."""
    _print_line(screen, ((label, _LABEL),), text)


def _print_line(
    screen: Console, heads: Sequence[tuple[str, int]], body: str, style: str = "", *, margin: int = 2
) -> None:
    """Print words in columns and a text behind them that folds under itself.

    Args:
        screen: Where to.
        heads: Words and the least width of their columns.
        body: The text.
        style: Its style.
        margin: Blanks in front.
    """
    head = Text(" " * margin)
    for word, width in heads:
        shown = plain(word)
        head.append(shown.ljust(width), _STYLES.get(word, "bold"))
        head.append("  ")
    blank = Text(" " * head.cell_len)
    if screen.width - head.cell_len < _LEAST_BODY:
        if head.plain.strip():
            head.rstrip()
            screen.print(head)
        head = blank = Text(" " * (margin + 2))
    for line in Text(plain(body), style).wrap(screen, max(screen.width - head.cell_len, 1), overflow="fold"):
        line.rstrip()
        # not a character of a command may be missing: somebody agrees to it
        screen.print(Text.assemble(head, line), no_wrap=True, overflow="ignore", crop=False)
        head = blank
