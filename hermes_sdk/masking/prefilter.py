"""Says at once which of many patterns can occur in a text, so that only those are searched one by one.

A set of google-re2 reads a text once for all patterns, in linear time, some twenty times as fast as a loop.
It knows no lookaround, so it is given each pattern without: what it finds too much costs a search and no more.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hermes_sdk.masking.kinds import Kind

re2: Any
try:
    import re2  # type: ignore[import-untyped,import-not-found,unused-ignore,no-redef]
except ImportError:  # the extra `re2` is not installed: every pattern is searched
    re2 = None

_PIECE: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\(|\)|[^\\\[()]+", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_MEMORY: Final = 64 << 20
"""Bytes that the set's automaton may grow to: it is built as texts are read, and started anew when full."""


@cache
def compiled_by_re2(source: str) -> Any:
    """Return a pattern of google-re2, which takes linear time on any text; its classes are those of ASCII.

    Raises:
        re2.error: The pattern has what cannot be searched in linear time, such as lookaround, or is no pattern.
    """
    options = re2.Options()
    options.log_errors = False
    return re2.compile(source, options=options)


class Prefilter:
    """Which searches a text needs.

    Args:
        hints: The kinds with what a text has for each of their sources, in the order in which they are searched.
    """

    def __init__(self, hints: Sequence[tuple[Kind, str]]) -> None:
        self._every = range(len(hints))
        self._unknown = [place for place, (kind, _) in enumerate(hints) if not kind.flags & re.ASCII]
        self._set = self._built(hints) if re2 else None

    def needed(self, text: str) -> Iterable[int]:
        """Return the places of all searches that can find something in `text`, in order."""
        if self._set is None:
            return self._every
        # One byte a character: no pattern of ours tells a question mark from what is not ASCII.
        found = set(self._set.Match(text.encode("ascii", "replace")))
        if len(self._every) not in found:  # the automaton gave up, and does not say so
            return self._every
        return sorted({*found, *self._unknown} - {len(self._every)})

    def _built(self, hints: Sequence[tuple[Kind, str]]) -> Any:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.log_errors = False
        options.max_mem = _MEMORY
        patterns = re2.Set.SearchSet(options)
        for place, (kind, hint) in enumerate(hints):
            weaker = without_lookaround(hint)
            try:
                patterns.Add(f"(?i){weaker}" if kind.any_case else weaker)
            except re2.error:
                patterns.Add("[^\\x00-\\xff]")  # matches nothing, and keeps the place
                self._unknown.append(place)
        patterns.Add(r"\z")  # matches every text, at its end only: each match that is seen costs time
        try:
            patterns.Compile()
        except re2.error:  # more patterns than the memory holds
            return None
        return patterns


def without_lookaround(pattern: str) -> str:
    """Return a pattern that matches wherever `pattern` does, in the syntax of re2."""
    kept = []
    groups: list[bool] = []  # of each open group, whether it is a lookaround
    for piece in _PIECE.findall(pattern):
        if piece.startswith("("):
            groups.append(piece != "(")
        if not any(groups):
            kept.append(_with_vertical_tab(piece))
        if piece == ")":
            groups.pop()
    return "".join(kept)


def _with_vertical_tab(piece: str) -> str:
    r"""Write out ``\s``, which has one character less in re2."""
    if piece == r"\s":
        return r"[\t-\r ]"
    return _ESCAPE.sub(lambda escape: r"\t-\r " if escape[1] == "s" else escape[0], piece)
