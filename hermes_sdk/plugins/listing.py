"""`plugins list` as data: one row a plugin, with or without a manager. Imports no plugin, and not pluggy either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.config import Config
from hermes_sdk.config.dotenv import environment
from hermes_sdk.plugins.gates import hooks_at_stake
from hermes_sdk.plugins.loaded import declared_gate
from hermes_sdk.plugins.selection import Status
from hermes_sdk.plugins.survey import Sources, survey

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hermes_sdk.config import Problem
    from hermes_sdk.plugins.section import Entry
    from hermes_sdk.plugins.selection import Decision


def list_installed(home: Path, sources: Sources | None = None) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Return a row for every plugin of a home, and what is wrong with its configuration.

    What a running host knows (hooks, tools, failures) comes from its run file; rows have the keys of
    `PluginManager.list_plugins`.

    Args:
        home: The home.
        sources: Where to look besides.
    """
    known = survey(home, Config.load(home), sources or Sources())
    places = {id(candidate): place for place, candidate in enumerate(known.order, start=1)}
    variables = environment(home)
    rows = [
        row(decision, known.section.entry(decision.candidate), variables, places.get(id(decision.candidate)))
        for decision in known.decisions
    ]
    if (home / "run").is_dir():
        from hermes_sdk.plugins.runfile import running_hosts

        for host in running_hosts(home)[:1]:
            _add_live(rows, host)
    return in_order(rows), known.problems


def row(
    decision: Decision, entry: Entry, variables: Mapping[str, str], place: int | None, **more: Any
) -> dict[str, Any]:
    """Return the row of one plugin.

    Args:
        decision: What became of it.
        entry: Its entry in config.yaml.
        variables: The environment, for ``needs``.
        place: Its place in the calling order, from 1.
        more: Values of keys that only a manager knows: ``hooks``, ``tools``, ``failures``, ...
    """
    candidate = decision.candidate
    manifest = candidate.manifest
    in_force = decision.status in {Status.ENABLED, Status.LOADED, Status.DEGRADED}
    needs = [name for name in manifest.required_variables if not variables.get(name)] if in_force else []
    why = decision.why
    if needs:
        why = "; ".join(filter(None, (why, f"needs {', '.join(needs)}")))
    return {
        "name": candidate.name,
        "key": candidate.key,
        "source": candidate.source,
        "distribution": candidate.distribution,
        "version": candidate.version,
        "description": manifest.description,
        "author": manifest.author,
        "kind": manifest.kind,
        "path": candidate.path,
        "status": str(decision.status),
        "enabled": in_force,
        "why": why,
        "needs": needs,
        "order": place if in_force else None,
        "hooks": list(manifest.provides_hooks),
        "tools": list(manifest.provides_tools),
        "commands": [],
        "cli_commands": [],
        "skills": [],
        "middleware": [],
        "fail_closed": list(hooks_at_stake(declared_gate(candidate, entry), manifest.provides_hooks)),
        "failures": 0,
        "last_failure": "",
        "suspended": False,
        "shared_module": candidate.entry_point is not None,
        "problems": [str(problem) for problem in candidate.problems],
        "live": None,
    } | more


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return plugins in force first, in calling order, then the others as they were found."""
    return sorted(rows, key=lambda row: (row["order"] is None, row["order"] or 0))


def _add_live(rows: list[dict[str, Any]], host: dict[str, Any]) -> None:
    """Complete the rows by what a running host says about the same plugins."""
    known = {row["key"]: row for row in rows if row["enabled"]}
    for theirs in host.get("plugins", ()):
        row = known.get(theirs.get("key")) if isinstance(theirs, dict) else None
        if row is None or row["path"] != theirs.get("path"):
            continue
        kept = ("hooks", "tools", "commands", "skills", "middleware", "failures", "last_failure", "suspended")
        row.update({key: theirs[key] for key in kept if key in theirs})
        row["live"] = {"pid": host["pid"], "since": host["started"]}
