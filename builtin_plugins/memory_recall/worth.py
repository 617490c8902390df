"""What of a message is worth remembering, and what it looks like when it is kept."""

from __future__ import annotations

import re
from typing import Final

from hermes_sdk.masking import REDACTED, redact

READ_CHARS: Final = 20_000
NOTE_CHARS: Final = 2_000
_STATEMENT_CHARS: Final = 400
_STATEMENTS: Final = 5
_WORDS: Final = 3
_LETTERS: Final = 0.6
"""At least so much of a statement is letters and spaces: tables, paths and logs have less."""

_CODE: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?…])[\"')\]]?\s+|(?<=[。\uff01\uff1f])|\n+")
_MARKER: Final = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_ASKED_TO: Final = re.compile(
    r"(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that\b\s*:?|\s*[:,])\s*", re.IGNORECASE
)
_ENDS: Final = ".!…\"'`)\u3002\uff01 "
_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f")
_OPENING_WORDS: Final = """
who whom whose what when where which why how is are am was were do does did can could would will shall should may
might have has add answer apply ask build calculate call change check clean close commit compare compute continue
convert copy count create debug delete deploy describe do download draft edit execute explain export fetch find
finish fix format generate get give go help implement import improve install kill let list load look make merge move
open optimize parse perform play please post print publish pull push put read refactor reformat release remove
rename replace rerun restart retry return revert review rewrite run save search send set show solve sort start stop
summarise summarize take tell test tidy translate try undo uninstall update upgrade use verify wait write
"""
_OPENING: Final = frozenset(_OPENING_WORDS.split())
"""Words that begin an English question or request. Statements begin with others: "The ...", "I ...", "Our ..."."""
_HOSTS_NOTE: Final = re.compile(r"\s*\[[^\]]{0,2000}\]")
"""What a host writes in front of a message, or in its place: who wrote it, that a process ended."""
_PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z0-9-]+(?::\d+)?\]")
"""Its number means something in one process only: in another one it would stand for another secret."""
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]+")
"""Control characters and marks that hide or turn what stands around them."""


def kept(text: str, limit: int) -> str:
    """Return a text as it is stored: without secrets, on one line of at most `limit` characters."""
    masked = _PLACEHOLDER.sub(REDACTED, redact(_read(text)))
    line = " ".join(_UNSEEN.sub(" ", masked).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def statements_of(message: str) -> list[str]:
    """Return what a message states, as it is stored: at most five sentences.

    Sentences that ask or that tell the agent what to do, pasted code, quotes, tables and logs are left out. After
    "remember that" anything counts, except for what ends with a secret: masked, it says nothing.

    Args:
        message: What somebody wrote.
    """
    note = _HOSTS_NOTE.match(message)
    text = redact(_read(message[note.end() :] if note else message))  # before it is cut: a key has lines
    prose = "\n".join(line for line in _CODE.sub("\n", text).splitlines() if not line.lstrip().startswith((">", "/")))
    found: dict[str, None] = {}
    for sentence in _SENTENCE.split(prose):
        statement = kept(_statement(_MARKER.sub("", sentence).strip()), _STATEMENT_CHARS)
        if statement and not statement.rstrip(_ENDS).endswith(REDACTED):
            found[statement] = None
    return list(found)[:_STATEMENTS]


def _read(text: str) -> str:
    """Return what is read of a text: no half of a word, which could be the half of a secret that nothing recognises."""
    if len(text) > READ_CHARS:
        text = text[:READ_CHARS].rstrip()
        text = text[: max(text.rfind(blank) for blank in " \n\t") + 1]
    return text.encode("utf-8", "replace").decode()


def _statement(sentence: str) -> str:
    """Return a sentence that states something; nothing for any other."""
    wanted = _ASKED_TO.match(sentence)
    if wanted:
        return sentence[wanted.end() :].strip()
    if sentence.endswith(_QUESTION_MARKS) or len(sentence) > _STATEMENT_CHARS or not _enough(sentence):
        return ""
    first = re.match(r"[A-Za-z]+", sentence)
    return "" if first and first[0].lower() in _OPENING else sentence


def _enough(sentence: str) -> bool:
    letters = sum(character.isalpha() or character in " '\u2019" for character in sentence)
    if letters < _LETTERS * len(sentence):
        return False
    if len(sentence.split()) >= _WORDS:
        return True
    return sum(character > "\u0dff" and character.isalpha() for character in sentence) >= 2 * _WORDS
