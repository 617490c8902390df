"""Runs in our environment: loads homes in our PluginManager and calls hooks in each way there is.

Each way is a pass of its own, with plugins loaded anew: `invoke_hook`, `manager.hook` and `manager.ahook`. What
plugins see must be the same in all of them.
"""

import asyncio
from collections import Counter
from pathlib import Path

import exchange
from compat_probe import taken
from execution import outcome_of
from our_ways import WAYS
from pictures import changes, picture

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager
from hermes_sdk.plugins.middleware import KINDS, apply_request, run_execution

FIELDS = {
    "ToolDecision": ("action", "message", "rule_key", "args"),
    "DispatchDecision": ("action", "text"),
    "VerifyDecision": ("message",),
    "AddedContext": ("text",),
    "Transformed": ("value",),
    "Observed": (),
}
"""What of an outcome a host acts on."""


def observe(request):
    """Load a home, fire what is asked for, and return what was to be seen, by way."""
    exchange.enter(request)
    return {way: one_pass(request, CALLS[way]) for way in request["ways"]}


def one_pass(request, fire):
    """Load the plugins and fire everything in one way."""
    manager = PluginManager(Path(request["home"]))
    taken()
    try:
        ended = None
        try:
            manager.discover_and_load()
        except BaseException as error:
            ended = type(error).__name__
        seen = {"ended": ended, "plugins": statuses(manager, request), "registered": registered(manager)}
        seen["firings"] = [fired(manager, fire, **firing) for firing in exchange.firings(request)]
    finally:
        manager.shutdown()
    return seen


def statuses(manager, request):
    """Return, by plugin, "loaded" or why not; a degraded one is loaded."""
    rows = {row["key"]: row for row in manager.list_plugins()}
    found = {}
    for name in request["plugins"]:
        row = rows.get(name)
        in_force = row is not None and row["status"] in {"loaded", "degraded"}
        found[name] = "absent" if row is None else "loaded" if in_force else f"{row['status']}: {row['why']}"
    return found


def registered(manager):
    """Return what all plugins together registered, under the names that the other worker uses."""
    tables = manager.registrations
    hooks = [hook for hook in vars(manager.hook) if manager.calling_order(hook)]
    middleware_kinds = Counter(entry.name for entry in tables.middleware_table.active())
    return {
        "hooks": {hook: len(manager.calling_order(hook)) for hook in sorted(hooks)},
        "middleware": dict(sorted(middleware_kinds.items())),
        "tools": {
            name: {
                "toolset": entry.toolset,
                "description": entry.description,
                "emoji": entry.emoji,
                "requires_env": list(entry.requires_env),
                "schema": picture(entry.schema),
            }
            for name, entry in sorted(tables.tools.items())
        },
        "commands": fields(tables.commands, "description", "args_hint", "plugin"),
        "cli": fields(tables.cli_commands, "help", "description", "plugin"),
        "skills": {
            name: {"file": entry.path.name, "description": entry.description}
            for name, entry in sorted(tables.skills.items())
        },
        "auxiliary tasks": fields(tables.auxiliary_tasks, "display_name", "description", "defaults", "plugin"),
    }


def fields(table, *names):
    """Return some fields of each entry of a table."""
    return {key: {name: getattr(entry, name) for name in names} for key, entry in sorted(table.items())}


def fired(manager, fire, call, hook, payload):
    """Fire once in one way."""
    before = picture(payload)
    ended, returns, acts = None, [], {}
    try:
        if hook in KINDS:
            acts = middleware(manager, hook, **payload)
        elif hook in HOOKS:
            returns, acts = fire(manager, hook, payload)
        else:
            returns = manager.invoke_hook(hook, **payload)
    except BaseException as error:
        ended = type(error).__name__
    return {
        "call": call,
        "returns": picture(returns),
        "seen": taken(),
        "changed": changes(before, picture(payload)),
        "acts": acts,
        "ended": ended,
    }


def acted_on(outcome):
    """Return what a host acts on of an outcome."""
    return {name: picture(getattr(outcome, name)) for name in FIELDS[type(outcome).__name__]}


def raw(manager, hook, payload):
    """Call as hosts of hermes-agent do."""
    return manager.invoke_hook(hook, **payload), {}


def folded(manager, hook, payload):
    """Call as our host does."""
    return [], acted_on(getattr(manager.hook, hook)(**payload))


def awaited(manager, hook, payload):
    """Call as an asynchronous host does."""

    async def call():
        return await getattr(manager.ahook, hook)(**payload)

    return [], acted_on(asyncio.run(call()))


CALLS = dict(zip(WAYS, (raw, folded, awaited), strict=True))


def middleware(manager, kind, **payload):
    """Run middleware of one kind."""
    what = payload.pop("args" if kind.startswith("tool") else "request")
    if kind.endswith("_request"):
        result, trace = apply_request(manager, kind, what, **payload)
        return {"payload": picture(result), "rewrites": len(trace)}
    return outcome_of(lambda terminal: run_execution(manager, kind, what, terminal, **payload))


if __name__ == "__main__":
    exchange.serve(observe)
