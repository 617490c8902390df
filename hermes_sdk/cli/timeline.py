"""The timeline: what a running session does, one line or short block an event, each naming who did it.

Implementations that only looked on are gathered and shown in one dim line before the next thing that happens.
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from hermes_sdk.cli.rows import Row, RowPrinter
from hermes_sdk.cli.screen import one_line, shortened
from hermes_sdk.dispatch.outcomes import AddedContext
from hermes_sdk.host import events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console

    from hermes_sdk.dispatch.outcomes import Step

_WORDS: Final = {
    "block": "blocked",
    "withhold": "withheld",
    "approve": "asks",
    "modify": "modified",
    "transform": "transformed",
    "rewrite": "rewritten",
    "context": "context",
    "continue": "continued",
    "skip": "skipped",
}
"""The timeline's word for what a step did; a step that is missing here keeps its own."""

_DIALOGUE: Final = ("session", "you", "answer")
_ARGUMENT: Final = 80
"""Characters shown of one argument of a tool."""
_ONE_SECOND_MS: Final = 1000


class Timeline:
    """Draws the events of one session on a console; events may come from several threads.

    Args:
        console: Where to draw.
        observed: Whether implementations that only looked on are shown.
        dialogue: Whether messages and answers are shown; a chat shows them itself.
    """

    def __init__(self, console: Console, *, observed: bool = True, dialogue: bool = True) -> None:
        self._rows = RowPrinter(console)
        self._observed = observed
        self._dialogue = dialogue
        self._watching: dict[tuple[int, str], list[str]] = {}
        self._explained: set[str] = set()
        """Calls for which the timeline said already why they did not run."""
        self._lock = threading.RLock()

    def align(self, names: Iterable[str]) -> None:
        """Make the column of names wide enough for `names`, of plugins and tools that will appear."""
        self._rows.align(names)

    def __call__(self, event: events.Event) -> None:
        """Draw `event`."""
        with self._lock:
            if isinstance(event, events.TurnStarted) and not event.depth and self._dialogue:
                self._flush()
                self._rows.rule(f"turn {event.number}")
            for row in _rows_of(self._without_repetition(event)):
                self._show(row)
            if isinstance(event, events.HookFired):
                self._note_observers(event)
            if isinstance(event, events.TurnEnded | events.SessionEnded):
                self._flush()

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
        if not self._dialogue and not row.depth and row.word in _DIALOGUE:
            return
        self._flush()
        self._rows.print(row)

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
                hooks = self._watching.setdefault((event.depth, step.plugin), [])
                if event.hook not in hooks:
                    hooks.append(event.hook)

    def _flush(self) -> None:
        watching, self._watching = self._watching, {}
        if not self._observed:
            return
        for (depth, plugin), hooks in watching.items():
            self._rows.print(Row("observed", plugin, ", ".join(hooks), depth))


def _blocks(event: events.Event) -> TypeGuard[events.HookFired]:
    return isinstance(event, events.HookFired) and getattr(event.outcome, "blocked", False)


def _rows_of(event: events.Event) -> Iterator[Row]:
    rows = _ROWS.get(type(event))
    if rows is not None:
        yield from rows(event)


def _session_started(event: events.SessionStarted) -> Iterator[Row]:
    if not event.depth:
        yield Row("session", "", f"{event.session_id}, {event.model} on {event.platform}")


def _turn_started(event: events.TurnStarted) -> Iterator[Row]:
    if not event.depth:
        yield Row("you", "", _message_text(event.user_message))


def _hook_fired(event: events.HookFired) -> Iterator[Row]:
    rows = list(_steps_of(event))
    if isinstance(event.outcome, AddedContext) and event.outcome.text:
        added = [row for row in rows if row.word == "context"]
        if len(added) == 1:
            rows[rows.index(added[0])] = replace(added[0], text=event.outcome.text)
        else:
            rows.append(Row("", "", event.outcome.text, event.depth))
    yield from rows


def _steps_of(event: events.HookFired) -> Iterator[Row]:
    about = f"{event.tool_name}: " if event.tool_name else ""
    for step in event.outcome.steps:
        if step.error is not None or step.what == "failed":
            yield Row("failed", step.plugin, f"{event.hook}: {_failure(step)}", event.depth)
        if step.what not in {"observed", "failed"}:
            yield Row(_WORDS.get(step.what, step.what), step.plugin, f"{about}{step.detail}", event.depth)


def _failure(step: Step) -> str:
    return " ".join(part for part in (step.error, step.detail if step.what == "failed" else "") if part)


def _middleware(event: events.MiddlewareApplied) -> Iterator[Row]:
    about = f"{event.tool_name}: " if event.tool_name else ""
    changed = f" changed {', '.join(event.changed)}" if event.changed else ""
    for plugin in event.plugins or ("?",):
        yield Row("modified", plugin, f"{about}{event.kind}{changed}", event.depth)


def _spilled(event: events.ContextSpilled) -> Iterator[Row]:
    text = f"context of {event.characters:,} characters went to {event.path}"
    yield Row("notice", "host", text, event.depth)


