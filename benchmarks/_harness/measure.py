"""Time several contestants in one run, by turns, so that a busy machine is equally unkind to all of them."""

from __future__ import annotations

import gc
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CHUNK_SECONDS: Final = 0.001
"""Length of one measurement: long against the clock's resolution, short against a scheduler's time slice."""

WARM_UP_CALLS: Final = 16
"""Calls before anything is measured: the first may generate code; CPython specialises code after some more."""

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
    """Return a timer of ``call(*first, **payload)``, a payload that was built once, as hosts build it."""

    def run(loops: int) -> float:
        started = time.perf_counter()
        for _ in range(loops):
            call(*first, **payload)
        return time.perf_counter() - started

    return _without_collections(run)


def keyword_timer(call: Callable[..., object], payload: Mapping[str, object]) -> Timer:
    """Return a timer of ``call(name=value, ...)`` with every keyword written out where the call is made."""
    arguments = ", ".join(f"{name}={name}" for name in payload)
    source = (
        f"def run(loops, *, clock, call, {', '.join(payload)}):\n"
        "    started = clock()\n"
        "    for _ in range(loops):\n"
        f"        call({arguments})\n"
        "    return clock() - started\n"
    )
    namespace: dict[str, Callable[..., float]] = {}
    exec(compile(source, "<keyword_timer>", "exec"), namespace)
    return _without_collections(partial(namespace["run"], clock=time.perf_counter, call=call, **payload))


def _without_collections(run: Callable[[int], float]) -> Timer:
    """Return a timer that keeps the cyclic garbage collector out of `run`."""

    def timer(loops: int, /) -> float:
        was_collecting = gc.isenabled()
        gc.disable()
        try:
            return run(loops)
        finally:
            if was_collecting:
                gc.enable()

    return timer


def _chunk(timer: Timer, seconds: float) -> int:
    """Return how many loops take about `seconds`."""
    timer(WARM_UP_CALLS)
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
