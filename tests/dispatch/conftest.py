"""What the dispatch tests share: a manager that is shut down afterwards, plugins made of callbacks, full payloads."""

import logging

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager


@pytest.fixture
def manager():
    manager = DispatchManager()
    yield manager
    manager.shutdown()


@pytest.fixture
def plugin(manager):
    """Return a function that registers callbacks the way `ctx.register_hook` does: ``plugin("a", hook=callback)``."""

    def plugin(name, policy=None, /, **callbacks):
        holder = PluginHolder(name)
        for hook, given in callbacks.items():
            for callback in given if isinstance(given, list) else [given]:
                holder.add_callback(hook, callback)
        manager.register(holder, name, policy=policy)
        return holder

    return plugin


@pytest.fixture
def fire(manager):
    """Return a function that fires a hook with the contract's sample payload, partly overridden."""

    def fire(hook, **overrides):
        return getattr(manager.hook, hook)(**HOOKS[hook].sample(**overrides))

    return fire


@pytest.fixture
def afire(manager):
    """Return the asynchronous form of `fire`."""

    async def afire(hook, **overrides):
        return await getattr(manager.ahook, hook)(**HOOKS[hook].sample(**overrides))

    return afire


@pytest.fixture
def logged(caplog):
    """Return a function that gives what the dispatcher logged since it was last asked, at `level` or above."""
    caplog.set_level(logging.INFO, logger="hermes_sdk.dispatch")

    def logged(level=logging.INFO):
        records = [record for record in caplog.records if record.levelno >= level]
        caplog.clear()
        return [record.getMessage() for record in records if record.name.startswith("hermes_sdk.dispatch")]

    return logged
