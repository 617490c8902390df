"""A recording in the trace event format that browsers' profilers and Perfetto open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.trace.recording import Entry, Recording


def chrome_trace(recording: Recording) -> dict[str, Any]:
    """Return the JSON object: sessions are processes; turns, tools and hooks are slices, plugins lie in hooks."""
    sessions: dict[str, int] = {}
    events: list[dict[str, Any]] = []
    for entry in recording.entries:
        session = str(entry.data.get("session") or "")
        if session not in sessions:
            sessions[session] = len(sessions) + 1
            about = {"name": f"session {session}" if session else "outside of sessions"}
            events.append({"ph": "M", "name": "process_name", "pid": sessions[session], "tid": 0, "args": about})
        events += _slices(entry, sessions[session])
    return {"displayTimeUnit": "ms", "traceEvents": events, "otherData": dict(recording.header)}


def _slices(entry: Entry, pid: int) -> list[dict[str, Any]]:
    data = entry.data
    duration = float(data.get("ms") or data.get("duration_ms") or 0.0)
    end = float(data.get("at_ms") or 0.0)  # an entry is written when its thing is over
    start = max(end - duration, 0.0)
    shared = {"pid": pid, "tid": 1 + int(data.get("depth") or 0), "ts": round(start * 1000, 1)}
    if not duration and not entry.is_hook:
        return [{**shared, "ph": "i", "s": "t", "name": entry.name, "cat": "host", "args": {"n": entry.number}}]
    about = {"n": entry.number, **{key: data[key] for key in ("tool", "call", "turn") if data.get(key)}}
    category = "hook" if entry.is_hook else "host"
    name = f"{entry.name} {data['tool']}" if data.get("tool") else entry.name
    slices = [{**shared, "ph": "X", "dur": round(duration * 1000, 1), "name": name, "cat": category, "args": about}]
    at = start
    for step in entry.steps:
        took = float(step.get("duration_ms") or 0.0)
        where = {**shared, "ts": round(at * 1000, 1), "dur": round(took * 1000, 1)}
        slices.append({**where, "ph": "X", "name": f"{step['plugin']}: {step['what']}", "cat": "plugin", "args": {}})
        at += took
    return slices
