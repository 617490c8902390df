"""What happens to the raw output of a command after transform_terminal_output: cut, strip, redact.

The order is the documented one: first the cut, so that nothing behind it costs more than 50,000 characters,
then ANSI sequences, then secrets. (Rule: hooks.yaml, transform_terminal_output; seed H14.1.)
"""

from __future__ import annotations

import re
from typing import Final

MAX_OUTPUT: Final = 50_000
"""Characters that the model gets at most."""

_HEAD_SHARE: Final = 0.4
"""How much of a cut output is its beginning; errors tend to stand at the end."""

_ANSI: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS and other strings
    r"|\x1b[ -/]*[0-~]"  # two-character sequences
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"  # control characters but tab, newline and return
)

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
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    )
)
"""Secrets that are recognisable by their form alone."""

_NAMED: Final = re.compile(
    r"(?im)(?P<name>\b\w*(?:api_?key|secret|token|passw(?:or)?d|private_key)\w*[\"']?\s*[=:]\s*[\"']?)"
    r"(?P<value>[^\s\"'&;,]{6,})"
)
"""``NAME=value`` and ``name: value`` where the name says that the value is a secret."""

_PLACEHOLDER: Final = re.compile(r"(\[redacted:[a-z0-9-]+:\d+\])")
"""What redaction plugins put in a secret's place; its number lets the model tell secrets apart."""

_BEARER: Final = re.compile(r"(?i)\b(?P<name>(?:bearer|basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})")
_URL: Final = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]*://[^\s:/@]+:)(?P<value>[^\s@/]+)(?=@)")


def processed(output: str, *, redact_secrets: bool = True) -> str:
    """Return the output as the model gets it."""
    text = strip_ansi(cut(output))
    return redact(text) if redact_secrets else text


def cut(output: str) -> str:
    """Keep beginning and end of an output that is longer than `MAX_OUTPUT` characters."""
    if len(output) <= MAX_OUTPUT:
        return output
    notice = f"\n\n[... {len(output):,} characters in all, the middle is cut ...]\n\n"
    room = MAX_OUTPUT - len(notice)
    head = int(room * _HEAD_SHARE)
    return output[:head] + notice + output[head - room :]


def strip_ansi(output: str) -> str:
    """Remove colours, cursor movements and other control sequences."""
    return _ANSI.sub("", output) if not output.isprintable() else output


def redact(output: str) -> str:
    """Mask what looks like a secret, by its form or by its name; what a plugin masked already stays as it is."""
    pieces = _PLACEHOLDER.split(output)  # every other one is a placeholder
    return "".join(piece if place % 2 else _redact(piece) for place, piece in enumerate(pieces))


def _redact(output: str) -> str:
    for pattern in _SECRETS:
        output = pattern.sub(REDACTED, output)
    for pattern in (_NAMED, _BEARER, _URL):
        output = pattern.sub(_mask_value, output)
    return output


def _mask_value(found: re.Match[str]) -> str:
    # `token=$TOKEN` and `password: ${{ ... }}` name a secret without showing it
    if found["value"].startswith(("$", "{", "<", REDACTED)):
        return found[0]
    return f"{found['name']}{REDACTED}"
