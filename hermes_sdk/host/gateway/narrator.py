"""What a chat hears of its agent's turn: notes for the adapter, and events for gateway hooks.

It is the agent's listener, so it is called in the agent's thread and in those of its tools. Gateway hooks are handed
each event right where it happens; their handlers run elsewhere and hold up nobody.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.events import HookFired, ModelAnswered, Notice, ToolFinished, ToolStarted, TurnStarted
from hermes_sdk.host.gateway.messages import Note
from hermes_sdk.masking import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.gateway_hooks import HookRegistry
    from hermes_sdk.host.events import Event
    from hermes_sdk.host.gateway.messages import Source

_LONGEST_ARGS: Final = 2_000
_LONGEST_RESULT: Final = 500


class TurnNarrator:
    """Tells about one turn.

    Args:
        hooks: Handed ``session:start``, ``agent:start``, ``agent:step``.
        source: Where the message came from.
        session_id: The conversation.
        session_key: The chat.
        message: What the user wrote.
        begins: Whether this is the first turn of the conversation.
        show: Shows a note in the chat; from any thread.
        started: Called when the turn can be interrupted.
    """

    def __init__(
        self,
        hooks: HookRegistry,
        source: Source,
        session_id: str,
        session_key: str,
        message: str,
        *,
        begins: bool,
        show: Callable[[Note], None],
        started: Callable[[], None],
    ) -> None:
        self._hooks = hooks
        self._who = {"platform": str(source.platform), "user_id": source.user_id}
        self._session_id = session_id
        self._session_key = session_key
        self._message = message
        self._begins = begins
        self._show = show
        self._started = started
        self._steps = 0

    def __call__(self, event: Event) -> None:
        """Hear one event; those of child agents are their parent's business, but for tool calls."""
        if event.depth:
            return
        match event:
            case TurnStarted():
                self._started()
                if not self._begins:
                    self._agent_starts()
            case HookFired(hook="on_session_start"):
                self._hooks.emit_nowait("session:start", self._session() | {"session_key": self._session_key})
                self._agent_starts()
            case ModelAnswered(tool_names=names) if names:
                self._steps += 1
                step = {"iteration": self._steps, "tool_names": list(names)}
                self._hooks.emit_nowait("agent:step", self._session() | step)
            case ToolStarted():
                about = {"tool_call_id": event.call_id, "tool_name": event.tool_name, "args": _shown(event.args)}
                self._show(Note("tool_started", f"{event.tool_name} runs", about))
            case ToolFinished():
                self._show(_finished(event))
            case Notice():
                self._show(Note("notice", redact(event.text), {"level": event.level}))
            case _:
                pass

    def ended(self, answer: str | None) -> None:
        """Say that the turn is over, whatever came of it."""
        context = self._session() | {"message": self._message, "response": answer or ""}
        self._hooks.emit_nowait("agent:end", context)

    def _agent_starts(self) -> None:
        self._hooks.emit_nowait("agent:start", self._session() | {"message": self._message})

    def _session(self) -> dict[str, Any]:
        return self._who | {"session_id": self._session_id}


def _finished(event: ToolFinished) -> Note:
    data = {
        "tool_call_id": event.call_id,
        "tool_name": event.tool_name,
        "args": _shown(event.args),
        "status": event.status,
        "duration_ms": round(event.duration_ms),
        "result": redact(event.result[: 2 * _LONGEST_RESULT])[:_LONGEST_RESULT],
    }
    why = redact(event.error_message or "")
    data["why"] = why
    return Note("tool_finished", f"{event.tool_name}: {event.status}" + (f": {why}" if why else ""), data)


def _shown(args: dict[str, Any]) -> str:
    return redact(json.dumps(args, ensure_ascii=False, default=str)[: 2 * _LONGEST_ARGS])[:_LONGEST_ARGS]
