"""Homes with plugins in them, for tests on real managers."""

import json
import sys
import textwrap

import pytest


class PluginHome:
    """A home in a temporary directory, and the managers that a test opens on it."""

    def __init__(self, path):
        self.path = path
        self.builtin = path.parent / f"{path.name}-builtin"
        self.managers = []
        path.mkdir(parents=True, exist_ok=True)
        self.builtin.mkdir(exist_ok=True)

    def plugin(self, name, code="def register(ctx): ...\n", manifest=None, *, root=None, **files):
        """Write a directory plugin and return its directory; `manifest` is text, "" for none, None for its name."""
        directory = (root or self.path / "plugins") / name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "__init__.py").write_text(textwrap.dedent(code))
        if manifest != "":
            (directory / "plugin.yaml").write_text(manifest or f"name: {name.rpartition('/')[2]}\n")
        for file, content in files.items():
            (directory / f"{file}.py").write_text(textwrap.dedent(content))
        return directory

    def config(self, text):
        """Write config.yaml."""
        (self.path / "config.yaml").write_text(textwrap.dedent(text))

    def manager(self, **options):
        """Return a manager of this home that is shut down after the test; no entry points unless asked for."""
        from hermes_sdk import PluginManager

        manager = PluginManager(self.path, **{"builtin_dir": self.builtin, "entry_points": False} | options)
        self.managers.append(manager)
        return manager

    def loaded(self, **options):
        """Return a manager that has loaded its plugins."""
        manager = self.manager(**options)
        manager.discover_and_load()
        return manager

    def close(self):
        """Shut every manager down."""
        for manager in self.managers:
            manager.shutdown()


@pytest.fixture
def plugin_home(tmp_path, monkeypatch):
    """A home that nothing outside of the test can disturb."""
    for name in ("HERMES_HOME", "HERMES_SAFE_MODE", "HERMES_ENABLE_PROJECT_PLUGINS", "HERMES_PLUGINS_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    home = PluginHome(tmp_path / "home")
    yield home
    home.close()


class ShellHome(PluginHome):
    """A home with scripts, which stand outside of it unless they are written into it."""

    def script(self, name, text, *, executable=True):
        """Write a script and return its path as text; without a first line of its own it is one for sh."""
        path = self.path.parent / name
        text = textwrap.dedent(text).lstrip("\n")
        path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}")
        path.chmod(0o755 if executable else 0o644)
        return str(path)

    def answering(self, name, answer):
        """Write a script that reads its payload and prints an answer."""
        return self.script(name, f"cat >/dev/null\ncat <<'EOF'\n{answer}\nEOF\n")

    def hooks(self, hooks, **more):
        """Write config.yaml with these hooks, entries by event, and other keys."""
        self.config(json.dumps({"hooks": hooks, **more}))

    def start(self, *, accept=True, ask=None, cwd=None, **options):
        """Return (manager, what is in force): plugins loaded, shell hooks registered."""
        from hermes_sdk.shell_hooks.register import register_from_config

        manager = self.loaded(**options)
        more = {} if cwd is None else {"cwd": lambda: str(cwd)}
        return manager, register_from_config(manager=manager, accept_hooks=accept, ask=ask, **more)

    def started(self, hooks, **more):
        """Return the manager of a home with these hooks, everything approved."""
        self.hooks(hooks, **more)
        return self.start()[0]


@pytest.fixture
def shell_home(tmp_path, monkeypatch):
    """A home for shell hooks that nothing outside of the test can disturb."""
    for name in ("HERMES_HOME", "HERMES_SAFE_MODE", "HERMES_ACCEPT_HOOKS", "HERMES_HOOK_DEPTH"):
        monkeypatch.delenv(name, raising=False)
    home = ShellHome(tmp_path / "shell-home")
    yield home
    home.close()


@pytest.fixture
def another_home(tmp_path):
    """A second home in the same process."""
    home = PluginHome(tmp_path / "another")
    yield home
    home.close()


@pytest.fixture
def row_of():
    """Return a function that gives the row of a plugin in `list_plugins`."""

    def row_of(manager, key):
        rows = [row for row in manager.list_plugins() if row["key"] == key]
        assert len(rows) == 1, f"{len(rows)} rows of {key}: {rows}"
        return rows[0]

    return row_of


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a distribution: packages as text, entry points by group, metadata."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def install(name, version="1.0", modules=None, entry_points=None, metadata=None):
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            metadata if metadata is not None else f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        if isinstance(entry_points, str):
            text = entry_points
        else:
            text = "".join(
                f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
                for group, points in (entry_points or {}).items()
            )
        (info / "entry_points.txt").write_text(text)
        for module, code in (modules or {}).items():
            file = site / f"{module.replace('.', '/')}.py"
            if not code.startswith("# module"):
                file = site / module.replace(".", "/") / "__init__.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(code))
        return info

    yield install
    for name, module in list(sys.modules.items()):
        if str(site) in str(getattr(module, "__file__", "")):
            del sys.modules[name]
