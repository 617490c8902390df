"""What a shell knows while it runs a script: variables, functions, where it is, what it wrote.

A command that may not run, or that may run after another one that would have changed the same thing, leaves both
possible: what is set in a branch is unknown behind it, unless it is the same on every way there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from ..paths import UNKNOWN, is_unknown, path_pattern, plain
from .flow import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST: Final = 32_768
"""Characters of a script that is parsed, and of a value that is remembered."""
_MOST_DIRECTORIES: Final = 4
MOST_WAYS: Final = 32
"""Places from which a function or loop is left that are told apart."""
_NO_FUNCTION: Final = (None,)
RUNS_WHEN_COUNTED: Final = re.compile(r"\w\[[^\]]*(?:\$\(|`)", re.ASCII)
"""Text that runs a command where a shell takes it for a number: ``a[$(...)]``."""


@dataclass(slots=True)
class State:
    """One shell; a subshell has a copy."""

    cwds: tuple[str, ...]
    """Where it may be."""
    home: str
    start: tuple[str, ...] = ()
    """Where the session works."""
    variables: dict[str, str] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    """Variables that a shell which this one starts has for certain."""
    readonly: set[str] = field(default_factory=set)
    arrays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """Bodies that a name may have; None where it may be no function. Any: nodes of the parser, which has no types."""
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Texts that a name may stand for."""
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
    """How many conditions stand around what is looked at: what is set there may not be."""
    history: dict[str, str] = field(default_factory=dict)
    """The value that a variable always had; unknown where it had several. Shared by all shells of a script."""
    traps: list[tuple[str, State]] = field(default_factory=list)
    """Scripts for later, and how things stood when they were set. Shared by all shells of a script."""
    left: list[State] = field(default_factory=list)
    """How things stood where a function or loop was left early."""

    def copy(self) -> State:
        """Return a subshell's state; what it finds out about files counts for the parent too."""
        return replace(
            self,
            variables=dict(self.variables),
            exported=set(self.exported),
            arrays=dict(self.arrays),
            functions=dict(self.functions),
            aliases=dict(self.aliases),
        )

    def snapshot(self) -> State:
        """Return the state as it is now, for `merge`."""
        kept = self.copy()
        kept.files, kept.links, kept.copies = dict(self.files), dict(self.links), dict(self.copies)
        return kept

    def child(self, variables: Mapping[str, str], positional: tuple[str, ...]) -> State:
        """Return the state of a shell that this one starts; it has no variables but those that are exported."""
        known = {name: value if name in self.exported else UNKNOWN for name, value in self.variables.items()}
        fresh = State(self.cwds, self.home, self.start, {**known, **variables}, positional=positional)
        fresh.exported = self.exported | set(variables)
        fresh.files, fresh.links, fresh.copies = self.files, self.links, self.copies
        fresh.history, fresh.traps = self.history, self.traps
        fresh.variables.pop("IFS", None)
        return fresh

    def merge(self, other: State) -> None:
        """Leave possible what another state has: one of both is real."""
        for name in self.variables.keys() | other.variables.keys():
            if self.variables.get(name) != other.variables.get(name):
                self.variables[name] = UNKNOWN
        for name in self.arrays.keys() | other.arrays.keys():
            if self.arrays.get(name) != other.arrays.get(name):
                self.arrays[name] = (UNKNOWN,)
        for name in self.functions.keys() | other.functions.keys():
            bodies = [*other.functions.get(name, _NO_FUNCTION), *self.functions.get(name, _NO_FUNCTION)]
            self.functions[name] = tuple(dict.fromkeys(bodies))
        for name, texts in other.aliases.items():
            self.aliases[name] = tuple(dict.fromkeys([*texts, *self.aliases.get(name, ())]))
        if self.positional != other.positional:
            self.positional = None
        self.exported &= other.exported
        self.readonly |= other.readonly
        self._stand(dict.fromkeys([*self.cwds, *other.cwds]))

    # -- what commands change --------------------------------------------------------------------------

    def assign(self, name: str, value: str) -> None:
        """Give a variable a value."""
        self.arrays.pop(name, None)
        unset = name not in self.variables and name != "IFS"
        maybe = self.branching and (unset or self.variables.get(name, value) != value)
        self.put(name, UNKNOWN if maybe or name in self.readonly else value)

    def put(self, name: str, value: str) -> None:
        """Let a variable have a value for certain."""
        value = value if len(value) <= LONGEST else UNKNOWN
        self.variables[name] = value
        self.history[name] = value if self.history.get(name, value) == value else UNKNOWN

    def later(self) -> State:
        """Return the state of this shell at any time from now on."""
        then = self.snapshot()
        then.positional, then.arrays = None, {}
        for name, value in then.variables.items():
            if self.history.get(name) != value:
                then.variables[name] = UNKNOWN
        return then

    def assign_all(self, name: str, members: tuple[str, ...]) -> None:
        """Give an array its members."""
        self.arrays[name] = (UNKNOWN,) if self.branching or name in self.readonly else members

    def export(self, name: str) -> None:
        """Let a variable be there for programs."""
        if not self.branching:
            self.exported.add(name)

    def define(self, name: str, body: Any) -> None:
        """Define a function (any: a node of the parser, which has no types)."""
        self.functions[name] = (*self.functions.get(name, _NO_FUNCTION), body) if self.branching else (body,)
        self.called.discard(name)

    def undefine(self, name: str, *, certain: bool) -> None:
        """Let a name be no function any more, for certain or perhaps."""
        if certain and not self.branching:
            self.functions.pop(name, None)
        elif name in self.functions:
            self.functions[name] = tuple(dict.fromkeys([*self.functions[name], None]))

    def take(self, positional: tuple[str, ...] | None) -> None:
        """Change the arguments."""
        self.positional = None if self.branching and positional != self.positional else positional

    def leave(self) -> None:
        """Note that a function or loop may be left here."""
        self.left.append(self.snapshot())

    def wrote(self, path: str, stream: Stream) -> None:
        """Remember what was written to a file; of what is written twice, too little is known."""
        before = self.files.get(path)
        if before is not None and before != stream:
            download = "download" in (before.origin, stream.origin)
            stream = Stream(origin="download" if download else "unknown")
        self.files[path] = stream

    def go(self, word: str, *, certain: bool) -> None:
        """Change the directory; stay in the old one too where it may not work."""
        there = [self.resolved(word, cwd) for cwd in self.cwds]
        stay = () if certain and not self.branching else self.cwds
        self.stayed = tuple(cwd for cwd in stay if cwd not in there)
        self._stand(dict.fromkeys([*there, *stay]))

    def _stand(self, cwds: Mapping[str, None]) -> None:
        self.cwds = tuple(cwds) if len(cwds) <= _MOST_DIRECTORIES else (UNKNOWN,)

    def resolved(self, word: str, cwd: str) -> str:
        """Return a path as text that later words can build on."""
        if is_unknown(word) or any(each in word for each in "*?["):
            head = word.partition(UNKNOWN)[0]
            return f"{head.rpartition('/')[0]}/{UNKNOWN}" if head.startswith("/") else UNKNOWN
        known = not is_unknown(cwd) or plain(word).startswith("/")
        return path_pattern(word, cwd, self.links).text if known else UNKNOWN
