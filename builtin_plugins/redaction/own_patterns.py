"""Judges patterns from the user's settings: one that hostile output could turn into a hang is refused.

Where google-re2 is installed, it runs what it can run: it needs linear time, whatever the pattern. The rest, and
everything where it is not installed, is for Python's `re`, which backtracks. What a pattern can cost from one starting
point is then, at worst, the number of ways in which its repeats and branches can be chosen; that number is estimated
from the pattern's text and must stay small. A repeat without a limit is fine at the very end, where no choice is ever
taken back. The estimate errs on the strict side: it does not see that two neighbouring repeats can never match the same
character. A pattern that it lets pass is run by `re` in any case, so that it means the same everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hermes_sdk.masking.prefilter import compiled_by_re2, re2

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


def needs_re2(pattern: str) -> bool:
    """Return whether a pattern is valid, but cheap on any text only where google-re2 runs it.

    Raises:
        UnsafePatternError: Nothing could run it safely, or google-re2 could and is not installed.
        re.error: It is no regular expression.
    """
    compiled = re.compile(pattern)
    if compiled.flags & re.VERBOSE:
        raise UnsafePatternError("verbose patterns are not read; write it without (?x)")
    if compiled.match(""):
        raise UnsafePatternError("it matches an empty text, so it would match everywhere")
    try:
        _check_ways(pattern)
    except UnsafePatternError as error:
        if re2 is None:
            raise UnsafePatternError(f"{error}; or install google-re2: pip install 'hermes-sdk[re2]'") from None
        try:
            compiled_by_re2(pattern)
        except re2.error:  # lookaround, a back reference, a very large repeat
            raise error from None
        return True
    return False


def _check_ways(pattern: str) -> None:
    ways = _ways(pattern)
    if ways > MOST_WAYS:
        shown = f"about {ways:,}" if ways < _TOO_MANY else "countless"
        raise UnsafePatternError(
            f"it can match in {shown} ways from one place (at most {MOST_WAYS:,}): repeat fewer things, or "
            "with tighter limits, such as {8,40}"
        )


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
