"""Writes a recording while a session runs: every hook call, and what the host did around them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import SessionError
from hermes_sdk.host.events import HookFired
from hermes_sdk.trace.recording import Recorder, read_recording
from hermes_sdk.trace.replaying import outcome_data

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from hermes_sdk.host.events import Event, Listener
    from hermes_sdk.plugins.manager import PluginManager

_OF_EVERY_EVENT: Final = frozenset({"session_id", "turn_id", "depth"})


class RecordingListener:
    """A listener for a session.

    Args:
        path: The recording; one that is there is written anew, any other file is left alone.
        manager: Whose plugins are named at its beginning.
        title: What was recorded.
        redacted: Whether strings are redacted.
        then: Hears each event, too.

    Raises:
        SessionError: It cannot be written.
    """

    wants_payloads = True

    def __init__(
        self, path: Path, manager: PluginManager, title: str, *, redacted: bool = True, then: Listener | None = None
    ) -> None:
        from importlib.metadata import version

        plugins = [
            {"key": plugin.key, "version": plugin.manifest.version, "source": plugin.source}
            for plugin in manager.plugins.values()
        ]
        header = {
            "hermes_sdk": version("hermes-sdk"),
            "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "title": title,
            "plugins": plugins,
        }
        try:
            self._recorder = Recorder(_opened(path), header, redacted=redacted)
        except OSError as error:
            why = str(error.strerror)
            raise SessionError("the recording cannot be written", where=str(path), why=why, code="HS463") from None
        self._then = then
        self._started = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Record an event."""
        self._record(event)
        if self._then is not None:
            self._then(event)

    def _record(self, event: Event) -> None:
        shared = {
            "at_ms": round((time.monotonic() - self._started) * 1000, 3),
            "session": event.session_id,
            "turn": event.turn_id,
            "depth": event.depth,
        }
        if isinstance(event, HookFired):
            self._recorder.add(shared | _hook(event))
            return
        names = (each.name for each in fields(event) if each.name not in _OF_EVERY_EVENT)
        self._recorder.add(
            shared | {"type": "event", "event": type(event).__name__} | {name: getattr(event, name) for name in names}
        )

    def close(self) -> None:
        """End the recording."""
        self._recorder.close()


def _opened(path: Path) -> TextIO:
    """Open a recording for writing; a new one is the user's alone (0600): it holds whole conversations.

    Raises:
        OSError: It cannot be opened.
        SessionError: There is something else.
    """
    with suppress(OSError):
        if path.is_file() and path.stat().st_size:
            _refuse_others(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8")


def _refuse_others(path: Path) -> None:
    try:
        read_recording(path)
    except SessionError as error:
        if error.code == "HS461":
            raise SessionError(
                "the recording would replace another file",
                where=str(path),
                why="what is there is no recording",
                fix="name a file that is not there yet, or remove that one",
                code="HS464",
            ) from None


def _hook(event: HookFired) -> dict[str, Any]:
    steps = [
        {
            "plugin": step.plugin,
            "source": step.source,
            "what": step.what,
            "detail": step.detail,
            "duration_ms": step.duration_ms,
            "error": step.error,
            "rule_key": step.rule_key,
            "value": step.value,
        }
        for step in event.outcome.steps
    ]
    return {
        "type": "hook",
        "hook": event.hook,
        "tool": event.tool_name,
        "call": event.call_id,
        "ms": round(event.duration_ms, 4),
        "payload": event.payload,
        "outcome": outcome_data(event.outcome),
        "steps": steps,
    }
