"""What shell hooks cost: ours against hermes-agent's `agent.shell_hooks` in its own environment.

    python benchmarks/shell_hooks.py [--json] [--rounds 10]

One script, three that wait at the same time, twenty that do not concern the call, and a script in Python that is
started for each call against the same one that is started once (`mode: serve`). Every call is a whole hook call: the
manager's in our case, `invoke_hook` in theirs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from _harness.hermes_agent import VERSION, PeerError, Worker, peer_environ
from _harness.machine import describe
from _harness.measure import call_timer, stay_on_one_cpu
from _harness.options import add_peer, parser
from _harness.payloads import payload
from _harness.rows import Row, as_json, as_table

from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.shell_hooks.register import register_from_config

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from _harness.measure import Timer

ANSWERS_AT_ONCE: Final = "#!/bin/sh\ncat >/dev/null\necho '{}'\n"
WAITS: Final = '#!/bin/sh\ncat >/dev/null\nsleep 0.05\necho \'{"context": "waited"}\'\n'
POLICY: Final = """
import json, sys, yaml

RULES = yaml.safe_load("forbidden: ['rm -rf', 'git push --force']")


def handle(payload):
    command = str((payload["tool_input"] or {}).get("command"))
    found = next((words for words in RULES["forbidden"] if words in command), None)
    return {"action": "block", "message": f"{found} is forbidden"} if found else {}
"""
"""A hook as people write them: it reads its rules when it starts."""
ANSWERS_ONCE: Final = f"{POLICY}\n\nprint(json.dumps(handle(json.load(sys.stdin))))\n"
SERVES: Final = f"{POLICY}\n\nfrom hermes_sdk.shell_hooks.script import serve\nserve(handle)\n"

REACH_ONE: Final = 1.0
REACH_THREE: Final = 1.3
REACH_NOT_CONCERNED: Final = 2e-6
"""Seconds that twenty entries may take together in a call that concerns none of them."""
REACH_SERVED: Final = 1 / 200

_WORKER: Final = Path(__file__).with_name("_harness") / "shell_hooks_worker.py"
_MILLISECONDS: Final = 1e3
_MICROSECONDS: Final = 1e6


@dataclass(frozen=True, slots=True)
class Hooks:
    """Some entries of one event."""

    event: str
    entries: list[dict[str, Any]]

    @property
    def block(self) -> dict[str, Any]:
        """The ``hooks:`` block."""
        return {self.event: self.entries}


class Peer(Worker):
    """hermes-agent with shell hooks; it holds those of the latest call of `registered`."""

    def registered(self, hooks: Hooks) -> Timer:
        """Return a timer of a hook call with these entries."""
        answer = self._ask({"hooks": hooks.block, "event": hooks.event, "payload": payload(hooks.event)})
        if answer != {"registered": len(hooks.entries)}:
            raise PeerError(f"hermes-agent registered {answer}, not {len(hooks.entries)}")
        return lambda loops, /: self._ask({"loops": loops})["seconds"]


class Ours:
    """Managers of our own, one for each measurement."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._managers: list[PluginManager] = []

    def registered(self, hooks: Hooks) -> Timer:
        """Return a timer of a hook call with these entries."""
        manager = PluginManager(self._home, config={"hooks": hooks.block}, entry_points=False)
        self._managers.append(manager)
        manager.discover_and_load()
        register_from_config(manager=manager, accept_hooks=True)
        return call_timer(getattr(manager.hook, hooks.event), payload(hooks.event))

    def close(self) -> None:
        """End what is running."""
        for manager in self._managers:
            manager.shutdown()


def best(timers: Sequence[Timer], *, loops: int, rounds: int) -> list[float]:
    """Return the best seconds a call of each timer, measured by turns; processes need no long warming up."""
    for timer in timers:
        timer(1)
    taken = [[timer(loops) / loops for timer in timers] for _ in range(rounds)]
    return [min(seconds) for seconds in zip(*taken, strict=True)]


