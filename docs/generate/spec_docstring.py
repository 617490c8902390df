"""The docstring of a spec, taken apart: one line, then sections with an indented body each."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

SECTIONS: Final = ("Runs", "Returns", "Folds", "Fails", "Args", "Source", "Since", "Example")
"""Every spec has all of them, in this order."""

_HEADING: Final = re.compile(r"^([A-Z][a-z]+):\n", re.MULTILINE)
_ARGUMENT: Final = re.compile(r"^(\w+): (.+(?:\n[ ]+.+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SpecDocstring:
    """What a spec's docstring says."""

    summary: str
    sections: dict[str, str]
    """Section name to body: dedented, as Markdown, the example as code."""
    arguments: dict[str, str]
    """Argument name to its meaning."""


def parse(spec: Callable[..., object]) -> SpecDocstring:
    """Take the docstring of `spec` apart.

    Raises:
        ValueError: A section is missing, unknown or out of order.
    """
    summary, *parts = _HEADING.split(inspect.getdoc(spec) or "")
    names = tuple(parts[::2])
    if names != SECTIONS:
        raise ValueError(f"{spec.__name__} has the sections {', '.join(names)}, not {', '.join(SECTIONS)}")
    bodies = dict(zip(names, map(textwrap.dedent, parts[1::2]), strict=True))
    arguments = {name: _markdown(" ".join(text.split())) for name, text in _ARGUMENT.findall(bodies["Args"])}
    sections = {name: body.strip() if name == "Example" else _markdown(body) for name, body in bodies.items()}
    return SpecDocstring(summary.strip(), sections, arguments)


def _markdown(text: str) -> str:
    return text.strip().replace("``", "`")
