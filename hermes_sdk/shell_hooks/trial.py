"""Trying an entry: a firing made up from the contract, and what the entry's script makes of it (seed S36, K11 to K13).

The payload goes through the same code as in a session, so a script sees exactly the keys of a real firing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS
from hermes_sdk.errors import ConfigError, did_you_mean
from hermes_sdk.json_values import json_safe
from hermes_sdk.shell_hooks.meaning import meaning_of
from hermes_sdk.shell_hooks.schema import contract_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hermes_sdk.shell_hooks.answer import Answer
    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.meaning import Meaning
    from hermes_sdk.shell_hooks.process import Run
    from hermes_sdk.shell_hooks.runner import EntryRunner

SAMPLE_CALLS: Final[Mapping[str, Mapping[str, Any]]] = {
    "terminal": {"command": "echo hello"},
    "process": {"action": "list"},
    "read_file": {"path": "notes.txt"},
    "write_file": {"path": "notes.txt", "content": "hello\n"},
    "patch": {"mode": "replace", "path": "notes.txt", "old_string": "hello", "new_string": "goodbye"},
    "search_files": {"pattern": "hello", "path": "."},
    "delegate_task": {"goal": "Find out why test_login fails."},
}
"""Arguments of a harmless call of each built-in tool."""

_TOOL_INPUT: Final = ("args", "arguments")
_LIVE_OBJECTS: Final = frozenset({"gateway", "session_store"})


@dataclass(frozen=True, slots=True)
class Firing:
    """What a hook is fired with in a trial."""

    event: str
    arguments: dict[str, Any]
    """Every argument of the hook, as a host sends it."""
    remarks: tuple[str, ...] = ()
    """What was given and is not used."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One entry that was run on a firing."""

    entry: ShellEntry
    payload: dict[str, Any] = field(repr=False)
    """What the script read, in its dialect."""
    run: Run
    answer: Answer
    meaning: Meaning


def sample_firing(event: str, *, tool: str = "", given: Mapping[str, Any] | None = None) -> Firing:
    """Return a firing of a hook: the contract's sample, with what was given in its place.

    Args:
        event: The hook.
        tool: A tool name; its arguments are those of a harmless call, or none for a tool that is not built in.
        given: Arguments of the hook, or a payload as a script reads it; unknown names are left out with a remark,
            because no real firing has them.

    Raises:
        ConfigError: The hook is unknown, or the payload is one of another hook.
    """
    contract = contract_of(event)
    known = contract.argument_names
    remarks: list[str] = []
    overrides: dict[str, Any] = {}
    if given is not None:
        flat = _from_wire(event, given, remarks) if "hook_event_name" in given else given
        for name, value in flat.items():
            if name in known:
                overrides[name] = _revived(name, value)
            else:
                nearest = did_you_mean(name, known)
                remarks.append(f"{event} sends no {name!r}, so it is left out{f'; {nearest}' if nearest else ''}")
    if tool and "tool_name" in known:
        overrides["tool_name"] = tool
        if not any(name in overrides for name in _TOOL_INPUT):
            overrides["args"] = dict(SAMPLE_CALLS.get(tool, {}))
    elif tool:
        remarks.append(f"{event} has no tool, so --for-tool means nothing here")
    arguments = contract.sample(**overrides)
    if isinstance(arguments.get("assistant_message"), SimpleNamespace):
        # the sample has an object, as hermes-agent sends it; messages of this host are dicts
        arguments["assistant_message"] = vars(arguments["assistant_message"])
    return Firing(event, arguments, tuple(remarks))


def _from_wire(event: str, payload: Mapping[str, Any], remarks: list[str]) -> dict[str, Any]:
    """Return the arguments behind a payload that a script once read."""
    if payload["hook_event_name"] != event:
        raise ConfigError(
            f"the payload is one of {payload['hook_event_name']!r}, not of {event!r}",
            fix="test that event, or leave hook_event_name out",
            code="HS132",
        )
    known = HOOKS[event].argument_names
    extra = payload.get("extra")
    found: dict[str, Any] = dict(extra) if isinstance(extra, dict) else {}
    for name in ("tool_name", "session_id"):
        if payload.get(name) is not None and name in known:
            found[name] = payload[name]
    if payload.get("tool_input") is not None:
        found["args"] = payload["tool_input"]
    if "cwd" in payload:
        remarks.append("the payload's cwd is not used: scripts run, and are told so, where you are or where --cwd says")
    return found


def _revived(name: str, value: Any) -> Any:
    """Return a value that JSON had to flatten in the form that a host sends."""
    if name in _LIVE_OBJECTS:
        return None
    if name == "event" and isinstance(value, dict):
        source = value.get("source")
        return SimpleNamespace(**value | {"source": SimpleNamespace(**(source if isinstance(source, dict) else {}))})
    return value


def read_given(path: Path) -> dict[str, Any]:
    """Return the JSON object of a payload file.

    Raises:
        ConfigError: It cannot be read, or is no JSON object.
    """
    try:
        given = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError("the payload cannot be used", where=str(path), why=why.lower(), code="HS132") from None
    if not isinstance(given, dict):
        raise ConfigError("the payload cannot be used", where=str(path), why="it is no JSON object", code="HS132")
    return given


def why_not_concerned(entry: ShellEntry, arguments: Mapping[str, Any]) -> str:
    """Return why a firing does not concern an entry; empty where it does."""
    if entry.matches(arguments):
        return ""
    tool = str(arguments.get("tool_name") or "")
    if entry.matcher is not None and entry.matcher.fullmatch(tool) is None:
        other = matching_tool(entry)
        hint = f"; try --for-tool {other}" if other else ""
        return f"its matcher {entry.matcher.pattern!r} does not match {tool!r}{hint}"
    failing = next(condition for condition in entry.conditions if not condition.holds(arguments))
    return f"its condition on {'.'.join(failing.key)} does not hold"


def matching_tool(entry: ShellEntry) -> str:
    """Return a built-in tool that an entry's matcher takes, or an empty string."""
    if entry.matcher is None:
        return ""
    return next((tool for tool in SAMPLE_CALLS if entry.matcher.fullmatch(tool)), "")


def try_entry(runner: EntryRunner, entry: ShellEntry, arguments: Mapping[str, Any]) -> Trial:
    """Run an entry for real on a firing; matcher and conditions are the caller's to look at.

    Args:
        runner: Runs it; says in which home and directory.
        entry: The entry.
        arguments: What the hook is fired with.
    """
    payload = runner.payload(entry, arguments)
    run = runner.execute(entry, payload)
    answer = runner.read(entry, run)
    return Trial(entry, json_safe(payload), run, answer, meaning_of(entry, answer, run.stdout))
