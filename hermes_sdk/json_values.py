"""Values of any type as values that JSON can carry, within bounds that any reader copes with.

What JSON cannot carry becomes a string that says what it was: ``"<bytes: ff>"``, ``"<float: nan>"``,
``"<object: Session>"``, ``"<cycle>"``, ``"<too deep>"``, ``"<4,000 characters more>"``. Nothing is left out (seed S24).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

MAX_DEPTH: Final = 64
"""Levels of nesting that are kept; readers of JSON have limits of their own, jq 1.6 one of 256."""

MAX_TEXT: Final = 8 * 1024 * 1024
"""Characters of one string that are kept."""

MAX_TOTAL: Final = 32 * 1024 * 1024
"""Characters that a whole value may come to, roughly; what comes after that is left out with a mark."""

_GLANCE: Final = 64
"""Bytes of a binary value, and digits of a huge number, that are shown."""

_SHOWN: Final = 200
"""Characters of the text of another object that are shown."""

_LARGEST: Final = 1 << 4096
"""Beyond this a number becomes a string: Python itself refuses to write or read thousands of digits."""

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_CONTAINERS: Final = (Mapping, list, tuple, set, frozenset)


def json_safe(value: Any) -> Any:
    """Return a value of any type as one that JSON can carry."""
    return _Conversion().of(value, ())


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether containers of a value (of any type) are nested deeper than `limit` levels."""
    if not isinstance(value, dict | list):
        return False
    if limit <= 0:
        return True
    items = value.values() if isinstance(value, dict) else value
    return any(too_deep(item, limit - 1) for item in items)


class _Conversion:
    """One value on its way, with what is left of the bounds."""

    def __init__(self) -> None:
        self._left = MAX_TOTAL

    def of(self, value: Any, around: tuple[int, ...]) -> Any:
        """Return a value as JSON can carry it; `around` are the containers that it is in."""
        self._left -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float):
            return _number(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return _bytes(bytes(value))
        if not isinstance(value, _CONTAINERS):
            return self._object(value)
        if id(value) in around:
            return "<cycle>"
        if len(around) >= MAX_DEPTH:
            return "<too deep>"
        if self._left <= 0:
            return "<too large>"
        try:
            return self._container(value, (*around, id(value)))
        except Exception as error:  # a container whose own code fails
            return f"<{type(value).__name__}: {type(error).__name__}>"

    def _container(self, value: Any, around: tuple[int, ...]) -> Any:
        if isinstance(value, Mapping):
            return {self._key(key): self.of(item, around) for key, item in value.items()}
        return [self.of(item, around) for item in value]

    def _key(self, key: Any) -> str:
        """Return a key as json writes it where it can, else as a tagged string."""
        if isinstance(key, str):
            return self._text(key)
        if key is None or isinstance(key, bool):
            return {None: "null", True: "true", False: "false"}[key]
        if isinstance(key, int | float):
            return str(_number(key))
        if isinstance(key, bytes):
            return _bytes(key)
        return self._object(key)

    def _text(self, text: str) -> str:
        kept = min(MAX_TEXT, max(self._left, 0))
        more = len(text) - kept
        if more > 0:
            text = f"{text[:kept]}<{more:,} characters more>"
        self._left -= len(text)
        # a plain str, also of a subclass with ideas of its own
        return _SURROGATES.sub(lambda found: f"<surrogate: {ord(found[0]):x}>", str.__str__(text))

    def _object(self, value: Any) -> str:
        kind = type(value).__name__
        if _shows_its_address(type(value)):
            return f"<object: {kind}>"
        try:
            text = str(value)
        except Exception as error:
            text = type(error).__name__
        return self._text(f"<{kind}: {text[:_SHOWN]}{'...' if len(text) > _SHOWN else ''}>")


def _shows_its_address(kind: type) -> bool:
    """Whether objects of a class have no text of their own."""
    return all(getattr(kind, name) is getattr(object, name) for name in ("__str__", "__repr__"))


def _number(value: float) -> Any:
    if isinstance(value, int):
        return int(value) if -_LARGEST < value < _LARGEST else f"<int: {hex(value)[:_GLANCE]}...>"
    return float(value) if math.isfinite(value) else f"<float: {float(value)!r}>"


def _bytes(value: bytes) -> str:
    return f"<bytes: {value[:_GLANCE].hex()}{'...' if len(value) > _GLANCE else ''}>"
