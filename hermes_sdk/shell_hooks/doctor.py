"""`hooks doctor` as data: what is wrong with the shell hooks of a home, and whether anybody has them in force.

Only approved entries are run, on a firing made up from the contract (seed S38, S41 and K12). "The configuration is
fine" and "it is live" are two findings, because a host that was started before, or on another way, has other hooks.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from hermes_sdk.home import safe_mode, truthy_env
from hermes_sdk.shell_hooks.drift import Drift
from hermes_sdk.shell_hooks.inspection import Check, inspect_files
from hermes_sdk.shell_hooks.listing import Consent
from hermes_sdk.shell_hooks.register import ACCEPT
from hermes_sdk.shell_hooks.trial import matching_tool, sample_firing, try_entry, why_not_concerned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hermes_sdk.shell_hooks.consent import Approval
    from hermes_sdk.shell_hooks.listing import ListedEntry, ListedTarget, Listing
    from hermes_sdk.shell_hooks.live import LiveHost
    from hermes_sdk.shell_hooks.runner import EntryRunner
    from hermes_sdk.shell_hooks.trial import Trial

SLOW: Final = 1.0
"""Seconds from which a run is pointed out."""

_SECRET: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)S?(_|$)", re.IGNORECASE)
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all checks come to."""

    healthy: bool
    """Whether nothing is wrong; says nothing about a host having the hooks in force."""
    text: str


def general_checks(listing: Listing) -> Iterator[Check]:
    """Yield what concerns the home as a whole: configuration, allowlist, environment, running hosts."""
    for problem in listing.problems:
        yield Check("config", "wrong", problem)
    if listing.allowlist_problem:
        yield Check("allowlist", "wrong", listing.allowlist_problem)
    if safe_mode() != "off":
        yield Check("safe mode", "note", "HERMES_SAFE_MODE is set: a host that starts with it runs no shell hook")
    if listing.found.auto_accept or truthy_env(ACCEPT):
        switch = "hooks_auto_accept" if listing.found.auto_accept else ACCEPT
        text = f"{switch} is on: a host that starts approves whatever stands in the configuration"
        yield Check("consent", "note", text)
    yield from _secrets(listing)
    for host in listing.hosts:
        if not host.entries and any(listed.may_run for listed in listing.entries):
            text = f"pid {host.pid} runs since {host.since} and has none of these hooks; start it anew"
            yield Check("live", "wrong", text)
    for left in listing.left_behind:
        text = f"pid {left.pid} still runs {left.entry.command} on {left.entry.event}, which is no longer configured"
        yield Check("live", "wrong", f"{text}; start it anew")


def _secrets(listing: Listing) -> Iterator[Check]:
    open_ones = [listed.entry for listed in listing.entries if listed.entry.env is None and not listed.entry.url]
    names = sorted(name for name in os.environ if _SECRET.search(name))
    if not open_ones or not names:
        return
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    text = f"scripts inherit variables that look like secrets here: {shown}; env: [NAME, ...] narrows what one gets"
    yield Check("environment", "note", text)


def entry_checks(listed: ListedEntry, listing: Listing, runner: EntryRunner, *, start: bool) -> Iterator[Check]:
    """Yield what is found about one entry.

    Args:
        listed: The entry.
        listing: The home's other hooks and its hosts.
        runner: Runs its script, in the directory where it would run.
        start: Whether to run the script at all; nothing unapproved is run in any case.
    """
    files = list(inspect_files(listed.entry, runner.environment(listed.entry)))
    yield from files
    yield _consent(listed, listing)
    if listed.approval is not None and not listed.entry.url:
        yield _drift(listed)
    for name in listed.entry.env or ():
        if name not in os.environ:
            yield Check("environment", "note", f"env names {name}, which is not set here")
    if not start:
        yield Check("answer", "note", "not run")
    elif not listed.may_run:
        yield Check("answer", "note", f"not run: {_why_not(listed)}")
    elif any(check.level == "wrong" for check in files):
        yield Check("answer", "note", "not run: mend its files first")
    else:
        yield from _answer(listed, runner)
    yield from _live(listed, listing.hosts)


def _consent(listed: ListedEntry, listing: Listing) -> Check:
    entry, approval = listed.entry, listed.approval
    if entry.refused:
        return Check("consent", "wrong", f"it is a gate that cannot be used, so it blocks: {entry.refused}")
    if approval is not None:
        return Check(
            "consent", "ok", f"approved {approval.approved_at}" if approval.approved_at else "approved by hand"
        )
    if listing.found.auto_accept or truthy_env(ACCEPT):
        return Check("consent", "note", "not approved; the next start approves it")
    if listed.consent is Consent.REVOKED:
        pids = ", ".join(str(live.pid) for live in listed.live)
        return Check("consent", "wrong", f"revoked, and still live in pid {pids} until that ends")
    effect = "blocks every call that it is for" if entry.fail_closed else "does not run"
    return Check("consent", "wrong", f"nobody approved it, so it {effect}; read it, then: {listed.approve_command}")


