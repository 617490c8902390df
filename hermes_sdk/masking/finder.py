"""Finds secrets in a text and puts something else in their place."""

from __future__ import annotations

import re
from operator import attrgetter, itemgetter
from secrets import randbelow
from typing import TYPE_CHECKING, Final, NamedTuple

from hermes_sdk.masking import base64_views, views, wrapped
from hermes_sdk.masking.kinds import Kind, compiled
from hermes_sdk.masking.prefilter import Prefilter, compiled_by_re2
from hermes_sdk.masking.stand_ins import CONTEXT, Candidate, anything

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    Placeholder: TypeAlias = Callable[[str, str], str]
    """Is given the name of a kind and a secret, and returns what stands in its place."""
    Put: TypeAlias = Callable[[str, str, str], str]
    """Is also given what the text has there, which may be encoded."""

_DEPTH: Final = 3
"""Disguises in each other: base64 of JSON with escapes is two."""
_ROUNDS: Final = 4
"""What was masked may have stood in the way of another secret, or have hidden another disguise."""
_HINTS: Final = (*views.HINTS, wrapped.BLOCK_HINT, base64_views.HINT)
"""Of what can be read differently, in the set that says what can be found."""
_OPENS: Final = "[redacted:"
PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z][a-z0-9-]{0,39}:[0-9]{1,18}\]")
"""What plugins put in a secret's place: its kind and its number."""
_LONGEST: Final = 70
"""Characters of a placeholder."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Half a character, which google-re2 cannot be given."""
_MARK: Final = re.compile(r"\[redacted:[a-z0-9-]+:[0-9]{18}\]")


