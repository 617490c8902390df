"""The command of an entry: words without a shell, and where its files are (semantics 8, `command`; seed S9)."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Final

IS_WINDOWS: Final = os.name == "nt"

_OPERATORS: Final = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>", "2>&1", "&>"})
_INTERPRETERS: Final = re.compile(r"(python[\d.]*|sh|bash|dash|zsh|node|ruby|perl)(\.exe)?")
_INLINE: Final = frozenset({"-c", "-e", "-m"})
_VARIABLE: Final = re.compile(r"\$(\w+|\{\w+\}|\()")


class CommandError(ValueError):
    """A command that would not do what its author expects."""


def split_command(command: str, *, windows: bool = IS_WINDOWS) -> list[str]:
    """Return the words of a command.

    Args:
        command: As it is written in config.yaml.
        windows: Whether backslashes are part of a path, as on Windows.

    Raises:
        CommandError: It is empty, its quotes do not match, or it needs a shell.
    """
    words = _split_windows(command) if windows else _split_posix(command)
    if not words:
        raise CommandError("the command is empty")
    return words


def _split_posix(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandError(f"the command cannot be split into words: {str(error).lower()}") from None
    for bare in _unquoted(command):
        if bare in _OPERATORS or bare.startswith(("|", ";", "&&", ">", "<")) or bare.endswith(";"):
            raise CommandError(_needs_shell(f"the operator {bare!r}", command))
        if _VARIABLE.search(bare) or "`" in bare:
            raise CommandError(_needs_shell(f"{bare!r}, which nothing expands", command))
    return words


def _needs_shell(what: str, command: str) -> str:
    return f"the command has {what}, but no shell reads it: put it into a script, or write sh -c {shlex.quote(command)}"


def _unquoted(command: str) -> list[str]:
    """Return the words of a command with everything that is quoted or escaped left out of them."""
    bare = re.sub(r"\\.|'[^']*'|\"(\\.|[^\"\\])*\"", "\0", command)
    return [word.replace("\0", "") for word in bare.split()]


def _split_windows(command: str) -> list[str]:
    words = [part.strip('"') for part in re.findall(r'(?:[^\s"]|"[^"]*")+', command)]
    if command.count('"') % 2:
        raise CommandError("the command has a quotation mark without its partner")
    bare = command.lstrip()
    if words and not bare.startswith('"') and "\\" in words[0] and not Path(words[0]).suffix:
        raise CommandError(f"the program {words[0]!r} looks cut at a space: put the path into double quotes")
    return words


def resolve(words: list[str], home: Path) -> list[str]:
    """Return the words with ``~`` expanded and the script found: relative to the home, never to where one stands."""
    expanded = [os.path.expanduser(word) if word.startswith("~") else word for word in words]  # noqa: PTH111 - words
    expanded[0] = _from_home(expanded[0], home)
    if _INTERPRETERS.fullmatch(Path(expanded[0]).name):
        for position, word in enumerate(expanded[1:], start=1):
            if word in _INLINE:
                break
            if not word.startswith("-"):
                expanded[position] = _from_home(word, home)
                break
    return expanded


def _from_home(word: str, home: Path) -> str:
    if "/" in word and not os.path.isabs(word):  # noqa: PTH117 - a word, perhaps of another system
        return str(home / word.removeprefix("./"))
    return word


def find_program(word: str, path: str) -> str | None:
    """Return where a program is: as written when it has a slash, else by the absolute directories of PATH."""
    if "/" in word:
        return word if Path(word).exists() else None
    absolute = os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part))  # noqa: PTH117
    return shutil.which(word, path=absolute) if absolute else None


def script_of(words: list[str]) -> Path | None:
    """Return the file that a resolved command runs: the interpreter's script, else the program; None where unknown."""
    if _INTERPRETERS.fullmatch(Path(words[0]).name):
        for word in words[1:]:
            if word in _INLINE:
                return None
            if not word.startswith("-"):
                return Path(word)
        return None
    return Path(words[0]) if "/" in words[0] else None
