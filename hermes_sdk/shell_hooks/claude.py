"""``dialect: claude``: a script written for Claude Code's hooks reads its own names and is understood."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.answer import json_objects

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.process import Run

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
    "patch": {"path": "file_path"},
    "delegate_task": {"goal": "prompt"},
}
"""Our argument -> theirs, for the tools where they differ."""

_OURS: Final[Mapping[str, Mapping[str, str]]] = {
    TOOLS[tool]: {theirs: ours for ours, theirs in names.items()} for tool, names in ARGUMENTS.items()
}
_BLOCKING_EXIT: Final = 2


def to_claude(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload under Claude Code's names."""
    event, tool, extra = payload["hook_event_name"], payload["tool_name"], payload["extra"]
    sent: dict[str, Any] = {
        "session_id": payload["session_id"],
        "transcript_path": "",
        "cwd": payload["cwd"],
        "permission_mode": "default",
        "hook_event_name": EVENTS.get(event, event),
    }
    if tool is not None:
        sent["tool_name"] = TOOLS.get(tool, tool)
        sent["tool_input"] = _renamed(payload["tool_input"], ARGUMENTS.get(tool, {}))
        sent["tool_use_id"] = extra.get("tool_call_id", "")
    match event:
        case "post_tool_call":
            sent["tool_response"] = extra.get("result")
        case "pre_llm_call":
            sent["prompt"] = extra.get("user_message")
        case "pre_verify":
            sent["stop_hook_active"] = bool(extra.get("attempt"))
            sent["last_assistant_message"] = extra.get("final_response")
        case "subagent_stop":
            sent["stop_hook_active"] = False
            sent["agent_type"] = extra.get("child_role")
        case "on_session_start":
            sent["source"] = "startup"
            sent["model"] = extra.get("model")
        case "on_session_finalize":
            sent["reason"] = extra.get("reason")
    return sent


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    return {names.get(key, key): item for key, item in value.items()} if isinstance(value, Mapping) else value


def from_claude(event: str, payload: Mapping[str, Any], run: Run) -> Run:
    """Return a run as if the script had been written for us.

    Args:
        event: Our event.
        payload: What the script was sent, under Claude Code's names.
        run: What came of it.
    """
    if event == "pre_verify" and run.returncode == _BLOCKING_EXIT:
        # there, it keeps the agent from stopping, and says why on standard error
        said = json.dumps({"decision": "block", "reason": run.stderr.strip() or "a Stop hook wants more"})
        return replace(run, stdout=said, returncode=0)
    answer = _answer(run.stdout)
    if answer is None:
        return _plain(event, run)
    return replace(run, stdout=json.dumps(_translated(event, payload, answer), ensure_ascii=False))


def _plain(event: str, run: Run) -> Run:
    """Return a run that printed no object: there, text is context of a message, and on other events a note."""
    said = run.stdout.strip()
    if not said or run.returncode != 0:
        return run
    if event == "pre_llm_call":
        return replace(run, stdout=json.dumps({"context": said}, ensure_ascii=False))
    objects, _ = json_objects(said)
    return run if objects else replace(run, stdout=json.dumps({"systemMessage": said}, ensure_ascii=False))


def _answer(stdout: str) -> dict[str, Any] | None:
    try:
        answer = json.loads(stdout)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _translated(event: str, payload: Mapping[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    if event == "pre_tool_call" and answer.get("continue") is False:  # there, it ends the whole turn
        return {"decision": "block", "reason": answer.get("stopReason") or answer.get("reason")}
    specific = answer.get("hookSpecificOutput")
    if isinstance(specific, dict) and isinstance(specific.get("updatedInput"), dict):
        updated = _renamed(specific["updatedInput"], _OURS.get(str(payload.get("tool_name")), {}))
        return {**answer, "hookSpecificOutput": {**specific, "updatedInput": updated}}
    return answer
