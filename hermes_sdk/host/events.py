"""What a running session tells its listener, one frozen dataclass a kind of event.

A listener is called in the thread where the thing happened: most events come from the agent's thread, those
of a tool call that runs beside others from that tool's worker thread, those of a child agent from the
child's. A listener that raises is logged and ignored. Events hold references to live values (arguments,
outcomes): read them at once, never change them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from hermes_sdk.dispatch.outcomes import Outcome

ToolStatus = Literal["ok", "error", "blocked", "cancelled", "timeout"]
"""How one tool call ended, as post_tool_call reports it."""

ChildStatus = Literal["completed", "failed", "interrupted", "error", "timeout"]
"""How one child agent ended, as subagent_stop reports it."""

Choice = Literal["once", "session", "always", "deny", "timeout"]
"""What a person answers to an approval prompt; ``timeout`` when nobody answered in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event carries."""

    session_id: str
    turn_id: str = ""
    """Empty for events outside of a turn."""
    depth: int = 0
    """0 for the session itself, 1 for its child agents, and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(Event):
    """A session begins: its system prompt is built, its first turn is about to run."""

    model: str
    platform: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A user message came in."""

    number: int
    """1 for the first turn of the session."""
    user_message: str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFired(Event):
    """A hook was called and its answers were folded."""

    hook: str
    outcome: Outcome
    duration_ms: float
    tool_name: str = ""
    """The tool that the hook was about, if any."""
    call_id: str = ""
    """The tool call that the hook was about, if any."""
    payload: Any = field(default=None, repr=False)
    """What was sent, as JSON has it, from before anybody changed it; None unless the listener `wants_payloads`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiddlewareApplied(Event):
    """A middleware or a restorer changed a request, or the arguments that a tool runs with."""

    kind: str
    """``tool_request``, ``tool_execution``, ``llm_request``, ``llm_execution`` or ``restorer``."""
    plugins: tuple[str, ...]
    """Who changed it, in calling order; of execution middleware all that stand there, as one cannot tell which."""
    changed: tuple[str, ...] = ()
    """Names of the changed keys; never values."""
    tool_name: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSpilled(Event):
    """A contribution to the user message was too long and went to a file."""

    path: str
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequested(Event):
    """A request goes out to the model."""

    api_request_id: str
    message_count: int
    tool_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswered(Event):
    """The model answered."""

    api_request_id: str
    text: str
    tool_names: tuple[str, ...]
    finish_reason: str
    duration_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed(Event):
    """An attempt to reach the model failed."""

    api_request_id: str
    error: str
    retry_count: int
    will_retry: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(Event):
    """A tool starts to run: every hook and person in front of it agreed."""

    call_id: str
    tool_name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished(Event):
    """A tool call is over, whether it ran or not; `result` is what the model will see."""

    call_id: str
    tool_name: str
    args: dict[str, Any]
    status: ToolStatus
    result: str
    duration_ms: float
    error_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(Event):
    """A person is about to be asked."""

    call_id: str
    command: str
    reasons: tuple[str, ...]
    pattern_keys: tuple[str, ...]
    offered: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswered(Event):
    """A person answered, or nobody did."""

    call_id: str
    command: str
    choice: Choice
    decided_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildStarted(Event):
    """A child agent is about to run."""

    child_session_id: str
    goal: str
    role: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildFinished(Event):
    """A child agent is over and its report is with the parent."""

    child_session_id: str
    goal: str
    role: str | None
    status: ChildStatus
    summary: str | None
    duration_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyAsked(Event):
    """A plugin kept the agent going before its final answer, or would have if the cap allowed it."""

    attempt: int
    message: str
    stopped: bool = False
    """True when the host stopped asking: the cap is reached and the answer goes out as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """The host has something to say to the person in front of it."""

    text: str
    level: Literal["info", "warning"] = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Event):
    """The final answer of a turn, after transform_llm_output."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """A turn is over, and on_session_end has fired."""

    completed: bool
    interrupted: bool
    reason: str | None
    duration_ms: float
    api_calls: int
    tool_calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Event):
    """A session is closed, and on_session_finalize has fired."""

    reason: str | None


Listener: TypeAlias = Callable[[Event], None]
"""Is told events; one with a true ``wants_payloads`` finds in `HookFired` what was sent, at the cost of a copy."""


@dataclass(slots=True)
class EventLog:
    """A listener that keeps what it hears: for tests and short sessions."""

    events: list[Event] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        """Keep `event`."""
        self.events.append(event)
