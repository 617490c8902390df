"""What a shell knows while it runs a script: variables, functions, where it is, what it wrote."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..acts import Act
from ..paths import UNKNOWN, is_unknown, path_pattern, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ACTS: Final = 400
MOST_STEPS: Final = 4_000
"""Nodes of the syntax tree that are looked at, however often: what bounds the time of one judgement."""
DEEPEST: Final = 40
_MOST_DIRECTORIES: Final = 4


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


@dataclass(slots=True)
class State:
    """One shell; a subshell has a copy."""

    cwds: tuple[str, ...]
    """Where it may be."""
    home: str
    start: tuple[str, ...] = ()
    """Where the session works."""
    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    """Any: nodes of the parser, which has no types."""
    aliases: dict[str, str] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    calling: tuple[str, ...] = ()
    positional: tuple[str, ...] | None = ()
    """Words; None when unknown."""
    files: dict[str, Stream] = field(default_factory=dict)
    """What the script itself wrote, by path."""
    links: dict[str, str] = field(default_factory=dict)
    """Symbolic links that it made, by path."""
    copies: dict[str, str] = field(default_factory=dict)
    """Files that it copied or moved, and where from."""
    stayed: tuple[str, ...] = ()
    """Where the shell is if the last `cd` did not work."""
    branching: int = 0
    """How many conditions stand around what is looked at: what is assigned there may not be."""

    def copy(self) -> State:
        """Return a subshell's state; what it finds out about files counts for the parent too."""
        return replace(self, variables=dict(self.variables), arrays=dict(self.arrays), functions=dict(self.functions))

    def child(self, variables: Mapping[str, str], positional: tuple[str, ...]) -> State:
        """Return the state of a shell that this one starts."""
        fresh = State(self.cwds, self.home, self.start, {**self.variables, **variables}, positional=positional)
        fresh.files, fresh.links, fresh.copies = self.files, self.links, self.copies
        fresh.variables.pop("IFS", None)
        return fresh

    def assign(self, name: str, value: str) -> None:
        """Give a variable a value, which inside of a condition leaves both possible."""
        self.arrays.pop(name, None)
        if self.branching and self.variables.get(name, value) != value:
            value = UNKNOWN
        elif self.branching and name not in self.variables:
            value = UNKNOWN if name != "IFS" else value
        self.variables[name] = value

    def go(self, word: str, *, certain: bool) -> None:
        """Change the directory; stay in the old one too where it may not work."""
        there = [self.resolved(word, cwd) for cwd in self.cwds]
        stay = () if certain and not self.branching else self.cwds
        self.stayed = tuple(cwd for cwd in stay if cwd not in there)
        self.cwds = tuple(dict.fromkeys([*there, *stay]))[:_MOST_DIRECTORIES]

    def resolved(self, word: str, cwd: str) -> str:
        """Return a path as text that later words can build on."""
        if is_unknown(word) or any(each in word for each in "*?["):
            head = word.partition(UNKNOWN)[0]
            return f"{head.rpartition('/')[0]}/{UNKNOWN}" if head.startswith("/") else UNKNOWN
        return (
            path_pattern(word, cwd, self.links).text if not is_unknown(cwd) or plain(word).startswith("/") else UNKNOWN
        )