def _model_answered(event: events.ModelAnswered) -> Iterator[Row]:
    if event.tool_names:
        said = f"{one_line(event.text)} " if event.text.strip() else ""
        yield Row("model", "", f"{said}→ {', '.join(event.tool_names)}", event.depth)


def _model_failed(event: events.ModelFailed) -> Iterator[Row]:
    again = "; trying again" if event.will_retry else ""
    yield Row("failed", "model", f"attempt {event.retry_count + 1}: {event.error}{again}", event.depth)


def _tool_started(event: events.ToolStarted) -> Iterator[Row]:
    yield Row("run", event.tool_name, describe_arguments(event.args), event.depth)


def _tool_finished(event: events.ToolFinished) -> Iterator[Row]:
    if event.status == "blocked":
        why = event.error_message or ""
        yield Row("not run", event.tool_name, f"{describe_arguments(event.args)}\n{why}".rstrip(), event.depth)
        return
    took = f"{event.status} after {_duration(event.duration_ms)}"
    yield Row("result", event.tool_name, f"{took}: {describe_result(event.result)}", event.depth)


def _approval_requested(event: events.ApprovalRequested) -> Iterator[Row]:
    reasons = "; ".join(reason for reason in event.reasons if reason)
    yield Row("asked", "person", f"{event.command}\n{reasons}".rstrip(), event.depth)


def _approval_answered(event: events.ApprovalAnswered) -> Iterator[Row]:
    word = "denied" if event.choice in {"deny", "timeout"} else "approved"
    yield Row(word, event.decided_by or "person", f"{event.choice}: {event.command}", event.depth)


def _child_started(event: events.ChildStarted) -> Iterator[Row]:
    role = f" ({event.role})" if event.role else ""
    yield Row("child", "", f"starts{role}: {event.goal}", event.depth)


def _child_finished(event: events.ChildFinished) -> Iterator[Row]:
    report = f": {event.summary}" if event.summary else ""
    yield Row("child", "", f"{event.status} after {_duration(event.duration_ms)}{report}", event.depth)


def _verify_asked(event: events.VerifyAsked) -> Iterator[Row]:
    if event.stopped:
        yield Row("notice", "host", f"asked {event.attempt} times; the answer goes out as it is", event.depth)


def _notice(event: events.Notice) -> Iterator[Row]:
    word = "warning" if event.level == "warning" else "notice"
    yield Row(word, "host", event.text, event.depth, lines=None)


def _answer(event: events.Answer) -> Iterator[Row]:
    yield Row("answer", "", event.text, event.depth, lines=None if not event.depth else 4)


def _turn_ended(event: events.TurnEnded) -> Iterator[Row]:
    if not event.completed:
        how = "interrupted" if event.interrupted else "ended without an answer"
        why = f": {event.reason}" if event.reason else ""
        yield Row("warning", "host", f"turn {how}{why}", event.depth)


_ROWS: Final[dict[type[events.Event], Callable[[Any], Iterator[Row]]]] = {
    events.SessionStarted: _session_started,
    events.TurnStarted: _turn_started,
    events.HookFired: _hook_fired,
    events.MiddlewareApplied: _middleware,
    events.ContextSpilled: _spilled,
    events.ModelAnswered: _model_answered,
    events.ModelFailed: _model_failed,
    events.ToolStarted: _tool_started,
    events.ToolFinished: _tool_finished,
    events.ApprovalRequested: _approval_requested,
    events.ApprovalAnswered: _approval_answered,
    events.ChildStarted: _child_started,
    events.ChildFinished: _child_finished,
    events.VerifyAsked: _verify_asked,
    events.Notice: _notice,
    events.Answer: _answer,
    events.TurnEnded: _turn_ended,
}
"""What each kind of event is worth in the timeline; the others show nothing."""


def describe_arguments(args: dict[str, Any]) -> str:
    """Return a tool's arguments for one line; values may be anything that a model sends."""
    if set(args) <= {"command"}:
        return one_line(args.get("command", ""))
    return "  ".join(f"{key}={shortened(one_line(value), _ARGUMENT)}" for key, value in args.items())


def describe_result(result: str) -> str:
    """Return what is worth reading of a tool result: its error, its output or content, else the result itself."""
    try:
        document = json.loads(result)
    except ValueError:
        return result
    if isinstance(document, dict):
        for key in ("error", "output", "content"):
            if document.get(key):
                return str(document[key]).strip()
        if "exit_code" in document:
            return f"no output, exit code {document['exit_code']}"
    return result


def _message_text(message: str | list[dict[str, Any]]) -> str:
    if isinstance(message, str):
        return message
    return "\n".join(str(part.get("text", f"[{part.get('type', 'part')}]")) for part in message)


def _duration(ms: float) -> str:
    return f"{ms / _ONE_SECOND_MS:.1f} s" if ms >= _ONE_SECOND_MS else f"{ms:.0f} ms"
