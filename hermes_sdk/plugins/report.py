"""What a manager tells about its plugins: rows, the run file, and the one error of strict mode."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.errors import StrictError
from hermes_sdk.plugins.gates import hooks_at_stake
from hermes_sdk.plugins.listing import in_order, row
from hermes_sdk.plugins.loaded import declared_gate
from hermes_sdk.plugins.selection import Status, Wishes
from hermes_sdk.plugins.standing import gates_of_nobody

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.plugins.section import PluginsSection
    from hermes_sdk.plugins.selection import Decision

logger = logging.getLogger(__name__)

_NOT_IN_ORDER = (Status.FAILED, Status.REFUSED, Status.BROKEN, Status.DEGRADED)


def announce(decision: Decision) -> None:
    """Log what was decided on a plugin, and what is wrong with its manifest."""
    candidate = decision.candidate
    for problem in candidate.problems:
        logger.warning("plugin %r: %s", candidate.key, problem)
    loud = decision.status in {Status.REFUSED, Status.FOREIGN}
    level = logging.WARNING if loud else logging.DEBUG
    outcome = f"{decision.status}: {decision.why}" if decision.why else str(decision.status)
    logger.log(level, "plugin %r (%s): %s", candidate.key, candidate.place, outcome)


def rows(manager: PluginManager, variables: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one row a plugin, with what is known of the loaded ones.

    Args:
        manager: Whose plugins.
        variables: The environment, for what plugins need of it.
    """
    # copies, no lock: another thread may be loading, and a plugin's register() may wait for this answer
    places = {key: place for place, key in enumerate(dict(manager.plugins), start=1)}
    found = []
    for decision in list(manager.decisions):
        key = decision.candidate.key
        entry = manager.section.entry(decision.candidate)
        more = _known(manager, decision)
        found.append(row(decision, entry, variables, places.get(key) if more else None, **more))
    return in_order(found)


def _known(manager: PluginManager, decision: Decision) -> dict[str, Any]:
    """Return what only a manager knows about a plugin; nothing where it is not loaded."""
    key = decision.candidate.key
    failures = manager.failures.get(key)
    counts: dict[str, Any] = {}
    if failures is not None:
        counts = {
            "failures": failures.count,
            "last_failure": failures.last,
            "late": failures.late,
            "suspended": failures.suspended,
        }
    plugin = manager.plugins.get(key)
    if plugin is None or plugin.candidate is not decision.candidate:
        return counts if decision.status is Status.FAILED else {}
    registered = manager.registrations
    return counts | {
        "hooks": plugin.hooks,
        "tools": [entry.name for entry in registered.tool_table.of(key)],
        "commands": [entry.name for entry in registered.command_table.of(key)],
        "cli_commands": [entry.name for entry in registered.cli_table.of(key)],
        "skills": [entry.name for entry in registered.skill_table.of(key)],
        "middleware": list(dict.fromkeys(entry.name for entry in registered.middleware_table.of(key))),
        "background": 0 if plugin.queue is None else plugin.queue.pending,
    }


def gates_off(decisions: Collection[Decision], section: PluginsSection) -> list[str]:
    """Return the fail-closed plugins that would be in force or leave a block, as ``name (hooks)``."""
    wishes = Wishes(section)
    found = []
    for candidate in (decision.candidate for decision in decisions):
        if not wishes.may_want(candidate) or wishes.disabled_by(candidate):
            continue
        declared = declared_gate(candidate, section.entry(candidate))
        if hooks := hooks_at_stake(declared, candidate.manifest.provides_hooks):
            found.append(f"{candidate.key} ({', '.join(hooks)})")
    found += [f"{entry.name} ({', '.join(hooks)})" for entry, hooks in gates_of_nobody(decisions, section)]
    return found


def describe_run(manager: PluginManager) -> dict[str, Any]:
    """Return the content of the run file, JSON-ready."""
    listed = manager.list_plugins()
    hooks = {hook: [plugin for plugin, _, _ in manager.calling_order(hook)] for hook in HOOKS}
    return {
        "home": str(manager.home),
        "plugins": listed,
        "order": [each["key"] for each in listed if each["order"] is not None],
        "hooks": {hook: plugins for hook, plugins in hooks.items() if plugins},
        "standing_blocks": [block.text for block in manager.standing_blocks],
        "problems": [str(problem) for problem in manager.problems],
        **manager.companions.describe(),
    }


def strict_error(manager: PluginManager) -> StrictError | None:
    """Return one error that names everything that is not in order, or None."""
    found = [str(problem) for problem in manager.problems]
    for each in manager.list_plugins():
        if each["status"] in _NOT_IN_ORDER:
            origin = " ".join(filter(None, (each["distribution"], each["version"]))) or each["path"]
            found.append(f"plugin {each['key']!r} ({origin}): {each['status']}: {each['why']}")
    found.extend(block.text for block in manager.standing_blocks)
    found.extend(manager.companions.not_in_order())
    if not found:
        return None
    listed = "\n".join(f"  - {text}" for text in dict.fromkeys(found))
    return StrictError(f"strict mode: {len(found)} things are not in order\n{listed}")
