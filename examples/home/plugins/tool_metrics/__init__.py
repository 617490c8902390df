"""Tool metrics: a plugin in the style of hermes-agent's own guide. It imports nothing of hermes-sdk.

Every callback takes the arguments that it needs and `**kwargs` for the rest, so it goes on working when a
later version sends more.
"""

# Plugins of this style rarely have annotations, and `**kwargs` is there to be ignored.
# ruff: noqa: ANN001, ANN003, ANN201, ARG001

import json
import os
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

_lock = threading.Lock()  # parallel tool calls finish in several threads
_calls = Counter()
_failed = Counter()
_milliseconds = defaultdict(int)
_approvals = Counter()


def audit(tool_name, args, session_id="", **kwargs):
    """Write who called what, with the names of the arguments only: their values may be secrets."""
    log = Path(os.environ.get("HERMES_HOME") or "~/.hermes").expanduser() / "logs" / "tool-calls.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    line = {"time": time.time(), "session": session_id, "tool": tool_name, "arguments": sorted(args)}
    with _lock, log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def count_call(tool_name, status="ok", duration_ms=0, **kwargs):
    """Count a finished call; a blocked one too."""
    with _lock:
        _calls[tool_name] += 1
        _milliseconds[tool_name] += duration_ms
        if status != "ok":
            _failed[tool_name] += 1


def count_child(child_status, duration_ms, child_role=None, **kwargs):
    """Count a child agent like a tool, under its role."""
    count_call(f"child:{child_role or 'any'}", "ok" if child_status == "completed" else "error", duration_ms)


def count_approval(choice, **kwargs):
    """Count what people answered."""
    with _lock:
        _approvals[choice] += 1


def report(raw_args=""):
    """Answer /tool-stats."""
    with _lock:
        lines = [
            f"{name}: {count} calls, {_failed[name]} not ok, {_milliseconds[name]} ms"
            for name, count in _calls.most_common()
        ]
        lines += [f"approvals {choice}: {count}" for choice, count in _approvals.most_common()]
    return "\n".join(lines) or "no tool has been called yet"


def register(ctx):
    """Register the callbacks, as the guide shows it."""
    ctx.register_hook("pre_tool_call", audit)
    ctx.register_hook("post_tool_call", count_call)
    ctx.register_hook("subagent_stop", count_child)
    ctx.register_hook("post_approval_response", count_approval)
    ctx.register_command("tool-stats", report, description="Show what tools and people did")
