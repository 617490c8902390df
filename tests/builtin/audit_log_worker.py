"""A process that keeps an audit log: fires a hook again and again, and says after each call that it is over.

Arguments: home, number of calls (0: until it is killed), name for the calls.
"""

import itertools
import json
import sys
from pathlib import Path

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager

BUILTIN = Path(__file__).resolve().parents[2] / "builtin_plugins"


def main(home, calls, name):
    manager = PluginManager(Path(home), builtin_dir=BUILTIN, entry_points=False)
    manager.discover_and_load()
    for number in range(int(calls)) if int(calls) else itertools.count():
        payload = HOOKS["pre_tool_call"].sample(tool_call_id=f"{name}-{number}", args={"text": "x" * 500})
        decision = manager.hook.pre_tool_call(**payload)
        print(json.dumps([f"{name}-{number}", decision.action]), flush=True)
    manager.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
