"""A copy of a model request that observers may log: secrets masked, long texts cut, JSON whatever the values.

(Rule: hooks.yaml, notes of pre_api_request.)
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

MAX_STRING: Final = 8_000
"""Characters that one string keeps."""

MAX_TOTAL: Final = 50_000
"""Characters that all strings of one copy keep together."""

MASK: Final = "[redacted]"

_SECRET_NAME: Final = re.compile(
    r"^(proxy[-_])?authorization$|^(set[-_])?cookie$|api[-_]?key$|^(access|refresh|auth)[-_]token$",
    re.IGNORECASE,
)
_MAX_DEPTH: Final = 30


def sanitised(value: object) -> Any:
    """Return a JSON-able copy of `value`; any type in, because requests hold what middleware put there."""
    return _Copy().of(value)


class _Copy:
    """One copy under way; `room` is how many characters it may still take."""

    def __init__(self) -> None:
        self.room = MAX_TOTAL

    def of(self, value: object, depth: int = 0) -> Any:
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, str):
            return self._text(value)
        if depth >= _MAX_DEPTH:
            return f"[{type(value).__name__} nested too deep]"
        if isinstance(value, dict):
            return {str(key): self._value(str(key), inner, depth) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return self._items(value, depth)
        return self._text(str(value))

    def _value(self, key: str, value: object, depth: int) -> Any:
        if _SECRET_NAME.search(key) and value:
            return MASK
        return self.of(value, depth + 1)

    def _items(self, items: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
        copied: list[Any] = []
        for position, item in enumerate(items):
            if self.room <= 0:
                # what comes is all cut anyway; a long history must not cost every request its length
                copied.append(f"[{len(items) - position} more left out]")
                break
            copied.append(self.of(item, depth + 1))
        return copied

    def _text(self, text: str) -> str:
        keep = min(MAX_STRING, self.room)
        if len(text) <= keep:
            self.room -= len(text)
            return text
        self.room -= keep
        return f"{text[:keep]}[{len(text) - keep} characters cut]"
