"""For hook scripts in Python that run with ``mode: serve``.

A whole script::

    from hermes_sdk.shell_hooks.script import serve

    def handle(payload):
        if "rm -rf" in str(payload["tool_input"]):
            return {"action": "block", "message": "not like that"}

    serve(handle)

It needs the standard library only, so the function can be copied into a script that has no hermes-sdk.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def serve(handle: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
    """Answer payloads, one JSON object a line each way, until the host closes the input.

    What `handle` prints goes to standard error, since standard output carries the answers. An exception in it ends the
    script with its traceback; the host starts it again at the next call.
    """
    requests, answers, sys.stdout = sys.stdin.buffer, sys.stdout.buffer, sys.stderr  # UTF-8 whatever the locale
    for line in requests:
        payload = json.loads(line)
        number = payload.pop("id")
        answers.write(json.dumps({**(handle(payload) or {}), "id": number}).encode() + b"\n")
        answers.flush()
