"""Running cases in two hosts that stay up."""

import itertools
import shutil

from compare import compare
from homes import stage
from hosts import OURS, Host


class Runs:
    """A release of hermes-agent and our host, each in one process; a context manager that ends both.

    Args:
        version: The release.
        directory: For homes and logs.
    """

    def __init__(self, version, directory):
        self.version = version
        self.theirs = Host(version, directory / version)
        self.ours = Host(OURS, directory / f"{OURS} beside {version}")
        self._directory = directory / f"cases {version}"
        self._numbers = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.theirs.end()
        self.ours.end()

    def compare(self, case):
        """Run a case in both hosts, each in a home of its own, and return the verdict."""
        directory = self._directory / str(next(self._numbers))
        try:
            theirs, ours = (self._observe(host, case, directory / host.version) for host in (self.theirs, self.ours))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        return compare(case, theirs, ours)

    @staticmethod
    def _observe(host, case, directory):
        home = directory / "home"
        site = stage(case, home)
        return host.observe(home, [plugin.name for plugin in case.plugins], case.firings, site=site)
