"""Reads base64 of text, in one line or in many."""

from __future__ import annotations

import base64
import re
import string
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.masking.prefilter import re2

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ANY: Final = "[A-Za-z0-9+/_-]"
_FOUR: Final = f"[CI-Za-f][AC-HQS-Xgi-nwyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589]{_ANY}"
"""Three bytes of text: their highest bit is 0, and what is below the space is a tab or a line break."""
HINT: Final = f"(?:{_FOUR}){{3}}"
"""Without it, a text holds no base64 of text; short enough for a set of many patterns."""
_SOURCE: Final = f"(?:{_FOUR}){{5}}"
"""What says that it does: random letters match once in a million places."""
_SEED: Final = re.compile(_SOURCE)
_BREAK: Final = r"(?:\\{1,8}r)?(?:\\{1,8}n|\r?\n)[ \t]{0,40}"
_REST: Final = re.compile(rf"{_ANY}*(?:{_BREAK}{_ANY}{{4,}})*={{0,2}}")
_OTHER: Final = re.compile(r"[^A-Za-z0-9+/_-]")
_CHARACTER: Final = re.compile(rf"{_BREAK}|({_ANY})")
_ALPHABET: Final = frozenset(string.ascii_letters + string.digits + "+/-_")
_STANDARD: Final = str.maketrans("-_", "+/")
_READS: Final = re.compile(r"[\t\n\r -~]{8,}")
"""Printable ASCII: what else comes out was no base64, or stops being text there."""
_MOST_BEFORE: Final = 200
"""Characters of a run that may stand in front of the first that are sure to be text."""


@dataclass(frozen=True, slots=True)
class Base64View:
    """What a part of a run of base64 says."""

    text: str
    _places: Sequence[int]
    """Where each character of the run stands."""
    _end: int
    """Where the run ends, padding included."""
    _skipped: int
    """Bytes of the run in front of the text."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where the run has what stands at a place of the view; three bytes are four characters."""
        first, last = (self._skipped + start) * 4 // 3, -(-(self._skipped + end) * 4 // 3) - 1
        return self._places[first], self._end if last + 1 == len(self._places) else self._places[last] + 1


def base64_texts(text: str) -> Iterator[Base64View]:
    """Yield what runs of base64 say, as far as they are text."""
    done = 0
    for seed, end in _seeds(text):
        if seed < done:  # part of the run before
            continue
        start, floor = seed, max(done, seed - _MOST_BEFORE)
        while start > floor and text[start - 1] in _ALPHABET:
            start -= 1
        start += (seed - start) % 4  # at a whole group of four
        rest = _REST.match(text, end)
        done = rest.end() if rest else end
        yield from _read(text, start, done)


def _seeds(text: str) -> Iterator[tuple[int, int]]:
    """Yield where base64 of text is for certain; google-re2 finds the same as `re`, ten times as fast."""
    if re2 is None:
        yield from (found.span() for found in _SEED.finditer(text))
    else:  # one byte a character: what is not ASCII is no base64, and neither is the question mark
        yield from (found.span() for found in _fast_seed().finditer(text.encode("ascii", "replace")))


@cache
def _fast_seed() -> Any:
    return re2.compile(_SOURCE)


def _read(text: str, start: int, end: int) -> Iterator[Base64View]:
    places: Sequence[int]
    characters = text[start:end].rstrip("=")
    if _OTHER.search(characters):
        places = [found.start(1) for found in _CHARACTER.finditer(text, start, end) if found[1]]
        characters = "".join([text[place] for place in places])
    else:  # in one line
        places = range(start, start + len(characters))
    characters = characters.translate(_STANDARD)
    usable = len(characters) - (len(characters) % 4 == 1)
    read = base64.b64decode(characters[:usable] + "=" * (-usable % 4)).decode("latin-1")
    for run in _READS.finditer(read):
        yield Base64View(run[0], places, end, run.start())
