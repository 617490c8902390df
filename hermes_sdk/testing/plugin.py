"""What pytest loads: options, the marker, the fixtures, and the look for leaks around each test.

Loaded into every pytest run of an environment that has hermes-sdk, so nothing of hermes-sdk is imported here before a
fixture needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from hermes_sdk.testing.fixtures import (
    clock,
    fire,
    gateway,
    hermes_config,
    hermes_home,
    load_plugin,
    manager,
    replay,
    run_session,
    shell_hook,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "clock",
    "fire",
    "gateway",
    "hermes_config",
    "hermes_home",
    "load_plugin",
    "manager",
    "replay",
    "run_session",
    "shell_hook",
]

LEAK_CHECK: Final = "hermes_sdk_leak_check"
ALLOW_LEAKS: Final = "allow_leaks"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    about = (
        "look for leaked threads, processes and environment changes in every test, not only in those with its fixtures"
    )
    parser.addini(LEAK_CHECK, about, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    about = "of the kinds named: 'threads', 'processes', 'environment'; of all without any (hermes-sdk)"
    config.addinivalue_line("markers", f"{ALLOW_LEAKS}(*kinds): let the test leave leaks behind, {about}")


@pytest.fixture(autouse=True)
def _hermes_sdk_leak_watch(request: pytest.FixtureRequest) -> Iterator[None]:
    """Look for leaks around the test and its own fixtures; those of a module or a session were there before."""
    if "hermes_home" not in request.fixturenames and not request.config.getini(LEAK_CHECK):
        yield
        return
    from hermes_sdk.testing.leaks import LeakWatch

    watch = LeakWatch()
    yield
    allowed = [kind for mark in request.node.iter_markers(ALLOW_LEAKS) for kind in mark.args or ("all",)]
    if leaks := watch.end(allowed):
        pytest.fail("the test leaks:\n" + "\n".join(f"  {leak}" for leak in leaks), pytrace=False)
