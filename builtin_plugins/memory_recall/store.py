"""What both stores can do, and a memory as they give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from contextlib import AbstractContextManager


class StoreError(Exception):
    """The store cannot be used; says what, where, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered text."""

    number: int
    room: str
    """Where it belongs, see `places`."""
    person: str
    """Who said it; empty where that is not known."""
    session: str
    note: bool
    """Whether it was asked for with `/remember`; else it was stated in passing."""
    text: str
    created: float
    """Seconds since the epoch."""
    uses: int = 0
    """Turns that it was recalled in."""


class Candidate(NamedTuple):
    """A memory that may fit a question; read by the hundred, so without its text."""

    number: int
    session: str
    note: bool
    created: float
    uses: int
    words: list[str]
    """Those that were asked for and stand in it."""


class Reader(Protocol):
    """One look at some rooms."""

    @property
    def held(self) -> int:
        """Memories of these rooms."""
        ...

    def frequencies(self, words: Collection[str]) -> dict[str, int]:
        """Return in how many memories each word stands that stands in any."""
        ...

    def near(self, word: str) -> dict[str, float]:
        """Return words of these rooms that are spelled alike, and how much: the share of trigrams that both have."""
        ...

    def holders(self, words: Sequence[Sequence[str]], most: int) -> list[int]:
        """Return the numbers of the newest memories in which all words of any of these groups stand."""
        ...

    def weigh(self, numbers: Collection[int], words: Collection[str]) -> list[Candidate]:
        """Return what memories are weighed by: which of `words` stand in them, and more."""
        ...

    def load(self, numbers: Collection[int]) -> list[Memory]:
        """Return memories whole, in any order."""
        ...


class Store(Protocol):
    """Keeps memories. Safe to use from several threads; its data from several processes."""

    def add(
        self, room: str, person: str, texts: Sequence[str], *, session: str = "", note: bool = False, keep: int
    ) -> list[int]:
        """Store texts and return their numbers, without those that the room has already.

        Args:
            room: Where it belongs.
            person: Who said it.
            texts: What to remember, each on one line.
            session: Where it was said.
            note: Whether they were asked for.
            keep: The oldest others of the room go when there are more than this many; notes stay.
        """
        ...

    def restore(self, memories: Iterable[Memory], *, keep: int) -> tuple[int, int]:
        """Store memories as they are, each under a number of its own, all or none.

        Args:
            memories: Any, but for their numbers; what the room has already is left out.
            keep: As for `add`; the oldest go by when they were made.

        Returns:
            How many were stored, and how many were there already. Those that `keep` drops count as stored.
        """
        ...

    def reading(self, rooms: Iterable[str]) -> AbstractContextManager[Reader]:
        """Look at some rooms."""
        ...

    def used(self, numbers: Collection[int]) -> None:
        """Count one more use of memories."""
        ...

    def select(
        self, *, person: str | None = None, rooms: Collection[str] | None = None, most: int | None = None
    ) -> list[Memory]:
        """Return memories, the newest first.

        Args:
            person: Only what this person said.
            rooms: Only of these rooms.
            most: At most so many.
        """
        ...

    def forget(self, numbers: Collection[int]) -> int:
        """Delete memories, their words from all indexes too, and return how many there were."""
        ...

    def rooms(self) -> dict[str, int]:
        """Return all rooms that hold something, and how many memories."""
        ...

    def describe(self) -> dict[str, str]:
        """Return what the store is, where it is and how large."""
        ...

    def close(self) -> None:
        """Close what is open; what is asked later opens it again."""
        ...
