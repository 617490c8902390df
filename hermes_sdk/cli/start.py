"""Starting the plugins of a home for one command, and ending them after it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from hermes_sdk.plugins.manager import PluginManager


@contextmanager
def loaded_plugins(
    home: Path, *, extra: Iterable[Path] = (), strict: bool = False
) -> Iterator[PluginManager]:
    """Load every enabled plugin of `home`, and the directories `extra`, for as long as the block runs.

    Raises:
        StrictError: Something is wrong and `strict` or ``plugins.strict`` asks to refuse it.
        PluginError: A directory of `extra` cannot be loaded.
    """
    from hermes_sdk.plugins.manager import PluginManager

    manager = PluginManager(home, strict=strict)
    try:
        manager.discover_and_load()
        for directory in extra:
            manager.load_plugin(directory)
        yield manager
    finally:
        manager.shutdown()
