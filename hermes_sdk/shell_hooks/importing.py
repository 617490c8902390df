"""Claude Code's hook settings as the `hooks:` block that does the same here, and what has no equivalent."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from hermes_sdk.config import Config
from hermes_sdk.config.insert import append_entries
from hermes_sdk.config.schema import is_seconds
from hermes_sdk.errors import ConfigError
from hermes_sdk.shell_hooks.claude import EVENTS
from hermes_sdk.shell_hooks.entries import read_entries
from hermes_sdk.shell_hooks.imported_command import Origin, rewrite_command, rewrite_words
from hermes_sdk.shell_hooks.imported_matcher import (
    NotImportableError,
    ToolChoice,
    narrowed,
    read_matcher,
    read_rule,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

Block = dict[str, list[dict[str, Any]]]
"""A `hooks:` block: event -> entries, with values of any YAML type."""

OURS: Final[Mapping[str, str]] = {theirs: ours for ours, theirs in EVENTS.items()}
"""Claude Code's event -> ours."""

LONGEST: Final = 300
"""Seconds that an entry may take."""

_MILLISECONDS: Final = 1000
"""A timeout from here on was meant in milliseconds: there are seconds in the file, and nobody waits for hours."""

_ENDLESS: Final = 1_000_000_000
"""JSON has numbers of any size; beyond this one more digits say nothing."""

_WITH_TOOL: Final = ("PreToolUse", "PostToolUse")
_WITH_ANSWER: Final = ("PreToolUse", "UserPromptSubmit", "Stop")

_NO_EQUIVALENT: Final[Mapping[str, str]] = {
    "PostToolUseFailure": "post_tool_call fires for failed calls too, with their status; import it as PostToolUse",
    "PermissionRequest": "no hook answers a permission question; pre_tool_call can ask for one, or block",
    "PermissionDenied": "post_approval_response tells of refusals, under other names than the script reads",
    "Notification": "pre_approval_request tells of questions, under other names than the script reads",
    "PreCompact": "this host does not compress its context",
    "PostCompact": "this host does not compress its context",
    "StopFailure": "on_session_end tells of failed turns, under other names than the script reads",
    "SubagentStart": "subagent_start tells of it, under other names than the script reads",
}

_DIFFERENT: Final[Mapping[str, str]] = {
    "PostToolUse": "post_tool_call fires for failed and blocked calls too, and its answer is ignored",
    "UserPromptSubmit": "pre_llm_call adds context; it cannot block a message",
    "SessionStart": "on_session_start takes no answer; what it prints is no context",
    "SubagentStop": "subagent_stop takes no answer; it cannot keep a child at work",
    "Stop": "pre_verify fires in turns that changed files, and asks at most 3 times",
}

_TAKEN_OVER: Final = frozenset(
    {"type", "command", "args", "shell", "url", "headers", "allowedEnvVars", "timeout", "if", "async"}
)
"""Keys of a handler that mean something here too."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that does not come over, or not unchanged."""

    where: str
    """Where it stands in the settings: ``PreToolUse[0].hooks[1]``."""
    kind: Literal["left out", "changed"]
    text: str


