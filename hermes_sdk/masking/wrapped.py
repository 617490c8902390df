"""Joins lines that were broken in the middle of a word: by a terminal that was full, or by YAML."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hermes_sdk.masking.stand_ins import CONTEXT
from hermes_sdk.masking.views import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COLUMNS: Final = frozenset((80, 100, 120, 132))
"""Widths that terminals have."""
_LONG: Final = 500
"""Characters of a line, on the average, beyond which a text is looked at as a JSON string."""
_NARROWEST: Final = 20
_TABLE: Final = 64
"""More full lines than that, of another width, are a table or a log."""
_APART: Final = "\n\0\n"
"""Between lines that have nothing to do with each other; no secret has it."""
_WORD: Final = r"[^\s\x1b\"'`<>(){}\\]"
_WORDS: Final = re.compile(rf"{_WORD}+")
_SETTING: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}[ \t]{0,4}(?:[=:](?:[^=]|\Z)|\|)|\W{1,4}(?:\s|\Z)")
"""A line that starts so says something of its own; ``==`` ends base64."""
_RANDOM: Final = re.compile(r"[0-9]|[a-z][A-Z]|[A-Z][a-z]{0,2}[A-Z]|\W\w")
"""What the end of a secret has in it and the first word of a sentence has not."""
BLOCK_HINT: Final = r": {1,4}[>|][+-]?[ \t]{0,4}(?:\\n|\r?\n)[ \t]"
"""Without it, a text holds no block scalar of YAML."""
_OPENS: Final = re.compile(r": {1,4}[>|][+-]?[ \t]{0,4}(?=\\n|\r?\n)")
_LINES: Final = re.compile(r"(?:(?:\\n|\r?\n)[ \t]{1,40}[^\s\\]+(?=\\n|\r?\n|\Z)){2,}")
"""A block scalar of YAML whose lines are single words."""
_NAME: Final = 80
"""Characters in front of it that may be its name."""
_LINE: Final = re.compile(r"(?:\\n|\r?\n)[ \t]{1,40}([^\s\\]+)")


def blocks(text: str) -> Iterator[View]:
    """Yield the block scalars of YAML that hold one word, broken into lines."""
    for opens in _OPENS.finditer(text):
        lines = _LINES.match(text, opens.end())
        if lines is not None:
            name, start = opens.start() + 2, max(0, opens.start() - _NAME)
            words = _LINE.finditer(text, *lines.span())
            yield View([(text[start:name], start, name), *((word[1], *word.span(1)) for word in words)])


@dataclass(frozen=True, slots=True)
class Joined:
    """Lines that run on into each other."""

    view: View
    breaks: Sequence[int]
    """Where in the view a line was broken, in order."""
    own: Sequence[bool]
    """Of each, whether what follows looks like a line of its own: `NAME=value`, a list, a table."""
    full: Sequence[bool]
    """Of each, whether a terminal was full: its width is a usual one, and no line is longer."""

    def broken(self, start: int, end: int) -> int | None:
        """Return which break is the first in this part of the view."""
        place = bisect_right(self.breaks, start)
        return place if place < len(self.breaks) and self.breaks[place] < end else None

    def front(self, broken: int, start: int) -> str:
        """Return what stands in front of a break, from `start` or from the break before it."""
        before = self.breaks[broken - 1] if broken else 0
        return self.view.text[start if before > start else max(before, start - CONTEXT) : self.breaks[broken]]

    def certain(self, broken: int, end: int) -> bool:
        """Whether what ends here goes on behind a break, even if it is whole in front of it."""
        rest = self.view.text[self.breaks[broken] : end]
        return self.full[broken] and not self.own[broken] and _RANDOM.search(rest) is not None


def full_lines(text: str) -> Joined | None:
    """Return the lines that may be full, each with the word that it runs on into; None without any.

    These are the longest, and those that are as long as a terminal is wide. What ends there may be whole: see
    `Joined.certain`.
    """
    ends, lines = "\n", text.split("\n")
    widths = _lengths(lines)
    if (len(lines) - 1) * _LONG < len(text) and text.count("\\n") >= len(lines):
        ends = "\\\\n" if 2 * text.count("\\\\n") > text.count("\\n") else "\\n"  # JSON in JSON, or JSON
        lines = text.split(ends)
        widths = _widths(lines)
    found = set(widths)
    longest = max(found)
    full = _COLUMNS & found
    if longest not in full and longest >= _NARROWEST and widths.count(longest) <= _TABLE:
        full |= {longest}
    broken = [
        (place, word)
        for place in sorted(place for columns in full for place in _places(widths, columns))
        if (word := _goes_on(lines[place], lines[place + 1]))
    ]
    at_the_end = [widths[place] == longest and longest in _COLUMNS for place, _ in broken]
    return _joined(lines, broken, at_the_end, len(ends)) if broken else None


def _places(widths: Sequence[int], columns: int) -> Iterator[int]:
    """Yield the lines of this width but for the last, which nothing follows."""
    place = widths.index(columns)
    while place < len(widths) - 1:
        yield place
        try:
            place = widths.index(columns, place + 1)
        except ValueError:
            return


def _lengths(lines: list[str]) -> Sequence[int]:
    """Return how long lines are, a byte each where they are short: bytes are searched at memory speed."""
    try:
        return bytes(map(len, lines))
    except ValueError:
        return list(map(len, lines))


def _widths(lines: list[str]) -> list[int]:
    """Return how many columns the lines of a JSON string take: an escape is two characters, and JSON stands around."""
    shown = [lines[0].rpartition('": "')[2], *lines[1:]]
    shown[-1] = shown[-1].partition('"')[0]
    return [len(line) - line.count("\\") for line in shown]


def _joined(lines: list[str], broken: list[tuple[int, re.Match[str]]], full: list[bool], gap: int) -> Joined:
    pieces: list[tuple[str, int, int]] = []
    breaks: list[int] = []
    own: list[bool] = []
    length = 0
    running = -1  # the line that the last word is all of
    counted = start = 0
    for place, word in broken:
        start += sum(map(len, lines[counted:place])) + gap * (place - counted)
        counted = place
        end = start + len(lines[place])
        following = end + gap
        for piece in [] if place == running else [(_APART, start, start), (lines[place], start, end)]:
            pieces.append(piece)
            length += len(piece[0])
        breaks.append(length)
        own.append(_SETTING.match(lines[place + 1]) is not None)
        pieces.append((word[0], following, following + word.end()))
        length += len(word[0])
        running = place + 1 if word.end() == len(lines[place + 1]) else -1
    return Joined(View(pieces), breaks, own, full)


def _goes_on(line: str, following: str) -> re.Match[str] | None:
    """Return the word that a line may go on with."""
    return None if _WORDS.match(line, len(line) - 1) is None else _WORDS.match(following)
