"""How plugins are named: ``My-Guard`` and ``my_guard`` are one name, ``user:guard`` has its source."""

from __future__ import annotations

from typing import Final

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
