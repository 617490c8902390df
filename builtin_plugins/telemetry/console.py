"""Traces on standard error, as a tree each turn: for a first look, without a collector."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Final

from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.trace import StatusCode

from hermes_sdk.masking import redact

from .open_spans import Recent

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, Span

_KEPT: Final = 5_000
"""Spans of one trace that are shown."""
_SHOWN: Final = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "hermes.tool.status",
    "hermes.tool.blocked_by",
    "hermes.hook.plugins",
    "hermes.approval.choice",
    "hermes.turn.outcome",
    "error.type",
)


class ConsoleTree(SpanProcessor):
    """Collects the spans of a trace, and prints them when its first one ends."""

    def __init__(self) -> None:
        self._traces: Recent[list[ReadableSpan]] = Recent()
        self._lock = threading.Lock()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing: a span is shown when it is over."""

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span, or print its trace."""
        context = span.get_span_context()
        if context is None:
            return
        with self._lock:
            spans = self._traces.get(context.trace_id)
            if spans is None:
                spans = []
                self._traces.put(context.trace_id, spans)
            if len(spans) < _KEPT or span.parent is None:
                spans.append(span)
            if span.parent is not None:
                return
            self._traces.pop(context.trace_id)
        sys.stderr.write("".join(f"{line}\n" for line in tree(spans)))

    def shutdown(self) -> None:
        """Nothing: what is not over yet is not shown."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - the SDK's signature
        """Nothing waits here."""
        return True


def tree(spans: list[ReadableSpan]) -> list[str]:
    """Return the lines of a trace: children below their parents, in the order in which they started."""
    ids = {span.context.span_id for span in spans if span.context}
    below: dict[int, list[ReadableSpan]] = {}
    for span in sorted(spans, key=lambda span: span.start_time or 0):
        parent = span.parent.span_id if span.parent and span.parent.span_id in ids else 0
        below.setdefault(parent, []).append(span)
    lines: list[str] = []
    waiting = [(span, 0) for span in reversed(below.get(0, []))]
    while waiting:
        span, depth = waiting.pop()
        lines.append(_line(span, depth))
        own = span.context.span_id if span.context else -1
        waiting += [(child, depth + 1) for child in reversed(below.get(own, []))]
    return lines


def _line(span: ReadableSpan, depth: int) -> str:
    milliseconds = ((span.end_time or 0) - (span.start_time or 0)) / 1_000_000
    attributes = span.attributes or {}
    shown = [f"{key.rpartition('.')[2]}={_shown(attributes[key])}" for key in _SHOWN if key in attributes]
    failed = "!" if span.status.status_code is StatusCode.ERROR else " "
    name = f"{'  ' * depth}{_plain(span.name)}"
    return f"{failed} {name:<44} {milliseconds:>10.1f} ms  {' '.join(shown)}".rstrip()


def _shown(value: object) -> str:
    return ",".join(map(_plain, value)) if isinstance(value, tuple) else _plain(value)


def _plain(value: object) -> str:
    """Return a text that a terminal only shows: a model may have written it."""
    return "".join(c if c.isprintable() else "?" for c in redact(str(value)))
