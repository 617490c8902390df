"""Masking what looks like a secret in a text that somebody is going to see."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.masking.finder import Finder

REDACTED: Final = "[REDACTED]"

_SECRETS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}",
    )
)
"""Wider than `kinds` where half of a secret would do harm, and where nobody needs its number."""

_NAMED: Final = re.compile(
    r"(?im)(?P<name>\b\w{0,80}(?:api_?key|secret|token|passw(?:or)?d|private_key)\w{0,80}[\"']?\s*[=:]\s*[\"']?)"
    r"(?P<value>[^\s\"'&;,\\]{6,})"
)
"""``NAME=value`` and ``name: value`` where the name says that the value is a secret.

What surrounds a word that is looked for has a limit: without one, `tokentokentoken...` takes quadratic time.
"""

_SAID: Final = re.compile(
    r"(?i)\b(?P<name>(?:(?:passwor[dt]|passphrase|passcode|secret|token|api[_ -]?key|pin)\s{1,4}(?:is|ist)\s{1,4}"
    r"|pin\s?[:=]\s{0,4})[\"']?)(?P<value>(?=[^\s\"',;]{0,100}[0-9])[^\s\"',;]{4,})"
)
"""What people write to each other: ``the password is hunter2``, ``PIN: 4711``; a value has a digit."""

_OPTION: Final = re.compile(
    r"(?i)(?P<name>(?<![\w-])--?(?:\w[\w-]{0,40}[-_])?(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d"
    r"|passphrase)(?:\s{1,4}|=)[\"']?)(?!(?-i:[A-Z_]+)(?![^\s\"']))(?P<value>[^\s\"'&;|,\\-][^\s\"'&;|,\\]{5,})"
)
"""``--token VALUE`` and ``--api-key=VALUE`` in a command; ``--token TOKEN``, as help texts have it, shows none."""

_PLACEHOLDER: Final = re.compile(r"(\[redacted:[a-z0-9-]+:\d+\])")
"""What redaction plugins put in a secret's place; its number lets the model tell secrets apart."""

_BEARER: Final = re.compile(r"(?i)\b(?P<name>(?:bearer|basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})")
_URL: Final = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]{0,30}://[^\s:/@]+:)(?P<value>[^\s@/]+)(?=@)")


def redact(text: str) -> str:
    """Mask what looks like a secret, by its form or by its name; what a plugin masked already stays as it is.

    For whatever is kept or shown: recordings, logs, memories, prompts. Linear in the text's length, whatever is in it.

    Args:
        text: Any text.

    Returns:
        The text with `REDACTED` in the place of secrets; what names them stays.
    """
    pieces = _PLACEHOLDER.split(text)  # every other one is a placeholder
    return "".join(piece if place % 2 else _redact(piece) for place, piece in enumerate(pieces))


def redact_under(key: str, text: str) -> str:
    """Mask a text that stands under a key: all of it where the key says that it is a secret, else as `redact` does.

    Args:
        key: Name of an argument, a field, a header.
        text: Its value.
    """
    if _names_a_secret(key):
        written = f"{key}={''.join(text.split())}"
        if redact(written) != written:  # not a placeholder, nor `$TOKEN`
            return REDACTED
    return redact(text)


@lru_cache(maxsize=4096)
def _names_a_secret(key: str) -> bool:
    """Whether what a name is given is masked as a secret."""
    return redact(f"{key}=specimen") != f"{key}=specimen"


def secrets_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what is a secret by its form alone: (name of its kind, start, end), kind by kind."""
    from hermes_sdk.masking.kinds import KINDS

    for kind in KINDS:
        if not kind.any_case and kind.name != "url-password":
            for pattern in kind.patterns:
                yield from ((kind.name, *found.span()) for found in pattern.finditer(text))


@cache
def _by_form() -> Finder:
    """Return a finder of the kinds that are known by their form: the patterns below see to names and headers."""
    from hermes_sdk.masking.finder import Finder  # loads google-re2, which who masks nothing does not need
    from hermes_sdk.masking.kinds import KINDS

    return Finder(kind for kind in KINDS if kind.name not in {"secret", "auth-header", "url-password"})


def _redact(text: str) -> str:
    text = _by_form().replace(text, lambda _kind, _secret: REDACTED)
    for pattern in _SECRETS:
        text = pattern.sub(REDACTED, text)
    for pattern in (_NAMED, _OPTION, _SAID, _BEARER, _URL):
        text = pattern.sub(_mask_value, text)
    return text


def _mask_value(found: re.Match[str]) -> str:
    # `token=$TOKEN` and `password: ${{ ... }}` name a secret without showing it
    if found["value"].startswith(("$", "{", "<", REDACTED)):
        return found[0]
    return f"{found['name']}{REDACTED}"
