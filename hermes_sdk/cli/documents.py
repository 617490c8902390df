"""Events as JSON: one document that is written while the session runs, so that a long one needs no memory."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, TextIO

from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from hermes_sdk.host.events import Event

_DEEPEST: Final = 40
"""Nesting shown of a value; deeper, or a cycle, becomes text."""


class RunDocument:
    """Writes ``{"events": [...], "ok": ..., ...}`` on a stream, one event a line, each when it happens."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._separator = '{"events": [\n'
        self._closed = False
        self._unread: OSError | None = None

    def __call__(self, event: Event) -> None:
        """Write one event of the session."""
        self._write({"type": type(event).__name__} | as_data(event))

    def printed(self, who: str, text: str) -> None:
        """Write a line that a plugin printed; `who` is "" when nobody knows which."""
        self._write({"type": "Printed", "plugin": who, "text": text})

    def close(self, **rest: Any) -> None:
        """End the events and write `rest`, JSON-ready values, as further keys of the document.

        Raises:
            OSError: Nobody reads it any more, or the disk is full; then or at an earlier event.
        """
        with self._lock:
            self._closed = True
            if self._unread is not None:
                raise self._unread
            opening = self._separator if self._separator.startswith("{") else "\n"
            tail = json.dumps(rest, ensure_ascii=False, indent=2, default=plain)
            self._stream.write(f"{opening}],{tail[1:]}\n")
            self._stream.flush()

    def _write(self, document: dict[str, Any]) -> None:
        line = json.dumps(document, ensure_ascii=False, default=plain)
        with self._lock:
            if self._closed or self._unread is not None:
                return
            try:
                self._stream.write(self._separator + line)
                self._stream.flush()
            except OSError as error:  # the session goes on, and `close` says so once
                self._unread = error
            self._separator = ",\n"


def as_data(value: Any, depth: int = 0) -> Any:
    """Return a value of any type as JSON-ready data; what JSON has no form for becomes text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth > _DEEPEST:
        return f"<{type(value).__name__}>"
    if is_dataclass(value) and not isinstance(value, type):
        shown = (field.name for field in fields(value) if field.repr)
        return {name: as_data(getattr(value, name), depth + 1) for name in shown}
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and names:  # outcomes are named tuples
        return {name: as_data(item, depth + 1) for name, item in zip(names, value, strict=True)}
    if isinstance(value, dict):
        return {str(key): as_data(item, depth + 1) for key, item in list(value.items())}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_data(item, depth + 1) for item in value]
    try:
        return str(value)
    except Exception:  # it may be a plugin's own class
        return f"<{type(value).__name__}>"
