"""The command of an entry: words without a shell, and where its files are (semantics 8, `command`; seed S9).

A relative path means a file of the home, never one of the directory that the agent happens to work in: a checkout must
not be able to put its own script in the place of a gate.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

IS_WINDOWS: Final = os.name == "nt"

_OPERATOR: Final = re.compile(r"[|;<>]|&&|^&|&$")
"""What a shell would take for an operator in a word; a ``&`` inside of one is left alone, as URLs have it."""

_VARIABLE: Final = re.compile(r"\$(\w+|\{|\()|`")
_PLAIN_WORD: Final = re.compile(r"[\w@%+=:,./~-]+", re.ASCII)

_INLINE: Final[Mapping[str, str]] = {"python": "cm", "shell": "c", "node": "ep", "ruby": "e", "perl": "eE"}
"""Interpreters, and the options by which their code comes from the command line or an installed module."""

_INTERPRETERS: Final[Mapping[str, re.Pattern[str]]] = {
    "python": re.compile(r"python[\d.]*(\.exe)?"),
    "shell": re.compile(r"(sh|bash|dash|zsh|ksh)(\.exe)?"),
    "node": re.compile(r"node(\.exe)?"),
    "ruby": re.compile(r"ruby[\d.]*(\.exe)?"),
    "perl": re.compile(r"perl[\d.]*(\.exe)?"),
}


class CommandError(ValueError):
    """A command that would not do what its author expects."""


def split_command(command: str, *, windows: bool | None = None) -> list[str]:
    """Return the words of a command.

    Args:
        command: As it is written in config.yaml.
        windows: Whether backslashes are part of a path; None: as the system has it.

    Raises:
        CommandError: It is empty, its quotes do not match, or it needs a shell.
    """
    words = _split_windows(command) if (IS_WINDOWS if windows is None else windows) else _split_posix(command)
    if not words or not words[0]:
        raise CommandError("the command is empty")
    return words


def joined(words: Sequence[str]) -> str:
    """Return a list of words as the one text that consent is given to; `split_command` gives the words back."""
    return " ".join(word if _PLAIN_WORD.fullmatch(word) else shlex.quote(word) for word in words)


def _split_posix(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandError(f"the command cannot be split into words: {str(error).lower()}") from None
    for bare in _unquoted(command):
        if _OPERATOR.search(bare):
            raise CommandError(_needs_shell(f"the shell operator {bare!r}", command))
        if _VARIABLE.search(bare):
            raise CommandError(_needs_shell(f"{bare!r}", command))
    return words


def _needs_shell(what: str, command: str) -> str:
    way_out = f"put it into a script, or write: sh -c {shlex.quote(command)}"
    return f"the command has {what}, but no shell reads it: {way_out} (quotes keep it as it stands)"


def _unquoted(command: str) -> list[str]:
    """Return the words of a command with everything that is quoted or escaped left out of them."""
    bare = re.sub(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", "\0", command, flags=re.DOTALL)
    return [word.replace("\0", "") for word in bare.split()]


def _split_windows(command: str) -> list[str]:
    if command.count('"') % 2:
        raise CommandError("the command has a quotation mark without its partner")
    words = [part.replace('"', "") for part in re.findall(r'(?:[^\s"]|"[^"]*")+', command)]
    if words and not command.lstrip().startswith('"') and "\\" in words[0] and not Path(words[0]).suffix:
        raise CommandError(f"the program {words[0]!r} looks cut at a blank: put the path into double quotes")
    return words


def resolve(words: Sequence[str], home: Path) -> list[str]:
    """Return the words with ``~`` expanded and the script found: relative to the home, never to where one stands."""
    found = [os.path.expanduser(word) if word.startswith("~") else word for word in words]  # noqa: PTH111 - words
    for position in {0, script_position(found)} - {None}:
        found[position or 0] = _from_home(found[position or 0], home)
    return found


def script_position(words: Sequence[str]) -> int | None:
    """Return which word names the script: the interpreter's first argument that is no option, else the program.

    None where the code is on the command line, comes from a module, or from standard input.
    """
    options = _inline_options(words[0])
    if options is None:
        return 0
    for position, word in enumerate(words[1:], start=1):
        if word == "-":
            return None
        if not word.startswith("-"):
            return position
        # short options may be joined with each other and with their value: sh -ec '...', python -c'...'
        if not word.startswith("--") and (word[1] in options or word[-1] in options):
            return None
    return None


def _inline_options(program: str) -> str | None:
    name = Path(program).name
    kind = next((kind for kind, pattern in _INTERPRETERS.items() if pattern.fullmatch(name)), None)
    return None if kind is None else _INLINE[kind]


def _from_home(word: str, home: Path) -> str:
    if "/" in word and not os.path.isabs(word):  # noqa: PTH117 - a word, perhaps of another system
        return str(home / word.removeprefix("./"))
    return word


def find_program(word: str, path: str) -> str | None:
    """Return where a program is: as written when it has a slash, else by the absolute directories of PATH."""
    if "/" in word:
        return word if os.path.exists(word) else None  # noqa: PTH110 - on the way of every hook call
    absolute = os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part))  # noqa: PTH117
    return shutil.which(word, path=absolute) if absolute else None


def script_of(words: Sequence[str]) -> Path | None:
    """Return the file that a resolved command runs: the interpreter's script, else the program; None where unknown."""
    position = script_position(words)
    if position is None or (position == 0 and "/" not in words[0]):
        return None
    return Path(words[position])
