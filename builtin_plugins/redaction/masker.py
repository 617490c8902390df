"""Finds secrets in a text and puts numbered placeholders in their place."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

from .prefilter import Prefilter

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

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
        self.look_for(kinds)
        self._keyed = hashlib.blake2b(key=secrets.token_bytes(32), digest_size=16)
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._last: Counter[str] = Counter()
        self._lock = threading.Lock()

    def look_for(self, kinds: Iterable[Kind]) -> None:
        """Look for other kinds from now on; numbers stay."""
        self._searches = tuple((kind, pattern) for kind in kinds for pattern in kind.patterns)
        self._prefilter = Prefilter(self._searches)

    def mask(self, text: str, found: Callable[[str, str], None] | None = None) -> str:
        """Return `text` with every secret replaced; the same object when there is none.

        Args:
            text: What somebody is going to see.
            found: Is told each placeholder and what it stands for.
        """
        searched: set[int] = set()
        while places := [place for place in self._prefilter.needed(text) if place not in searched]:
            before, text = text, self._search(text, places, found)
            if text is before:
                break
            searched.update(places)  # what was masked may have stood in the way of another match
        return text

    def _search(self, text: str, places: list[int], found: Callable[[str, str], None] | None) -> str:
        lowered: str | None = None
        for place in places:
            kind, pattern = self._searches[place]
            if not kind.any_case:
                masked = self._mask(kind, pattern, text, text, found)
            else:
                lowered = _lower(text) if lowered is None else lowered
                masked = self._mask(kind, pattern, text, lowered, found)
            if masked is not text:
                text, lowered = masked, None
        return text

    def _mask(
        self,
        kind: Kind,
        pattern: re.Pattern[str],
        text: str,
        searched: str,
        found: Callable[[str, str], None] | None,
    ) -> str:
        group = "secret" if "secret" in pattern.groupindex else 0
        pieces = []
        done = 0
        for match in pattern.finditer(searched):
            start, end = match.span(group)
            value = text[start:end]
            if value and kind.accept(value, text[end : end + 1]):
                placeholder = f"[redacted:{kind.name}:{self._number(kind.name, value)}]"
                if found is not None:
                    found(placeholder, value)
                pieces += [text[done:start], placeholder]
                done = end
        return "".join([*pieces, text[done:]]) if pieces else text

    def _number(self, kind: str, value: str) -> int:
        keyed = self._keyed.copy()  # half the price of a new one
        keyed.update(value.encode("utf-8", "surrogatepass"))
        secret = (kind, keyed.digest())
        known = self._numbers.get(secret)
        return self._new_number(secret) if known is None else known

    def _new_number(self, secret: tuple[str, bytes]) -> int:
        with self._lock:
            if secret not in self._numbers:  # another thread may have been first
                if len(self._numbers) >= _REMEMBERED_VALUES:
                    del self._numbers[next(iter(self._numbers))]
                kind, _ = secret
                self._last[kind] += 1
                self._numbers[secret] = self._last[kind]
            return self._numbers[secret]


def _lower(text: str) -> str:
    """Return `text` in lower case, character for character: U+0130 is the only one that would become two."""
    return text.replace("\u0130", "I").lower()
