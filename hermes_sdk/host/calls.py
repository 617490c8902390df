"""One tool call on its way, and how it ended."""

from __future__ import annotations

import copy
import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hermes_sdk.host.conversation import error_result

if TYPE_CHECKING:
    from hermes_sdk.dispatch.outcomes import ToolDecision
    from hermes_sdk.host.events import ToolStatus
    from hermes_sdk.host.session import Turn


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool call gave."""

    result: str
    """What goes to post_tool_call, transform_tool_result and then to the model; JSON for built-in tools."""
    status: ToolStatus = "ok"
    error_type: str | None = None
    error_message: str | None = None

    @classmethod
    def failed(
        cls, message: str, *, status: ToolStatus = "error", error_type: str = "tool_error", **fields: Any
    ) -> ToolOutcome:
        """Return the outcome of a call that did not work; `fields` go into the JSON beside the error."""
        return cls(error_result(message, **fields), status, error_type, message)

    @classmethod
    def of_result(cls, result: object) -> ToolOutcome:
        """Read what a plugin's tool or a middleware returned; JSON with a non-empty ``error`` is an error."""
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
        message = _error_in(text) if '"error"' in text else None
        return cls(text, "error", "tool_error", message) if message else cls(text)


def _error_in(text: str) -> str | None:
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return str(error) if error else None


NOT_RUN = ToolOutcome("")
"""The outcome of a call that has not come to its end."""


@dataclass(slots=True, eq=False)
class CallInFlight:
    """One tool call between the model's wish and its result."""

    id: str
    name: str
    args: dict[str, Any]
    """As judged so far: what hooks, middleware and people see, placeholders and all."""
    turn: Turn
    session_id: str
    task_id: str
    api_request_id: str
    problem: ToolOutcome | None = None
    """Why it cannot run whatever the hooks say: an unknown tool, or arguments that are no JSON object."""
    original_args: dict[str, Any] = field(default_factory=dict)
    """As the model passed them."""
    trace: list[dict[str, Any]] = field(default_factory=list)
    """Which middleware rewrote the request, as hooks get it."""
    judged: bool = False
    """Whether pre_tool_call was fired, even if Ctrl-C broke into it."""
    decision: ToolDecision | None = None
    """What pre_tool_call made of it; None until it said so."""
    approved: bool = False
    """Whether a person was asked about these arguments and agreed."""
    refusal: ToolOutcome | None = None
    """Why it does not run: blocked, denied, cancelled, or `problem`."""
    outcome: ToolOutcome = NOT_RUN
    """How it ended, before transform_tool_result."""
    result: str | None = None
    """What the model sees; None until the call is over."""
    duration_ms: int = 0
    """Time around the tool itself, in ms; 0 while it did not run."""
    _claim: threading.Lock = field(default_factory=threading.Lock)

    def claim(self) -> bool:
        """Take the right to end this call; False when it was taken: each call ends once."""
        return self._claim.acquire(blocking=False)

    @property
    def runnable(self) -> bool:
        """Whether nothing speaks against running it."""
        return self.refusal is None and self.result is None


def own_copy(args: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of arguments that nobody else changes; as deep as their values allow."""
    try:
        return copy.deepcopy(args)
    except Exception:  # a plugin may put anything into arguments, an open file too
        return dict(args)
