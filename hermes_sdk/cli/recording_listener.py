"""Writes a recording while a session runs: every hook call, and what the host did around them."""

from __future__ import annotations

import time
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.events import HookFired
from hermes_sdk.trace.recording import Recorder
from hermes_sdk.trace.replaying import outcome_data

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.host.events import Event
    from hermes_sdk.plugins.manager import PluginManager

_OF_EVERY_EVENT: Final = frozenset({"session_id", "turn_id", "depth"})


class RecordingListener:
    """A listener for a session.

    Args:
        path: The recording; it is written anew.
        manager: Whose plugins are named at its beginning.
        title: What was recorded.
        redacted: Whether strings are redacted.

    Raises:
        OSError: It cannot be written.
    """

    wants_payloads = True

    def __init__(self, path: Path, manager: PluginManager, title: str, *, redacted: bool = True) -> None:
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
        self._recorder = Recorder(path.open("w", encoding="utf-8"), header, redacted=redacted)
        self._started = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Record an event."""
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
