"""Runs in hermes-agent's own environment: loads plugins of the SDK in its PluginManager and fires hooks at them.

    python ours_there_worker.py CALLS

CALLS is a JSON list of ``[hook, payload]``; a hook ``/name`` is a slash command.
Prints one JSON object. Standard library and hermes-agent only.
"""

import json
import logging
import sys

from hermes_cli import plugins as hermes


class Kept(logging.Handler):
    """Keeps what is said about plugins."""

    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        self.said.append(f"{record.levelname} {record.name}: {record.getMessage()}")


def main(calls):
    kept = Kept()
    logging.getLogger().addHandler(kept)
    manager = hermes.get_plugin_manager()
    manager.discover_and_load()
    seen = {
        "plugins": {name: plugin.error or "loaded" for name, plugin in manager._plugins.items()},
        "hooks": {hook: len(callbacks) for hook, callbacks in manager._hooks.items()},
        "said": list(kept.said),
        "calls": [],
    }
    for hook, payload in calls:
        answers = answered(manager, hook, payload)
        seen["calls"].append({"answers": answers, "payload": payload, "act": act(hook, payload)})
    modules = {name.rpartition(".")[2]: module for name, module in sys.modules.items()}
    for name, attribute in (("by_module", "SEEN"), ("by_instance", "ENTERED")):
        if name in modules:
            seen[name] = getattr(modules[name], attribute)
    seen["said_later"] = kept.said[len(seen["said"]) :]
    print(json.dumps(seen))


def answered(manager, hook, payload):
    """Return what all plugins answer, or what a slash command says."""
    if hook.startswith("/"):
        return manager._plugin_commands[hook[1:]]["handler"](payload)
    return hermes.invoke_hook(hook, **payload)


def act(hook, payload):
    """Return what this host makes of a tool call, in words that all releases have."""
    if hook != "pre_tool_call":
        return None
    directive = getattr(hermes, "get_pre_tool_call_directive", None)
    if directive is not None:
        return list(directive(payload["tool_name"], payload["args"]))
    message = hermes.get_pre_tool_call_block_message(payload["tool_name"], payload["args"])
    return [None, None] if message is None else ["block", message]


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
