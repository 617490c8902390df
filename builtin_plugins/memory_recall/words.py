"""From text to the words by which memories are found; the same for both stores."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS_KEPT: Final = 200
"""Different words of one memory that it is found by."""
ALIKE: Final = 0.37
"""Two words are spelled alike when they have this share of their trigrams in common."""
_MOST_ALIKE: Final = 3
_LONGEST: Final = 40
_SEPARATE_MARKS: Final = re.compile("[\u0300-\u036f]")
_MARKS: Final = "\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd"
"""Vowel signs and the like, which `re` does not count as parts of words."""
_WORD: Final = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese, and Korean, whose particles stick to the word."""

_COMMON_WORDS: Final = """
a about after all also am an and any are as at be because been but by can could did do does for from get had has
have he her here him his how i if in into is it its just let like make me more my no not now of on one or our out
please she should so some than that the their them then there these they this to up us use was we were what when
where which who why will with would yes you your
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())
"""In every other sentence. Words of other languages that are as common count for little by their number."""


def words_of(text: str, most: int) -> list[str]:
    """Return up to `most` different telling words of a text, in order, folded: ``Café`` is ``cafe``.

    Runs of a script that is written without spaces give pairs of characters.

    Args:
        text: Any text.
        most: So many words.
    """
    found: dict[str, None] = {}
    for match in _WORD.finditer(folded(text)):
        for word in _parts(match[0]):
            if word not in _COMMON:
                found[word] = None
        if len(found) >= most:
            break
    return list(found)[:most]


def folded(text: str) -> str:
    """Return a text without regard to case and accents."""
    if text.isascii():
        return text.lower()
    # composed again, because letters of Korean come apart too
    apart = _SEPARATE_MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", apart).casefold()


def parts_of(word: str) -> frozenset[str]:
    """Return the trigrams of a word as PostgreSQL counts them: ``__t``, ``_te``, ``tea``, ``ea_``.

    Nothing for words that are too short to be mistyped, for numbers, and for pairs of characters.
    """
    if len(word) < 4 or not word.isalpha():  # noqa: PLR2004 - two trigrams of three letters say nothing
        return frozenset()
    padded = f"__{word}_"
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


def alike(word: str, others: Iterable[str]) -> dict[str, float]:
    """Return up to three of `others` that are spelled like a word, and how much: the share of common trigrams."""
    own = parts_of(word)
    likeness = {}
    for other in others:
        parts = parts_of(other)
        share = len(own & parts) / len(own | parts) if parts else 0.0
        if share >= ALIKE:
            likeness[other] = share
    return dict(sorted(likeness.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_ALIKE])


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


def tokens_in(text: str) -> int:
    """Return about how many tokens a model counts: a quarter of the bytes of its UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _parts(run: str) -> list[str]:
    if run.isascii():
        return [run[:_LONGEST]] if len(run) > 1 else []
    pieces: list[str] = []
    done = 0
    for unspaced in _UNSPACED.finditer(run):
        pieces += _parts_spaced(run[done : unspaced.start()])
        characters = unspaced[0]
        pieces += [characters[at : at + 2] for at in range(len(characters) - 1)] or [characters]
        done = unspaced.end()
    return pieces + _parts_spaced(run[done:])


def _parts_spaced(run: str) -> list[str]:
    return [run[:_LONGEST]] if len(run) > 1 else []
