"""Masking secrets in a text that leaves the machine."""

from __future__ import annotations

from typing import Any

from hermes_sdk.config import Config
from hermes_sdk.home import hermes_home
from hermes_sdk.masking import redact

__all__ = ["redact_sensitive_text"]


def redact_sensitive_text(text: Any, *, force: bool = False, **options: Any) -> Any:
    """Return a text with what looks like a secret masked; anything else (of any type) as it is.

    Keys, tokens, passwords in URLs and values whose name says that they are secret are masked as a whole.

    Args:
        text: The text.
        force: Mask even where the user switched masking off (``security.redact_secrets: false``).
        options: How hermes-agent's function chooses among its patterns; all of ours always apply.
    """
    del options
    if not isinstance(text, str) or not (force or _wanted()):
        return text
    return redact(text)


def _wanted() -> bool:
    return Config.load(hermes_home()).get("security.redact_secrets", True) is not False
