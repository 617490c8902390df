"""The ``hooks:`` block of config.yaml as typed entries, each problem with its line (semantics 8; seed S8 to S18)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from hermes_hookspecs import HOOKS
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import check_mapping, dotted
from hermes_sdk.dispatch.policy import GATED_HOOKS
from hermes_sdk.shell_hooks.command import joined
from hermes_sdk.shell_hooks.entry_keys import (
    DEFAULT_TIMEOUT,
    ENTRY_FIELDS,
    EntryKeys,
    Target,
    UnusableEntryError,
    gate_problem,
    is_gate,
)
from hermes_sdk.shell_hooks.event_names import advice, guarded_instead
from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget, read_outbound

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath
    from hermes_sdk.shell_hooks.conditions import Condition

RESERVED: Final = ("outbound", "output_spill")
"""Keys under ``hooks:`` that are no events; the second one is the host's."""


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
        tool_name = str(arguments.get("tool_name") or "")
        return self.matches_tool(tool_name) and all(condition.holds(arguments) for condition in self.conditions)

    def matches_tool(self, tool_name: str) -> bool:
        """Whether the matcher, if there is one, fits a tool."""
        return self.matcher is None or self.matcher.fullmatch(tool_name) is not None


@dataclass(slots=True)
class ShellConfig:
    """What a home's configuration says about shell hooks."""

    entries: list[ShellEntry] = field(default_factory=list)
    """In the order in which they are declared, event by event; refused gates too."""
    outbound: list[OutboundTarget] = field(default_factory=list)
    """Where copies of events are sent."""
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
        wanted = "a mapping of events to lists of entries"
        found.problems.append(Problem("HS121", "hooks", config.where("hooks"), kind_of(hooks), wanted))
        return found
    found.outbound, problems = read_outbound(config)
    found.problems.extend(problems)
    for event, listed in hooks.items():
        if event not in RESERVED:
            reader = _EventReader(config, str(event), found)
            found.entries.extend(reader.entries(listed))
    return found


def _read_switches(config: Config, found: ShellConfig) -> None:
    accept = config.get("hooks_auto_accept", False)
    if isinstance(accept, bool):
        found.auto_accept = accept
    elif accept is not None:
        where = config.where("hooks_auto_accept")
        found.problems.append(Problem("HS121", "hooks_auto_accept", where, kind_of(accept), "true or false"))
    trust = config.get("hooks_trust", "command")
    if trust in ("command", "content"):
        found.trust = trust
    elif trust is not None:
        # whoever writes the key wants more than the default: a slip must not give less
        found.trust = "content"
        where, fix = config.where("hooks_trust"), "content is used"
        found.problems.append(Problem("HS121", "hooks_trust", where, repr(trust), "command or content", fix))


class _EventReader:
    """Reads the entries of one event.

    Args:
        config: The configuration.
        event: The key under ``hooks:``, an event's name or not.
        found: Gets the problems.
    """

    def __init__(self, config: Config, event: str, found: ShellConfig) -> None:
        self._config = config
        self._event = event
        self._path: KeyPath = ("hooks", event)
        self._problems = found.problems

    def entries(self, listed: Any) -> Iterator[ShellEntry]:
        """Yield the entries that run, and the gates that only block."""
        known = self._event in HOOKS
        if not known:
            self._problem("HS122", self._path, "an unknown event", "the name of a hook", advice(self._event))
        if isinstance(listed, dict):  # one entry, written without its dash
            listed, paths = [listed], [self._path]
        elif isinstance(listed, list):
            paths = [(*self._path, number) for number in range(len(listed))]
        else:
            if listed is not None:
                self._problem("HS121", self._path, kind_of(listed), "a list of entries")
            return
        for number, (values, path) in enumerate(zip(listed, paths, strict=True)):
            if not isinstance(values, dict):
                self._problem("HS121", path, kind_of(values), "a mapping with a command")
            elif values.get("enabled") is not False:
                entry = self._entry(number, path, values) if known else self._on_unknown_event(number, path, values)
                if entry is not None:
                    yield entry

    def _problem(self, code: str, path: KeyPath, found: str, wanted: str, fix: str = "") -> None:
        self._problems.append(Problem(code, dotted(path), self._config.where(path), found, wanted, fix))

    def _entry(self, number: int, path: KeyPath, values: Mapping[Any, Any]) -> ShellEntry | None:
        """Return an entry; None for one that cannot be used and blocks nothing either."""
        good, problems = check_mapping(self._config, path, values, ENTRY_FIELDS)
        self._problems.extend(problems)
        keys = EntryKeys(self._config, self._event, path, good)
        wrong = gate_problem(values)
        gate = is_gate(values)
        if gate and self._event not in GATED_HOOKS:
            wanted = f"it where a failure can block or withhold: {', '.join(GATED_HOOKS)}"
            self._problem("HS208", (*path, "fail_closed"), f"fail_closed on {self._event}", wanted)
            gate = False
        wrong = wrong or next((f"{each.key}: {each.found}" for each in problems if each.severity == "error"), "")
        target = Target(self._shown(number, good))
        try:
            target = keys.target()
            matcher, conditions, headers = keys.matcher(), keys.conditions(), keys.headers()
        except UnusableEntryError as error:
            matcher, conditions, headers = _matcher_or_none(keys), (), {}
            wrong = wrong or str(error)
        entry = ShellEntry(
            event=self._event,
            number=number,
            where=self._config.where(path),
            command=target.command,
            argv=target.argv,
            matcher=matcher,
            timeout=keys.timeout(),
            fail_closed=gate,
            rejudge=good.get("rejudge", True),
            conditions=conditions,
            mode=good.get("mode", "process"),
            background=keys.observers_only("background"),
            parallel=keys.observers_only("parallel"),
            env=tuple(good["env"]) if "env" in good else None,
            dialect=good.get("dialect", "hermes"),
            exit_2_blocks=good.get("exit_code_2", "block") == "block",
            url=target.url,
            headers=headers,
            refused=wrong,
        )
        self._problems.extend(keys.warnings)
        if wrong:
            effect = "it blocks what it was to guard" if gate else "it is left out"
            self._problem("HS123", path, f"an entry that cannot be used ({wrong})", "one that can", effect)
        return entry if gate or not wrong else None

    def _shown(self, number: int, values: Mapping[str, Any]) -> str:
        """Return how to call an entry that cannot be used."""
        command = values.get("command") or values.get("url") or f"entry {number + 1} of {self._event}"
        return command if isinstance(command, str) else joined(command)

    def _on_unknown_event(self, number: int, path: KeyPath, values: Mapping[Any, Any]) -> ShellEntry | None:
        """Return what stands in for a gate on an event that there is not: it must not vanish."""
        guarded, matcher_counts = guarded_instead(self._event)
        if not guarded or not is_gate(values):
            return None
        good, _ = check_mapping(self._config, path, values, ENTRY_FIELDS)
        keys = EntryKeys(self._config, guarded, path, good)
        return ShellEntry(
            event=guarded,
            number=number,
            where=self._config.where(path),
            command=self._shown(number, good),
            matcher=_matcher_or_none(keys) if matcher_counts else None,
            fail_closed=True,
            refused=f"{self._event!r} is no event; {advice(self._event)}",
        )


def _matcher_or_none(keys: EntryKeys) -> re.Pattern[str] | None:
    """Return the matcher, or None, for every tool, where it cannot be used either."""
    try:
        return keys.matcher()
    except UnusableEntryError:
        return None
