"""``dialect: claude``: a script written for Claude Code's hooks reads its own names and is understood."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

EVENTS: Final[Mapping[str, str]] = {
    "pre_tool_call": "PreToolUse",
    "post_tool_call": "PostToolUse",
    "pre_llm_call": "UserPromptSubmit",
    "on_session_start": "SessionStart",
    "on_session_finalize": "SessionEnd",
    "subagent_stop": "SubagentStop",
    "pre_verify": "Stop",
}
"""Our event -> theirs."""

TOOLS: Final[Mapping[str, str]] = {
    "terminal": "Bash",
    "read_file": "Read",
    "write_file": "Write",
    "patch": "Edit",
    "search_files": "Grep",
    "delegate_task": "Task",
}
"""Our tool -> theirs."""

ARGUMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "read_file": {"path": "file_path"},
    "write_file": {"path": "file_path"},
    "patch": {"path": "file_path", "old": "old_string", "new": "new_string"},
    "search_files": {"query": "pattern"},
    "delegate_task": {"goal": "prompt"},
}
"""Our argument -> theirs, for the tools where they differ."""


def to_claude(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload under Claude Code's names."""
    event = payload["hook_event_name"]
    tool = payload["tool_name"]
    extra = payload["extra"]
    sent: dict[str, Any] = {
        "session_id": payload["session_id"],
        "transcript_path": "",
        "cwd": payload["cwd"],
        "hook_event_name": EVENTS.get(event, event),
    }
    if tool is not None:
        names = ARGUMENTS.get(tool, {})
        given = payload["tool_input"]
        sent["tool_name"] = TOOLS.get(tool, tool)
        sent["tool_input"] = (
            {names.get(key, key): value for key, value in given.items()} if isinstance(given, Mapping) else given
        )
    if event == "post_tool_call":
        sent["tool_response"] = extra.get("result")
    if event == "pre_llm_call":
        sent["prompt"] = extra.get("user_message")
    if event == "pre_verify":
        sent["stop_hook_active"] = bool(extra.get("attempt"))
    return sent


def from_claude(event: str, stdout: str) -> str:
    """Return a script's output with the names inside ``updatedInput`` translated back."""
    try:
        answer = json.loads(stdout)
        updated = answer["hookSpecificOutput"]["updatedInput"]
        items = updated.items()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _plain_context(event, stdout)
    back = {theirs: ours for names in ARGUMENTS.values() for ours, theirs in names.items()}
    answer["hookSpecificOutput"]["updatedInput"] = {back.get(key, key): value for key, value in items}
    return json.dumps(answer)


def _plain_context(event: str, stdout: str) -> str:
    """Return plain text of UserPromptSubmit as the context that it is there."""
    text = stdout.strip()
    if event != "pre_llm_call" or not text or text.startswith("{"):
        return stdout
    return json.dumps({"context": text})
