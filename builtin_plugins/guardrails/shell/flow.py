"""What flows between commands, and the acts that are found while a script is read."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..acts import Act

MOST_ACTS: Final = 400
MOST_STEPS: Final = 4_000
"""Nodes of the syntax tree that are looked at, however often: what bounds the time of one judgement."""
DEEPEST: Final = 40


class TooLongError(Exception):
    """A script needs more steps than a judgement may take."""


class Stream(NamedTuple):
    """What flows out of one command and into the next."""

    text: str | None = None
    """All of it, where that is known."""
    items: tuple[str, ...] = ()
    """The words it consists of, as far as each is known."""
    origin: str = ""
    """``download``, ``decoded`` or ``file``, and empty where there is nothing special."""

    @property
    def there(self) -> bool:
        """Whether anything flows."""
        return self.text is not None or bool(self.items) or bool(self.origin)


NOTHING: Final = Stream()
SOMETHING: Final = Stream(origin="unknown")


def joined(streams: list[Stream]) -> Stream:
    """Return what flows out of several commands, one after another."""
    there = [each for each in streams if each.there]
    if len(there) <= 1:
        return there[0] if there else NOTHING
    for origin in ("download", "decoded"):
        if any(each.origin == origin for each in there):
            return Stream(origin=origin)
    if all(each.text is not None for each in there):
        known = all(each.origin == "text" for each in there)
        return Stream("".join(each.text or "" for each in there), origin="text" if known else "unknown")
    return SOMETHING


class Findings:
    """The acts that were found so far, and how much work may still be done."""

    def __init__(self) -> None:
        self.acts: dict[Act, None] = {}
        self.steps = 0
        self.depth = 0

    def add(self, act: Act) -> None:
        """Note an act.

        Raises:
            TooLongError: There are too many already.
        """
        self.acts[act] = None
        if len(self.acts) > MOST_ACTS:
            raise TooLongError

    def opaque(self, why: str, program: str = "", words: str = "") -> None:
        """Note that something cannot be judged."""
        self.add(Act("opaque", program, words, why=why))

    def step(self, amount: int = 1) -> None:
        """Count work.

        Raises:
            TooLongError: There was too much already.
        """
        self.steps += amount
        if self.steps > MOST_STEPS:
            raise TooLongError
