"""Runs in hermes-agent's own environment: registers shell hooks with its `agent.shell_hooks` and times `invoke_hook`.

One JSON object a line on stdin, one answer a line on stdout: ``{"hooks": {EVENT: [entry]}, "event": EVENT, "payload":
{...}}`` -> ``{"registered": N}``, ``{"loops": N}`` -> ``{"seconds": S}``.
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
    from agent.shell_hooks import register_from_config, reset_for_tests
    from hermes_cli.plugins import get_plugin_manager

    from _harness.measure import call_timer

    manager = get_plugin_manager()
    timer: Timer | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any]
        if "hooks" in request:
            reset_for_tests()
            manager._hooks.clear()  # noqa: SLF001 - nothing public takes callbacks out
            registered = register_from_config({"hooks": request["hooks"]}, accept_hooks=True)
            timer = call_timer(manager.invoke_hook, request["payload"], request["event"])
            answer = {"registered": len(registered)}
        elif timer is None:
            answer = {"error": "nothing was registered"}
        else:
            answer = {"seconds": timer(request["loops"])}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
