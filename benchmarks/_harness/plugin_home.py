"""A home full of directory plugins that both hosts read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MANIFEST = """\
name: {name}
version: "1.0"
description: one of many small plugins
provides_hooks: [post_tool_call]
"""
_MODULE = '''\
"""Counts tool calls."""

calls = 0


def count(tool_name="", result=None, **kwargs):
    global calls
    calls += 1


def register(ctx):
    ctx.register_hook("post_tool_call", count)
'''


def fill_home(home: Path, count: int, *, enabled: bool) -> None:
    """Write `count` plugins under `home`, and a config.yaml that enables all of them or none.

    Args:
        home: The home; made when missing.
        count: How many plugins.
        enabled: Both hosts load what ``plugins.enabled`` names.
    """
    names = [f"plugin_{number:04}" for number in range(count)]
    for name in names:
        directory = home / "plugins" / name
        directory.mkdir(parents=True)
        (directory / "plugin.yaml").write_text(_MANIFEST.format(name=name), encoding="utf-8")
        (directory / "__init__.py").write_text(_MODULE, encoding="utf-8")
    listed = ", ".join(names) if enabled else ""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(f"plugins:\n  enabled: [{listed}]\n", encoding="utf-8")
