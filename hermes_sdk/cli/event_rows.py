"""What one event is worth in the timeline: no row, one, or several."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.cli.rows import Row
from hermes_sdk.cli.screen import one_line, shortened
from hermes_sdk.dispatch.outcomes import AddedContext
from hermes_sdk.errors import counted
from hermes_sdk.host import events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

_ARGUMENT: Final = 80
"""Characters shown of one argument of a tool."""
_ONE_SECOND_MS: Final = 1000


def rows_of(event: events.Event) -> Iterator[Row]:
    """Yield the rows of `event`, in the order in which they are drawn."""
    rows = _ROWS.get(type(event))
    if rows is not None:
        yield from rows(event)


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
        yield Row(
            "notice", "host", f"asked {counted(event.attempt, 'time')}; the answer goes out as it is", event.depth
        )


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
