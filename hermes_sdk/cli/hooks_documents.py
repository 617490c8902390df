"""Shell hooks as JSON-ready documents, for ``--json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.cli.documents import as_data
from hermes_sdk.shell_hooks.answer import Replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.inspection import Check
    from hermes_sdk.shell_hooks.listing import ListedEntry, ListedTarget, Listing, Live
    from hermes_sdk.shell_hooks.trial import Trial


def listing_document(listing: Listing) -> dict[str, Any]:
    """Return everything about the shell hooks of a home."""
    return {
        "config": str(listing.config.path),
        "hooks_trust": listing.trust,
        "hooks_auto_accept": listing.found.auto_accept,
        "hooks": [listed_document(listed) for listed in listing.entries],
        "outbound": [target_document(listed) for listed in listing.targets],
        "switched_off": listing.switched_off,
        "problems": listing.problems,
        "allowlist_problem": listing.allowlist_problem,
        "hosts": [{"pid": host.pid, "since": host.since, "hooks": len(host.entries)} for host in listing.hosts],
        "left_behind": [
            {"event": live.entry.event, "command": live.entry.command} | _live_document(live)
            for live in listing.left_behind
        ],
    }


def listed_document(listed: ListedEntry) -> dict[str, Any]:
    """Return one entry with its standing."""
    approval = listed.approval
    return entry_document(listed.entry) | {
        "consent": str(listed.consent),
        "approved_at": approval.approved_at if approval else None,
        "drift": str(listed.drift) if approval else None,
        "suspended": listed.suspended,
        "answer_ignored": listed.answer_ignored,
        "live": [_live_document(live) for live in listed.live],
    }


def target_document(listed: ListedTarget) -> dict[str, Any]:
    """Return one outbound target with its standing."""
    target, approval = listed.entry, listed.approval
    return {
        "command": target.command,
        "where": target.where,
        "events": list(target.events),
        "timeout": target.timeout,
        "secret_env": target.secret_env,
        "has_key": listed.has_key,
        "consent": str(listed.consent),
        "approved_at": approval.approved_at if approval else None,
    }


def entry_document(entry: ShellEntry) -> dict[str, Any]:
    """Return one entry as it is configured."""
    return {
        "event": entry.event,
        "command": entry.command,
        "where": entry.where,
        "matcher": entry.matcher.pattern if entry.matcher else None,
        "when": [".".join(condition.key) for condition in entry.conditions],
        "timeout": entry.timeout,
        "fail_closed": entry.fail_closed,
        "mode": entry.mode,
        "dialect": entry.dialect,
        "background": entry.background,
        "parallel": entry.parallel,
        "env": None if entry.env is None else list(entry.env),
        "refused": entry.refused,
    }


def _live_document(live: Live) -> dict[str, Any]:
    known = live.entry
    return {
        "pid": live.pid,
        "since": live.since,
        "runs": known.runs,
        "failures": known.failures,
        "last_failure": known.last_failure,
        "p95_ms": known.p95_ms,
    }


def trial_document(trial: Trial) -> dict[str, Any]:
    """Return what came of one run."""
    run, answer = trial.run, trial.answer
    return {
        "payload": as_data(trial.payload),
        "exit_status": run.returncode,
        "duration_ms": round(run.duration * 1000, 3),
        "stdout": run.stdout,
        "stderr": run.stderr,
        "answer": as_data(_answer(answer.directive)),
        "failure": answer.failure,
        "remark": answer.remark,
        "outcome": trial.meaning.word,
        "meaning": trial.meaning.text,
    }


def _answer(directive: object) -> object:
    """Return an answer in the form that a script could have given it in."""
    if isinstance(directive, Replace):
        return {"updatedInput": directive.args} | (directive.approve.to_dict() if directive.approve else {})
    to_dict = getattr(directive, "to_dict", None)
    return to_dict() if to_dict else directive


def check_documents(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Return what was looked at."""
    return [{"check": check.name, "level": check.level, "text": check.text} for check in checks]
