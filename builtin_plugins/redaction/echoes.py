"""The forms in which a tool that was given an original may give it back."""

from __future__ import annotations

import base64
import json
import re
from operator import methodcaller
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus

from hermes_sdk.masking.finder import PLACEHOLDER, Finder
from hermes_sdk.masking.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SHORTEST: Final = 6
"""Characters of the shortest form that is looked for: shorter ones stand in any text."""


class Echoes:
    """Hides originals again, in the forms below and in every disguise that secrets are found in.

    Args:
        originals: What each placeholder stands for.
    """

    def __init__(self, originals: Mapping[str, str]) -> None:
        self._forms = [(form, placeholder) for placeholder, one in originals.items() for form in forms(one)]
        self._placeholders = {one: placeholder for placeholder, one in originals.items() if len(one) >= _SHORTEST}
        self._finder = Finder(Kind("echo", (re.escape(one),), flags=0) for one in self._placeholders)

    def hidden(self, text: str) -> str:
        """Return `text` with placeholders for originals; those that it has already stay whole."""
        for form, placeholder in self._forms:
            if form in text:
                text = _between_placeholders(text, methodcaller("replace", form, placeholder))
        return _between_placeholders(text, self._found)

    def _found(self, piece: str) -> str:
        return self._finder.replace(piece, lambda _, original: self._placeholders.get(original, original))


def _between_placeholders(text: str, replace: Callable[[str], str]) -> str:
    pieces = PLACEHOLDER.split(text)
    kept = [*PLACEHOLDER.findall(text), ""]
    return "".join(replace(piece) + after for piece, after in zip(pieces, kept, strict=True))


def forms(original: str) -> tuple[str, ...]:
    """Return how an original may be written: as it is, in JSON, in an address, in base64; the longest first."""
    in_json = json.dumps(original)[1:-1]
    written = {original, in_json, in_json.replace("/", "\\/"), json.dumps(original, ensure_ascii=False)[1:-1]}
    raw = original.encode("utf-8", "surrogatepass")
    written |= {quote(raw, safe=""), quote(raw), quote_plus(raw)}
    for before in range(3):  # where it may stand between others, as in user:password
        wrapped = _base64_core(raw, before)
        written |= {wrapped, wrapped.translate(str.maketrans("+/", "-_"))}
    return tuple(sorted((form for form in written if len(form) >= _SHORTEST), key=len, reverse=True))


def _base64_core(raw: bytes, before: int) -> str:
    """Return those characters of base64 that depend on nothing else, with so many bytes in front."""
    encoded = base64.b64encode(bytes(before) + raw).decode("ascii")
    first = -(-before * 8 // 6)
    last = (before + len(raw)) * 8 // 6
    return encoded[first:last]
