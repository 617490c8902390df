"""From what somebody wrote to a full-text query, and from stored text to a line for the model."""

from __future__ import annotations

import re
from typing import Any, Final

_MOST_WORDS: Final = 24
_READ_CHARS: Final = 4_000
_WORD: Final = re.compile(r"\w+")

_COMMON_WORDS: Final = """
a about after all also an and any are as at be because been but by can could did do does for from
get had has have he her here his how if in into is it its just like make me more my no not now of on
one or our out please she should so some than that the their them then there these they this to up
us use was we were what when where which who why will with would you your
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())


def query_of(text: str) -> str | None:
    """Return an FTS5 query for memories that share a telling word with `text`, or None without such words.

    Every word is quoted, so nothing that somebody writes (`NEAR`, `*`, a column filter, a lone quote) is read
    as query syntax.
    """
    words: dict[str, None] = {}
    for match in _WORD.finditer(text[:_READ_CHARS]):
        word = match[0].lower()
        if len(word) > 1 and word not in _COMMON:
            words[word] = None
        if len(words) == _MOST_WORDS:
            break
    return " OR ".join(f'"{word}"' for word in words) if words else None


def plain_text(message: Any) -> str:
    """Return the text of a message.

    Args:
        message: A str, or the content parts of a multimodal message; any type, because hosts differ.
    """
    if isinstance(message, str):
        return message
    if not isinstance(message, list):
        return ""
    texts = (part.get("text") for part in message if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def one_line(text: str, limit: int) -> str:
    """Return `text` on one line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
