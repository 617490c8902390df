"""Shell commands that are judged one by one, here and by hermes-agent in its own environment."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from _harness.hermes_agent import PeerError, environment, peer_environ

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["COMMANDS", "HOME", "PeerError", "judged_by_hermes_agent", "times_of"]

COMMANDS: Final = Path(__file__).resolve().parents[2] / "tests" / "data" / "guardrails" / "commands.yaml"
HOME: Final = "/home/me"
"""Whose commands these are, for both sides."""
_WORKER: Final = Path(__file__).with_name("command_judge_worker.py")


def times_of(stopped: Callable[[str], bool], commands: Sequence[str], rounds: int) -> tuple[list[bool], list[float]]:
    """Return of each command whether it is stopped, and the seconds of the fastest round."""
    verdicts = [stopped(command) for command in commands]
    best = [float("inf")] * len(commands)
    for _ in range(rounds):
        for place, command in enumerate(commands):
            started = time.perf_counter()
            stopped(command)
            best[place] = min(best[place], time.perf_counter() - started)
    return verdicts, best


def judged_by_hermes_agent(commands: Sequence[str], rounds: int) -> tuple[list[bool], list[float]]:
    """Return the same of the peer's own detection.

    Raises:
        PeerError: pip could not install it, or it failed.
    """
    request = json.dumps({"commands": list(commands), "rounds": rounds})
    with tempfile.TemporaryDirectory(prefix="hermes-peer-") as home:
        done = subprocess.run(
            [str(environment() / "bin" / "python"), str(_WORKER)],
            input=request,
            capture_output=True,
            text=True,
            check=False,
            env={**peer_environ(Path(home)), "HOME": HOME},
        )
    if done.returncode:
        raise PeerError(f"hermes-agent failed: {done.stderr.strip()[-500:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["stopped"], answer["seconds"]
