"""Runs in hermes-agent's environment: prints what its `ctx` has, and the hooks and middleware that it knows."""

import inspect
import json

from hermes_cli import plugins as hermes


def members(kind):
    """Return each public member: the parameters of a method as ``[name, kind, required]``, None of a property."""
    found = {}
    for name, member in inspect.getmembers(kind):
        if name.startswith("_"):
            continue
        found[name] = None if isinstance(member, property) else parameters(member)
    return found


def parameters(method):
    """Return the parameters of a method, without self."""
    _, *own = inspect.signature(method).parameters.values()
    return [[each.name, each.kind.name, each.default is inspect.Parameter.empty] for each in own]


if __name__ == "__main__":
    known = {
        "context": members(hermes.PluginContext),
        "hooks": sorted(hermes.VALID_HOOKS),
        "middleware": sorted(getattr(hermes, "VALID_MIDDLEWARE", ())),
        "group": hermes.ENTRY_POINTS_GROUP,
    }
    print(json.dumps(known))
