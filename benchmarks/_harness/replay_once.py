"""Runs in a process of its own: replays one transcript and prints what it took as a JSON object.

python replay_once.py TRANSCRIPT (HOME | -), where - stands for no plugins at all.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from pathlib import Path
from typing import Final

from hermes_sdk.host.session_file import load_session, play
from hermes_sdk.plugins.manager import PluginManager

_PER_MEGABYTE: Final = 1 << 20 if sys.platform == "darwin" else 1 << 10
"""`ru_maxrss` counts bytes on macOS and kilobytes elsewhere."""


def main(transcript: Path, home: Path) -> None:
    """Replay with recorded results and print seconds, hook time, calls and peak memory."""
    manager = PluginManager(home, entry_points=False)
    manager.discover_and_load()
    loaded = [plugin["name"] for plugin in manager.list_plugins() if plugin["enabled"]]
    result = play(manager, load_session(transcript), mode="recorded")
    manager.shutdown()
    if not result.ok:
        sys.exit("\n".join(result.problems))
    print(
        json.dumps(
            {
                "plugins": loaded,
                "tool_calls": result.tool_calls,
                "seconds": result.seconds,
                "hook_calls": result.hook_calls,
                "hook_seconds": result.hook_seconds,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PER_MEGABYTE,
            }
        )
    )


if __name__ == "__main__":
    if sys.argv[2] == "-":
        with tempfile.TemporaryDirectory(prefix="hermes-replay-") as empty:
            main(Path(sys.argv[1]), Path(empty))
    else:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
