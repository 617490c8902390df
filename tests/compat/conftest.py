"""hermes-agent and our host side by side, where the release that "upstream" means is installed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the modules beside this one


@pytest.fixture(scope="session")
def beside(tmp_path_factory):
    """Return a function that gives a release and our host, ready to compare a case."""
    from environments import environment, is_made
    from runs import Runs
    from versions import UPSTREAM

    started = {}

    def beside(version=UPSTREAM):
        if version not in started:
            if version == UPSTREAM and not is_made(version):
                pytest.skip(f"hermes-agent {version} is not installed: python tests/compat/environments.py {version}")
            environment(version)
            started[version] = Runs(version, tmp_path_factory.mktemp("hosts"))
        return started[version]

    yield beside
    for runs in started.values():
        runs.__exit__()
