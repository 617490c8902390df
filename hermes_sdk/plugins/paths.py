"""Where a plugin may keep files: `ctx.paths`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class PluginPaths:
    """Directories of one plugin under its home; each is made, for the user alone, when it is first asked for.

    Args:
        home: The home.
        key: The plugin's key.
    """

    def __init__(self, home: Path, key: str) -> None:
        self.home = home
        """The home itself; it may not exist yet."""
        self._name = "".join(
            letter if letter.isalnum() or letter in "-_." else "_" for letter in key.replace("/", "__")
        ).strip(".")

    @property
    def data(self) -> Path:
        """For what must survive: ``<home>/plugin-data/<plugin>``."""
        return self._made("plugin-data")

    @property
    def state(self) -> Path:
        """For what may be lost, but not while the host runs: ``<home>/plugin-state/<plugin>``."""
        return self._made("plugin-state")

    @property
    def cache(self) -> Path:
        """For what can be made again: ``<home>/plugin-cache/<plugin>``."""
        return self._made("plugin-cache")

    def _made(self, kind: str) -> Path:
        directory = self.home / kind / (self._name or "_")
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return directory
