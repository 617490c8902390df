"""The keys of a mapping as data: one table checks a file, names the nearest key and prints the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hermes_sdk.config.document import KeyPath


@dataclass(frozen=True, slots=True)
class Field:
    """One key that a mapping may have."""

    name: str
    wanted: str
    """The type in the words of a message: ``a list of names``."""
    accepts: Callable[[Any], bool]
    """Whether a value (of any YAML type) is of that type."""
    description: str
    """What it is for, as the reference page prints it."""
    default: str = ""
    """The default as the reference page prints it."""
    aliases: tuple[str, ...] = ()
    """Other spellings that mean the same."""
    null_is_absent: bool = True
    """Whether an empty value (``description:``) counts as left out."""


class Places(Protocol):
    """Knows where a key stands: a `YamlDocument` or a `Config`."""

    def where(self, path: KeyPath, /) -> str:
        """Return ``file:line:column``."""
        ...


def check_mapping(
    document: Places,
    path: KeyPath,
    values: Mapping[Any, Any],
    fields: Iterable[Field],
    *,
    unknown_matters: bool = True,
) -> tuple[dict[str, Any], list[Problem]]:
    """Check one mapping of a document against its fields.

    Args:
        document: Where the mapping stands, for positions.
        path: The way to the mapping in the document.
        values: The mapping.
        fields: Every key that it may have.
        unknown_matters: False: other keys are free, as in a plugin's own entry.

    Returns:
        The values of the right type under their main names, and the problems.
    """
    spellings = {spelling: field for field in fields for spelling in (field.name, *field.aliases)}
    good: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, value in values.items():
        field = spellings.get(key)
        if field is None:
            if unknown_matters:
                problems.append(unknown_key(document, (*path, str(key)), spellings))
        elif value is None and field.null_is_absent:
            continue
        elif field.accepts(value):
            good[field.name] = value
        else:
            # YAML reads `yes` and `1.0` as something else than text
            fix = "put it in quotes" if field.accepts(str(value)) else ""
            problems.append(wrong_type(document, (*path, key), value, field.wanted, fix))
    return good, problems


def wrong_type(document: Places, path: KeyPath, value: Any, wanted: str, fix: str = "") -> Problem:
    """Return the problem of a value (of any YAML type) that is of the wrong type."""
    return Problem("HS103", dotted(path), document.where(path), kind_of(value), wanted, fix)


def dotted(path: KeyPath) -> str:
    """Return ``plugins.enabled[2]`` for a way into a document."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")


def unknown_key(document: Places, path: KeyPath, known: Iterable[str], what: str = "key") -> Problem:
    """Return the problem of a key that nobody knows, with the nearest one that somebody does."""
    fix = did_you_mean(str(path[-1]), known) or f"known are {', '.join(sorted(known))}"
    found = f"an unknown {what}"
    return Problem("HS104", dotted(path), document.where(path), found, "a known one", fix, "warning")


def is_text(value: Any) -> bool:
    """Whether a YAML value is text."""
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    """Whether a YAML value is true or false."""
    return isinstance(value, bool)


def is_mapping(value: Any) -> bool:
    """Whether a YAML value is a mapping."""
    return isinstance(value, dict)


def is_names(value: Any) -> bool:
    """Whether a YAML value is a list of non-blank texts."""
    return isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)


def is_seconds(value: Any) -> bool:
    """Whether a YAML value is a positive, finite number of seconds."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value > 0
        and (isinstance(value, int) or math.isfinite(value))
    )


def is_flag_or_names(value: Any) -> bool:
    """Whether a YAML value is true, false or a list of names."""
    return is_flag(value) or is_names(value)
