"""The timeline: what a running session does, one line or short block an event, each naming who did it.

Implementations that only looked on are gathered, and shown in one dim line when a tool call or a model's answer is
over, in front of everything else that is no part of the call.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeGuard

from hermes_sdk.cli.event_rows import rows_of
from hermes_sdk.cli.rows import Row, RowPrinter
from hermes_sdk.host import events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

_DIALOGUE: Final = ("you", "answer")
_PARTS_OF_A_CALL: Final = (
    events.HookFired,
    events.MiddlewareApplied,
    events.ApprovalRequested,
    events.ApprovalAnswered,
    events.ToolStarted,
    events.ToolFinished,
)
"""Events in front of which observers are held back: the call that they looked at is not over."""


class Timeline:
    """Draws the events of one session on a console; events may come from several threads.

    Args:
        console: Where to draw.
        observed: Whether implementations that only looked on are shown.
        dialogue: Whether turns, messages and answers are shown; a chat shows them itself.
    """

    def __init__(self, console: Console, *, observed: bool = True, dialogue: bool = True) -> None:
        self._rows = RowPrinter(console)
        self._observed = observed
        self._dialogue = dialogue
        self._session = ""
        self._children: dict[str, int] = {}
        """Child agents by session id, numbered as they start."""
        self._watching: dict[tuple[int, int, str], list[str]] = {}
        """Hooks that were only looked at, by depth, child and plugin."""
        self._explained: set[str] = set()
        """Calls for which the timeline said already why they did not run."""
        self._lock = threading.RLock()

    def align(self, names: Iterable[str]) -> None:
        """Make the column of names wide enough for `names`, of plugins and tools that will appear."""
        self._rows.align(names)

    def __call__(self, event: events.Event) -> None:
        """Draw `event`."""
        with self._lock:
            if not isinstance(event, _PARTS_OF_A_CALL):
                self._flush()
            if isinstance(event, events.TurnStarted) and not event.depth and self._dialogue:
                self._begin_turn(event)
            if isinstance(event, events.ChildStarted):
                self._children[event.child_session_id] = len(self._children) + 1
            for row in rows_of(self._without_repetition(event)):
                self._show(replace(row, child=self._child_of(event)))
            if isinstance(event, events.HookFired):
                self._note_observers(event)

    def printed(self, who: str, text: str) -> None:
        """Draw `text`, which `who` (a plugin, or "" when unknown) wrote to stdout."""
        with self._lock:
            self._show(Row("printed", who or "?", text))

    def warned(self, text: str) -> None:
        """Draw a warning from the log."""
        with self._lock:
            self._show(Row("warning", "host", text, lines=None))

    def close(self) -> None:
        """Draw what is still held back."""
        with self._lock:
            self._flush()

    def _show(self, row: Row) -> None:
        if self._dialogue or row.depth or row.word not in _DIALOGUE:
            self._rows.print(row)

    def _begin_turn(self, event: events.TurnStarted) -> None:
        """Draw the line in front of a turn; the first one of a session names it."""
        session = "" if event.session_id == self._session else f", session {event.session_id}"
        self._session = event.session_id
        self._rows.rule(f"turn {event.number}{session}")

    def _child_of(self, event: events.Event) -> int:
        """Return the number of the child agent that an event is about, 0 for none."""
        if isinstance(event, events.ChildStarted | events.ChildFinished):
            return self._children.get(event.child_session_id, 0)
        return self._children.get(event.session_id, 0)

    def _without_repetition(self, event: events.Event) -> events.Event:
        """Return the event without a reason that was drawn before: by the plugin that blocked, or the person."""
        if isinstance(event, events.ApprovalAnswered) or _blocks(event):
            self._explained.add(event.call_id)
        elif isinstance(event, events.ToolFinished) and event.call_id in self._explained:
            self._explained.discard(event.call_id)
            return replace(event, error_message=None)
        return event

    def _note_observers(self, event: events.HookFired) -> None:
        for step in event.outcome.steps:
            if step.what == "observed" and step.error is None:
                hooks = self._watching.setdefault((event.depth, self._child_of(event), step.plugin), [])
                if event.hook not in hooks:
                    hooks.append(event.hook)

    def _flush(self) -> None:
        watching, self._watching = self._watching, {}
        if self._observed:
            for (depth, child, plugin), hooks in watching.items():
                self._rows.print(Row("observed", plugin, ", ".join(hooks), depth, child))


def _blocks(event: events.Event) -> TypeGuard[events.HookFired]:
    return isinstance(event, events.HookFired) and getattr(event.outcome, "blocked", False)
