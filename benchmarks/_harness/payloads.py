"""What a host sends with the measured hooks. Standard library only: the peer's interpreter imports it too."""

from __future__ import annotations

from typing import Any, Final, Literal

Shape = Literal["flat", "nested"]

_IDS: Final = {
    "task_id": "task_7f3a",
    "session_id": "sess_20260417_7f3a",
    "tool_call_id": "call_9b21",
    "turn_id": "turn_0002",
    "api_request_id": "api_0003",
}
_RESULT: Final = '{"output": "42 passed in 1.07s", "exit_code": 0}'


def payload(hook: str, *, args: dict[str, Any] | None = None, messages: int = 2) -> dict[str, Any]:
    """Return the arguments of one call, as hermes-agent's host names them.

    Args:
        hook: Name of the hook.
        args: Arguments of the tool call; a short terminal command by default.
        messages: Length of pre_llm_call's conversation history.
    """
    tool_call = {"tool_name": "terminal", "args": {"command": "pytest -q"} if args is None else args}
    outcome = {"duration_ms": 1070, "status": "ok", "error_type": None, "error_message": None}
    match hook:
        case "pre_tool_call":
            return {**tool_call, **_IDS, "middleware_trace": []}
        case "post_tool_call":
            return {**tool_call, "result": _RESULT, **_IDS, **outcome, "middleware_trace": []}
        case "transform_tool_result":
            arguments = tool_call.pop("args")
            return {**tool_call, "arguments": arguments, "result": _RESULT, **_IDS, **outcome}
        case "pre_llm_call":
            return {
                "session_id": _IDS["session_id"],
                "task_id": _IDS["task_id"],
                "turn_id": _IDS["turn_id"],
                "user_message": "Run the tests and tell me what fails.",
                "conversation_history": [_message(number) for number in range(messages)],
                "is_first_turn": messages == 0,
                "model": "anthropic/claude-sonnet-4.6",
                "platform": "cli",
                "sender_id": "",
            }
    raise ValueError(f"no payload for hook {hook!r}")


def tool_args(size: int, shape: Shape) -> dict[str, Any]:
    """Return tool arguments of about `size` bytes: one long text, or a list of small edits."""
    if shape == "flat":
        return {"path": "src/app.py", "mode": "overwrite", "content": "x" * size}
    edit = {"old": "o" * 40, "new": "n" * 40}
    return {"path": "src/app.py", "edits": [dict(edit) for _ in range(size // 100)]}


def _message(number: int) -> dict[str, str]:
    role = "assistant" if number % 2 else "user"
    return {"role": role, "content": f"message {number} of the conversation so far"}
