"""``when:`` conditions of an entry: an argument of the firing, and what it must look like.

``args.command: "rm .*"`` is a regular expression for the whole value; for keys that name files (``args.path``,
``args.file``, ...), and behind ``glob:``, it is a path pattern where ``**`` crosses directories. ``re:`` says
regular expression whatever the key is. A list means any of its members; other values mean equality.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_FILE_KEYS: Final = frozenset({"path", "file", "filename", "file_path", "cwd", "directory", "notebook_path"})
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: all of an entry's must hold."""

    key: tuple[str, ...]
    """The way to the value: ``("args", "command")``."""
    patterns: tuple[re.Pattern[str] | float | bool | None, ...]
    """Any of these."""

    def holds(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the arguments of a firing satisfy it."""
        value: Any = arguments
        for number, step in enumerate(self.key):
            if not isinstance(value, Mapping):
                return False
            if number == 0 and step == "args" and step not in value:
                step = "arguments"  # noqa: PLW2901 - the other name of the same argument
            value = value.get(step, _ABSENT)
        if value is _ABSENT:
            return False
        return any(_fits(pattern, value) for pattern in self.patterns)


def _fits(pattern: re.Pattern[str] | float | bool | None, value: Any) -> bool:
    if not isinstance(pattern, re.Pattern):
        return type(pattern) is type(value) and bool(pattern == value)
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def read_conditions(values: Mapping[Any, Any]) -> tuple[Condition, ...]:
    """Return the conditions of a ``when:`` mapping.

    Raises:
        ValueError: A key or pattern that cannot be used.
    """
    conditions = []
    for key, wanted in values.items():
        if not isinstance(key, str) or not key.strip("."):
            raise ValueError(f"when: {key!r} names no argument; write for example args.command")
        path = tuple(key.split("."))
        members = wanted if isinstance(wanted, list) else [wanted]
        if not members:
            raise ValueError(f"when: {key} has an empty list, so the entry would never run")
        conditions.append(Condition(path, tuple(_pattern(key, path[-1], member) for member in members)))
    return tuple(conditions)


def _pattern(key: str, last: str, wanted: Any) -> re.Pattern[str] | float | bool | None:
    if wanted is None or isinstance(wanted, bool | int | float):
        return wanted
    if not isinstance(wanted, str):
        raise ValueError(  # noqa: TRY004 - one kind of error for everything that is wrong with a condition
            f"when: {key} must be text, a number, true, false or a list of these"
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
