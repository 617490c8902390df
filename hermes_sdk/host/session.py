"""One conversation and its turns: the ids that hooks pair up by, the history, what a turn has done so far."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.host.conversation import Message, UserMessage


def new_session_id() -> str:
    """Return a fresh id that sorts by time: ``20260417_153012_4f1c9a``."""
    return f"{datetime.now(UTC):%Y%m%d_%H%M%S}_{uuid.uuid4().hex[:6]}"


def new_call_id() -> str:
    """Return an id for a tool call that came without one."""
    return f"call_{uuid.uuid4().hex[:16]}"


def _nobody() -> None:
    """Be nobody who waits."""


class Interrupt:
    """A flag that ends a turn early, with the reason of whoever raised it first."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._reason: str | None = None
        self.when_set: Callable[[], None] = _nobody
        """Called when it is raised, in the thread that raises it: ends what the turn waits for."""

    def set(self, reason: str) -> None:
        """Ask the turn to end; a second reason is ignored."""
        if not self._event.is_set():
            self._reason = reason
        self._event.set()
        self.when_set()

    def is_set(self) -> bool:
        """Whether the turn was asked to end."""
        return self._event.is_set()

    def wait(self, timeout: float) -> bool:
        """Sleep for at most `timeout` seconds; True as soon as the turn was asked to end."""
        return self._event.wait(timeout)

    @property
    def reason(self) -> str | None:
        """Why, or None while nobody asked."""
        return self._reason


@dataclass(frozen=True, slots=True)
class Surface:
    """Where the person is that an agent and its children answer to, as approval hooks are told."""

    name: Literal["cli", "gateway"] = "cli"
    session_key: str = ""
    """The chat, which outlives its sessions; empty where a session is all there is."""


TERMINAL: Final = Surface()


@dataclass(slots=True)
class Session:
    """One conversation of one agent."""

    model: str
    """Name of the model, as hooks are told."""
    platform: str
    """``cli``, ``subagent``, or the name of a messaging platform."""
    id: str = field(default_factory=new_session_id)
    parent_id: str | None = None
    """Session id of the parent, for a child agent."""
    depth: int = 0
    """0 for the agent that a person talks to, 1 for its children, and so on."""
    task_id: str = ""
    """What tool hooks are told as task_id; the session id unless the host was given another one."""
    workdir: str = ""
    """Where its tools run; empty in tests of a part that needs no directory."""
    surface: Surface = field(default_factory=lambda: TERMINAL)
    """Where its person is asked for approval."""
    system_prompt: str | None = None
    """Built before the first turn, byte-identical afterwards."""
    history: list[Message] = field(default_factory=list)
    """The stored conversation, without the system prompt and without anything that hooks added."""
    turns: int = 0

    def __post_init__(self) -> None:
        self.task_id = self.task_id or self.id

    @property
    def started(self) -> bool:
        """Whether a turn ran or is running."""
        return self.turns > 0

    def begin_turn(self, message: UserMessage, sender_id: str = "") -> Turn:
        """Count one more turn and return it."""
        self.turns += 1
        turn_id = f"{self.id}:{self.turns}:{uuid.uuid4().hex[:8]}"
        return Turn(id=turn_id, number=self.turns, user_message=message, sender_id=sender_id)

    def idle_turn(self) -> Turn:
        """Return a turn for tool calls outside of any: ids for their hooks, and a flag that nobody raises."""
        return Turn(id=f"{self.id}:idle:{uuid.uuid4().hex[:8]}", number=self.turns, user_message="")


@dataclass(slots=True)
class Turn:
    """What happens between a user message and the answer to it."""

    id: str
    number: int
    user_message: UserMessage
    """As it came: nothing that hooks or skills add is in it."""
    sender_id: str = ""
    """Who wrote it, where several people may."""
    interrupt: Interrupt = field(default_factory=Interrupt)
    api_calls: int = 0
    tool_calls: int = 0
    api_request_id: str = ""
    """Id of the model request that is running or was the last one; made up where there was none."""
    verify_attempts: int = 0
    started: float = field(default_factory=time.monotonic)
    _changed_paths: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.api_request_id = self.api_request_id or f"{self.id}:api:0"

    def next_api_request(self) -> str:
        """Count one more model request and return its id."""
        self.api_calls += 1
        self.api_request_id = f"{self.id}:api:{self.api_calls}"
        return self.api_request_id

    def note_change(self, path: str) -> None:
        """Remember that a tool edited `path` in this turn."""
        self._changed_paths[path] = None

    @property
    def changed_paths(self) -> list[str]:
        """Files that tools edited in this turn, in the order of their first edit."""
        return list(self._changed_paths)

    @property
    def duration_ms(self) -> float:
        """Time since the turn began, in ms."""
        return (time.monotonic() - self.started) * 1000
