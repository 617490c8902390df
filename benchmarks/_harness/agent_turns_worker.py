"""Runs in hermes-agent's own environment: plays turns of its `AIAgent` against a model on loopback and times them.

One JSON object a line on stdin, one answer a line on stdout: ``{"turns": N}`` -> ``{"turn": S, "hooks": S}``, the
seconds of the fastest turn, and those that the fastest turn's hook callbacks took. A turn is a question, one tool call
and an answer.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> None:
    """Answer requests until stdin ends."""
    from hermes_cli.plugins import discover_plugins, get_plugin_manager
    from run_agent import AIAgent

    from _harness.model_server import MODEL, ModelServer, call, text

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the agent prints what it does
    discover_plugins()
    stopwatch = Stopwatch()
    for callbacks in get_plugin_manager()._hooks.values():  # noqa: SLF001 - the only place where they are
        callbacks[:] = [stopwatch.around(callback) for callback in callbacks]
    note = Path(os.environ["HERMES_HOME"], "note.txt")
    note.write_text("nothing of interest\n", "utf-8")
    cycle = itertools.cycle([call("read_file", path=str(note)), text("It says nothing of interest.")])
    with ModelServer(cycle) as server:
        agent = AIAgent(
            base_url=server.url,
            api_key="none",
            model=MODEL,
            platform="cli",
            quiet_mode=True,
            skip_context_files=True,
            skip_memory=True,
            enabled_toolsets=["file"],
        )
        for line in sys.stdin:
            request = json.loads(line)
            measured = [timed(agent, stopwatch) for _ in range(request["turns"])]
            turn, hooks = (min(seconds) for seconds in zip(*measured, strict=True))
            answers.write(json.dumps({"turn": turn, "hooks": hooks}) + "\n")
            answers.flush()


class Stopwatch:
    """Sums up what callbacks take."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callback that is timed."""

        def timed_callback(**payload: Any) -> Any:
            started = time.perf_counter()
            try:
                return callback(**payload)
            finally:
                self.seconds += time.perf_counter() - started

        return timed_callback


def timed(agent: Any, stopwatch: Stopwatch) -> tuple[float, float]:
    """Return the seconds that a turn took, and those of them inside of hook callbacks."""
    stopwatch.seconds = 0.0
    started = time.perf_counter()
    result = agent.run_conversation("What does the note say?")
    seconds = time.perf_counter() - started
    if not result["completed"]:
        raise SystemExit(f"the turn failed: {result}")
    return seconds, stopwatch.seconds


if __name__ == "__main__":
    main()
