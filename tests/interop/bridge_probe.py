"""Runs in hermes-agent's environment: loads its plugins, fires hooks, and says what became of the bridge.

    python bridge_probe.py CALLS

CALLS is a JSON list of ``[hook, payload]``; hook may be ``reload``. Prints one JSON object.
"""

import json
import logging
import sys
from pathlib import Path

from hermes_cli import plugins as hermes

from hermes_sdk.home import hermes_home
from hermes_sdk.interop.running import running_bridge


class Kept(logging.Handler):
    """Keeps what is said by hermes-sdk."""

    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        if record.name.startswith("hermes_sdk"):
            self.said.append(f"{record.levelname}: {record.getMessage()}")


def main(calls):
    kept = Kept()
    logging.getLogger("hermes_sdk").setLevel(logging.INFO)
    logging.getLogger("hermes_sdk").addHandler(kept)
    there = hermes.get_plugin_manager()
    there.discover_and_load()
    answers = [fire(there, hook, payload) for hook, payload in calls]
    bridge = running_bridge(hermes_home())
    seen = {
        "answers": answers,
        "there": {key: plugin.error or "loaded" for key, plugin in there._plugins.items()},
        "hooks": {hook: len(callbacks) for hook, callbacks in there._hooks.items()},
        "middleware": sorted(getattr(there, "_middleware", ())),
        "commands": sorted(there._plugin_commands),
        "cli": sorted(there._cli_commands),
        "skills": sorted(there._plugin_skills),
        "tools": sorted(there._plugin_tool_names),
        "here": {row["key"]: row["status"] for row in bridge.manager.list_plugins()} if bridge else None,
        "order": list(bridge.manager.plugins) if bridge else None,
        "problems": [str(problem) for problem in bridge.manager.problems] if bridge else None,
        "limits": bridge.limits() if bridge else None,
        "said": kept.said,
        "loaded": Path("loaded.txt").read_text().split() if Path("loaded.txt").exists() else [],
    }
    print(json.dumps(seen, default=repr))


def fire(there, hook, payload):
    """Fire a hook, or do what its name says; return the answers and the payload after it."""
    if hook == "reload":
        there.discover_and_load(force=True)
        return None
    if hook == "tool_execution":
        return executed(payload)
    return {"answers": there.invoke_hook(hook, **payload), "payload": payload}


def executed(payload):
    """Run a tool with that host's execution middleware round it; return what reached it and what came back."""
    from hermes_cli.middleware import run_tool_execution_middleware

    reached = []

    def terminal(args):
        reached.append(args)
        return "ran"

    result = run_tool_execution_middleware(payload["tool_name"], payload["args"], terminal, session_id="s")
    return {"reached": reached, "result": result}


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
