"""A model that repeats a stored conversation, and the tool results that stand in it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hermes_sdk.host.conversation import text_of
from hermes_sdk.host.models.base import ModelError, ModelReply, reply_from_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.host.conversation import Message, UserMessage


class TranscriptEndedError(ModelError):
    """The conversation was stored in the middle of a turn: there is no answer to repeat."""

    default_code = "HS413"


@dataclass(slots=True)
class TranscriptTurn:
    """One user message of a stored conversation with all that followed."""

    user: UserMessage
    replies: list[Message] = field(default_factory=list)
    """The assistant messages, in order."""
    results: dict[str, list[str]] = field(default_factory=dict)
    """Tool results by call id, in their order: some models count their calls anew in each answer."""

    @property
    def tool_calls(self) -> int:
        """How many tool calls the turn has."""
        return sum(len(reply.get("tool_calls") or ()) for reply in self.replies)


class TranscriptModel:
    """Repeats the assistant messages of one turn at a time.

    Args:
        name: Sent as ``model`` to hooks.
    """

    provider = "transcript"
    base_url = ""

    def __init__(self, name: str = "transcript/replay") -> None:
        self.name = name
        self._replies: deque[Message] = deque()
        self._results: dict[str, deque[str]] = {}

    def begin_turn(self, turn: TranscriptTurn) -> None:
        """Repeat `turn` next."""
        self._replies = deque(turn.replies)
        self._results = {call_id: deque(results) for call_id, results in turn.results.items()}

    def recorded_result(self, call_id: str) -> str | None:
        """Return the stored result of a tool call of this turn, or None; each result is given once."""
        left = self._results.get(call_id)
        return left.popleft() if left else None

    def complete(self, request: dict[str, Any]) -> ModelReply:  # noqa: ARG002 - the answer is given
        """Return the next assistant message.

        Raises:
            TranscriptEndedError: The stored turn has no more.
        """
        if not self._replies:
            raise TranscriptEndedError("the transcript ends here", why="it was stored before the turn's answer")
        return reply_from_message(self._replies.popleft())

    def for_child(self, goal: str) -> TranscriptModel:
        """Refuse: a transcript holds the reports of child agents, not their conversations."""
        raise ModelError(
            f"a child agent for {goal!r} cannot be played",
            why="a transcript has the report of a child agent only",
            fix="replay with recorded results",
        )

    def for_plugins(self) -> TranscriptModel:
        """Return a model without answers: what plugins asked for is not in a transcript."""
        return TranscriptModel(self.name)


def split_turns(messages: Iterable[Message]) -> tuple[str | None, list[TranscriptTurn]]:
    """Return the system prompt and the turns of a conversation in OpenAI's format.

    User messages in a row make one turn. Messages in front of the first one, but for the system prompt, are
    left out: nobody asked for them.
    """
    system: str | None = None
    turns: list[TranscriptTurn] = []
    for message in messages:
        role = message.get("role")
        if role in ("system", "developer"):
            content = message.get("content")
            system = content if system is None and isinstance(content, str) else system
        elif role == "user":
            _add_user(turns, message.get("content") or "")
        elif role == "assistant" and turns:
            turns[-1].replies.append(message)
        elif role == "tool" and turns:
            results = turns[-1].results.setdefault(str(message.get("tool_call_id", "")), [])
            results.append(text_of(message.get("content")))
    return system, turns


def _add_user(turns: list[TranscriptTurn], content: UserMessage) -> None:
    if not turns or turns[-1].replies:
        turns.append(TranscriptTurn(content))
        return
    earlier = turns[-1].user
    if isinstance(earlier, str) and isinstance(content, str):
        turns[-1].user = f"{earlier}\n\n{content}"
    else:
        turns[-1].user = [*_parts(earlier), *_parts(content)]


def _parts(content: UserMessage) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