def _drift(listed: ListedEntry) -> Check:
    approval = listed.approval
    since = f" since {approval.approved_at}" if approval is not None and approval.approved_at else " since then"
    again = f"read it, then: {listed.approve_command}"
    match listed.drift:
        case Drift.CHANGED:
            effect = _suspended(listed) if listed.suspended else ""
            return Check("drift", "wrong", f"it changed{since}{effect}; {again}")
        case Drift.UNKNOWN if listed.suspended:
            return Check("drift", "wrong", f"the approval does not say of which content{_suspended(listed)}; {again}")
        case Drift.UNKNOWN:
            return Check("drift", "note", "unknown: the approval says neither time nor content")
        case Drift.TOUCHED:
            return Check("drift", "ok", f"touched{since}, with the same content")
        case _:
            return Check("drift", "ok", f"unchanged{since}")


def _suspended(listed: ListedEntry) -> str:
    return ", so hooks_trust: content suspends it" + (" and it blocks" if listed.entry.fail_closed else "")


def _why_not(listed: ListedEntry) -> str:
    if listed.entry.refused:
        return "it cannot be used as it is configured"
    return "it is suspended" if listed.suspended else "nobody approved it"


def _answer(listed: ListedEntry, runner: EntryRunner) -> Iterator[Check]:
    entry = listed.entry
    firing = sample_firing(entry.event, tool=matching_tool(entry))
    apart = why_not_concerned(entry, firing.arguments)
    trial = try_entry(runner, entry, firing.arguments)
    yield Check("answer", trial.meaning.level, f"{trial.meaning.text} ({_how(trial)})")
    if trial.answer.remark and trial.answer.remark not in trial.meaning.text:
        yield Check("output", "note", trial.answer.remark)
    if apart:
        yield Check("payload", "note", f"tried on a sample that it is not for: {apart.partition(';')[0]}")
    if trial.run.duration >= SLOW:
        yield Check("time", "note", _slow(listed, trial.run.duration))


def _how(trial: Trial) -> str:
    """Return how the run went, beside what it means."""
    took = f"{trial.run.duration * 1000:.0f} ms"
    if trial.answer.failure:
        return took
    printed = "valid JSON" if trial.run.stdout.strip() else "nothing printed"
    return f"exit status {trial.run.returncode}, {printed}, {took}"


def _slow(listed: ListedEntry, seconds: float) -> str:
    entry = listed.entry
    if entry.background:
        return f"{seconds:.1f} s, off the agent's path"
    advice = "; background: true takes it off the agent's path" if listed.answer_ignored else ""
    return f"{seconds:.1f} s that the agent waits each time{advice}"


def _live(listed: ListedEntry, hosts: Iterable[LiveHost]) -> Iterator[Check]:
    entry = listed.entry
    for host in hosts:
        known = host.find(entry.event, entry.command)
        if known is None:
            if host.entries and listed.may_run:
                yield Check("live", "wrong", f"pid {host.pid} runs since {host.since} without it; start it anew")
        elif known.refused:
            yield Check("live", "wrong", f"in pid {host.pid} since {host.since} it only blocks: {known.refused}")
        else:
            yield Check("live", "ok", f"in pid {host.pid} since {host.since}: {known.figures}")
            if known.failures:
                yield Check("live", "note", f"the last failure there: {known.last_failure}")


def target_checks(listed: ListedTarget) -> Iterator[Check]:
    """Yield what is found about one outbound target; nothing is sent to it."""
    target = listed.entry
    if listed.approval is None:
        yield Check(
            "consent", "wrong", f"nobody approved it, so nothing is sent; to allow it: {listed.approve_command}"
        )
    else:
        yield Check("consent", "ok", _approved(listed.approval))
    if not listed.has_key:
        yield Check("signature", "wrong", f"{target.secret_env}, the variable with its key, is not set here")
    if find_spec("httpx") is None:
        yield Check("program", "wrong", "it needs httpx; install it with: pip install 'hermes-sdk[http]'")
    yield Check("delivery", "note", "nothing is sent: a delivery would be a real one")


def _approved(approval: Approval) -> str:
    return f"approved {approval.approved_at}" if approval.approved_at else "approved by hand"


def verdict(listing: Listing, checks: Iterable[Check]) -> Verdict:
    """Return what all checks of a home come to.

    Args:
        listing: Its hooks.
        checks: Everything that `general_checks` and `entry_checks` found.
    """
    wrong = sum(check.level == "wrong" for check in checks)
    if wrong:
        return Verdict(healthy=False, text=f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong")
    if listing.nothing_configured:
        return Verdict(healthy=True, text=f"no shell hooks are configured in {listing.config.path}")
    live = {known.pid: known.since for listed in listing.entries for known in listed.live}
    if live:
        where = ", ".join(f"pid {pid} since {since}" for pid, since in live.items())
        return Verdict(healthy=True, text=f"the configuration is fine, and live in {where}")
    why = "the running host has none of it" if listing.hosts else f"no host runs for {listing.home}"
    return Verdict(healthy=True, text=f"the configuration is fine; it is live nowhere: {why}")
