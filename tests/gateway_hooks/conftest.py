"""Homes with gateway hooks, and registries that are closed after each test."""

import asyncio
import textwrap

import pytest

from hermes_sdk.gateway_hooks import HookRegistry


class Home:
    """A home whose hooks a test writes as text."""

    def __init__(self, path):
        self.path = path

    def hook(self, name, code, events="agent:start", *, more="", **files):
        """Write one hook; `files` are further modules beside its handler, by name."""
        directory = self.path / "hooks" / name
        directory.mkdir(parents=True, exist_ok=True)
        listed = events if isinstance(events, str) else f"[{', '.join(events)}]"
        (directory / "HOOK.yaml").write_text(f"events: {listed}\n{more}", "utf-8")
        for file, text in {"handler": code, **files}.items():
            (directory / f"{file}.py").write_text(textwrap.dedent(text), "utf-8")
        return directory

    def lines(self, name="log"):
        """Return what handlers wrote to a file of the home, by `note` below."""
        path = self.path / name
        return path.read_text("utf-8").splitlines() if path.exists() else []

    @property
    def note(self):
        """Source of a function with which handlers write a line."""
        return f"def note(text):\n    with open({str(self.path / 'log')!r}, 'a') as log: log.write(text + '\\n')\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(path))
    return Home(path)


@pytest.fixture
def registry(home):
    """Return a function that makes a registry of the home with its hooks loaded."""
    made = []

    def make(**options):
        made.append(HookRegistry(home.path, **options))
        made[-1].discover_and_load()
        return made[-1]

    yield make
    for one in made:
        asyncio.run(one.close(1.0))


@pytest.fixture
def fire():
    """Return a function that emits events, waits until they are handled, and returns whether that was in time."""

    def fire(registry, *events, seconds=20.0):
        async def run():
            for event, context in events:
                await registry.emit(event, context)
            return await registry.flush(seconds)

        return asyncio.run(run())

    return fire