class Scripts:
    """The scripts that are measured, in a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def shell(self, name: str, text: str) -> str:
        """Write a script for sh and return its path."""
        path = self._directory / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def python(self, name: str, text: str) -> list[str]:
        """Write a script in Python and return the words that run it."""
        path = self._directory / name
        path.write_text(text, encoding="utf-8")
        return [sys.executable, str(path)]


def rows(ours: Ours, peer: Peer | None, scripts: Scripts, rounds: int) -> Iterator[Row]:
    """Measure everything."""
    yield from _one(ours, peer, scripts, rounds)
    yield from _three(ours, peer, scripts, rounds)
    yield from _not_concerned(ours, peer, scripts, rounds)
    yield _served(ours, scripts, rounds)


def _one(ours: Ours, peer: Peer | None, scripts: Scripts, rounds: int) -> Iterator[Row]:
    hooks = Hooks("pre_tool_call", [{"command": scripts.shell("at_once.sh", ANSWERS_AT_ONCE)}])
    timers = [ours.registered(hooks), *([peer.registered(hooks)] if peer else [])]
    seconds, *theirs = best(timers, loops=20, rounds=rounds)
    yield _row("one sh hook", seconds, theirs, REACH_ONE)


def _three(ours: Ours, peer: Peer | None, scripts: Scripts, rounds: int) -> Iterator[Row]:
    script = scripts.shell("waits.sh", WAITS)
    one = Hooks("pre_llm_call", [{"command": script}])
    three = Hooks("pre_llm_call", [{"command": f"{script} {number}"} for number in range(3)])
    timers = [ours.registered(three), ours.registered(one), *([peer.registered(three)] if peer else [])]
    seconds, single, *theirs = best(timers, loops=1, rounds=rounds)
    yield Row("three 50 ms hooks vs one", seconds * _MILLISECONDS, "ms", "one", single * _MILLISECONDS, REACH_THREE)
    if theirs:
        yield _row("three 50 ms hooks", seconds, theirs, None)


def _not_concerned(ours: Ours, peer: Peer | None, scripts: Scripts, rounds: int) -> Iterator[Row]:
    script = scripts.shell("never.sh", ANSWERS_AT_ONCE)
    hooks = Hooks("pre_tool_call", [{"command": f"{script} {n}", "matcher": "patch"} for n in range(20)])
    timers = [ours.registered(hooks), *([peer.registered(hooks)] if peer else [])]
    seconds, *theirs = best(timers, loops=2000, rounds=rounds)
    limit = REACH_NOT_CONCERNED * _MICROSECONDS
    yield Row("20 non-matching hooks vs 2 us", seconds * _MICROSECONDS, "us", "2 us", limit, 1.0)
    for each in theirs:
        yield Row(
            "20 non-matching hooks vs hermes-agent",
            seconds * _MICROSECONDS,
            "us",
            "hermes-agent",
            each * _MICROSECONDS,
        )


def _served(ours: Ours, scripts: Scripts, rounds: int) -> Row:
    served = Hooks("pre_tool_call", [{"command": scripts.python("serves.py", SERVES), "mode": "serve"}])
    once = Hooks("pre_tool_call", [{"command": scripts.python("once.py", ANSWERS_ONCE)}])
    (seconds,) = best([ours.registered(served)], loops=100, rounds=3 * rounds)
    (as_process,) = best([ours.registered(once)], loops=1, rounds=rounds)
    name, peer = "a Python hook, served vs started each time", "started each time"
    return Row(name, seconds * _MILLISECONDS, "ms", peer, as_process * _MILLISECONDS, REACH_SERVED)


def _row(name: str, seconds: float, theirs: Sequence[float], reach: float | None) -> Row:
    if not theirs:
        return Row(name, seconds * _MILLISECONDS, "ms")
    return Row(
        f"{name} vs hermes-agent",
        seconds * _MILLISECONDS,
        "ms",
        "hermes-agent",
        theirs[0] * _MILLISECONDS,
        reach,
    )


def main() -> int:
    options = parser(__doc__ or "", rounds=10)
    add_peer(options)
    chosen = options.parse_args()
    stay_on_one_cpu()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hermes-shell-hooks-")))
        # the peer's: what a script inherits costs it time
        variables = peer_environ(directory / "home")
        os.environ.clear()
        os.environ.update(variables)
        ours = Ours(directory / "home")
        stack.callback(ours.close)
        try:
            peer = None if chosen.without_hermes_agent else stack.enter_context(Peer(_WORKER))
            measured = list(rows(ours, peer, Scripts(directory), chosen.rounds))
        except PeerError as error:
            print(error, file=sys.stderr)
            return 1
    machine = describe(**({} if peer is None else {"hermes-agent": VERSION}))
    print((as_json if chosen.json else as_table)(machine, measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
