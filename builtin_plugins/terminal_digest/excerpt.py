"""Output of any other kind: test runs, builds, logs. Chooses lines by what an agent reads output for."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TROUBLE: Final = re.compile(
    r"(?:error|exception|traceback|fatal|fail|panic|denied|refused|not found|cannot|undefined|warn|abort|assert"
    r"|segfault|segmentation|killed|timed? ?out|conflict|no such|unable to|err!)(?!\w*[._/-]\w)|^E  |^> |^not ok\b",
    re.IGNORECASE,
)
"""The words, but not in a name such as ``errors.py``; and how pytest marks the line that failed."""
_NONE: Final = re.compile(r"\b(?:0|no) (?:errors?|warnings?|fail(?:ed|ures?)?)\b", re.IGNORECASE)
"""What says in the same words that there is no trouble."""
_PASSED: Final = re.compile(r"\bPASS(?:ED)?\b|\.\.\. ok$")
"""How test runners mark what went well, whatever its name says."""
_VARIABLE: Final = re.compile(r"0x[0-9a-fA-F]+|[0-9a-f]{8,}|[0-9]+")
_HEAD: Final = 3
_TAIL: Final = 30
_ALIKE: Final = 2
"""So many lines of one shape are kept; of the others one learns the number."""
_BEFORE: Final = 2
_AFTER: Final = 4
_EXAMPLE: Final = 80
_NOTE: Final = 60
"""Characters that a note takes, roughly."""


def is_trouble(line: str) -> bool:
    """Whether a line says that something went wrong."""
    return _TROUBLE.search(_NONE.sub("", line)) is not None and not _PASSED.search(line)


def excerpt(lines: list[str], size: int) -> list[str]:
    """Return the lines that matter most, in their order, with a note for each gap.

    A third is for the end and a sixth for the beginning; then comes what looks like trouble, then the lines around
    it, then lines of a shape that was not there yet, until about `size` characters are used.
    """
    shapes = [_VARIABLE.sub("#", line) for line in lines]
    seen: Counter[str] = Counter()
    new = []
    for number, shape in enumerate(shapes):
        seen[shape] += 1
        if seen[shape] <= _ALIKE:
            new.append(number)
    trouble = list(map(is_trouble, lines))
    kept: set[int] = set()
    _choose(kept, lines, size // 3, reversed(range(max(len(lines) - _TAIL, 0), len(lines))))
    _choose(kept, lines, size // 6, range(min(_HEAD, len(lines))))
    _choose(
        kept, lines, size - sum(len(lines[number]) + 1 for number in kept), _by_importance(len(lines), new, trouble)
    )
    return list(_with_notes(lines, shapes, trouble, kept))


def _by_importance(count: int, new: list[int], trouble: list[bool]) -> Iterator[int]:
    troubled = [number for number in new if trouble[number]]
    yield from troubled
    for number in troubled:
        yield from range(max(number - _BEFORE, 0), min(number + _AFTER + 1, count))
    yield from new


def _choose(kept: set[int], lines: list[str], size: int, numbers: Iterable[int]) -> None:
    for number in numbers:
        if number in kept:
            continue
        size -= len(lines[number]) + 1 + (0 if {number - 1, number + 1} & kept else _NOTE)
        if size < 0:
            break
        kept.add(number)


def _with_notes(lines: list[str], shapes: list[str], trouble: list[bool], kept: set[int]) -> Iterator[str]:
    gap: list[int] = []
    for number, line in enumerate(lines):
        if number not in kept:
            gap.append(number)
            continue
        if gap:
            yield _note(lines, shapes, trouble, gap)
            gap = []
        yield line
    if gap:
        yield _note(lines, shapes, trouble, gap)


def _note(lines: list[str], shapes: list[str], trouble: list[bool], gap: list[int]) -> str:
    parts = [f"{len(gap):,} {'line' if len(gap) == 1 else 'lines'} left out"]
    troubled = sum(trouble[number] for number in gap)
    if troubled:
        parts.append(f"{troubled:,} of them with errors or warnings")
    (shape, count), *_ = Counter(shapes[number] for number in gap).most_common(1)
    if count > 1 and shape.strip():
        example = next(lines[number] for number in gap if shapes[number] == shape)
        parts.append(f"{count:,} like: {example.strip()[:_EXAMPLE]}")
    return f"[... {'; '.join(parts)} ...]"
