"""What the bridge costs a turn of hermes-agent: real turns of its `AIAgent`, with a model on loopback.

    python benchmarks/bridge.py [--json] [--rounds 12] [--turns 5]

A turn is a question, one tool call and an answer. It is played in hermes-agent without plugins, with the bridge but no
plugins in it, and with five plugins that listen to every hook of a turn: inside of the bridge, and natively. `hook
time` is what the callbacks of that host took in a turn, the bridge's own work included.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from _harness.agent_site import link_framework
from _harness.hermes_agent import VERSION, PeerError, environment, peer_environ
from _harness.machine import describe
from _harness.measure import stay_on_one_cpu
from _harness.options import add_peer, parser, positive
from _harness.rows import Row, as_json, as_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

PLUGINS: Final = [f"listener_{number}" for number in range(5)]
REACH: Final = 0.01
"""What hook callbacks may take of a turn; whole turns differ by more than that from run to run."""
_WORKER: Final = Path(__file__).with_name("_harness") / "agent_turns_worker.py"
_MILLISECONDS: Final = 1e3
_LISTENER: Final = """
HOOKS = ("pre_llm_call", "pre_api_request", "post_api_request", "pre_tool_call", "post_tool_call",
         "transform_tool_result", "transform_llm_output", "post_llm_call", "on_session_end")

def register(ctx):
    for hook in HOOKS:
        ctx.register_hook(hook, lambda **payload: None)
"""


@dataclass(slots=True)
class Best:
    """The fastest of all turns, in seconds."""

    turn: float = float("inf")
    hooks: float = float("inf")


class Turns:
    """hermes-agent in a process of its own, with a home of its own; a context manager that ends it."""

    def __init__(self, site: Path, *, enabled: list[str], bridged: list[str]) -> None:
        self.best = Best()
        self._home = tempfile.TemporaryDirectory(prefix="hermes-turns-")
        home = Path(self._home.name)
        plugins = {"enabled": enabled, "entries": {"hermes-sdk": {"plugins": bridged}}}
        (home / "config.yaml").write_text(json.dumps({"plugins": plugins}), "utf-8")  # JSON is YAML
        for name in PLUGINS:
            directory = home / "plugins" / name
            directory.mkdir(parents=True)
            (directory / "__init__.py").write_text(_LISTENER, "utf-8")
            (directory / "plugin.yaml").write_text(f"name: {name}\n", "utf-8")
        self._process = subprocess.Popen(
            [str(environment() / "bin" / "python"), str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=home,
            env=peer_environ(home) | {"PYTHONPATH": str(site)},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=30)
        self._home.cleanup()

    def play(self, turns: int) -> None:
        """Play some turns and keep the fastest.

        Raises:
            PeerError: The process ended.
        """
        if self._process.stdin is None or self._process.stdout is None:
            raise PeerError("the worker was started without pipes")
        self._process.stdin.write(json.dumps({"turns": turns}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise PeerError("hermes-agent ended in the middle of a turn")
        measured = json.loads(answer)
        self.best = Best(min(self.best.turn, measured["turn"]), min(self.best.hooks, measured["hooks"]))


def rows(rounds: int, turns: int) -> Iterator[Row]:
    """Play the turns of all four by turns, and yield what they took."""
    with ExitStack() as stack:
        site = link_framework(Path(stack.enter_context(tempfile.TemporaryDirectory())), environment())
        setups = (([], []), (["hermes-sdk"], []), (["hermes-sdk"], PLUGINS), (PLUGINS, []))
        players = [stack.enter_context(Turns(site, enabled=enabled, bridged=bridged)) for enabled, bridged in setups]
        for player in players:
            player.play(1)  # what is loaded at first use is loaded then
            player.best = Best()
        for number in range(rounds):
            for player in players if number % 2 else reversed(players):
                player.play(turns)
        plain, empty, bridged, native = (player.best for player in players)
    yield _row("hook time, bridge without plugins vs whole turn", empty.hooks, plain.turn, "whole turn", REACH)
    yield _row("hook time, 5 plugins in the bridge vs whole turn", bridged.hooks, plain.turn, "whole turn", REACH)
    yield _row("hook time, 5 plugins in the bridge vs native", bridged.hooks, native.hooks, "native")
    yield _row("turn, bridge without plugins vs hermes-agent", empty.turn, plain.turn, "hermes-agent")
    yield _row("turn, 5 plugins in the bridge vs native", bridged.turn, native.turn, "native")


def _row(name: str, ours: float, theirs: float, peer: str, reach: float | None = None) -> Row:
    return Row(name, ours * _MILLISECONDS, "ms", peer, theirs * _MILLISECONDS, reach)


def main() -> int:
    options = parser(__doc__ or "", rounds=12)
    options.add_argument("--turns", type=positive, default=5, help="turns of each contestant a round (5)")
    add_peer(options)
    chosen = options.parse_args()
    if chosen.without_hermes_agent:
        print("there is nothing to measure without hermes-agent", file=sys.stderr)
        return 2
    stay_on_one_cpu()
    try:
        measured = list(rows(chosen.rounds, chosen.turns))
    except PeerError as error:
        print(error, file=sys.stderr)
        return 1
    print((as_json if chosen.json else as_table)(describe(**{"hermes-agent": VERSION}), measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
