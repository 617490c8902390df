"""The wanted differences, read from `differences.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("differences.toml")


@dataclass(frozen=True)
class Difference:
    """One wanted difference."""

    id: str
    section: str
    """Heading of the page that it stands under."""
    title: str
    rule: str
    """Section of the semantics that decides it."""
    upstream: str
    here: str
    why: str
    shown_by: str = ""
    """The test that holds our side, where a plugin manager does not show it: ``path::function``."""
    awaits: str = ""
    """The part of the framework that it waits for."""


DIFFERENCES = {
    name: Difference(name, **entry) for name, entry in tomllib.loads(FILE.read_text("utf-8"))["differences"].items()
}
"""By id, in the order of the file."""
