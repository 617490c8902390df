"""Runs in hermes-agent's own environment: prepares a manager with legacy callbacks and times `invoke_hook`.

One JSON object a line on stdin, one answer a line on stdout:
``{"prepare": HOOK, "callbacks": N, "payload": {...}}`` -> ``{"prepared": N}``,
``{"loops": N}`` -> ``{"seconds": S}``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _harness.measure import Timer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> None:
    """Answer requests until stdin ends."""
    timer: Timer | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any]
        if "prepare" in request:
            timer = prepare(request["prepare"], request["callbacks"], request["payload"])
            answer = {"prepared": request["callbacks"]}
        elif timer is None:
            answer = {"error": "nothing was prepared"}
        else:
            answer = {"seconds": timer(request["loops"])}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def prepare(hook: str, callbacks: int, payload: dict[str, Any]) -> Timer:
    """Return a timer of the real host's `invoke_hook` with one callback a plugin."""
    from hermes_cli.plugins import PluginContext, PluginManager, PluginManifest

    from _harness.callbacks import legacy
    from _harness.measure import call_timer

    manager = PluginManager()
    for number in range(callbacks):
        context = PluginContext(PluginManifest(name=f"plugin_{number:03}"), manager)
        context.register_hook(hook, legacy(hook))
    return call_timer(manager.invoke_hook, payload, hook)


if __name__ == "__main__":
    main()
