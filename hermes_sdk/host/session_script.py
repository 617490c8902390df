"""A session to play, as data: what a YAML script or a stored conversation says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hermes_sdk.host.conversation import UserMessage
    from hermes_sdk.host.events import Choice, ToolStatus
    from hermes_sdk.host.models.scripted import ScriptStep
    from hermes_sdk.host.models.transcript import TranscriptTurn


@dataclass(frozen=True, slots=True)
class TurnExpectation:
    """What must be true after a turn; what is left out is not looked at."""

    completed: bool | None = True
    """None accepts any end; a script that expects nothing still expects an answer."""
    reason: str | None = None
    answer: tuple[str, ...] = ()
    """Texts that the answer must contain."""
    not_answer: tuple[str, ...] = ()
    """Texts that it must not contain."""
    tools: tuple[ToolStatus, ...] | None = None
    """How the turn's tool calls ended, in the model's order; not those of child agents."""


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """One turn of a YAML script."""

    user: UserMessage | None
    """None takes the message that a plugin put in."""
    steps: tuple[ScriptStep, ...]
    approvals: tuple[Choice, ...] = ()
    new_session: bool = False
    expect: TurnExpectation = field(default_factory=TurnExpectation)
    where: str = ""
    """``file:line`` of the turn, for messages."""


@dataclass(frozen=True, slots=True)
class SessionScript:
    """A session to play."""

    kind: Literal["script", "transcript"]
    title: str = ""
    path: Path | None = None
    model: str = ""
    """Name that hooks are told."""
    platform: str = "cli"
    system: str = ""
    """Added to the system prompt."""
    max_iterations: int | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    """Files to make in the work directory first, by relative path."""
    approvals: tuple[Choice, ...] = ()
    """Answers for prompts of turns that have none of their own left."""
    children: Mapping[str, tuple[ScriptStep, ...]] = field(default_factory=dict)
    """What child agents do, by goal."""
    plugin_answers: tuple[str, ...] = ()
    """What plugins that ask the model themselves get."""
    turns: tuple[ScriptTurn, ...] = ()
    transcript: tuple[TranscriptTurn, ...] = ()
    expect_files: Mapping[str, str] = field(default_factory=dict)
    """Texts that files of the work directory must contain afterwards, by relative path."""

    @property
    def turn_count(self) -> int:
        """How many turns there are to play."""
        return len(self.turns or self.transcript)

    @property
    def tool_call_count(self) -> int:
        """How many tool calls it asks for, not counting those of child agents."""
        scripted = sum(len(step.tools) for turn in self.turns for step in turn.steps)
        return scripted + sum(turn.tool_calls for turn in self.transcript)
