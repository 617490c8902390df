"""Words of a shell command as the shell would make them, as far as that can be known without running anything.

A word is text in which a character moved by `QUOTED` is quoted, `UNKNOWN` stands for text that is only known when the
command runs, and everything else has the meaning that it has for the shell: `*` is a wildcard.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

from ..paths import QUOTED, UNKNOWN, plain, quoted

if TYPE_CHECKING:
    from .state import State

SPLIT: Final = "\ue001"
"""Where an unquoted expansion is cut into words."""
NOTHING: Final = "\ue002"
"""An empty quoted text: a word of its own where nothing else is."""
MOST_WORDS: Final = 256
_MOST_BRACES: Final = 40
_LONGEST_BRACES: Final = 2_000
_RANGE: Final = re.compile(r"(-?\d{1,4}|[A-Za-z])\.\.(-?\d{1,4}|[A-Za-z])", re.ASCII)
_ANSI: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_ANSI_LETTERS: Final = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*=)(~.*)", re.ASCII | re.DOTALL)
_PACKED: Final = re.compile("[\u00c0-\u00ff]{4}")
_OWN: Final = re.compile("[\ue000-\ue1ff]")


def text_of(node: Any) -> str:
    """Return the source of a node of the parser (Any: it has no types); empty for one that is not there."""
    return decoded(node.text) if node is not None else ""


def encoded(script: str) -> bytes:
    """Return a script for the parser, without the characters that words are marked with.

    The parser's scanner asks the C library for the class of each character, which may only be asked about those below
    256, and crashes for others. So everything that is not ASCII stands there as four letters of U+00C0 to U+00FF.
    """
    script = _OWN.sub("\ufffd", script)
    if not script.isascii():
        script = "".join(each if each.isascii() else _packed(ord(each)) for each in script)
    return script.encode()


def decoded(source: bytes) -> str:
    """Return a part of an encoded script as it was."""
    text = source.decode("utf-8", "replace")
    return text if text.isascii() else _PACKED.sub(lambda match: _unpacked(match[0]), text)


def _packed(code: int) -> str:
    return "".join(chr(0xC0 + (code >> shift & 0x3F)) for shift in (18, 12, 6, 0))


def _unpacked(letters: str) -> str:
    code = 0
    for each in letters:
        code = code << 6 | ord(each) - 0xC0
    return chr(code) if code <= sys.maxunicode else "\ufffd"


def unescaped(text: str) -> str:
    """Return unquoted text with its backslashes taken: the character behind one is quoted."""
    if "\\" not in text:
        return text
    pieces = []
    position = 0
    while position < len(text):
        each = text[position]
        position += 1
        if each == "\\" and position < len(text):
            each, position = text[position], position + 1
            pieces.append("" if each == "\n" else chr(ord(each) + QUOTED) if each.isascii() else each)
        else:
            pieces.append(each)
    return "".join(pieces)


def in_double_quotes(text: str) -> str:
    """Return the literal part of a double-quoted text, quoted."""
    return quoted(re.sub(r"\\([$`\"\\\n])", lambda match: "" if match[1] == "\n" else match[1], text))


def ansi_c(text: str) -> str:
    r"""Return what ``$'...'`` stands for, quoted: ``\x72`` is an r."""
    return quoted(with_escapes(text).partition("\0")[0])


def with_escapes(text: str) -> str:
    """Return a text with its escapes taken, as `echo -e` and `printf` do."""
    return _ANSI.sub(_ansi_character, text)


def _ansi_character(match: re.Match[str]) -> str:
    for number, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if match[number]:
            code = int(match[number], base)
            return chr(code & 0xFF if base == 8 else code) if code < 0x110000 else "\ufffd"  # noqa: PLR2004
    if match[5]:
        return chr(ord(match[5].upper()) & 0x1F)
    return _ANSI_LETTERS.get(match[6], match[6])


def tilde(state: State, word: str) -> str:
    """Return a word with the ``~`` that it begins with as a path, or that of its value: ``dd if=~/x``."""
    if not word.startswith("~"):
        assigned = _ASSIGNED.fullmatch(word)
        return assigned[1] + tilde(state, assigned[2]) if assigned else word
    user, slash, rest = word.partition("/")
    if NOTHING in user:  # ~"" is no home
        return word
    where = state.home if user == "~" else f"/home/{user[1:]}" if user[1:].isalnum() else UNKNOWN
    if user == "~root":
        where = "/root"
    if user in ("~+", "~-"):
        where = state.cwds[0] if user == "~+" else UNKNOWN
    return quoted(where.rstrip("/")) + slash + rest or "/"


def expanded(value: str, separators: str = " \t\n") -> str:
    """Return a variable's value as it appears outside of quotes: cut at the separators, its wildcards alive."""
    return "".join(SPLIT if each in separators else each if each in "*?[]" else quoted(each) for each in value)


def finished(word: str) -> list[str]:
    """Return the words that one word of a command becomes: braces first, then cutting; empty quotes are kept."""
    if "{" not in word and SPLIT not in word:
        return [word] if word else []
    if word.count("{") > _MOST_BRACES:
        return [UNKNOWN]
    if "{" in word and len(word) > _LONGEST_BRACES and "," in word:
        return [UNKNOWN]
    results = [part for each in _braces(word, MOST_WORDS) for part in each.split(SPLIT) if part]
    return results if len(results) < MOST_WORDS else [*results[:MOST_WORDS], UNKNOWN]


def _braces(word: str, most: int) -> list[str]:
    """Expand ``a{b,c}d``; what is no list stays as it is."""
    start = word.find("{")
    while start >= 0:
        found = _list_in(word, start)
        if found is not None:
            alternatives, end = found
            tails = _braces(word[end:], most)
            heads = [each for alternative in alternatives for each in _braces(alternative, most)]
            return [word[:start] + head + tail for head in heads[:most] for tail in tails[:most]][:most]
        start = word.find("{", start + 1)
    return [word]


def _list_in(word: str, start: int) -> tuple[list[str], int] | None:
    depth, begin, alternatives = 0, start + 1, []
    for position in range(start, len(word)):
        each = word[position]
        if each == "{":
            depth += 1
        elif each == "," and depth == 1:
            alternatives.append(word[begin:position])
            begin = position + 1
        elif each == "}":
            depth -= 1
            if depth == 0:
                last = word[begin:position]
                if alternatives:
                    return [*alternatives, last], position + 1
                sequence = _sequence(plain(last))
                return (sequence, position + 1) if sequence else None
    return None


def _sequence(text: str) -> list[str] | None:
    match = _RANGE.fullmatch(text)
    if match is None or match[1].isalpha() != match[2].isalpha():
        return None
    letters = match[1].isalpha()
    first, last = (ord(each) if letters else int(each) for each in match.groups())
    step = 1 if last >= first else -1
    numbers = list(range(first, last + step, step))[:MOST_WORDS]
    return [chr(number) if letters else str(number) for number in numbers]
