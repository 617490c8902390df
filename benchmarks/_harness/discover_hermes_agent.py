"""Runs in hermes-agent's own environment: prints how many seconds its discovery took, imports excluded.

python discover_hermes_agent.py EXPECTED, with the home in HERMES_HOME. The real host has one way for both:
what ``plugins.enabled`` names is loaded, the rest is only read.
"""

from __future__ import annotations

import sys
import time

from hermes_cli.plugins import PluginManager


def main(expected: int) -> None:
    """Time one start of the real host's manager."""
    started = time.perf_counter()
    manager = PluginManager()
    manager.discover_and_load()
    taken = time.perf_counter() - started
    found = sum(1 for plugin in manager.list_plugins() if plugin["enabled"])
    if found != expected:
        sys.exit(f"hermes-agent loaded {found} plugins, not {expected}")
    print(taken)


if __name__ == "__main__":
    main(int(sys.argv[1]))
