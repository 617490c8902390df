"""What it costs to find and load many plugins, and to list them from the command line, against hermes-agent.

    python benchmarks/startup.py [--json] [--plugins 100,1000]

Every measurement is a fresh process; the two hosts take turns, on the same home, with compiled plugins (the
first start of each home is not counted) and without the plugins that either of them ships.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from _harness.hermes_agent import VERSION, PeerError, environment, peer_environ
from _harness.machine import describe
from _harness.measure import stay_on_one_cpu
from _harness.options import add_peer, numbers, parser
from _harness.plugin_home import fill_home
from _harness.rows import Row, as_json, as_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

REACH_LIST: Final = 0.3
REACH_LOAD: Final = 0.8
REACH_COMMAND: Final = 0.5
_HARNESS: Final = Path(__file__).with_name("_harness")
_MILLISECONDS: Final = 1e3


@dataclass(frozen=True, slots=True)
class Home:
    """One prepared home."""

    path: Path
    plugins: int
    enabled: bool

    @property
    def loaded(self) -> int:
        """How many plugins a host loads from it."""
        return self.plugins if self.enabled else 0


@dataclass(frozen=True, slots=True)
class Peer:
    """hermes-agent's interpreter and its command."""

    directory: Path

    def discovery(self, home: Home) -> Callable[[], float]:
        """Return a measurement of its discovery."""
        script = str(_HARNESS / "discover_hermes_agent.py")
        command = [str(self.directory / "bin" / "python"), script, str(home.loaded)]
        return lambda: _reported(command, home)

    def plugins_list(self, home: Home) -> Callable[[], float]:
        """Return a measurement of its whole ``hermes plugins list`` process."""
        command = [str(self.directory / "bin" / "hermes"), "plugins", "list"]
        return lambda: _whole(command, home)


def _our_discovery(what: str, home: Home) -> Callable[[], float]:
    script = str(_HARNESS / "discover_ours.py")
    expected = home.plugins if what == "list" else home.loaded
    command = [sys.executable, script, what, str(home.path), str(expected)]
    return lambda: _reported(command, home)


def _our_plugins_list(home: Home) -> Callable[[], float]:
    command = [str(Path(sys.executable).with_name("hermes-sdk")), "plugins", "list"]
    return lambda: _whole(command, home)


def _run(command: Sequence[str], home: Home) -> str:
    nowhere = home.path / "bundled"
    nowhere.mkdir(exist_ok=True)
    variables = {**peer_environ(home.path), "HERMES_BUNDLED_PLUGINS": str(nowhere)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, cwd=home.path)
    if done.returncode:
        raise PeerError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-800:]}")
    return done.stdout


def _reported(command: Sequence[str], home: Home) -> float:
    """Run a process that prints the seconds it measured itself."""
    return float(_run(command, home).split()[-1])


def _whole(command: Sequence[str], home: Home) -> float:
    """Run a process and measure it from start to exit."""
    started = time.perf_counter()
    _run(command, home)
    return time.perf_counter() - started


def best_by_turns(measurements: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """Return the best of `rounds` of each measurement, taken by turns after one uncounted round."""
    for measurement in measurements:
        measurement()
    taken = [[measurement() for measurement in measurements] for _ in range(rounds)]
    return [min(times) for times in zip(*taken, strict=True)]


def rows(homes: Sequence[Home], peer: Peer | None, rounds: int) -> Iterator[Row]:
    """Measure everything that the homes allow."""
    for home in homes:
        many = f"{home.plugins} plugins"
        if not home.plugins:
            pair = (_our_plugins_list(home), peer and peer.plugins_list(home))
            yield _row("plugins list, no plugins", *pair, REACH_COMMAND, rounds)
        elif home.enabled:
            discovery = peer and peer.discovery(home)
            yield _row(f"list {many}", _our_discovery("list", home), discovery, REACH_LIST, rounds)
            yield _row(f"load {many}", _our_discovery("load", home), discovery, REACH_LOAD, rounds)
            pair = (_our_plugins_list(home), peer and peer.plugins_list(home))
            yield _row(f"plugins list, {many}", *pair, REACH_COMMAND, rounds)
        else:
            pair = (_our_discovery("list", home), peer and peer.discovery(home))
            yield _row(f"list {many}, none enabled", *pair, None, rounds)


def _row(
    name: str, ours: Callable[[], float], theirs: Callable[[], float] | None, reach: float | None, rounds: int
) -> Row:
    if theirs is None:
        (best,) = best_by_turns([ours], rounds)
        return Row(name, best * _MILLISECONDS, "ms")
    best, peer_best = best_by_turns([ours, theirs], rounds)
    return Row(
        f"{name} vs hermes-agent",
        best * _MILLISECONDS,
        "ms",
        "hermes-agent",
        peer_best * _MILLISECONDS,
        reach,
    )


def main() -> int:
    options = parser(__doc__ or "", rounds=7)
    options.add_argument("--plugins", type=numbers, default=[100, 1000], help="numbers of plugins in a home")
    add_peer(options)
    chosen = options.parse_args()
    stay_on_one_cpu()
    with tempfile.TemporaryDirectory(prefix="hermes-startup-") as directory:
        homes = []
        for count, enabled in [(0, True), *((n, on) for n in chosen.plugins for on in (True, False))]:
            home = Home(Path(directory) / f"{count}-{'enabled' if enabled else 'listed'}", count, enabled)
            fill_home(home.path, count, enabled=enabled)
            homes.append(home)
        try:
            peer = None if chosen.without_hermes_agent else Peer(environment())
            measured = list(rows(homes, peer, chosen.rounds))
        except PeerError as error:
            print(error, file=sys.stderr)
            return 1
    machine = describe(**({} if peer is None else {"hermes-agent": VERSION}))
    print((as_json if chosen.json else as_table)(machine, measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
