"""A gateway under test on a home of its own; what tests share is in gateway_desk.py."""

import asyncio
import builtins
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the module beside this one

from gateway_desk import Talk


@pytest.fixture
def talk(tmp_path, monkeypatch):
    for name in ("HERMES_HOME", "HERMES_SAFE_MODE", "HERMES_ACCEPT_HOOKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return Talk(tmp_path)


@pytest.fixture
def played(talk):
    """Run a test's coroutine on a loop of its own, and stop the gateway after it."""

    def run(coroutine):
        async def whole():
            try:
                async with asyncio.timeout(90):
                    await coroutine
            finally:
                await talk.stop()

        asyncio.run(whole())

    return run


@pytest.fixture
def gate():
    """A tool that waits until the test lets it go on."""
    return threading.Event()


@pytest.fixture
def waiting_tool(talk, gate, monkeypatch):
    monkeypatch.setattr(builtins, "gate_of_the_test", gate, raising=False)
    talk.plugin(
        "import builtins\n"
        "def wait(args, **kw):\n    builtins.gate_of_the_test.wait(30)\n    return '{}'\n"
        "def f(event, **kw):\n    return {'action': 'skip'} if event.text == 'psst' else None\n"
        "def register(ctx):\n"
        "    ctx.register_tool('wait', 'x', {'description': 'w', 'parameters': {}}, wait)\n"
        "    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )
