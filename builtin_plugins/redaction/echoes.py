"""The forms in which a tool that was given an original may give it back."""

from __future__ import annotations

import base64
import json
from typing import Final
from urllib.parse import quote, quote_plus

_SHORTEST: Final = 6
"""Characters of the shortest form that is looked for: shorter ones stand in any text."""


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
