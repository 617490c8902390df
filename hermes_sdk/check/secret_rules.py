"""HC401: what looks like a secret in the files that are shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_sdk.check.finding import Finding, Place
from hermes_sdk.masking import secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.check.target import Target

_LARGEST: Final = 2_000_000
"""Bytes of a file that is looked into."""


def secret_findings(target: Target) -> Iterator[Finding]:
    """Yield the place of every secret that is recognised by its form alone; never the secret."""
    for path in (*target.python, *target.others):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if len(content) > _LARGEST or b"\0" in content:
            continue
        text = content.decode("utf-8", errors="replace")
        for kind, start, end in secrets_in(text):
            line = text.count("\n", 0, start) + 1
            column = start - (text.rfind("\n", 0, start) + 1) + 1
            width = min(end, text.find("\n", start) if "\n" in text[start:end] else end) - start
            place = Place(path, line, column, line, column + width)
            message = f"this looks like a secret ({kind}), and everybody who installs the plugin can read it"
            yield Finding("HC401", "error", place, message, "revoke it, and read it from the environment")
