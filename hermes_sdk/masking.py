"""Masking what looks like a secret in a text that somebody is going to see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

REDACTED: Final = "[REDACTED]"

_SECRETS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_-]{20,}",
        r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
        r"\bA(?:KIA|SIA)[A-Z0-9]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{35}\b",
        r"(?<![\w-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    )
)
"""Secrets that are recognisable by their form alone."""

_NAMED: Final = re.compile(
    r"(?im)(?P<name>\b\w{0,80}(?:api_?key|secret|token|passw(?:or)?d|private_key)\w{0,80}[\"']?\s*[=:]\s*[\"']?)"
    r"(?P<value>[^\s\"'&;,\\]{6,})"
)
"""``NAME=value`` and ``name: value`` where the name says that the value is a secret.

What surrounds a word that is looked for has a limit: without one, `tokentokentoken...` takes quadratic time.
"""

_PLACEHOLDER: Final = re.compile(r"(\[redacted:[a-z0-9-]+:\d+\])")
"""What redaction plugins put in a secret's place; its number lets the model tell secrets apart."""

_BEARER: Final = re.compile(r"(?i)\b(?P<name>(?:bearer|basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})")
_URL: Final = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]{0,30}://[^\s:/@]+:)(?P<value>[^\s@/]+)(?=@)")


def redact(text: str) -> str:
    """Mask what looks like a secret, by its form or by its name; what a plugin masked already stays as it is."""
    pieces = _PLACEHOLDER.split(text)  # every other one is a placeholder
    return "".join(piece if place % 2 else _redact(piece) for place, piece in enumerate(pieces))


def secrets_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what is a secret by its form alone: (what it begins with, start, end), pattern by pattern."""
    for pattern in _SECRETS:
        for found in pattern.finditer(text):
            yield found[0][:4], found.start(), found.end()


def _redact(text: str) -> str:
    for pattern in _SECRETS:
        text = pattern.sub(REDACTED, text)
    for pattern in (_NAMED, _BEARER, _URL):
        text = pattern.sub(_mask_value, text)
    return text


def _mask_value(found: re.Match[str]) -> str:
    # `token=$TOKEN` and `password: ${{ ... }}` name a secret without showing it
    if found["value"].startswith(("$", "{", "<", REDACTED)):
        return found[0]
    return f"{found['name']}{REDACTED}"
