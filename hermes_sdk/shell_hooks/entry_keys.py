"""The keys of an entry: one table that checks them and prints the reference, and a reader for the less simple ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS
from hermes_sdk.config.problems import Problem
from hermes_sdk.config.schema import Field, dotted, is_flag, is_mapping, is_names, is_text
from hermes_sdk.plugins.gates import is_near_miss
from hermes_sdk.shell_hooks.command import CommandError, joined, resolve, split_command
from hermes_sdk.shell_hooks.conditions import Condition, read_conditions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath

MATCHED: Final = frozenset({"pre_tool_call", "post_tool_call", "transform_tool_result"})
"""Events that a matcher counts for."""

OBSERVERS: Final = frozenset(name for name, contract in HOOKS.items() if contract.kind == "observer")
"""Events whose answers are ignored."""

DEFAULT_TIMEOUT: Final = 60.0
MAX_TIMEOUT: Final = 300.0


def one_of(*values: str) -> Callable[[Any], bool]:
    """Return the check of a key that takes one of a few words; a YAML value may be of any type."""
    return lambda value: isinstance(value, str) and value in values


def _is_command(value: Any) -> bool:
    return is_text(value) or (is_names(value) and bool(value))


def _is_anything(_value: Any) -> bool:
    return True


ENTRY_FIELDS: Final = (
    Field("type", "command or http", one_of("command", "http"), "What is called.", "command"),
    Field("command", "text or a list of words", _is_command, "The script and its arguments; no shell reads it."),
    Field("url", "text", is_text, "For `type: http`: where the payload is posted."),
    Field("headers", "a mapping of texts", is_mapping, "For `type: http`: further request headers."),
    Field("matcher", "text", is_text, "Regular expression for the whole tool name; empty or `*`: every tool."),
    Field("timeout", "a number of seconds", _is_anything, "When the script is ended, at most 300 s.", "60"),
    Field("fail_closed", "true or false", is_flag, "Whether a failure blocks or withholds.", "false", ("failClosed",)),
    Field("rejudge", "true or false", is_flag, "Whether it judges again after arguments changed.", "true"),
    Field("when", "a mapping of conditions", is_mapping, "Conditions on arguments, checked before anything starts."),
    Field("mode", "process or serve", one_of("process", "serve"), "`serve`: one long-lived process.", "process"),
    Field("background", "true or false", is_flag, "Observers only: off the agent's path.", "false"),
    Field("parallel", "true or false", is_flag, "Observers only: beside each other.", "false"),
    Field("env", "a list of names", is_names, "Variables that the script inherits; PATH always is.", "all"),
    Field("dialect", "hermes or claude", one_of("hermes", "claude"), "Whose names the script reads.", "hermes"),
    Field("exit_code_2", "block or warn", one_of("block", "warn"), "What exit status 2 means.", "block"),
    Field("enabled", "true or false", is_flag, "`false` switches the entry off.", "true"),
)
"""Every key of an entry."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an entry calls."""

    command: str
    """What consent is given to: the command as written, or ``POST <url>``."""
    argv: tuple[str, ...] = ()
    url: str = ""


class UnusableEntryError(ValueError):
    """An entry that cannot be used, and why."""


class EntryKeys:
    """The keys of one entry that need more than a look at their type.

    Args:
        config: The configuration that it stands in.
        event: Its event.
        path: The way to it in the configuration.
        values: Its keys, of the right types.
    """

    def __init__(self, config: Config, event: str, path: KeyPath, values: Mapping[str, Any]) -> None:
        self._config = config
        self._event = event
        self._path = path
        self._values = values
        self.warnings: list[Problem] = []
        """What is ignored, or read other than it was written."""

    def _warn(self, key: str, found: str, wanted: str, fix: str) -> None:
        path = (*self._path, key)
        where = self._config.where(path)
        self.warnings.append(Problem("HS124", dotted(path), where, found, wanted, fix, "warning"))

    def target(self) -> Target:
        """Return what is called.

        Raises:
            UnusableEntryError: It has no command or URL that can be used.
        """
        if self._values.get("type") == "http":
            url = self._values.get("url", "")
            if not re.match(r"https?://[^/\s]+", url):
                raise UnusableEntryError("an entry of type http needs a url that starts with http:// or https://")
            return Target(f"POST {url}", url=url)
        command = self._values.get("command")
        if not command:
            raise UnusableEntryError("it has no command")
        try:
            words = split_command(command) if isinstance(command, str) else list(command)
        except CommandError as error:
            raise UnusableEntryError(str(error)) from None
        shown = command if isinstance(command, str) else joined(command)
        return Target(shown, tuple(resolve(words, self._config.home)))

    def matcher(self) -> re.Pattern[str] | None:
        """Return the compiled matcher; None for every tool.

        Raises:
            UnusableEntryError: It is no regular expression.
        """
        text = self._values.get("matcher", "")
        if text in {"", "*"}:
            return None
        if self._event not in MATCHED:
            wanted = f"it on {', '.join(sorted(MATCHED))} only"
            self._warn("matcher", f"a matcher on {self._event}", wanted, "it is ignored")
            return None
        try:
            return re.compile(text)
        except (re.error, RecursionError) as error:
            raise UnusableEntryError(f"its matcher {text!r} is no regular expression: {error}") from None

    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions of ``when``.

        Raises:
            UnusableEntryError: One of them cannot be used.
        """
        try:
            return read_conditions(self._values.get("when", {}))
        except ValueError as error:
            raise UnusableEntryError(str(error)) from None

    def headers(self) -> dict[str, str]:
        """Return the request headers of an entry of type http.

        Raises:
            UnusableEntryError: One of them is no text.
        """
        found = self._values.get("headers", {})
        if not all(isinstance(text, str) for pair in found.items() for text in pair):
            raise UnusableEntryError("headers must be texts")
        return dict(found)

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
        """Return a switch that means something on observers only."""
        on = bool(self._values.get(key, False))
        if on and self._event not in OBSERVERS:
            self._warn(key, f"{key} on {self._event}", "it on events whose answer is ignored", "it has no effect")
            return False
        return on


def gate_problem(values: Mapping[Any, Any]) -> str:
    """Return why what an entry says about `fail_closed` cannot be understood, or an empty string.

    Its author wanted a gate: a slip must not open it.
    """
    misspelt = next((str(key) for key in values if key != "failClosed" and is_near_miss(key)), "")
    if misspelt:
        return f"{misspelt!r} is no key: write fail_closed"
    said = [values[key] for key in ("fail_closed", "failClosed") if key in values]
    if not all(isinstance(value, bool) for value in said):
        return "fail_closed must be true or false"
    return ""


def is_gate(values: Mapping[Any, Any]) -> bool:
    """Whether an entry says that it is fail-closed, in any spelling."""
    return any(values.get(key) is True for key in ("fail_closed", "failClosed")) or bool(gate_problem(values))
