"""What pytest loads: options, the marker, the fixtures, and the look for leaks around each test.

Loaded into every pytest run of an environment that has hermes-sdk, so nothing of hermes-sdk is imported here before a
fixture needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
    from collections.abc import Generator

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
_WATCH: Final = pytest.StashKey[Any]()


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


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Remember what there is before the first fixture."""
    if "hermes_home" in getattr(item, "fixturenames", ()) or item.config.getini(LEAK_CHECK):
        from hermes_sdk.testing.leaks import LeakWatch

        item.stash[_WATCH] = LeakWatch()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that left something behind, once its fixtures are gone."""
    try:
        return (yield)
    finally:
        watch = item.stash.get(_WATCH, None)
        if watch is not None:
            del item.stash[_WATCH]
            allowed = [kind for mark in item.iter_markers(ALLOW_LEAKS) for kind in mark.args or ("all",)]
            leaks = watch.end(allowed)
            if leaks:
                pytest.fail("the test leaks:\n" + "\n".join(f"  {leak}" for leak in leaks), pytrace=False)
