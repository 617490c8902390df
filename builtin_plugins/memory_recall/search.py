"""Which memories fit a question, and in which order. Reads no more of a store than it has to, however much it holds.

Common words match everything, so that a search for any word of a question reads everything. Here the words are taken
from the rarest on until enough memories are found; those are weighed by all words.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from .words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .store import Candidate, Memory, Reader, Store

_WORDS: Final = 24
_READ_CHARS: Final = 4_000
_ENOUGH: Final = 200
"""Memories that are weighed, about."""
_FEW: Final = 50
"""Memories that have nothing but one common word are weighed while there are no more than this."""
_PAIRED: Final = 3
"""Of words that are all common, so many are looked for in pairs."""
_GUESSED: Final = 3
"""Words that nobody used before and that may be misspelled or inflected: so many are looked up, the longest."""
_ROOMS: Final = 3
"""Rooms of one place, each of which may hold the same text."""
_LEAST: Final = 0.1
"""A memory has at least this share of what the question's known words weigh."""
_NEW: Final = 0.3
"""What being new adds, at most, to what fits as well."""
_USED: Final = 0.05
"""What being used adds, with each doubling; at most three times this."""
_DAY: Final = 86_400


class _Weight(NamedTuple):
    """What a word of the question says about a memory that it stands in."""

    holders: int
    """So many memories it stands in."""
    weight: float


class Search:
    """Finds memories in a store.

    Args:
        store: The store.
        half_life_days: After so many days what a memory gets for being new is halved.
    """

    def __init__(self, store: Store, half_life_days: float) -> None:
        self._store = store
        self._half_life = half_life_days * _DAY

    def find(self, rooms: Iterable[str], text: str, most: int, *, outside: str = "") -> list[Memory]:
        """Return the memories of some rooms that fit a text best, the best one first.

        Args:
            rooms: Where to look.
            text: The question.
            most: At most so many.
            outside: A session whose statements are left out, because the conversation has them already.
        """
        words = words_of(text[:_READ_CHARS], _WORDS)
        if not words:
            return []
        with self._store.reading(rooms) as reader:
            weights = _weights(reader, words)
            if not weights:
                return []
            candidates = reader.weigh(_candidates(reader, weights), weights.keys())
            scored = self._scored(candidates, weights, outside)
            memories = {memory.number: memory for memory in reader.load(scored[: most * _ROOMS])}
        by_text: dict[str, Memory] = {}
        for number in scored:
            if number in memories:
                by_text.setdefault(memories[number].text, memories[number])
        return list(by_text.values())[:most]

    def _scored(self, candidates: list[Candidate], weights: dict[str, _Weight], outside: str) -> list[int]:
        """Return the numbers of what fits well enough, the best one first."""
        whole = sum(weight.weight for weight in weights.values())
        now = time.time()
        scored = []
        for candidate in candidates:
            fits = sum(weights[word].weight for word in candidate.words) / whole
            if fits >= _LEAST and (candidate.note or not outside or candidate.session != outside):
                new = _NEW * 0.5 ** (max(0.0, now - candidate.created) / self._half_life)
                used = _USED * min(3.0, math.log2(1 + candidate.uses))
                scored.append((fits * (1 + new + used), candidate.number))
        return [number for _, number in sorted(scored, reverse=True)]


def _weights(reader: Reader, words: list[str]) -> dict[str, _Weight]:
    """Return what to look for: known words, and words that are spelled like unknown ones; the rarest first."""
    held = reader.frequencies(words)
    likeness = dict.fromkeys(held, 1.0)
    unknown = sorted((word for word in words if word not in held), key=len, reverse=True)
    for word in unknown[:_GUESSED]:
        for alike, share in reader.near(word).items():
            likeness.setdefault(alike, share)
    guessed = likeness.keys() - held.keys()
    held |= reader.frequencies(guessed) if guessed else {}
    return {
        word: _Weight(number, likeness[word] * math.log(1 + reader.held / number))
        for word, number in sorted(held.items(), key=lambda pair: pair[1])
    }


def _candidates(reader: Reader, weights: dict[str, _Weight]) -> list[int]:
    """Return the numbers of memories that are worth weighing."""
    words = list(weights)
    rare, holders = 0, 0
    while rare < len(words) and holders + weights[words[rare]].holders <= _ENOUGH:
        holders += weights[words[rare]].holders
        rare += 1
    found = dict.fromkeys(reader.holders([[word] for word in words[:rare]], _ENOUGH) if rare else ())
    if rare < len(words) and len(found) < _ENOUGH:
        # too many for all of them: those that have a second word too come first, then the newest
        common, *others = words[rare : rare + _PAIRED]
        if others:
            found |= dict.fromkeys(reader.holders([[common, other] for other in others], _ENOUGH - len(found)))
        if len(found) < _FEW:
            found |= dict.fromkeys(reader.holders([[common]], _FEW))
    return list(found)
