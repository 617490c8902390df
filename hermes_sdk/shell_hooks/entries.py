"""The ``hooks:`` block of config.yaml as typed entries, each problem with its line (semantics 8; seed S8 to S18)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from hermes_hookspecs import HOOKS
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import (
    Field,
    check_mapping,
    dotted,
    is_flag,
    is_mapping,
    is_names,
    is_text,
)
from hermes_sdk.dispatch.policy import GATED_HOOKS
from hermes_sdk.errors import did_you_mean
from hermes_sdk.plugins.gates import is_near_miss
from hermes_sdk.shell_hooks.command import CommandError, resolve, split_command
from hermes_sdk.shell_hooks.conditions import Condition, read_conditions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath

RESERVED: Final = ("outbound", "output_spill")
"""Keys under ``hooks:`` that are no events."""

MATCHED: Final = frozenset({"pre_tool_call", "post_tool_call", "transform_tool_result"})
"""Events that a matcher counts for."""

OBSERVERS: Final = frozenset(name for name, contract in HOOKS.items() if contract.kind == "observer")

DEFAULT_TIMEOUT: Final = 60.0
MAX_TIMEOUT: Final = 300.0

_GATEWAY_EVENT: Final = re.compile(r"(gateway|session|agent|command):")
_CLAUDE_EVENTS: Final = {
    "PreToolUse": "pre_tool_call",
    "PostToolUse": "post_tool_call",
    "UserPromptSubmit": "pre_llm_call",
    "SessionStart": "on_session_start",
    "SessionEnd": "on_session_finalize",
    "SubagentStop": "subagent_stop",
    "Stop": "pre_verify",
}

ENTRY_FIELDS: Final = (
    Field("type", "command or http", lambda value: value in {"command", "http"}, "What is called.", "command"),
    Field(
        "command", "text or a list of words", lambda value: is_text(value) or is_names(value), "The script; no shell."
    ),
    Field("url", "text", is_text, "For `type: http`, where the payload is posted."),
    Field("headers", "a mapping of texts", is_mapping, "For `type: http`, further request headers."),
    Field(
        "matcher", "text", is_text, "Regular expression that the whole tool name must match; empty or `*`: every tool."
    ),
    Field(
        "timeout", "a number of seconds", lambda _value: True, "Seconds until the script is ended, at most 300.", "60"
    ),
    Field("fail_closed", "true or false", is_flag, "Whether a failure blocks or withholds.", "false", ("failClosed",)),
    Field("rejudge", "true or false", is_flag, "Whether it judges again after arguments changed.", "true"),
    Field("when", "a mapping of conditions", is_mapping, "Conditions on arguments, checked before anything starts."),
    Field(
        "mode",
        "process or serve",
        lambda value: value in {"process", "serve"},
        "`serve`: one long-lived process.",
        "process",
    ),
    Field("background", "true or false", is_flag, "Observers only: off the agent's path.", "false"),
    Field("parallel", "true or false", is_flag, "Observers only: beside each other.", "false"),
    Field(
        "env",
        "a list of names",
        lambda value: value == [] or is_names(value),
        "Variables that the script inherits.",
        "all",
    ),
    Field(
        "dialect",
        "hermes or claude",
        lambda value: value in {"hermes", "claude"},
        "Whose names the script is sent.",
        "hermes",
    ),
    Field(
        "exit_code_2", "block or warn", lambda value: value in {"block", "warn"}, "What exit status 2 means.", "block"
    ),
    Field("enabled", "true or false", is_flag, "false switches the entry off.", "true"),
)
"""Every key of an entry."""


@dataclass(frozen=True, slots=True, eq=False)
class ShellEntry:
    """One entry of the ``hooks:`` block, compared by identity."""

    event: str
    number: int
    """Its place in its event's list, from 0."""
    where: str
    """``file:line:column``."""
    command: str
    """As written: what consent is given to. For http ``POST <url>``."""
    argv: tuple[str, ...] = ()
    """The resolved words; empty for http."""
    matcher: re.Pattern[str] | None = None
    timeout: float = DEFAULT_TIMEOUT
    """Seconds."""
    fail_closed: bool = False
    rejudge: bool = True
    conditions: tuple[Condition, ...] = ()
    mode: Literal["process", "serve"] = "process"
    background: bool = False
    parallel: bool = False
    env: tuple[str, ...] | None = None
    """Names of the variables that the script inherits; None: all."""
    dialect: Literal["hermes", "claude"] = "hermes"
    exit_2_blocks: bool = True
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    """Why it cannot be used although it is a gate: it blocks what it was declared for."""

    @property
    def name(self) -> str:
        """How messages and outcomes call the entry."""
        return f"shell:{self.command}"

    def matches(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a firing concerns the entry; decided before anything is started or serialised."""
        if self.matcher is not None and self.matcher.fullmatch(str(arguments.get("tool_name") or "")) is None:
            return False
        return all(condition.holds(arguments) for condition in self.conditions)


@dataclass(slots=True)
class ShellConfig:
    """What a home's configuration says about shell hooks."""

    entries: list[ShellEntry] = field(default_factory=list)
    """In the order in which they are declared, event by event; refused gates too."""
    problems: list[Problem] = field(default_factory=list)
    auto_accept: bool = False
    """``hooks_auto_accept``."""
    trust: Literal["command", "content"] = "command"
    """``hooks_trust``: whether consent is bound to the command only, or to the files' content too."""


def read_entries(config: Config) -> ShellConfig:
    """Read ``hooks:``, ``hooks_auto_accept`` and ``hooks_trust`` of a home's configuration."""
    found = ShellConfig()
    _read_switches(config, found)
    hooks = config.get("hooks")
    if hooks is None:
        return found
    if not isinstance(hooks, dict):
        found.problems.append(
            Problem("HS121", "hooks", config.where("hooks"), kind_of(hooks), "a mapping of events to lists of entries")
        )
        return found
    for event, listed in hooks.items():
        path: KeyPath = ("hooks", str(event))
        if event in RESERVED:
            continue
        if event not in HOOKS:
            found.problems.append(_unknown_event(config, path, str(event)))
            continue
        for number, (values, entry_path) in enumerate(_listed(config, found, path, listed)):
            entry = _read_entry(config, found, str(event), number, entry_path, values)
            if entry is not None:
                found.entries.append(entry)
    return found


def _listed(config: Config, found: ShellConfig, path: KeyPath, value: Any) -> list[tuple[Any, KeyPath]]:
    """Return the entries of an event with the way to each; a mapping is one entry written without its dash."""
    if isinstance(value, dict):
        return [(value, path)]
    if isinstance(value, list):
        return [(values, (*path, number)) for number, values in enumerate(value)]
    if value is not None:
        found.problems.append(Problem("HS121", dotted(path), config.where(path), kind_of(value), "a list of entries"))
    return []


def _read_switches(config: Config, found: ShellConfig) -> None:
    accept = config.get("hooks_auto_accept", False)
    if isinstance(accept, bool):
        found.auto_accept = accept
    elif accept is not None:
        where = config.where("hooks_auto_accept")
        found.problems.append(Problem("HS121", "hooks_auto_accept", where, kind_of(accept), "true or false"))
    trust = config.get("hooks_trust", "command")
    if trust in {"command", "content"}:
        found.trust = trust
    elif trust is not None:
        where = config.where("hooks_trust")
        # whoever writes the key wants more than the default: a slip must not give less
        found.trust = "content"
        found.problems.append(
            Problem("HS121", "hooks_trust", where, repr(trust), "command or content", "content is used")
        )


def _unknown_event(config: Config, path: KeyPath, event: str) -> Problem:
    if _GATEWAY_EVENT.match(event):
        fix = "it is a gateway event: write a HOOK.yaml and handler.py below hooks/ for it"
    elif event in _CLAUDE_EVENTS:
        fix = f"that is another agent's name: write {_CLAUDE_EVENTS[event]!r}"
    else:
        fix = did_you_mean(event, HOOKS) or "see docs/reference/hooks for the events there are"
    return Problem("HS122", dotted(path), config.where(path), "an unknown event", "the name of a hook", fix)


def _read_entry(
    config: Config, found: ShellConfig, event: str, number: int, path: KeyPath, values: Any
) -> ShellEntry | None:
    where = config.where(path)
    if not isinstance(values, dict):
        found.problems.append(Problem("HS121", dotted(path), where, kind_of(values), "a mapping with a command"))
        return None
    good, problems = check_mapping(config, path, values, ENTRY_FIELDS)
    found.problems.extend(problems)
    if good.get("enabled") is False:
        return None
    misspelt = next((str(key) for key in values if key != "failClosed" and is_near_miss(key)), "")
    gate = bool(good.get("fail_closed")) or bool(misspelt) or _wrongly_typed_gate(values)
    refused = f"{misspelt!r} is not a key; write fail_closed" if misspelt else ""
    if _wrongly_typed_gate(values):
        refused = "fail_closed must be true or false"
    if gate and event not in GATED_HOOKS:
        found.problems.append(
            Problem(
                "HS208",
                dotted((*path, "fail_closed")),
                where,
                f"fail_closed on {event}",
                f"an event where a failure can block or withhold: {', '.join(GATED_HOOKS)}",
            )
        )
        gate, refused = False, ""
    reader = _EntryReader(config, found, event, path, good)
    target = reader.target()
    matcher, matcher_problem = reader.matcher()
    conditions, condition_problem = reader.conditions()
    wrong = target.problem or matcher_problem or condition_problem
    if wrong:
        found.problems.append(Problem("HS123", dotted(path), where, wrong, "an entry that can run"))
        refused = refused or wrong
    if refused and not gate:
        return None
    return ShellEntry(
        event=event,
        number=number,
        where=where,
        command=target.command or f"entry {number + 1} of {event}",
        argv=target.argv,
        matcher=matcher,
        timeout=reader.timeout(),
        fail_closed=gate,
        rejudge=good.get("rejudge", True),
        conditions=conditions,
        mode=good.get("mode", "process"),
        background=reader.observers_only("background"),
        parallel=reader.observers_only("parallel"),
        env=tuple(good["env"]) if "env" in good else None,
        dialect=good.get("dialect", "hermes"),
        exit_2_blocks=good.get("exit_code_2", "block") == "block",
        url=good.get("url", "") if good.get("type") == "http" else "",
        headers={str(key): str(value) for key, value in good.get("headers", {}).items()},
        refused=refused,
    )


def _wrongly_typed_gate(values: Mapping[Any, Any]) -> bool:
    """Whether fail_closed is there with something that is neither true nor false: meant, and not understood."""
    said = [values[key] for key in ("fail_closed", "failClosed") if key in values]
    return any(not isinstance(value, bool) for value in said)


@dataclass(frozen=True, slots=True)
class _Target:
    command: str = ""
    argv: tuple[str, ...] = ()
    problem: str = ""


class _EntryReader:
    """Reads the keys of one entry that need more than a type check."""

    def __init__(
        self, config: Config, found: ShellConfig, event: str, path: KeyPath, values: Mapping[str, Any]
    ) -> None:
        self._config = config
        self._found = found
        self._event = event
        self._path = path
        self._values = values

    def _warn(self, key: str, found: str, wanted: str, fix: str = "") -> None:
        path = (*self._path, key)
        self._found.problems.append(
            Problem("HS124", dotted(path), self._config.where(path), found, wanted, fix, "warning")
        )

    def target(self) -> _Target:
        """Return what is called."""
        if self._values.get("type") == "http":
            url = self._values.get("url", "")
            if url.startswith(("http://", "https://")):
                return _Target(f"POST {url}")
            return _Target(problem="a type: http entry needs a url that starts with http:// or https://")
        command = self._values.get("command")
        if not command:
            return _Target(problem="it has no command")
        shown = command if isinstance(command, str) else " ".join(command)
        try:
            words = split_command(command) if isinstance(command, str) else list(command)
        except CommandError as error:
            return _Target(shown, problem=str(error))
        return _Target(shown, tuple(resolve(words, Path(self._config.home))))

    def matcher(self) -> tuple[re.Pattern[str] | None, str]:
        """Return the compiled matcher, None for every tool, and what is wrong with it."""
        text = self._values.get("matcher", "")
        if self._event not in MATCHED:
            if text not in ("", "*"):
                self._warn(
                    "matcher",
                    f"a matcher on {self._event}",
                    f"it on {', '.join(sorted(MATCHED))} only",
                    "it is ignored",
                )
            return None, ""
        if text in ("", "*"):
            return None, ""
        try:
            return re.compile(text), ""
        except re.error as error:
            return None, f"its matcher {text!r} is no regular expression: {error}"

    def conditions(self) -> tuple[tuple[Condition, ...], str]:
        """Return the conditions of ``when`` and what is wrong with them."""
        try:
            return read_conditions(self._values.get("when", {})), ""
        except ValueError as error:
            return (), str(error)

    def timeout(self) -> float:
        """Return the deadline in seconds."""
        value = self._values.get("timeout", DEFAULT_TIMEOUT)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            self._warn("timeout", repr(value), "a positive number of seconds", f"{DEFAULT_TIMEOUT:g} is used")
            return DEFAULT_TIMEOUT
        if value > MAX_TIMEOUT:
            self._warn("timeout", f"{value:g} seconds", f"at most {MAX_TIMEOUT:g}", f"{MAX_TIMEOUT:g} is used")
            return MAX_TIMEOUT
        return float(value)

    def observers_only(self, key: str) -> bool:
        """Return a switch that means something for observers only."""
        on = bool(self._values.get(key, False))
        if on and self._event not in OBSERVERS:
            self._warn(key, f"{key} on {self._event}", "it on events whose answer is ignored", "it has no effect")
            return False
        return on
