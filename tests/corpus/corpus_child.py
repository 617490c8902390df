"""Runs in a process of its own: load a plugin as a host does, fire the recorded sequence, write the answer.

python corpus_child.py REQUEST: a JSON object (see `corpus_process.run`); it names the file for the answer.
"""

import copy
import json
import os
import sys
from pathlib import Path

from hermes_sdk.plugins.manager import PluginManager

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data" / "corpus"))


def main(request):
    manager = PluginManager(Path(os.environ["HERMES_HOME"]))
    manager.discover_and_load()
    answer = registered(manager, request["plugin"])
    if request["what"] != "load":
        fire = raw if request["what"] == "raw" else folded
        answer["calls"] = fired(manager, request, fire)
        answer["failures"] = {name: failures.last for name, failures in manager.failures.items()}
    manager.shutdown()
    answer["refused"] = refused()
    Path(request["answer"]).write_text(json.dumps(answer, default=repr), encoding="utf-8")


def registered(manager, name):
    """Return what the plugin registered, under the names that plugins.json uses."""
    registrations = manager.registrations
    hooks = [hook for hook in vars(manager.hook) if name in {row[0] for row in manager.calling_order(hook)}]
    return {
        "listed": [row for row in manager.list_plugins() if row["name"] == name],
        "hooks": sorted(hooks),
        "tools": sorted(registrations.tools),
        "commands": sorted(registrations.commands),
        "cli": sorted(registrations.cli_commands),
        "skills": sorted(skill.partition(":")[2] for skill in registrations.skills),
        "middleware": sorted(kind for kind in MIDDLEWARE if registrations.middleware(kind)),
    }


MIDDLEWARE = ("tool_request", "tool_execution", "llm_request", "llm_execution")


def fired(manager, request, fire):
    """Fire the sequence; return `[("hook/label", came out)]`, a "+" behind the label of another payload."""
    from payloads import build, sequence

    calls = []
    for hook, label, overrides in sequence(request["hooks"], request["extra_calls"]):
        name = f"{hook}/{label}{'+' if overrides else ''}"
        calls.append((name, fire(manager, hook, build(hook, label, overrides))))
    return calls


def raw(manager, hook, payload):
    """Return the non-None results of `invoke_hook`, and the arguments if they were changed in place."""
    before = copy.deepcopy(payload.get("args"))
    came_out = {}
    if results := manager.invoke_hook(hook, **payload):
        came_out["results"] = results
    if payload.get("args") != before:
        came_out["args_after"] = payload["args"]
    return came_out


def folded(manager, hook, payload):
    """Return the outcome of `manager.hook`, with the arguments that were sent."""
    sent = copy.deepcopy(payload.get("args"))
    outcome = getattr(manager.hook, hook)(**payload)
    return {"sent": sent, "outcome": outcome if isinstance(outcome, list) else outcome._asdict()}


def refused():
    """Return the connections that the guard refused."""
    file = Path(os.environ["CORPUS_REFUSED"])
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
