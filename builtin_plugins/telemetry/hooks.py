"""What stands in the hooks: one wrapper a hook where the host knows those, else one callback."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from opentelemetry.trace import set_span_in_context, use_span

from hermes_hookspecs import hookimpl

from . import attributes as at

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from opentelemetry.trace import Span

    from hermes_sdk.dispatch.outcomes import Outcome, Step

    from .content import Content
    from .tracker import Tracker

HOOKS: Final = (
    "on_session_start",
    "pre_llm_call",
    "post_llm_call",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "pre_tool_call",
    "post_tool_call",
    "transform_tool_result",
    "pre_approval_request",
    "post_approval_response",
    "subagent_start",
    "subagent_stop",
    "on_session_end",
    "on_session_finalize",
)
"""The hooks that say what the agent does."""
WATCHED: Final = (
    *HOOKS,
    "transform_terminal_output",
    "transform_llm_output",
    "pre_verify",
    "pre_gateway_dispatch",
    "on_session_reset",
)
"""With those in which only what other plugins do is of interest; the last two are fired outside of turns."""
BEFORE_REQUEST: Final = "pre_api_request"
"""Not listened to where middleware tells the same: a host copies and masks the whole conversation for it."""
_LONG: Final = frozenset(("pre_llm_call", "post_llm_call"))
"""Hooks that are told the conversation."""
LAST_OF_CALL: Final = "transform_tool_result"
"""Comes after every tool call here; hermes-agent ends a call with post_tool_call."""


class Wrappers:
    """Holds one wrapper a hook, under the hook's name, as pluggy finds implementations.

    Args:
        tracker: Keeps the spans.
        hooks: Makes spans of what plugins do in hooks; None leaves them out.
        finished: Called when a session is over.
    """

    def __init__(self, tracker: Tracker, hooks: HookSpans | None, finished: Callable[[], None]) -> None:
        def watched(hook: str, payload: dict[str, Any]) -> Generator[None, Outcome, None]:
            return _watched(hook, payload, tracker, hooks, finished)

        for hook in HOOKS if hooks is None else WATCHED:
            if hook != BEFORE_REQUEST:
                setattr(self, hook, (_short_wrapper if hook in _LONG else _wrapper)(hook, watched))


_Watched: TypeAlias = "Callable[[str, dict[str, Any]], Generator[None, Outcome, None]]"


def _wrapper(hook: str, watched: _Watched) -> Callable[..., Generator[None, Outcome, None]]:
    @hookimpl(wrapper=True, tryfirst=True, specname=hook)
    def watch(**payload: Any) -> Generator[None, Outcome, None]:
        yield from watched(hook, payload)

    return watch


def _short_wrapper(hook: str, watched: _Watched) -> Callable[..., Generator[None, Outcome, None]]:
    """Return a wrapper that does without the conversation: whoever takes it has it copied at each call."""

    @hookimpl(wrapper=True, tryfirst=True, specname=hook)
    def watch(
        session_id: str,
        model: str,
        platform: str,
        turn_id: str = "",
        user_message: Any = None,
        assistant_response: str = "",
    ) -> Generator[None, Outcome, None]:
        told = {"session_id": session_id, "turn_id": turn_id, "model": model, "platform": platform}
        yield from watched(hook, told | {"user_message": user_message, "assistant_response": assistant_response})

    return watch


def _watched(
    hook: str,
    payload: dict[str, Any],
    tracker: Tracker,
    hooks: HookSpans | None,
    finished: Callable[[], None],
) -> Generator[None, Outcome, None]:
    tracker.begins(hook, payload)
    started = time.time_ns()
    outcome = yield
    if hook == "pre_tool_call":
        tracker.blocked(payload, at.blocker(outcome.steps))
    if hooks is not None and outcome.steps:
        hooks.add(hook, outcome.steps, started, tracker.place_of(hook, payload))
    tracker.ends(hook, payload)
    if hook == "on_session_finalize":
        finished()


def callbacks(tracker: Tracker, finished: Callable[[], None]) -> dict[str, Callable[..., None]]:
    """Return a callback for each hook, for a host whose plugins see neither other plugins nor the outcome."""

    def made(hook: str) -> Callable[..., None]:
        def note(**payload: Any) -> None:
            tracker.begins(hook, payload)
            tracker.ends(hook, payload)
            if hook == "on_session_finalize":
                finished()

        return note

    return {hook: made(hook) for hook in HOOKS if hook != LAST_OF_CALL}


class Surroundings:
    """Middleware: makes the span of a tool or a request current while it runs, for instrumented libraries inside.

    Args:
        tracker: Keeps the spans.
        begins: Whether a request's span begins here, because nobody listens to pre_api_request.
    """

    def __init__(self, tracker: Tracker, *, begins: bool) -> None:
        self._tracker = tracker
        self._begins = begins

    def tool(self, next_call: Callable[[], Any], **about: Any) -> Any:
        """Run a tool, whose result is of any type."""
        return _inside(self._tracker.tool_span(about), next_call)

    def request(self, next_call: Callable[[], Any], **about: Any) -> Any:
        """Run a model request, whose answer is of any type."""
        if self._begins:
            sent = about.get("request")
            sent = sent if isinstance(sent, dict) else {}
            told = {"request_messages": sent.get("messages"), "max_tokens": sent.get("max_tokens")}
            self._tracker.ends(BEFORE_REQUEST, about | told)
        return _inside(self._tracker.request_span(about), next_call)


def _inside(span: Span | None, next_call: Callable[[], Any]) -> Any:
    if span is None:
        return next_call()
    with use_span(span, record_exception=False, set_status_on_exception=False):
        return next_call()


class HookSpans:
    """Makes a span of each hook call in which plugins had a part, with an event for each part, and their metrics.

    Args:
        tracker: Makes spans, and has the metrics.
        content: Puts what plugins said into events; None leaves it out.
    """

    def __init__(self, tracker: Tracker, content: Content | None) -> None:
        self._tracker = tracker
        self._content = content

    def add(self, hook: str, steps: Sequence[Step], started: int, place: Span | None) -> None:
        """Add one hook call.

        Args:
            hook: Its name.
            steps: What plugins did in it.
            started: When, in ns since the epoch.
            place: What it was fired in; without, there are only metrics.
        """
        context = None if place is None else set_span_in_context(place)
        for step in steps:
            if step.duration_ms is not None:
                self._tracker.instruments.hooks.record(step.duration_ms / 1000, _labels(hook, step), context)
        if context is None:
            return
        plugins = list(dict.fromkeys(at.clean(step.plugin) for step in steps))
        span = self._tracker.tracer.start_span(
            f"hook {hook}",
            context=context,
            start_time=started,
            attributes={"hermes.hook.name": hook, "hermes.hook.plugins": plugins},
        )
        at_ns = started
        for step in steps:
            span.add_event("hermes.plugin", _labels(hook, step) | self._told(step), at_ns)
            at_ns += round((step.duration_ms or 0) * 1_000_000)
        span.end()

    def _told(self, step: Step) -> dict[str, at.Value]:
        milliseconds = None if step.duration_ms is None else round(step.duration_ms, 3)
        told = at.present(hermes__plugin__source=step.source, hermes__plugin__duration_ms=milliseconds)
        if self._content is not None:
            told |= at.present(hermes__plugin__detail=self._content.text(step.error or step.detail or ""))
        return told


def _labels(hook: str, step: Step) -> dict[str, at.Value]:
    labels: dict[str, at.Value] = {
        "hermes.hook.name": hook,
        "hermes.plugin.name": at.clean(step.plugin[: at.LONGEST]),
        "hermes.plugin.did": step.what,
    }
    if step.error:
        labels[at.ERROR] = step.error.partition(":")[0]
    return labels