class Found(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    value: str
    """As it is meant: decoded, in one line."""

    @property
    def length(self) -> int:
        """How much of the text it takes."""
        return self.end - self.start


class Finder:
    """Replaces secrets, in linear time. Safe to use from several threads.

    Args:
        kinds: What to look for, in this order.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        kinds = tuple(kinds)
        self._searches = tuple((kind, source) for kind in kinds for source in kind.sources)
        self._named = frozenset(kind.name for kind in kinds if kind.any_case)
        self._hints = tuple(range(len(self._searches), len(self._searches) + len(_HINTS)))
        hints = [(kind, hint) for kind in kinds for hint in kind.hints or kind.sources]
        self._prefilter = Prefilter([*hints, *((Kind("hint", (hint,)), hint) for hint in _HINTS)])

    def replace(self, text: str, placeholder: Placeholder) -> str:
        """Return `text` with every secret replaced, in whatever disguise; the same object when there is none.

        Args:
            text: What somebody is going to see.
            placeholder: Names what stands in a secret's place; no pattern may match that.
        """
        return self._replace(text, lambda kind, value, _: placeholder(kind, value), _DEPTH)

    def _replace(self, text: str, put: Put, depth: int) -> str:
        for _ in range(_ROUNDS):
            before = text
            needed = list(self._prefilter.needed(text))
            read = list(_views(text, [hint in needed for hint in self._hints])) if depth else []
            if read:
                text = self._in_views(text, read, put, depth - 1)
            text = self._plain(text, needed if text is before else list(self._prefilter.needed(text)), put)
            if text is before or not read:
                break
        return text

    # -- as it is written -----------------------------------------------------------------------------------------

    def _plain(self, text: str, needed: list[int], put: Put) -> str:
        for _ in range(_ROUNDS):
            before = text
            places = [place for place in needed if place < len(self._searches)]
            if places:
                text, needed = self._search(text, places, put)
            if text is before or not needed:
                break
        return text

    def _search(self, text: str, places: list[int], put: Put) -> tuple[str, list[int]]:
        """Return the text without what these searches find, and which searches that text needs."""
        lowered: str | None = None
        needed, asked = places, text
        for place in places:
            kind, source = self._searches[place]
            if kind.any_case and text is not asked:  # many names have lost their values: ask again which are left
                needed, asked = list(self._prefilter.needed(text)), text
            if place not in needed:
                continue
            if kind.any_case:
                lowered = lower(text) if lowered is None else lowered
            replaced = _replaced(kind, source, text, lowered if kind.any_case and lowered is not None else text, put)
            if replaced is not text:
                text, lowered = replaced, None
        return text, needed if text is asked else list(self._prefilter.needed(text))

    # -- in disguise ----------------------------------------------------------------------------------------------

    def _in_views(self, text: str, read: list[_Read], put: Put, depth: int) -> str:
        """Return `text` with the secrets replaced that show, or show as a whole, in a view alone."""
        found = [
            Found(*view.place(one.start, one.end), one.kind, one.value)
            for view, joined in read
            for one in self.find(view.text, depth)
            if joined is None or self._goes_on(joined, one)
        ]
        pieces = []
        done = 0
        for one in _merged(text, found, self.find(text, 0)) if found else ():
            pieces += [text[done : one.start], put(one.kind, one.value, text[one.start : one.end])]
            done = one.end
        return "".join([*pieces, text[done:]]) if pieces else text

    def _goes_on(self, joined: wrapped.Joined, found: Found) -> bool:
        """Whether a secret goes on behind a break: where that is certain, and where it is none without."""
        broken = joined.broken(found.start, found.end)
        if broken is None or joined.certain(broken, found.end):
            return broken is not None
        if joined.own[broken] and found.kind in self._named:
            return False
        first = joined.front(broken, found.start)
        return all(one.end < len(first) for one in self.find(first, 0))

    def find(self, text: str, depth: int = _DEPTH) -> list[Found]:
        """Return where secrets are, in order.

        Args:
            text: Any text.
            depth: How many disguises in each other are looked through.
        """
        marks: dict[str, tuple[str, str, int]] = {}
        first = 10**17 + randbelow(8 * 10**17)  # nobody can write these marks in advance

        def mark(kind: str, value: str, taken: str) -> str:
            length = len(taken)
            for inner in _MARK.findall(taken):
                if inner in marks:
                    length += marks[inner][2] - len(inner)
            value = _MARK.sub(lambda inner: marks[inner[0]][1] if inner[0] in marks else inner[0], value)
            placed = f"[redacted:{kind}:{first + len(marks)}]"
            marks[placed] = (kind, value, length)
            return placed

        masked = self._replace(text, mark, depth)
        found = []
        start = done = 0
        for place in _MARK.finditer(masked):
            if place[0] in marks:
                kind, value, length = marks[place[0]]
                start += place.start() - done
                found.append(Found(start, start + length, kind, value))
                start += length
                done = place.end()
        return found


class _Read(NamedTuple):
    view: views.View | base64_views.Base64View
    joined: wrapped.Joined | None = None


def _views(text: str, present: list[bool]) -> Iterator[_Read]:
    """Yield how a text can be read differently, given which of the hints it has."""
    *escapes, blocks, encoded = present
    if any(escapes):
        for view in views.decoded(text, escapes):
            yield _Read(view)
    if blocks:
        for view in wrapped.blocks(text):
            yield _Read(view)
    joined = wrapped.full_lines(text)
    if joined is not None:
        yield _Read(joined.view, joined)
    if encoded:
        for decoded in base64_views.base64_texts(text):
            yield _Read(decoded)


def _merged(text: str, found: list[Found], plain: list[Found]) -> Iterator[Found]:
    """Yield what was found in views, in order; what overlaps is one, and what is written as it is, is left out."""
    as_written = set(map(id, plain))
    together: list[Found] = []
    reach = 0
    last = Found(len(text), len(text), "", "")
    for one in sorted([*plain, *found, last], key=itemgetter(0)):
        if together and one.start >= reach:
            start = together[0].start
            if not any((other.start, other.end) == (start, reach) and id(other) in as_written for other in together):
                longest = max(together, key=attrgetter("length"))
                value = text[start:reach] if id(longest) in as_written else longest.value
                yield Found(start, reach, longest.kind, value)
            together = []
        together.append(one)
        reach = max(reach, one.end)


def _replaced(kind: Kind, source: str, text: str, searched: str, put: Put) -> str:
    if kind.by_re2:
        pattern, searched = compiled_by_re2(source), _SURROGATE.sub("?", searched)
    else:
        pattern = compiled(source, kind.flags)
    group = pattern.groupindex.get("secret", 0)
    placed = _OPENS in text
    if searched is text and not (group or placed or kind.by_re2) and kind.accept is anything:  # nothing to ask about
        masked: str = pattern.sub(lambda match: put(kind.name, match[0], match[0]) if match[0] else "", text)
        return masked
    pieces = []
    done = 0
    for match in pattern.finditer(searched):
        start, end = match.span(group)
        value = text[start:end]
        if not value or (placed and _tears(text, start, end)):
            continue
        if kind.accept is anything or kind.accept(_candidate(text, start, end)):
            pieces += [text[done:start], put(kind.name, value, value)]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _tears(text: str, start: int, end: int) -> bool:
    """Whether this is a placeholder or a part of one, which patterns of users may match."""
    for place in (start, end):
        opens = text.rfind(_OPENS, max(0, place - _LONGEST), place + len(_OPENS) - 1)  # begins before
        found = PLACEHOLDER.match(text, opens) if opens >= 0 else None
        if found is not None and found.end() > place:
            return True
    return PLACEHOLDER.fullmatch(text, start, end) is not None


def _candidate(text: str, start: int, end: int) -> Candidate:
    return Candidate(text[start:end], text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT])


def lower(text: str) -> str:
    """Return `text` in lower case, character for character: U+0130 is the only one that would become two."""
    return text.replace("\u0130", "I").lower()
