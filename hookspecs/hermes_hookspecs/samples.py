"""The one session that every sample payload is taken from, so that ids pair up from hook to hook."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION_ID: Final = "sess_20260417_7f3a"
NEW_SESSION_ID: Final = "sess_20260417_80c4"
CHILD_SESSION_ID: Final = "sess_20260417_7f3a_child_1"
TASK_ID: Final = "task_7f3a"
TURN_ID: Final = "turn_0002"
TOOL_CALL_ID: Final = "call_9b21"
API_REQUEST_ID: Final = "api_0003"
MODEL: Final = "anthropic/claude-sonnet-4.6"
WORKDIR: Final = "/home/user/project"
STARTED_AT: Final = 1776412800.0
"""Seconds since the epoch: 17 April 2026, 08:00 UTC."""

USER_MESSAGE: Final = "Run the tests and tell me what fails."
ANSWER: Final = "One of 42 tests fails: test_login expects status 200 and gets 500."
HISTORY: Final[tuple[Mapping[str, Any], ...]] = (
    {"role": "user", "content": "Please remember that I use pytest."},
    {"role": "assistant", "content": "Noted: pytest."},
)

TOOL_CALL: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "task_id": TASK_ID,
        "session_id": SESSION_ID,
        "tool_call_id": TOOL_CALL_ID,
        "turn_id": TURN_ID,
        "api_request_id": API_REQUEST_ID,
    }
)
"""The ids of one tool call."""

API_CALL: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "task_id": TASK_ID,
        "turn_id": TURN_ID,
        "api_request_id": API_REQUEST_ID,
        "session_id": SESSION_ID,
        "platform": "cli",
        "model": MODEL,
        "provider": "anthropic",
        "base_url": "https://api.anthropic.com",
        "api_mode": "anthropic_messages",
        "api_call_count": 3,
        "started_at": STARTED_AT,
    }
)
"""What the three hooks round a provider attempt have in common."""

MESSAGES: Final[tuple[Mapping[str, Any], ...]] = (*HISTORY, {"role": "user", "content": USER_MESSAGE})
"""The conversation as the provider gets it."""

REQUEST: Final[Mapping[str, Any]] = {
    "method": "POST",
    "body": {"model": MODEL, "max_tokens": 4096, "messages": list(MESSAGES)},
}
"""The sanitised request of a provider attempt."""
