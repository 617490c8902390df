"""``when:`` conditions of an entry: an argument of the firing, and what it must look like.

``args.command: "rm .*"`` is a regular expression for the whole value. For keys that name files (``args.path``,
``args.file``, ...), and behind ``glob:``, it is a path pattern where ``**`` crosses directories; ``re:`` says regular
expression whatever the key is. A list of patterns means any of them, and so does a list of values in the arguments;
numbers, true, false and null mean equality.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Pattern = re.Pattern[str] | float | bool | None

_FILE_KEYS: Final = frozenset({"path", "file", "filename", "file_path", "cwd", "directory", "workdir", "notebook_path"})
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: all of an entry's must hold."""

    key: tuple[str, ...]
    """The way to the value: ``("args", "command")``."""
    patterns: tuple[Pattern, ...]
    """Any of these."""

    def holds(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the arguments of a firing satisfy it."""
        value: Any = arguments
        for number, step in enumerate(self.key):
            if not isinstance(value, Mapping):
                return False
            name = "arguments" if number == 0 and step == "args" and step not in value else step
            value = value.get(name, _ABSENT)
        if value is _ABSENT:
            return False
        values = value if isinstance(value, list) else [value]
        if self.key[-1] in _FILE_KEYS:  # a/../.env is .env
            values = [*values, *(posixpath.normpath(each) for each in values if isinstance(each, str))]
        return any(_fits(pattern, each) for pattern in self.patterns for each in values)


def _fits(pattern: Pattern, value: Any) -> bool:
    if isinstance(pattern, re.Pattern):
        return isinstance(value, str) and pattern.fullmatch(value) is not None
    if isinstance(pattern, bool) or isinstance(value, bool):
        return pattern is value
    return isinstance(value, int | float | None) and pattern == value


def read_conditions(values: Mapping[Any, Any]) -> tuple[Condition, ...]:
    """Return the conditions of a ``when:`` mapping.

    Raises:
        ValueError: A key or pattern that cannot be used.
    """
    return tuple(_condition(key, wanted) for key, wanted in values.items())


def _condition(key: Any, wanted: Any) -> Condition:
    path = tuple(key.split(".")) if isinstance(key, str) else ()
    if not path or not all(path):
        raise ValueError(f"when: {key!r} names no argument; write for example args.command")
    members = wanted if isinstance(wanted, list) else [wanted]
    if not members:
        raise ValueError(f"when: {key} has an empty list, so the entry would never run")
    return Condition(path, tuple(_pattern(key, path[-1], member) for member in members))


def _pattern(key: str, last: str, wanted: Any) -> Pattern:
    if wanted is None or isinstance(wanted, bool | int | float):
        return wanted
    if not isinstance(wanted, str):
        raise ValueError(  # noqa: TRY004 - one kind of error for everything that is wrong with a condition
            f"when: {key} must be text, a number, true, false, null or a list of these"
        )
    as_glob = wanted.startswith("glob:") or (last in _FILE_KEYS and not wanted.startswith("re:"))
    text = wanted.removeprefix("glob:").removeprefix("re:")
    try:
        return re.compile(_glob(text) if as_glob else text, re.DOTALL)
    except re.error as error:
        raise ValueError(f"when: {key}: {wanted!r} is no regular expression: {error}") from None


def _glob(pattern: str) -> str:
    """Return a path pattern as a regular expression: ``*`` and ``?`` stay inside a directory, ``**`` does not."""
    text = re.escape(pattern)
    text = text.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return text.replace(r"\?", "[^/]")
