"""How plugins are named: ``My-Guard`` and ``my_guard`` are one name, ``user:guard`` has its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

DISCOVERED_SOURCES: Final = ("builtin", "user", "project", "entrypoint")
"""The sources of discovery, in calling order."""


def normalised(name: str) -> str:
    """Return the form in which names are compared: case, ``-`` and ``_`` do not count (semantics 5.3)."""
    return name.strip().casefold().replace("-", "_")


def split_source(name: str) -> tuple[str | None, str]:
    """Return (source, name) of a name that may carry its source: ``builtin:redaction``."""
    source, separator, rest = name.partition(":")
    source = source.strip().lower()
    if separator and source in DISCOVERED_SOURCES:
        return source, rest.strip()
    return None, name.strip()


def as_variable(name: str) -> str:
    """Return a name as part of an environment variable: ``my-guard`` is ``MY_GUARD``."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name).upper()


class NameSet:
    """Names as a user lists them, looked up by what a plugin is called: a thousand of each is no trouble.

    Args:
        names: Names that may carry their source.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[tuple[str | None, str], str] = {}
        for name in names:
            source, bare = split_source(name)
            self._names.setdefault((source, normalised(bare)), name)

    def find(self, source: str | None, *names: str) -> str | None:
        """Return the listed name that means a plugin of this source and these names, or None."""
        for name in names:
            plain = normalised(name)
            found = self._names.get((None, plain)) or self._names.get((source, plain))
            if found is not None:
                return found
        return None

    def find_with_source(self, source: str, *names: str) -> str | None:
        """Return the listed name that carries its source and means this plugin, or None."""
        return next(filter(None, (self._names.get((source, normalised(name))) for name in names)), None)
