"""One recorded hook call, step by step: who did what, and what changed at each step."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.trace.recording import Entry

_STARTS: Final = {
    "pre_tool_call": "args",
    "transform_tool_result": "result",
    "transform_terminal_output": "output",
    "transform_llm_output": "response_text",
    "pre_gateway_dispatch": "event",
}
"""The argument that a hook's steps change."""
_LOOKED_ON: Final = frozenset({"observed", "ignored", "no opinion"})


@dataclass(frozen=True, slots=True)
class StepView:
    """One implementation in a hook call."""

    plugin: str
    source: str
    what: str
    detail: str
    duration_ms: float | None
    error: str | None
    diff: tuple[str, ...] = ()
    """Lines that begin with ``-`` or ``+``; empty where nothing changed, or the recording does not say what."""


def acting(what: str) -> bool:
    """Whether a step did something: an observation and an ignored answer did not."""
    return what not in _LOOKED_ON


def steps_of(entry: Entry) -> Iterator[StepView]:
    """Yield the steps of a hook call in order, each with what it changed."""
    payload = entry.data.get("payload") or {}
    value = payload.get(_STARTS.get(entry.name, ""))
    if entry.name == "pre_gateway_dispatch":
        value = value.get("text") if isinstance(value, dict) else None
    for step in entry.steps:
        new = step.get("value")
        changes = new is not None and step["what"] in {"modify", "transform", "withhold", "rewrite", "wrapped"}
        diff: tuple[str, ...] = tuple(difference(value, new)) if changes and new != value else ()
        if step["what"] == "context" and isinstance(new, str):
            diff = tuple(f"+ {line}" for line in new.splitlines())
        yield StepView(
            step["plugin"],
            step.get("source", ""),
            step["what"],
            step.get("detail") or "",
            step.get("duration_ms"),
            step.get("error"),
            diff,
        )
        value = new if changes else value


def difference(before: Any, after: Any, context: int = 1) -> Iterator[str]:
    """Yield the lines that two values (any, as JSON has them) differ in, with some around them."""
    old, new = _lines(before), _lines(after)
    for line in difflib.unified_diff(old, new, n=context, lineterm=""):
        if line.startswith(("---", "+++")):
            continue
        yield "..." if line.startswith("@@") else f"{line[:1]} {line[1:]}"


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
    return text.splitlines()


def verdict(entry: Entry) -> str:
    """Return how a hook call came out, in a few words."""
    outcome = entry.data.get("outcome") or {}
    action, message = outcome.get("action"), outcome.get("message")
    if action in {"block", "approve", "skip"}:
        return f"{action}: {message or outcome.get('reason') or ''}".rstrip(": ")
    did = [step["what"] for step in entry.steps if acting(step["what"])]
    return ", ".join(dict.fromkeys(did)) or str(action or "nothing changed")
