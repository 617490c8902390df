"""Runs in a process of its own: prints how many seconds it took to list or load the plugins of a home.

python discover_ours.py (list|load) HOME EXPECTED
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hermes_sdk.plugins.manager import PluginManager


def main(what: str, home: Path, expected: int) -> None:
    """Time one start of a manager, imports excluded."""
    nowhere = home / "builtin"
    nowhere.mkdir(exist_ok=True)
    started = time.perf_counter()
    manager = PluginManager(home, builtin_dir=nowhere)
    if what == "list":
        found = len(manager.discover())
    else:
        manager.discover_and_load()
        found = sum(1 for plugin in manager.list_plugins() if plugin["enabled"])
    taken = time.perf_counter() - started
    manager.shutdown()
    if found != expected:
        sys.exit(f"{what} found {found} plugins in {home}, not {expected}")
    print(taken)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
