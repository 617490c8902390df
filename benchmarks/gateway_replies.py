"""What gateway hooks cost a gateway: many chats at a time, with handlers that sleep, raise and hang, and without any.

    python benchmarks/gateway_replies.py [--json] [--rounds 3] [--chats 200] [--messages 20] [--model-seconds 0]

Each person waits for the reply before the next message. With `--model-seconds 0` everything is the gateway's own time,
and the machine is busy with nothing else: the hardest case. A model that takes a second makes the ratio look better.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from _harness.machine import describe
from _harness.options import parser, positive
from _harness.rows import Row, as_json, as_table

if TYPE_CHECKING:
    from collections.abc import Sequence

REACH_LATENCY: Final = 1.2
REACH_MEMORY: Final = 1.1
"""Between half of the messages and all of them."""
PEER: Final = "no hooks"
_WORKER: Final = Path(__file__).with_name("_harness") / "gateway_worker.py"
_MILLISECONDS: Final = 1e3


class LostError(Exception):
    """A message got no reply, or not its own."""


def run(chats: int, messages: int, model_seconds: float, hooks: str) -> dict[str, Any]:
    """Run one gateway in a process of its own and return what it measured.

    Raises:
        LostError: A message was lost or out of order; then no figure counts.
    """
    arguments = [str(chats), str(messages), str(model_seconds), hooks]
    done = subprocess.run([sys.executable, str(_WORKER), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LostError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    wanted = 2 * chats * (messages + 1)
    if found["lost"] or found["out_of_order"] or found["stored"] != wanted:
        said = {key: found[key] for key in ("lost", "out_of_order", "stored")}
        raise LostError(f"{said}, wanted {wanted} stored messages")
    return found


def measure(chats: int, messages: int, model_seconds: float, rounds: int) -> list[Row]:
    """Measure both sides in turns and return the rows; the best of the rounds counts."""
    found: dict[str, list[dict[str, Any]]] = {"with": [], "without": []}
    for turn in range(rounds):
        for hooks in ("with", "without") if turn % 2 else ("without", "with"):
            found[hooks].append(run(chats, messages, model_seconds, hooks))
    rows = [
        Row(
            f"{name} of a reply, 3 hooks vs {PEER}",
            _best(found["with"], share),
            "ms",
            PEER,
            _best(found["without"], share),
            reach,
        )
        for name, share, reach in (("median", 0.5, REACH_LATENCY), ("p95", 0.95, REACH_LATENCY), ("p99", 0.99, None))
    ]
    for hooks, name in (("with", "3 hooks"), ("without", PEER)):
        half, end = min((each["memory"] for each in found[hooks]), key=lambda pair: pair[1] / pair[0])
        rows.append(Row(f"memory at the end, {name} vs half-way", end, "MB", "half-way", half, REACH_MEMORY))
    replies = sum(len(each["latencies"]) for each in found["with"])
    rows.append(Row("replies with 3 hooks, each its own and in order", replies, ""))
    handled = [each["handled"] for each in found["with"]]
    rows.append(Row("calls of the hook that raises", sum(each["raises"] for each in handled), ""))
    return rows


def _best(runs: list[dict[str, Any]], share: float) -> float:
    return min(_percentile(each["latencies"], share) for each in runs) * _MILLISECONDS


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, round(share * len(ordered)))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parser(__doc__ or "", rounds=3)
    options.add_argument("--chats", type=positive, default=200, help="chats at a time (200)")
    options.add_argument("--messages", type=positive, default=20, help="messages of each (20)")
    options.add_argument("--model-seconds", type=float, default=0.0, help="time that the model takes to answer (0)")
    given = options.parse_args(arguments)
    machine = describe(chats=str(given.chats), messages=str(given.messages), model=f"{given.model_seconds:g} s")
    try:
        rows = measure(given.chats, given.messages, given.model_seconds, given.rounds)
    except LostError as error:
        print(error, file=sys.stderr)
        return 1
    print((as_json if given.json else as_table)(machine, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
