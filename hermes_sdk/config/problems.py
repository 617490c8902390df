"""One thing that is wrong in a file that people write, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from hermes_sdk.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in config.yaml or plugin.yaml that is ignored or cannot be used.

    A problem is collected, not raised: one bad key must not hide the others, and a host starts all the same.
    Strict mode turns the collected problems into one error.
    """

    code: str
    """Stable code, docs/reference/errors.md explains it."""
    key: str
    """Dotted name of the key, or the file's name when the whole file is meant."""
    where: str
    """``path:line:column``, as exact as is known."""
    found: str
    """What stands there: a type, or the value itself where the set of values is closed."""
    wanted: str
    fix: str = ""
    """What to write instead, or the nearest valid name."""
    severity: Literal["error", "warning"] = "error"
    """``error``: the key has no effect, or its plugin is refused; ``warning``: nothing else changes."""

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> ConfigError:
        """Return the problem as an exception, for a caller that cannot go on."""
        return ConfigError(
            self.key,
            where=self.where,
            why=f"found {self.found}, wanted {self.wanted}",
            fix=self.fix,
            code=self.code,
        )


def kind_of(value: Any) -> str:
    """Name the type of a YAML value in the words of someone who writes YAML (never the value itself)."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return f"a {type(value).__name__}"
