"""Runs in hermes-agent's own environment: judges shell commands as its terminal tool does before it runs one.

``{"commands": [...], "rounds": N}`` on stdin, ``{"stopped": [...], "seconds": [...]}`` as the last line of stdout: of
each command whether it is refused or asked about, and the fastest of the rounds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> None:
    """Answer the request."""
    from tools.approval import detect_dangerous_command, detect_hardline_command

    from _harness.command_judges import times_of

    def stopped(command: str) -> bool:
        return bool(detect_hardline_command(command)[0] or detect_dangerous_command(command)[0])

    request = json.load(sys.stdin)
    verdicts, seconds = times_of(stopped, request["commands"], request["rounds"])
    print(json.dumps({"stopped": verdicts, "seconds": seconds}))


if __name__ == "__main__":
    main()
