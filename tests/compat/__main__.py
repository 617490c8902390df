"""Compare plugins in hermes-agent and here, and print a table: ``python tests/compat [--examples N] [VERSION ...]``.

Published plugins and the seed page's examples run on every release; specimens of the wanted differences and made-up
plugins on the one that "upstream" means. The exit code is 1 when there is a difference that nobody wanted.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from compare import compare
from corpus_runs import CorpusRuns
from environments import environment
from generated import cases
from hypothesis import HealthCheck, given, settings
from plugin_source import source_of
from runs import Runs
from seed_cases import seed_cases
from specimens import SPECIMENS
from table import Table
from versions import UPSTREAM, VERSIONS


class UnwantedError(Exception):
    """Hosts differ on a made-up plugin; hypothesis looks for a smaller one."""


class Comparison:
    """Everything that one call of this program compares."""

    def __init__(self, versions, directory):
        self.versions = versions
        self.directory = directory
        self.table = Table(versions)
        self.unwanted = []
        """Every difference that nobody wanted, a text each."""
        self.found = Counter()

    def take(self, name, version, verdict):
        """Note a verdict that is shown in the table."""
        self.table.add(name, version, verdict)
        self.unwanted += [f"{name} with {version}: {problem}" for problem in verdict.problems]

    def corpus(self):
        """Compare the published plugins."""
        runs = CorpusRuns(self.directory / "corpus")
        for name, case in runs.cases.items():
            for version in self.versions:
                self.take(case.name, version, compare(case, runs.theirs(version, name), runs.ours(name)))

    def seed(self, runs):
        """Compare the seed page's examples."""
        for case in seed_cases():
            self.take(case.name, runs.version, runs.compare(case))

    def specimens(self, runs):
        """Compare the plugins that show a difference: each must show its own, and nothing else."""
        for name, case in SPECIMENS.items():
            verdict = runs.compare(case)
            self.unwanted += [f"specimen {name}: {problem}" for problem in verdict.problems]
            if verdict.found != {name}:
                self.unwanted.append(f"specimen {name} shows {', '.join(sorted(verdict.found)) or 'no difference'}")

    def made_up(self, runs, examples):
        """Compare made-up plugins; the smallest that differs is described."""

        @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(cases())
        def one(case):
            verdict = runs.compare(case)
            self.found.update(verdict.found or ["none"])
            if verdict.problems:
                raise UnwantedError(described(case, verdict))

        try:
            one()
        except UnwantedError as error:
            self.unwanted.append(f"made-up plugin: {error}")


def described(case, verdict):
    """Return what is different and the plugins it is different for."""
    sources = (f"# {plugin.name}\n{source_of(plugin)}" for plugin in case.plugins)
    return "\n".join([*verdict.problems, *sources])


def main():
    """Compare what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(prog="python tests/compat", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"of {', '.join(VERSIONS)}; default: all")
    parser.add_argument("--examples", type=int, default=400, help="how many made-up plugins (default: 400)")
    options = parser.parse_args()
    versions = options.versions or list(VERSIONS)
    started = time.monotonic()
    for version in versions:
        environment(version)
    with tempfile.TemporaryDirectory(prefix="hermes-compat-") as directory, ExitStack() as stack:
        comparison = Comparison(versions, Path(directory))
        comparison.corpus()
        for version in versions:
            runs = stack.enter_context(Runs(version, Path(directory)))
            comparison.seed(runs)
            if version == UPSTREAM:
                comparison.specimens(runs)
                comparison.made_up(runs, options.examples)
    report(comparison, time.monotonic() - started)
    return 1 if comparison.unwanted else 0


def report(comparison, seconds):
    """Print the table and everything that nobody wanted."""
    print(comparison.table.render())
    if comparison.found:
        shown = ", ".join(f"{name} {count}" for name, count in comparison.found.most_common())
        print(f"\nmade-up plugins with {UPSTREAM}, by the differences they showed: {shown}")
    for text in comparison.unwanted:
        print(f"\nnot wanted: {text}")
    outcome = (
        f"{len(comparison.unwanted)} differences that nobody wanted" if comparison.unwanted else "no other difference"
    )
    print(f"\n{outcome}; {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
