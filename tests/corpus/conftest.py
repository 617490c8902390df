"""The installed wheels, for the tests of this directory."""

import pytest
from corpus_wheels import RegistryUnreachableError, fetch


@pytest.fixture(scope="session")
def sites():
    """Directories that the pinned wheels are installed in, by distribution."""
    try:
        return fetch()
    except RegistryUnreachableError as error:
        pytest.skip(f"the package registry cannot be reached, so no corpus plugin can be installed: {error}")
