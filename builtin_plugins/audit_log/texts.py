"""What of a value goes into a record: secrets masked, long texts cut, and never more than a bound."""

from __future__ import annotations

import string
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.json_values import json_safe
from hermes_sdk.masking import redact, redact_under

if TYPE_CHECKING:
    from collections.abc import Callable

_MARGIN: Final = 2_048
"""Characters that are masked beyond those that are kept: of a secret that is cut in two, nobody can tell what it is."""

_TOKEN: Final = string.ascii_letters + string.digits + "_-.+/=~%:"
"""What tokens are made of: of one that is longer than the margin, such as a JWT with many claims, nothing is kept."""

_IDENTIFIER: Final = 256
"""Characters of a name or an id that are kept."""

_DIGESTED: Final = 110
"""Characters of a record that length and hash of a text take, roughly."""

_TEXTS: Final = 16
"""How many texts of full length the values of one argument may come to."""


class Texts:
    """Makes values fit for a record.

    Args:
        most: Characters of one text that are kept.
        digest: Hashes bytes; with a key, so that nobody can try what a short text may have been.
        keep_messages: Whether what people and the model say is kept as text.
    """

    def __init__(self, most: int, digest: Callable[[bytes], str], *, keep_messages: bool) -> None:
        self._most = most
        self._digest = digest
        self._keep_messages = keep_messages

    def text(self, value: Any) -> Any:
        """Return a text (any value becomes one) masked; a long one as its beginning, its length and its hash."""
        if value is None:
            return None
        return self._cut(_plain(value), redact)

    def said(self, value: Any) -> Any:
        """Return what a person or the model said: like `text`, or its length and hash only."""
        if value is None:
            return None
        text = _plain(value)
        return self._cut(text, redact) if self._keep_messages else self._digested(text)

    def identifier(self, value: Any) -> Any:
        """Return a name, an id or a number (of any type) as it is, masked and cut."""
        if value is None or isinstance(value, bool | int | float):
            return json_safe(value)
        return _identifier(_plain(value)[: _IDENTIFIER + _MARGIN])

    def value(self, value: Any) -> Any:
        """Return arguments, or another nested value, masked by form and by name, each text cut, all of it bounded."""
        return _Bounded(self, self._most * _TEXTS + _IDENTIFIER).of(json_safe(value))

    def under(self, key: str, text: str) -> Any:
        """Return a text that stands under a key, which may say that it is a secret."""
        return self._cut(text, lambda piece: redact_under(key, piece))

    def _cut(self, text: str, mask: Callable[[str], str]) -> Any:
        most = self._most
        if len(text) <= most:
            masked = mask(text)
            return masked if len(masked) <= most + _IDENTIFIER else self._digested(text) | {"text": masked[:most]}
        piece = text[: most + _MARGIN]
        cut = len(piece) < len(text)
        if cut and (token := len(piece.rstrip(_TOKEN))) < most:  # a word that is longer than the margin
            piece, cut = piece[:token], False
        masked = mask(piece)
        # what was masked has become shorter, and the beginning of a secret at the end of the piece may have come near
        shown = masked[: max(0, min(most, len(masked) - _MARGIN))] if cut else masked[:most]
        return self._digested(text) | {"text": shown}

    def _digested(self, text: str) -> dict[str, Any]:
        return {"chars": len(text), "digest": self._digest(text.encode("utf-8", "replace"))}


class _Bounded:
    """One nested value on its way into a record, with what is left of its bound."""

    def __init__(self, texts: Texts, left: int) -> None:
        self._texts = texts
        self._left = left

    def of(self, value: Any, key: str = "") -> Any:
        """Return a value that JSON can carry, masked and cut; `key` is what it stands under."""
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list):
            return self._list(value, key)
        self._left -= 8
        if not isinstance(value, str):
            return value
        kept = self._texts.under(key, value)
        self._left -= len(kept) if isinstance(kept, str) else len(kept["text"]) + _DIGESTED
        return kept

    def _mapping(self, value: dict[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for place, (key, item) in enumerate(value.items()):
            if self._left <= 0:
                kept["..."] = f"<{len(value) - place:,} more>"
                break
            name = self._texts.identifier(key)
            self._left -= len(name)
            kept[name] = self.of(item, key)
        return kept

    def _list(self, value: list[Any], key: str) -> list[Any]:
        kept: list[Any] = []
        for place, item in enumerate(value):
            if self._left <= 0:
                kept.append(f"<{len(value) - place:,} more>")
                break
            kept.append(self.of(item, key))
        return kept


@lru_cache(maxsize=4_096)
def _identifier(text: str) -> str:
    """Return a name masked and cut; most come again and again."""
    masked = redact(text)
    return masked if len(masked) <= _IDENTIFIER else f"{masked[:_IDENTIFIER]}..."


def _plain(value: Any) -> str:
    """Return any value as a text without lone surrogates."""
    safe = json_safe(value)
    return safe if isinstance(safe, str) else str(safe)
