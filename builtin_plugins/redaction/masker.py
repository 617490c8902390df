"""Finds secrets in a text and puts numbered placeholders in their place."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from .kinds import Kind

_REMEMBERED_VALUES: Final = 50_000
"""So many secrets keep their number (about 10 MB); beyond that the oldest would get a new one."""


class Masker:
    """Replaces secrets by ``[redacted:KIND:NUMBER]``; the same value has the same number every time.

    Numbers count on for the life of the process and are never given twice, so a placeholder stands for one
    value in all sessions. No secret is kept: only digests, under a key that leaves with the process. Safe to
    use from several threads.

    Args:
        kinds: What to look for, in this order.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds = tuple(kinds)
        self._key = secrets.token_bytes(32)
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._last: Counter[str] = Counter()
        self._lock = threading.Lock()

    def look_for(self, kinds: Iterable[Kind]) -> None:
        """Look for other kinds from now on; numbers stay."""
        self._kinds = tuple(kinds)

    def mask(self, text: str) -> str:
        """Return `text` with every secret replaced; the same object when there is none."""
        lowered: str | None = None
        for kind in self._kinds:
            for pattern in kind.patterns:
                if not kind.any_case:
                    masked = self._mask(kind, pattern, text, text)
                else:
                    lowered = _lower(text) if lowered is None else lowered
                    masked = self._mask(kind, pattern, text, lowered)
                if masked is not text:
                    text, lowered = masked, None
        return text

    def _mask(self, kind: Kind, pattern: re.Pattern[str], text: str, searched: str) -> str:
        group = "secret" if "secret" in pattern.groupindex else 0
        pieces = []
        done = 0
        for match in pattern.finditer(searched):
            start, end = match.span(group)
            value = text[start:end]
            if value and kind.accept(value, text[end : end + 1]):
                pieces += [text[done:start], f"[redacted:{kind.name}:{self._number(kind.name, value)}]"]
                done = end
        return "".join([*pieces, text[done:]]) if pieces else text

    def _number(self, kind: str, value: str) -> int:
        raw = value.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(raw, key=self._key, digest_size=16).digest()
        with self._lock:
            known = self._numbers.get((kind, digest))
            if known is not None:
                return known
            if len(self._numbers) >= _REMEMBERED_VALUES:
                del self._numbers[next(iter(self._numbers))]
            self._last[kind] += 1
            self._numbers[kind, digest] = self._last[kind]
            return self._last[kind]


def _lower(text: str) -> str:
    """Return `text` in lower case, character for character: U+0130 is the only one that would become two."""
    return text.replace("\u0130", "I").lower()
