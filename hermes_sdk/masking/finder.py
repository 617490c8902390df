"""Finds secrets in a text and puts something else in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.masking.kinds import compiled
from hermes_sdk.masking.prefilter import Prefilter
from hermes_sdk.masking.stand_ins import CONTEXT, Candidate, anything

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from hermes_sdk.masking.kinds import Kind

    Placeholder: TypeAlias = Callable[[str, str], str]
    """Is given the name of a kind and a secret, and returns what stands in its place."""


class Finder:
    """Replaces secrets, in linear time. Safe to use from several threads.

    Args:
        kinds: What to look for, in this order.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._searches = tuple((kind, source) for kind in kinds for source in kind.sources)
        self._prefilter = Prefilter(self._searches)

    def replace(self, text: str, placeholder: Placeholder) -> str:
        """Return `text` with every secret replaced; the same object when there is none.

        Args:
            text: What somebody is going to see.
            placeholder: Names what stands in a secret's place; no pattern may match that.
        """
        searched: set[int] = set()
        while places := [place for place in self._prefilter.needed(text) if place not in searched]:
            before, text = text, self._search(text, places, placeholder)
            if text is before:
                break
            searched.update(places)  # what was masked may have stood in the way of another match
        return text

    def _search(self, text: str, places: list[int], placeholder: Placeholder) -> str:
        lowered: str | None = None
        needed = set(places)
        before = text
        for place in places:
            kind, source = self._searches[place]
            if kind.any_case and text is not before:  # many names have lost their values: ask again which are left
                needed.intersection_update(self._prefilter.needed(text))
                before = text
            if place not in needed:
                continue
            if kind.any_case:
                lowered = lower(text) if lowered is None else lowered
            replaced = _replaced(
                kind, source, text, lowered if kind.any_case and lowered is not None else text, placeholder
            )
            if replaced is not text:
                text, lowered = replaced, None
        return text


def _replaced(kind: Kind, source: str, text: str, searched: str, placeholder: Placeholder) -> str:
    pattern = compiled(source, kind.flags)
    group = "secret" if "secret" in pattern.groupindex else 0
    pieces = []
    done = 0
    for match in pattern.finditer(searched):
        start, end = match.span(group)
        value = text[start:end]
        if value and (kind.accept is anything or kind.accept(_candidate(text, start, end))):
            pieces += [text[done:start], placeholder(kind.name, value)]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _candidate(text: str, start: int, end: int) -> Candidate:
    return Candidate(text[start:end], text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT])


def lower(text: str) -> str:
    """Return `text` in lower case, character for character: U+0130 is the only one that would become two."""
    return text.replace("\u0130", "I").lower()
