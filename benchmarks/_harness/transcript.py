"""A stored conversation of many tool calls, in OpenAI's message format, one message a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALLS_A_TURN: Final = 10
_LINE: Final = "src/app.py:{number}: def handler_{number}(request): return respond(request, status=200)\n"
_SECRET: Final = "export SERVICE_TOKEN=sk-proj-abcdefghijklmnopqrstuvwxyz012345\n"


def write_transcript(path: Path, calls: int) -> None:
    """Write a transcript of `calls` tool calls to a ``.jsonl`` file."""
    with path.open("w", encoding="utf-8") as file:
        for message in messages(calls):
            file.write(json.dumps(message) + "\n")


def messages(calls: int) -> Iterator[dict[str, Any]]:
    """Yield the messages: a user asks, the model calls a tool several times, then answers."""
    for call in range(calls):
        if call % CALLS_A_TURN == 0:
            yield {"role": "user", "content": f"Please look at part {call // CALLS_A_TURN} of the project."}
        yield _tool_call(call)
        yield {"role": "tool", "tool_call_id": f"call_{call}", "content": _result(call)}
        if call % CALLS_A_TURN == CALLS_A_TURN - 1 or call == calls - 1:
            yield {"role": "assistant", "content": f"Part {call // CALLS_A_TURN} looks fine."}


def _tool_call(call: int) -> dict[str, Any]:
    if call % 3:
        name, arguments = "terminal", {"command": f"grep -n handler src/part_{call}.py", "timeout": 30}
    else:
        name, arguments = "read_file", {"path": f"src/part_{call}.py"}
    function = {"name": name, "arguments": json.dumps(arguments)}
    wished = {"id": f"call_{call}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [wished]}


def _result(call: int) -> str:
    """Return up to 2 KB of output; every seventh holds a secret."""
    output = "".join(_LINE.format(number=number) for number in range(call % 25))
    return json.dumps({"output": output + _SECRET * (call % 7 == 0), "exit_code": 0})
