"""What can be said about the files of an entry without starting anything (seed S38)."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from hermes_sdk.shell_hooks.command import find_program, script_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hermes_sdk.shell_hooks.entries import ShellEntry

Level = Literal["ok", "note", "wrong"]
"""How a check came out; ``note``: worth knowing, nothing to mend."""

_HEAD: Final = 1 << 16
"""Bytes of a script that are looked at."""

_BINARY: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe", b"MZ")
_BOM: Final = b"\xef\xbb\xbf"
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    """``program``, ``executable``, ``shebang``, ``line ends``, ``consent``, ``drift``, ``answer``, ``time``, ..."""
    level: Level
    text: str
    """What was found, and what to do about it."""


def inspect_files(entry: ShellEntry, environment: Mapping[str, str]) -> Iterator[Check]:
    """Yield what can be said about an entry's program and script; nothing is run.

    Args:
        entry: An entry that starts a program; for http there is nothing to look at.
        environment: What its script would inherit.
    """
    if not entry.argv:
        return
    program = find_program(entry.argv[0], environment.get("PATH", os.defpath))
    script = script_of(list(entry.argv))
    if program is None:
        yield Check("program", "wrong", f"there is no program {entry.argv[0]}: correct the command or install it")
        return
    direct = script is not None and str(script) == entry.argv[0]
    if not direct:
        yield Check("program", "ok", program)
    if script is None:
        return
    head = _head(script)
    if isinstance(head, Check):
        yield head
        return
    if direct:
        yield _executable(script)
        yield _shebang(script, head, environment)
    else:
        yield Check("script", "ok", str(script))
    yield from _line_ends(entry, head, direct=direct)


def _head(script: Path) -> bytes | Check:
    try:
        with script.open("rb") as stream:
            return stream.read(_HEAD)
    except FileNotFoundError:
        return Check("script", "wrong", f"there is no script {script}")
    except IsADirectoryError:
        return Check("script", "wrong", f"{script} is a directory")
    except OSError as error:
        return Check("script", "wrong", f"{script} cannot be read: {error.strerror}")


def _executable(script: Path) -> Check:
    if os.access(script, os.X_OK):
        return Check("executable", "ok", str(script))
    return Check("executable", "wrong", f"it has no execute permission; run: chmod +x {script}")


def _shebang(script: Path, head: bytes, environment: Mapping[str, str]) -> Check:
    if head.startswith(_BINARY):
        return Check("shebang", "ok", "a compiled program needs none")
    if head.startswith(_BOM):
        return Check("shebang", "wrong", "a byte order mark stands in front of it; save the file without one")
    if not head.startswith(b"#!"):
        return Check("shebang", "wrong", "the first line names no interpreter; begin with #!/usr/bin/env bash or so")
    line = head.partition(b"\n")[0]
    if line.endswith(b"\r"):
        text = "its line ends with a carriage return, so the interpreter is not found"
        return Check("shebang", "wrong", f"{text}; run: sed -i 's/\\r$//' {script}")
    words = line[2:].decode("utf-8", "replace").split()
    missing = _missing_interpreter(words, environment)
    if missing:
        return Check("shebang", "wrong", missing)
    return Check("shebang", "ok", " ".join(words))


def _missing_interpreter(words: list[str], environment: Mapping[str, str]) -> str:
    if not words:
        return "it names no interpreter"
    if not Path(words[0]).exists():
        return f"there is no interpreter {words[0]}"
    if Path(words[0]).name == "env":
        named = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        if named and shutil.which(named, path=environment.get("PATH", os.defpath)) is None:
            return f"{words[0]} finds no {named} on the PATH that the script gets"
    return ""


def _line_ends(entry: ShellEntry, head: bytes, *, direct: bool) -> Iterator[Check]:
    """Yield a finding for a shell script with Windows line ends; other interpreters do not mind them."""
    if b"\r\n" not in head or head.startswith(_BINARY):
        return
    first = head.partition(b"\n")[0].decode("utf-8", "replace").strip()
    words = first[2:].split() if direct and first.startswith("#!") else [entry.argv[0]]
    if any(Path(word).name in _SHELLS for word in words):
        text = "Windows line ends (CRLF), which shells take for part of the command"
        yield Check("line ends", "wrong", f"{text}; save the file with LF, or run: sed -i 's/\\r$//' on it")
