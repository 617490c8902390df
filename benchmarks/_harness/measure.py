"""Time several contestants in one run, by turns, so that a busy machine is equally unkind to all of them."""

from __future__ import annotations

import gc
import os
import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CHUNK_SECONDS: Final = 0.002
"""Length of one measurement: long against the clock's resolution, short against a scheduler's time slice."""

_LARGEST_CHUNK: Final = 1 << 20


class Timer(Protocol):
    """Runs a call a number of times and says how long that took."""

    def __call__(self, loops: int, /) -> float:
        """Return the seconds that `loops` calls took."""


def stay_on_one_cpu() -> None:
    """Bind this process, and the workers that it starts, to one CPU where the system can.

    Contestants in two processes are only compared fairly when the same neighbours slow both of them down.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def call_timer(call: Callable[..., object], payload: Mapping[str, object], *first: object) -> Timer:
    """Return a timer of ``call(*first, name=value, ...)``.

    The call is written out with explicit keywords, as a host writes it: unpacking a dict would add the same
    cost to every contestant and so flatter the slower one.
    """
    positional = [f"first_{number}" for number in range(len(first))]
    arguments = ", ".join([*positional, *(f"{name}={name}" for name in payload)])
    source = (
        f"def run(loops, /, *, clock, call, {', '.join([*positional, *payload])}):\n"
        "    started = clock()\n"
        "    for _ in range(loops):\n"
        f"        call({arguments})\n"
        "    return clock() - started\n"
    )
    namespace: dict[str, Callable[..., float]] = {}
    exec(compile(source, "<call_timer>", "exec"), namespace)
    run = namespace["run"]
    given = dict(zip(positional, first, strict=True)) | dict(payload)

    def timer(loops: int, /) -> float:
        was_collecting = gc.isenabled()
        gc.disable()
        try:
            return run(loops, clock=time.perf_counter, call=call, **given)
        finally:
            if was_collecting:
                gc.enable()

    return timer


def _chunk(timer: Timer, seconds: float) -> int:
    """Return how many loops take about `seconds`; the calls made on the way warm the contestant up."""
    loops = 1
    while loops < _LARGEST_CHUNK:
        taken = timer(loops)
        if taken >= seconds / 4:
            return max(1, round(loops * seconds / taken))
        loops *= 4
    return loops


def best_times(timers: Sequence[Timer], *, rounds: int, chunk_seconds: float = CHUNK_SECONDS) -> list[float]:
    """Return the best seconds a call of each timer.

    Every round measures each contestant once, in alternating order. The best of the rounds is what the code
    costs: whatever else runs on the machine only ever adds to it.

    Args:
        timers: The contestants.
        rounds: How often each is measured.
        chunk_seconds: How long one measurement takes, roughly.
    """
    loops = [_chunk(timer, chunk_seconds) for timer in timers]
    best = [float("inf")] * len(timers)
    turns = list(range(len(timers)))
    for _ in range(rounds):
        for turn in turns:
            best[turn] = min(best[turn], timers[turn](loops[turn]) / loops[turn])
        turns.reverse()
    return best
