"""The pinned plugins of the corpus in both hosts: one process a plugin, host and way of calling."""

import sys
from functools import lru_cache
from pathlib import Path

from cases import Case, Plugin
from hosts import OURS, Host
from our_ways import WAYS
from payload_choice import recorded

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpus"))

from corpus_pins import PINS
from corpus_process import staged
from corpus_wheels import fetch
from payloads import sequence


def case_of(pin):
    """Return the recorded run of a plugin as a case."""
    fired = sequence(pin["hooks"], pin["scenario"]["extra_calls"])
    form = "register function" if ":" in pin["load"].get("target", "") else "module"
    plugin = Plugin(pin["load"]["name"], form=form, source="")
    return Case(f"{pin['name']} {pin['version']}", (plugin,), tuple(recorded(*row) for row in fired))


class CorpusRuns:
    """What each plugin did in each host; what ours did is the same for all releases of the other.

    Args:
        directory: For homes and logs.
    """

    def __init__(self, directory):
        self._directory = directory
        self._sites = fetch()
        self.cases = {name: case_of(pin) for name, pin in PINS.items()}
        self.ours = lru_cache(None)(self._ours)

    def _ours(self, name):
        seen = {}
        for way in WAYS:
            seen |= self._observe(OURS, name, way)
        return seen

    def theirs(self, version, name):
        """Return what was to be seen in a release of hermes-agent."""
        return self._observe(version, name)

    def _observe(self, version, name, *ways):
        directory = self._directory / "-".join((version, name, *ways))
        directory.mkdir(parents=True)
        case, home = self.cases[name], directory / "home" / ".hermes"
        with staged(PINS[name], self._sites[name], directory) as environ, Host(version, directory, environ) as host:
            plugins = [plugin.name for plugin in case.plugins]
            return host.observe(home, plugins, case.firings, ways=ways, private=directory)
