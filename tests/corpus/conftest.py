"""The installed wheels, for the tests of this directory."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the modules beside this one


@pytest.fixture(scope="session")
def sites():
    """Directories that the pinned wheels are installed in, by distribution."""
    from corpus_wheels import RegistryUnreachableError, fetch

    try:
        return fetch()
    except RegistryUnreachableError as error:
        pytest.skip(f"the package registry cannot be reached, so no corpus plugin can be installed: {error}")
