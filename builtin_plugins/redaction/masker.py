"""Gives secrets numbered placeholders."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

from hermes_sdk.masking.finder import Finder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hermes_sdk.masking.kinds import Kind

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
        self._placeholders: dict[tuple[str, bytes], str] = {}
        self._last: Counter[str] = Counter()
        self._lock = threading.Lock()

    def look_for(self, kinds: Iterable[Kind]) -> None:
        """Look for other kinds from now on; numbers stay."""
        self._finder = Finder(kinds)

    def mask(self, text: str, found: Callable[[str, str], None] | None = None) -> str:
        """Return `text` with every secret replaced; the same object when there is none.

        Args:
            text: What somebody is going to see.
            found: Is told each placeholder and what it stands for.
        """
        if found is None:
            return self._finder.replace(text, self._placeholder)

        def telling(kind: str, value: str) -> str:
            placeholder = self._placeholder(kind, value)
            found(placeholder, value)
            return placeholder

        return self._finder.replace(text, telling)

    def _placeholder(self, kind: str, value: str) -> str:
        keyed = self._keyed.copy()  # half the price of a new one
        keyed.update(value.encode("utf-8", "surrogatepass"))
        secret = (kind, keyed.digest())
        return self._placeholders.get(secret) or self._new_placeholder(secret)

    def _new_placeholder(self, secret: tuple[str, bytes]) -> str:
        with self._lock:
            if secret not in self._placeholders:  # another thread may have been first
                if len(self._placeholders) >= _REMEMBERED_VALUES:
                    del self._placeholders[next(iter(self._placeholders))]
                kind, _ = secret
                self._last[kind] += 1
                self._placeholders[secret] = f"[redacted:{kind}:{self._last[kind]}]"
            return self._placeholders[secret]
