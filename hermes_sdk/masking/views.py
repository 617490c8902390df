"""Reads parts of a text as they are meant: without colours, decoded, joined where a line was broken.

A view is made only where something in the text itself asks for it (an escape sequence, `%2F`, a run of base64, a line
as long as the terminal was wide), never because a search found something, so that what is masked does not depend on
how it is searched. Each view knows where its characters come from: what is found in it is masked in the text.
Everything here takes linear time, whatever the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from html import unescape
from itertools import chain, compress
from operator import itemgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    _Piece: TypeAlias = tuple[str, int, int]
    """What it reads, and where it starts and ends in the text."""

_BEFORE: Final = 256
"""Characters before a place that a view takes in: a name, or the start of a secret."""
_AFTER: Final = 512
"""Characters behind it: the rest of a secret. Places that are closer to each other share a view."""
_KEY_BLOCK: Final = 8_192
"""Both, where there may be a private key."""

_START: Final = itemgetter(1)
_ANSI: Final = re.compile(r"(?:\x1b(?:\[[0-9;:?]{0,40}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[()][0-9A-B]))+")
"""ECMA-48 control sequences, such as colours; titles and links."""
_PERCENT: Final = re.compile(r"%(?:25){0,3}([2-7][0-9A-Fa-f]|0[9AaDd])")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{2,5}|#[xX][0-9A-Fa-f]{2,5}|amp|quot|apos|lt|gt|sol|equals|colon);")
_ESCAPE: Final = re.compile(
    r"\\\\{0,7}+(?:u00(?P<unicode>[2-7][0-9A-Fa-f]|1[bB])|x(?P<hex>[2-7][0-9A-Fa-f]|1[bB])|(?P<slash>/)"
    r"|(?P<cut>(?:\r?\n|n(?<=[^\\]\\\\\\n))[ \t]{0,40}))"
)
r"""Escapes of JSON, also of JSON in JSON, and of shells: ``\u005f``, ``\/``, ``\x5f``, and a line that goes on."""
_GOES_ON: Final = r"(?:[^\s\\\"'(,]|[=:>] {0,4}[\"']?)"
"""What a line ends with that goes on in the middle of a word or of a setting, and not between two words of code."""
_MAY_GO_ON: Final = re.compile(rf"{_GOES_ON}\\{{1,8}}\Z")
_REACH: Final = 16
"""Characters that it may take."""
HINTS: Final = (
    r"\x1b[\[\]()]",
    r"%(?:25)*(?:[2-7][0-9A-Fa-f]|0[9AaDd])",
    r"&(?:#|amp|quot|apos|lt|gt|sol|equals|colon)",
    rf"\\(?:u00[1-7]|x[1-7]|/)|{_GOES_ON}\\(?:\\{{0,7}}\r?\n|\\\\n)",
)
"""What a text has that holds something of each: colours, percent signs, entities, backslashes."""


class View:
    """A part of a text, read differently.

    Args:
        pieces: What it consists of, each as it reads and where it starts and ends in the text. One that is not as
            long here as there is a unit.
    """

    def __init__(self, pieces: Iterable[_Piece]) -> None:
        self._at: list[int] = []
        """Where each piece starts in the view."""
        self._spans: list[tuple[int, int]] = []
        """Where it stands in the text."""
        read = []
        length = 0
        for piece, start, end in pieces:
            if piece:
                self._at.append(length)
                self._spans.append((start, end))
                read.append(piece)
                length += len(piece)
        self.text: Final = "".join(read)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where the text has what stands at a place of the view, whole units only."""
        first, last = (bisect_right(self._at, at) - 1 for at in (start, end - 1))
        return self._offset(first, start, 0), self._offset(last, end, 1)

    def _offset(self, piece: int, at: int, side: int) -> int:
        start, end = self._spans[piece]
        length = (self._at[piece + 1] if piece + 1 < len(self._at) else len(self.text)) - self._at[piece]
        return start + at - self._at[piece] if end - start == length else self._spans[piece][side]


def decoded(text: str, present: Sequence[bool]) -> Iterator[View]:
    """Yield the parts of a text that have colours or are encoded, without and decoded.

    Args:
        text: Any text.
        present: Which of `HINTS` it has.
    """
    before, after = (_KEY_BLOCK, _KEY_BLOCK) if "PRIVATE" in text else (_BEFORE, _AFTER)
    near: list[_Piece] = []
    readers = (read for sign, read in compress(_READERS, present) if sign in text)
    for piece in sorted(chain.from_iterable(read(text) for read in readers), key=_START):
        if near and piece[1] < near[-1][2]:  # what two ways of writing share is read in the first one
            continue
        if near and piece[1] - near[-1][2] > before + after:
            yield View(_between(text, near, before, after))
            near = []
        near.append(piece)
    if near:
        yield View(_between(text, near, before, after))


def _colours(text: str) -> Iterator[_Piece]:
    return (("", *found.span()) for found in _ANSI.finditer(text))


def _percent_signs(text: str) -> Iterator[_Piece]:
    return ((chr(int(found[1], 16)), *found.span()) for found in _PERCENT.finditer(text))


def _entities(text: str) -> Iterator[_Piece]:
    return ((unescape(found[0]), *found.span()) for found in _ENTITY.finditer(text))


def _backslashes(text: str) -> Iterator[_Piece]:
    for found in _ESCAPE.finditer(text):
        start, end = found.span()
        if not found["cut"]:
            yield _unescaped(found), start, end
        elif _MAY_GO_ON.search(text, max(0, start - _REACH), found.start("cut")):
            yield "", start, end


_READERS: Final = (("\x1b", _colours), ("%", _percent_signs), ("&", _entities), ("\\", _backslashes))
"""Without the sign, a text has nothing to read; in the order of `HINTS`."""


def _unescaped(found: re.Match[str]) -> str:
    return found["slash"] or chr(int(found["unicode"] or found["hex"], 16))


def _between(text: str, near: list[_Piece], before: int, after: int) -> Iterator[_Piece]:
    """Yield the escapes that are near to each other with the text around them."""
    done = max(0, near[0][1] - before)
    for read, start, end in near:
        yield text[done:start], done, start
        yield read, start, end
        done = end
    yield text[done : done + after], done, min(len(text), done + after)
