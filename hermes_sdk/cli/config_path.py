"""Where the configuration of a home is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def print_config_path(home: Path) -> None:
    """Print the path of config.yaml, whether it exists or not."""
    print(home / "config.yaml")
