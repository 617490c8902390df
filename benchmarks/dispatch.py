"""Time of one hook call: ours against pluggy's own caller, a hand-written loop, and hermes-agent.

    python benchmarks/dispatch.py [--json] [--hooks post_tool_call,...] [--sizes 0,1,5,20,100]

Native implementations name two arguments and are called by our manager, by pluggy with the same specs, and by
a loop in a function with the same arguments. Legacy callbacks take ``**kwargs`` and are called by our manager
and by hermes-agent's `invoke_hook` in its own environment. Nobody answers anything, so the rows show what the
way to a plugin costs.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from _harness.callbacks import HOOKS
from _harness.hermes_agent import VERSION, PeerError, Worker
from _harness.loops import loop_caller
from _harness.machine import describe
from _harness.managers import native_plugins, our_legacy_caller, our_native_caller, pluggy_caller
from _harness.measure import best_times, call_timer, keyword_timer, stay_on_one_cpu
from _harness.options import add_peer, numbers, parser
from _harness.payloads import payload, tool_args
from _harness.rows import Row, as_json, as_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROMISED_SIZE: Final = 5
"""The number of implementations that the reaches below are about."""
UNSUBSCRIBED: Final = {"pluggy": 0.25}
REACHES: Final = {
    "pre_tool_call": {"pluggy": 0.45, "loop": 2.5, "hermes-agent": 0.6},
    "post_tool_call": {"pluggy": 0.2, "loop": 1.2, "hermes-agent": 0.4},
    "transform_tool_result": {"pluggy": 0.2, "loop": 1.2, "hermes-agent": 0.4},
    "pre_llm_call": {"pluggy": 0.2, "loop": 1.2, "hermes-agent": 0.75},
}
"""The ratios that we want to stay within, by hook and peer."""
LONG_HISTORY: Final = 40
_NANOSECONDS: Final = 1e9


@dataclass(frozen=True, slots=True)
class Case:
    """One hook call to measure: what is called, how many implementations there are, what is sent."""

    hook: str
    size: int
    payload: dict[str, Any]
    detail: str = ""
    """What is unusual about the payload; part of the row's name."""
    promised: bool = True
    """False: the rows are printed only, whatever their ratio is."""
    keywords: bool = False
    """Whether the call has its keywords written out instead of unpacking the payload."""
    reaches: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        reaches: dict[str, float] = {}
        if self.promised and self.size == 0:
            reaches = UNSUBSCRIBED
        elif self.promised and self.size == PROMISED_SIZE:
            reaches = REACHES[self.hook]
        object.__setattr__(self, "reaches", reaches)

    def row(self, style: str, peer: str, ours: float, theirs: float) -> Row:
        """Return the row of this case against `peer`, from seconds a call."""
        kind = f"{style} {self.size}" if self.size else "unsubscribed"
        name = " ".join(part for part in (self.hook, kind, self.detail, "vs", peer) if part)
        return Row(name, ours * _NANOSECONDS, "ns", peer, theirs * _NANOSECONDS, self.reaches.get(peer))


def cases(hooks: Sequence[str], sizes: Sequence[int]) -> Iterator[Case]:
    """Yield everything that is measured, in the order of the table."""
    for hook in hooks:
        for size in sizes:
            yield Case(hook, size, payload(hook))
        yield Case(hook, PROMISED_SIZE, payload(hook), "keywords", promised=False, keywords=True)
        if hook == "pre_tool_call":
            for kilobytes in (1, 50):
                for shape in ("flat", "nested"):
                    sent = payload(hook, args=tool_args(kilobytes * 1024, shape))
                    yield Case(hook, PROMISED_SIZE, sent, f"{kilobytes} KB {shape} args", shape == "flat")
        if hook == "pre_llm_call":
            sent = payload(hook, messages=LONG_HISTORY)
            yield Case(hook, PROMISED_SIZE, sent, f"{LONG_HISTORY} messages", promised=False)


def native_rows(case: Case, rounds: int) -> Iterator[Row]:
    """Measure ours, pluggy's caller and the loop by turns, with the same implementations."""
    plugins = native_plugins(case.hook, case.size)
    implementations = [getattr(plugin, case.hook) for plugin in plugins]
    callers = (
        our_native_caller(case.hook, plugins),
        pluggy_caller(case.hook, plugins),
        loop_caller(case.hook, implementations),
    )
    timer = keyword_timer if case.keywords else call_timer
    ours, by_pluggy, by_loop = best_times([timer(call, case.payload) for call in callers], rounds=rounds)
    yield case.row("native", "pluggy", ours, by_pluggy)
    yield case.row("native", "loop", ours, by_loop)


def legacy_row(case: Case, rounds: int, worker: Worker) -> Row:
    """Measure ours and hermes-agent by turns, with the same callbacks."""
    ours_timer = call_timer(our_legacy_caller(case.hook, case.size), case.payload)
    peer_timer = worker.timer(case.hook, case.size, case.payload)
    ours, theirs = best_times([ours_timer, peer_timer], rounds=rounds)
    return case.row("legacy", "hermes-agent", ours, theirs)


def main() -> int:
    options = parser(__doc__ or "", rounds=60)
    options.add_argument("--hooks", default=",".join(HOOKS), help="hooks to measure, comma-separated")
    options.add_argument("--sizes", type=numbers, default=[0, 1, 5, 20, 100], help="numbers of implementations")
    add_peer(options)
    chosen = options.parse_args()
    stay_on_one_cpu()
    rows: list[Row] = []
    with ExitStack() as stack:
        try:
            worker = None if chosen.without_hermes_agent else stack.enter_context(Worker())
        except PeerError as error:
            print(error, file=sys.stderr)
            return 1
        for case in cases(chosen.hooks.split(","), chosen.sizes):
            rows.extend(native_rows(case, chosen.rounds))
            if worker is not None and not case.keywords:
                rows.append(legacy_row(case, chosen.rounds, worker))
    machine = describe(**({} if chosen.without_hermes_agent else {"hermes-agent": VERSION}))
    print((as_json if chosen.json else as_table)(machine, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
