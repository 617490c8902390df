"""A long session: a transcript of 1,000 tool calls, replayed with recorded results and all plugins.

    python benchmarks/replay.py [--json] [--calls 250,1000]

Each replay is a fresh process with the plugins of examples/home and the built-in ones. It is compared with the
same replay without plugins. The conversation itself grows with its length; what plugins and hooks take beside it,
which is peak memory less that of the replay without plugins, should not.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from _harness.hermes_agent import peer_environ
from _harness.machine import describe
from _harness.measure import stay_on_one_cpu
from _harness.options import numbers, parser
from _harness.rows import Row, as_json, as_table
from _harness.transcript import write_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FLAT: Final = 1.1
"""Memory that plugins and hooks take in a long replay, against a short one."""
_ONCE: Final = Path(__file__).with_name("_harness") / "replay_once.py"
_HOME: Final = Path(__file__).resolve().parents[1] / "examples" / "home"
_MILLISECONDS: Final = 1e3
_MICROSECONDS: Final = 1e6


class ReplayError(Exception):
    """A replay failed."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What one replay took."""

    plugins: list[str]
    tool_calls: int
    seconds: float
    hook_calls: int
    hook_seconds: float
    peak_mb: float


def replay_once(transcript: Path, home: Path | None) -> Replay:
    """Replay in a process of its own.

    Raises:
        ReplayError: The process failed, or the session did.
    """
    command = [sys.executable, str(_ONCE), str(transcript), "-" if home is None else str(home)]
    environ = peer_environ(transcript.parent if home is None else home)
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReplayError(f"replay of {transcript.name} failed: {done.stderr.strip()[-800:]}")
    return Replay(**json.loads(done.stdout.splitlines()[-1]))


def measured(directory: Path, calls: int, rounds: int) -> tuple[Replay, Replay]:
    """Return the fastest replay with plugins and the fastest without, taken by turns."""
    transcript = directory / f"{calls}.jsonl"
    write_transcript(transcript, calls)
    with_plugins, without = [], []
    for number in range(rounds):
        home = directory / f"home-{calls}-{number}"
        shutil.copytree(_HOME, home)  # fresh each time: plugins remember
        with_plugins.append(replay_once(transcript, home))
        without.append(replay_once(transcript, None))
    return min(with_plugins, key=_seconds), min(without, key=_seconds)


def _seconds(replay: Replay) -> float:
    return replay.seconds


def rows(directory: Path, lengths: Sequence[int], rounds: int) -> Iterator[Row]:
    """Measure replays of all lengths."""
    first: float | None = None
    for calls in lengths:
        full, bare = measured(directory, calls, rounds)
        name, beside = f"replay of {calls} calls", full.peak_mb - bare.peak_mb
        milliseconds = full.seconds * _MILLISECONDS, bare.seconds * _MILLISECONDS
        yield Row(f"{name} vs no plugins", milliseconds[0], "ms", "no plugins", milliseconds[1])
        yield Row(f"{name}, hook time a tool call", full.hook_seconds / calls * _MICROSECONDS, "us")
        yield Row(f"{name}, hook calls a tool call", full.hook_calls / calls, "")
        yield Row(f"{name}, peak memory vs no plugins", full.peak_mb, "MB", "no plugins", bare.peak_mb)
        if first is None:
            first = beside
        else:
            peer = f"{lengths[0]} calls"
            yield Row(f"{name}, memory of plugins vs {peer}", beside, "MB", peer, first, FLAT)


def main() -> int:
    options = parser(__doc__ or "", rounds=3)
    options.add_argument("--calls", type=numbers, default=[250, 1000], help="lengths of the transcripts")
    chosen = options.parse_args()
    stay_on_one_cpu()
    with tempfile.TemporaryDirectory(prefix="hermes-replay-") as directory:
        try:
            done = list(rows(Path(directory), chosen.calls, chosen.rounds))
        except ReplayError as error:
            print(error, file=sys.stderr)
            return 1
    print((as_json if chosen.json else as_table)(describe(), done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
