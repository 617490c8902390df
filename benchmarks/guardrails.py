"""How long the guardrails plugin takes to judge a shell command, and what it makes of many.

    python benchmarks/guardrails.py [--json] [--rounds 5] [--without-hermes-agent]

Every command of tests/data/guardrails/commands.yaml, judged by the policy that comes along and by hermes-agent's own
detection; and a call of pre_tool_call with the plugin and without.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml
from _harness.command_judges import COMMANDS, HOME, PeerError, judged_by_hermes_agent, times_of
from _harness.hermes_agent import VERSION
from _harness.machine import describe
from _harness.measure import best_times, call_timer, stay_on_one_cpu
from _harness.options import add_peer, parser
from _harness.rows import Row, as_json, as_table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "builtin_plugins"))  # in front of this file's name
from guardrails.calls import Call, Reader
from guardrails.judge import judge
from guardrails.policy import DEFAULT, load_policy
from guardrails.who import NOBODY

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BUILTIN: Final = Path(sys.path[0])
_MICRO: Final = 1e6
PEER: Final = "hermes-agent"


def stops() -> Callable[[str], bool]:
    """Return what says whether the policy that comes along stops a command, to ask or for good."""
    loaded = load_policy(DEFAULT)
    reader = Reader(loaded.policy.tools, Path(HOME, ".hermes"))

    def stopped(command: str) -> bool:
        call = Call("terminal", {"command": command}, "s", NOBODY)
        reader.read(call, f"{HOME}/app")
        return judge(loaded, call, None).action in ("block", "approve")

    return stopped


def verdicts(rounds: int, *, with_peer: bool) -> Iterator[Row]:
    """Yield how long a command takes, and how many of them are stopped."""
    listed = yaml.safe_load(COMMANDS.read_text(encoding="utf-8"))
    bypasses = [command for way in listed["bypasses"] for each in way["commands"] for command in each.values()]
    for name, commands in {"everyday command": listed["ordinary"], "bypass that was tried": bypasses}.items():
        ours, seconds = times_of(stops(), commands, rounds)
        theirs, their_seconds = judged_by_hermes_agent(commands, rounds) if with_peer else ([], [])
        peer = PEER if with_peer else None
        for share, place in (("median", 2), ("p95", 20)):
            value, peer_value = (_at(each, place) for each in (seconds, their_seconds))
            yield Row(f"{name}, {share}", value, "us", peer, peer_value)
        wanted = commands is bypasses
        right, theirs_right = ([stopped == wanted for stopped in each] for each in (ours, theirs))
        rated = f"{name}: {'stopped' if wanted else 'left alone'}"
        yield Row(rated, _percent(right), "%", peer, _percent(theirs_right) if with_peer else None)


def _at(seconds: Sequence[float], place: int) -> Any:
    """Return the microseconds that all but one in `place` stay below."""
    return sorted(seconds)[-1 - len(seconds) // place] * _MICRO if seconds else None


def _percent(right: Sequence[bool]) -> float:
    return 100 * sum(right) / len(right)


def calls(rounds: int) -> Iterator[Row]:
    """Yield what a call of pre_tool_call takes with the plugin and without."""
    payloads = {
        "pre_tool_call, a command": {"tool_name": "terminal", "args": {"command": "git status && make test | tail -5"}},
        "pre_tool_call, a path": {"tool_name": "read_file", "args": {"path": "src/app.py"}},
    }
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        guarded, plain = (
            _manager(Path(directory, name), enabled, stack)
            for name, enabled in (("guarded", ["builtin:guardrails"]), ("plain", []))
        )
        for name, payload in payloads.items():
            sent = HOOKS["pre_tool_call"].sample(**payload)
            timers = [call_timer(partial(manager.hook.pre_tool_call), sent) for manager in (guarded, plain)]
            ours, without = (seconds * _MICRO for seconds in best_times(timers, rounds=rounds))
            yield Row(f"{name} vs no plugin", ours, "us", "no plugin", without)


def _manager(home: Path, enabled: Sequence[str], stack: ExitStack) -> PluginManager:
    home.mkdir()
    manager = PluginManager(
        home, config={"plugins": {"enabled": list(enabled)}}, builtin_dir=BUILTIN, entry_points=False
    )
    stack.callback(manager.shutdown)
    manager.discover_and_load()
    return manager


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parser(__doc__ or "", rounds=5)
    add_peer(options)
    given = options.parse_args(arguments)
    os.environ["HOME"] = HOME
    stay_on_one_cpu()
    with_peer = not given.without_hermes_agent
    try:
        rows = [*verdicts(given.rounds, with_peer=with_peer), *calls(given.rounds)]
    except PeerError as error:
        print(error, file=sys.stderr)
        return 1
    machine = describe(**({PEER: VERSION} if with_peer else {}))
    print((as_json if given.json else as_table)(machine, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
