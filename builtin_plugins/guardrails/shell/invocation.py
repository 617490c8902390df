"""One call of a program: its options, what it is given, and how what it does is noted."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..acts import Act
from ..hosts import SCHEME, hosts_of_url, is_glob, with_port
from ..paths import BELOW, DOWNLOADED, NAME, UNKNOWN, is_unknown, plain, quoted, readable
from .flow import NOTHING, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .interpreter import Interpreter


_LONGEST_LINE: Final = 1_000
_OF_THE_SHELL: Final = ("time", "coproc", "noglob")
"""Words in front of a command that leave it to the shell, functions and all."""


def hidden(script: str) -> str:
    """Return a script in which a parameter that nobody knows stands for what is unknown of it."""
    return re.sub(f"[{UNKNOWN}{BELOW}{NAME}{DOWNLOADED}]", "${_}", script)


@dataclass(slots=True)
class Options:
    """What stands behind a program's name."""

    flags: set[str] = field(default_factory=set)
    """Options without a value, letters apart: ``-r``, ``--recursive``."""
    values: dict[str, list[str]] = field(default_factory=dict)
    """Words behind options that take one."""
    operands: list[str] = field(default_factory=list)
    """The other words."""

    def has(self, *names: str) -> bool:
        """Whether one of these options is given; long ones may be cut, as GNU programs let them be."""
        return any(
            flag == name or (flag.startswith("--") and len(flag) > 3 and name.startswith(flag))  # noqa: PLR2004
            for name in names
            for flag in (*self.flags, *self.values)
        )

    def of(self, *names: str) -> list[str]:
        """Return the values that these options have."""
        return [
            value
            for option, values in self.values.items()
            if any(option == name or (option.startswith("--") and name.startswith(option)) for name in names)
            for value in values
        ]


@dataclass(slots=True)
class Invocation:
    """A program, called with some words."""

    shell: Interpreter
    name: str
    words: list[str]
    """Without the name."""
    stdin: Stream = NOTHING
    variables: Mapping[str, str] = field(default_factory=dict)
    program: str = ""
    """How rules see the program; its name by default."""

    def __post_init__(self) -> None:
        self.program = self.program or self.name

    @property
    def line(self) -> str:
        """The call as text, what is unknown as an ellipsis."""
        text = " ".join([self.program, *(readable(word) for word in self.words)])
        if len(text) <= _LONGEST_LINE:
            return text
        return f"{text[:_LONGEST_LINE]}… ({hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]})"

    @property
    def texts(self) -> list[str]:
        """The words as plain text."""
        return [plain(word) for word in self.words]

    def options(self, valued: str = "", *, until_operand: bool = False) -> Options:
        """Take options apart.

        Args:
            valued: Options that take a value, with blanks between: ``-o --output``; in `-o`, the value may follow
                in the same word.
            until_operand: Whether the first operand ends the options, as it does where a command follows.
        """
        takes = valued.split()
        found = Options()
        coming = iter(self.words)
        for word in coming:
            text = plain(word)
            if text == "--":
                found.operands += coming
            elif len(text) < 2 or text[0] != "-":  # noqa: PLR2004
                found.operands.append(word)
                if until_operand:
                    found.operands += coming
            elif text.startswith("--"):
                self._long(word, takes, coming, found)
            else:
                self._letters(word, takes, coming, found)
        return found

    def _long(self, word: str, takes: list[str], coming: Iterable[str], found: Options) -> None:
        name, equals, _ = plain(word).partition("=")
        if equals:
            found.values.setdefault(name, []).append(word[len(name) + 1 :])
        elif any(each == name or (len(name) > 3 and each.startswith(name)) for each in takes):  # noqa: PLR2004
            found.values.setdefault(name, []).append(next(iter(coming), ""))
        else:
            found.flags.add(name)

    def _letters(self, word: str, takes: list[str], coming: Iterable[str], found: Options) -> None:
        text = plain(word)
        if text in takes and len(text) > 2:  # noqa: PLR2004 - find's and java's way: -name
            found.values.setdefault(text, []).append(next(iter(coming), ""))
            return
        for place, letter in enumerate(text[1:], start=1):
            option = f"-{letter}"
            if option in takes:
                value = word[place + 1 :] if len(text) > place + 1 else next(iter(coming), "")
                found.values.setdefault(option, []).append(value)
                return
            found.flags.add(option)

    # -- what it does ----------------------------------------------------------------------------------

    def does(self, what: str, why: str = "") -> None:
        """Note an act that is about no file and no host."""
        self.shell.findings.add(Act(what, self.program, self.line, why=why))

    def opaque(self, why: str) -> None:
        """Note that the call cannot be judged."""
        self.shell.findings.opaque(why, self.program, self.line)

    def path(self, does: str, word: str, *, recursive: bool = False) -> None:
        """Note that a path is read, written, deleted or opened."""
        self.shell.touches(does, word, program=self.program, words=self.line, recursive=recursive)

    def paths(self, does: str, words: Iterable[str], *, recursive: bool = False) -> None:
        """Note the same of several paths."""
        for word in words:
            self.path(does, word, recursive=recursive)

    def connect(self, host: str) -> None:
        """Note that a host is reached; an unknown one is opaque too."""
        known = not is_unknown(host)
        self.shell.findings.add(Act("connect", self.program, self.line, host=with_port(host) if known else ""))
        if not known:
            self.opaque("connects to a host that is only known when it runs")

    def into(self, target: str, names: Iterable[str]) -> None:
        """Note that something is written to a place, or into it where that is a directory."""
        self.path("write", target)
        for name in names:
            last = name.rstrip("/").rpartition("/")[2]
            self.path("write", f"{target.rstrip('/')}/{BELOW if plain(last) in ('', '.', '..', '*') else last}")

    def listed(self, word: str = "-") -> list[str]:
        """Return the names that a list of files has, each on a line; unknown where nobody can know them here.

        Args:
            word: The list's own name; what flows in by default.
        """
        stream = self.stdin if plain(word) == "-" else self.shell.content(word)
        if stream.text is None or stream.origin == "unknown":
            return list(stream.items) or [UNKNOWN]
        return [quoted(line) for line in stream.text.splitlines() if line]

    def url(self, word: str) -> None:
        """Note where an address leads."""
        text = plain(word)
        scheme = SCHEME.match(text)
        if scheme and scheme[0].lower() == "file://":
            self.path("read", word[len(scheme[0]) :])
            return
        authority = text[scheme.end() if scheme else 0 :].partition("/")[0]
        if is_unknown(authority) or is_glob(text):
            self.connect(UNKNOWN)
            return
        for host in hosts_of_url(text):
            self.shell.findings.add(Act("connect", self.program, self.line, host=host))

    def command(self, words: list[str], stdin: Stream | None = None) -> Stream:
        """Take a command that this one runs."""
        if not words:
            return NOTHING
        self.shell.direct = self.name not in _OF_THE_SHELL
        return self.shell.run(words, self.stdin if stdin is None else stdin, self.variables)

    def partly(self, script: str) -> None:
        """Note what is unknown of a script."""
        if DOWNLOADED in script:
            self.does("download-run", "runs what was just downloaded")
        elif is_unknown(script):
            self.opaque("a script that is only known in part")

    def shell_text(self, word: str, positional: tuple[str, ...] = (), stdin: Stream | None = None) -> Stream:
        """Take a script that this command has a shell run."""
        text = plain(word)
        self.partly(text)
        state = self.shell.state.child(self.variables, positional)
        return self.shell.nested(hidden(text), state, self.stdin if stdin is None else stdin)
