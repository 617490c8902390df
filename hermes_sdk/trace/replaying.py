"""Fire the hook calls of a recording at today's plugins, and see what comes out differently. No tool runs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.errors import counted
from hermes_sdk.json_values import json_safe
from hermes_sdk.trace.recording import is_cut, kept
from hermes_sdk.trace.stepwise import acting

if TYPE_CHECKING:
    from hermes_sdk.dispatch.manager import DispatchManager
    from hermes_sdk.trace.recording import Entry, Recording

COMPARED: Final = ("action", "message", "rule_key", "args", "text", "reason", "value")
"""Fields of outcomes that are compared, where an outcome has them."""

_MASK: Final = re.compile(r"\[(?:REDACTED|redacted:[a-z0-9-]+:\d+)\]")


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of one hook call that came out differently."""

    entry: Entry
    field: str
    before: Any
    """What was recorded, as JSON has it."""
    after: Any
    """What came out now, as JSON has it."""
    before_steps: tuple[str, ...]
    """Who did what then, ``plugin what``."""
    after_steps: tuple[str, ...]
    """Who did what now."""

    def __str__(self) -> str:
        data = self.entry.data
        about = f" of {data['tool']}" if data.get("tool") else ""
        before, after = (json.dumps(each, ensure_ascii=False)[:200] for each in (self.before, self.after))
        return f"{self.entry.number} {self.entry.name}{about}: {self.field} was {before}, is {after}"


@dataclass(frozen=True, slots=True)
class Incomparable:
    """A hook call that came out differently, where today's plugins did not get what those of then got."""

    entry: Entry
    why: str
    """What of the payload the recording does not have."""

    def __str__(self) -> str:
        data = self.entry.data
        about = f" of {data['tool']}" if data.get("tool") else ""
        return f"{self.entry.number} {self.entry.name}{about}: cannot be compared: {self.why}"


@dataclass(slots=True)
class ReplayReport:
    """What a replay came to."""

    calls: int = 0
    """Hook calls that were fired."""
    differences: list[Difference] = field(default_factory=list)
    incomparable: list[Incomparable] = field(default_factory=list)
    """Calls that came out differently, which says nothing: the recording has masked or cut what was sent."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Calls of hooks that this contract does not know, counted by name."""
    now: dict[int, Entry] = field(default_factory=dict, repr=False)
    """What came out, by the entry's number: the recorded entry with today's outcome and steps."""

    def updated(self, recording: Recording) -> Recording:
        """Return the recording with what came out now: what the next replay is compared with."""
        return replace(recording, entries=[self.now.get(entry.number, entry) for entry in recording.entries])

    @property
    def same(self) -> bool:
        """Whether everything came out as it was recorded."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.same

    def __repr__(self) -> str:
        shown = "; ".join(str(difference) for difference in self.differences[:5])
        counts = f"{counted(self.calls, 'call')}, {counted(len(self.differences), 'difference')}"
        return f"<ReplayReport: {counts}{': ' + shown if shown else ''}>"


def replay(recording: Recording, manager: DispatchManager) -> ReplayReport:
    """Fire every recorded hook call in its order and compare what comes out.

    What was redacted in the recording is redacted in what is compared with it, too.

    Args:
        recording: What `read_recording` gave.
        manager: With today's plugins.
    """
    report = ReplayReport()
    redacted = bool(recording.header.get("redacted"))
    for entry in recording.hooks():
        if entry.name not in HOOKS:
            report.skipped[entry.name] = report.skipped.get(entry.name, 0) + 1
            continue
        report.calls += 1
        outcome = getattr(manager.hook, entry.name)(**_payload(entry))
        now = kept(outcome_data(outcome), redacted=redacted)
        before = entry.data.get("outcome") or {}
        same = _unmasked if redacted else _as_it_is
        acted = [{"plugin": step.plugin, "source": step.source, "what": step.what} for step in outcome.steps]
        report.now[entry.number] = replace(entry, data={**entry.data, "outcome": now, "steps": acted})
        steps = tuple(f"{step.plugin} {step.what}" for step in outcome.steps if acting(step.what))
        recorded = tuple(f"{step['plugin']} {step['what']}" for step in entry.steps if acting(step["what"]))
        found = [
            Difference(entry, name, before.get(name), now.get(name), recorded, steps)
            for name in COMPARED
            if same(before.get(name)) != same(now.get(name))
        ]
        lacks = _lacks(entry.data.get("payload"), masked=redacted)
        if found and lacks:
            report.incomparable.append(Incomparable(entry, lacks))
        else:
            report.differences += found
    return report


def outcome_data(outcome: Any) -> dict[str, Any]:
    """Return the fields of an outcome (any kind) without its steps, as JSON has them."""
    names = (name for name in outcome._fields if name in COMPARED)
    return {name: json_safe(getattr(outcome, name)) for name in names}


def _lacks(value: Any, *, masked: bool) -> str:
    """Return what a payload has no longer, "" where it is whole.

    Args:
        value: Any part of it.
        masked: Whether masks are the recording's; else plugins or tools wrote them.
    """
    if isinstance(value, str):
        if is_cut(value):
            return "the recording has cut what was sent"
        return "the recording has masked what was sent" if masked and _MASK.search(value) else ""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for part in parts if (found := _lacks(part, masked=masked))), "")


def _as_it_is(value: Any) -> Any:
    return value


def _unmasked(value: Any) -> Any:
    """Return a value with all masks alike: what the recording masked already, a plugin cannot mask in its own way."""
    if isinstance(value, str):
        return _MASK.sub("[masked]", value)
    if isinstance(value, dict):
        return {key: _unmasked(item) for key, item in value.items()}
    return [_unmasked(item) for item in value] if isinstance(value, list) else value


def _payload(entry: Entry) -> dict[str, Any]:
    payload = json.loads(json.dumps(entry.data.get("payload") or {}))
    if isinstance(payload.get("event"), dict):
        payload["event"] = _namespace(payload["event"])
    return dict(payload)


def _namespace(value: Any) -> Any:
    """Return mappings as objects with attributes: a message was an object."""
    return (
        SimpleNamespace(**{key: _namespace(item) for key, item in value.items()}) if isinstance(value, dict) else value
    )