@dataclass(slots=True)
class Imported:
    """What became of a settings file."""

    source: Path
    block: Block = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many entries there are."""
        return sum(map(len, self.block.values()))


def import_settings(path: Path, home: Path) -> Imported:
    """Return a settings file of Claude Code as a `hooks:` block.

    Args:
        path: ``settings.json``, or ``hooks.json`` of a plugin; its place says which project it is of.
        home: Whose configuration the block is for.

    Raises:
        ConfigError: The file cannot be read, or has no hooks.
    """
    settings = _read(path)
    imported = Imported(path)
    if settings.get("disableAllHooks") is True:
        imported.remarks.append(Remark("disableAllHooks", "left out", "it switches all of these hooks off there"))
    reader = _Reader(imported, Origin.of(path), home)
    for event, groups in settings["hooks"].items():
        reader.read_event(str(event), groups)
    reader.note_differences()
    return imported


def write_block(block: Block, home: Path) -> tuple[Path, int]:
    """Add the entries of a block that are not there yet to a home's configuration; nothing else of it changes.

    Returns:
        The file, and how many entries were added.

    Raises:
        ConfigError: The file cannot be edited safely; it is left as it is.
    """
    config = Config.load(home)
    there = config.get("hooks") or {}
    if not isinstance(there, dict):
        there = {}
    new = {
        event: [entry for entry in entries if entry not in (there.get(event) or [])] for event, entries in block.items()
    }
    new = {event: entries for event, entries in new.items() if entries}
    path = config.file_of("hooks")
    if new:
        append_entries(path, "hooks", new)
    return path, sum(map(len, new.values()))


def _read(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError("the settings cannot be read", where=str(path), why=why.lower(), code="HS132") from None
    if not isinstance(settings, dict) or not isinstance(settings.get("hooks"), dict):
        raise ConfigError(
            "there is nothing to import",
            where=str(path),
            why="it has no object `hooks`",
            fix="name a settings.json of Claude Code",
            code="HS132",
        )
    return settings


class _Reader:
    """Reads one settings file into a block."""

    def __init__(self, imported: Imported, origin: Origin, home: Path) -> None:
        self._imported = imported
        self._origin = origin
        self._home = home
        self._said: set[str] = set()

    def read_event(self, event: str, groups: Any) -> None:
        """Read the groups of one event, values of any JSON type."""
        ours = OURS.get(event)
        if ours is None:
            self._leave_out(event, _NO_EQUIVALENT.get(event, "it is no event of Claude Code that is known here"))
            return
        if not isinstance(groups, list):
            self._leave_out(event, "it is no list")
            return
        for number, group in enumerate(groups):
            where = f"{event}[{number}]"
            handlers = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(handlers, list):
                self._leave_out(where, "it has no list `hooks`")
                continue
            for position, handler in enumerate(handlers):
                self._read_handler(event, ours, group.get("matcher"), handler, f"{where}.hooks[{position}]")

    def _read_handler(self, event: str, ours: str, matcher: Any, handler: Any, where: str) -> None:
        if not isinstance(handler, dict):
            self._leave_out(where, "it is no object")
            return
        try:
            entry = _entry(event, matcher, handler, self._origin, lambda text: self._change(where, text))
        except NotImportableError as error:
            self._leave_out(where, str(error))
            return
        wrong = [problem for problem in self._problems(ours, entry) if problem.severity == "error"]
        if wrong:
            self._leave_out(where, "; ".join(problem.found for problem in wrong))
            return
        self._imported.block.setdefault(ours, []).append(entry)
        if event in _DIFFERENT and event not in self._said:
            self._said.add(event)
            self._change(event, _DIFFERENT[event])

    def note_differences(self) -> None:
        """Say what is different for the block as a whole."""
        entries = [entry for listed in self._imported.block.values() for entry in listed]
        if entries and self._origin.project is not None:
            self._change("hooks", f"they run in every session of this home, not only in {self._origin.project}")
        if any("timeout" not in entry for entry in entries):
            self._change("timeout", "without one a hook has 60 s here, and 600 s there")

    def _problems(self, ours: str, entry: dict[str, Any]) -> list[Any]:
        return read_entries(Config.of(self._home, {"hooks": {ours: [entry]}})).problems

    def _leave_out(self, where: str, why: str) -> None:
        self._imported.remarks.append(Remark(where, "left out", why))

    def _change(self, where: str, what: str) -> None:
        self._imported.remarks.append(Remark(where, "changed", what))


def _entry(
    event: str, matcher: Any, handler: Mapping[str, Any], origin: Origin, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return one handler as an entry.

    Raises:
        NotImportableError: It has no equivalent.
    """
    kind = handler.get("type", "command")
    if kind not in ("command", "http"):
        asks = {"prompt": "asks a model", "agent": "starts an agent", "mcp_tool": "calls a tool of an MCP server"}
        raise NotImportableError(f"type {kind} {asks.get(kind, 'is unknown here')}; a script can do that by itself")
    choice = _choice(event, matcher, handler)
    for remark in choice.remarks:
        say(remark)
    entry: dict[str, Any] = {}
    if choice.tools:
        entry["matcher"] = choice.matcher
    if choice.when:
        entry["when"] = dict(choice.when)
    entry |= _target(handler, origin) if kind == "command" else _http(handler)
    entry |= dict(_timeout(handler.get("timeout"), say))
    entry["dialect"] = "claude"
    if handler.get("async") is True or handler.get("asyncRewake") is True:
        if event in _WITH_ANSWER:
            say("async: the agent waits for it here, because its answer counts")
        else:
            entry["background"] = True
    lost = [str(key) for key in handler if key not in _TAKEN_OVER]
    if lost:
        say(f"{', '.join(lost)}: nothing here does that")
    return entry


def _choice(event: str, matcher: Any, handler: Mapping[str, Any]) -> ToolChoice:
    condition = handler.get("if")
    if event not in _WITH_TOOL:
        ignored = f"its matcher {matcher!r} chooses among kinds of {event}, which are not told apart here"
        return ToolChoice(remarks=() if matcher in (None, "", "*") else (ignored,))
    for name, value in (("matcher", matcher), ("if", condition)):
        if not isinstance(value, str | None):  # left away it would be for every call
            raise NotImportableError(f"its {name} is no text")
    choice = read_matcher(matcher or "")
    return narrowed(choice, read_rule(condition)) if condition else choice


def _target(handler: Mapping[str, Any], origin: Origin) -> dict[str, Any]:
    command, arguments = handler.get("command"), handler.get("args")
    if not isinstance(command, str) or not command.strip():
        raise NotImportableError("it has no command")
    if handler.get("shell") not in (None, "bash"):
        raise NotImportableError(f"it is written for {handler['shell']}")
    if isinstance(arguments, list):
        return {"command": rewrite_words([command, *map(str, arguments)], origin)}
    return {"command": rewrite_command(command, origin)}


def _http(handler: Mapping[str, Any]) -> dict[str, Any]:
    headers = handler.get("headers")
    if isinstance(headers, dict) and any("$" in str(value) for value in headers.values()):
        raise NotImportableError("its headers take values from the environment, which headers here do not")
    target: dict[str, Any] = {"type": "http", "url": handler.get("url")}
    return target | ({"headers": headers} if headers else {})


def _timeout(value: Any, say: Callable[[str], None]) -> Iterator[tuple[str, Any]]:
    if value is None:
        return
    if not is_seconds(value):
        say(f"timeout {value!r} is no number of seconds; the default counts")
        return
    seconds = min(value, _ENDLESS)
    if seconds >= _MILLISECONDS:
        seconds /= 1000
        say(f"timeout {value} looks like milliseconds, where seconds are meant: {seconds:g} s")
    if seconds > LONGEST:
        say(f"timeout {seconds:g} s becomes {LONGEST} s, the longest there is")
        seconds = LONGEST
    yield "timeout", int(seconds) if seconds == int(seconds) else seconds
