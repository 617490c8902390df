"""Judges patterns from the user's settings: one that hostile output could turn into a hang is refused.

Python's `re` backtracks. What a pattern can cost from one starting point is, at worst, the number of ways in
which its repeats and branches can be chosen; that number is estimated from the pattern's text and must stay
small. A repeat without a limit is fine at the very end, where no choice is ever taken back. The estimate errs
on the strict side: it does not see that two neighbouring repeats can never match the same character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MOST_WAYS: Final = 1_000
"""How many ways a pattern may match from one starting point."""

_TOO_MANY: Final = 10**9
_COUNT: Final = re.compile(r"\{(\d*)(,?)(\d*)\}")
_SPECIAL_GROUP: Final = re.compile(r"\(\?(P<\w+>|<?[=!]|>|[aiLmsu]*(?:-[ims]+)?:|[aiLmsu]+\))")


class UnsafePatternError(ValueError):
    """A pattern is valid but is refused; the text says why and where."""


@dataclass(slots=True)
class _Group:
    """The part of a pattern between two parentheses, or all of it."""

    ways: int = 1
    branches: int = 1
    atom: int = 1
    """Ways of the last atom, which a quantifier behind it repeats; not yet part of `ways`."""

    def start_atom(self, ways: int = 1) -> None:
        self.ways = min(self.ways * self.atom, _TOO_MANY)
        self.atom = ways

    @property
    def total(self) -> int:
        return min(self.ways * self.atom * self.branches, _TOO_MANY)


def check(pattern: str) -> re.Pattern[str]:
    """Compile `pattern` if it is valid and cheap on any text.

    Raises:
        UnsafePatternError: It matches an empty text, refers back, or has too many ways to match.
        re.error: It is no regular expression.
    """
    compiled = re.compile(pattern)
    if compiled.flags & re.VERBOSE:
        raise UnsafePatternError("verbose patterns are not read; write it without (?x)")
    if compiled.match(""):
        raise UnsafePatternError("it matches an empty text, so it would match everywhere")
    ways = _ways(pattern)
    if ways > MOST_WAYS:
        shown = f"about {ways:,}" if ways < _TOO_MANY else "countless"
        raise UnsafePatternError(
            f"it can match in {shown} ways from one place (at most {MOST_WAYS:,}): repeat fewer things, or "
            "with tighter limits, such as {8,40}"
        )
    return compiled


def _ways(pattern: str) -> int:
    groups = [_Group()]
    position = 0
    while position < len(pattern):
        character = pattern[position]
        group = groups[-1]
        if character == "(":
            position = _open_group(pattern, position, groups)
        elif character == ")":
            groups.pop()
            groups[-1].start_atom(group.total)
            position += 1
        elif character == "|":
            group.branches += 1
            position += 1
        elif character in "*+?" or (character == "{" and _COUNT.match(pattern, position)):
            position = _repeat(pattern, position, group)
        else:
            group.start_atom()
            position = _after_character(pattern, position)
    return groups[0].total


def _after_character(pattern: str, position: int) -> int:
    """Return where a character, an escape or a class such as ``[a-z]`` ends."""
    if pattern[position] == "\\":
        if pattern[position + 1] in "123456789":
            raise UnsafePatternError(f"it refers back to a group at position {position}")
        return position + 2
    if pattern[position] != "[":
        return position + 1
    position += 2 if pattern.startswith("[^", position) else 1
    if pattern.startswith("]", position):
        position += 1
    while pattern[position] != "]":
        position += 2 if pattern[position] == "\\" else 1
    return position + 1


def _open_group(pattern: str, position: int, groups: list[_Group]) -> int:
    if not pattern.startswith("(?", position):
        groups.append(_Group())
        return position + 1
    special = _SPECIAL_GROUP.match(pattern, position)
    if special is None:
        raise UnsafePatternError(f"a back reference, condition or comment at position {position}")
    if not special[1].endswith(")"):
        groups.append(_Group())
    return special.end()


def _repeat(pattern: str, position: int, group: _Group) -> int:
    least, most, end = _limits(pattern, position)
    if pattern[end : end + 1] in {"?", "+"}:
        end += 1
    if most is not None:
        choices = most - least + 1
        power = 1 if group.atom == 1 else group.atom ** min(most, 30)
        group.atom = min(power * choices, _TOO_MANY)
    elif group.atom > 1 or pattern[end:].strip(")"):
        raise UnsafePatternError(
            f"a repeat without a limit at position {position}: give it one, such as {{1,80}}, or put it last"
        )
    return end


def _limits(pattern: str, position: int) -> tuple[int, int | None, int]:
    """Return least and most repeats (None: no limit) and where the pattern goes on."""
    simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    count = _COUNT.match(pattern, position)
    if count is None:
        least, most = simple[pattern[position]]
        return least, most, position + 1
    least = int(count[1] or 0)
    if not count[2]:
        return least, least, count.end()
    return least, int(count[3]) if count[3] else None, count.end()
