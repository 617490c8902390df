"""Programs that keep terminals for others: what they start there, and what they type."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..paths import plain, quoted
from .flow import SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

_TYPES: Final = re.compile(r"send(-k\w*|-p\w*)?|paste-?b\w*|load-?b\w*|set-?b\w*")
"""Commands of tmux that type into a terminal, or fill what is pasted there; each may be cut."""
_VALUED: Final = "-c -e -f -F -n -s -t -x -y"
_MULTIPLEXER: Final = "-c -f -L -S -T"


def tmux(call: Invocation) -> Stream:
    """Take `tmux`: commands of its own, with `;` between, some of which hold a command of the shell."""
    options = call.options(_MULTIPLEXER, until_operand=True)
    for text in options.of("-c"):
        call.shell_text(text)
    for word in options.of("-f"):
        call.path("read", word)
        call.opaque("commands of tmux in a file")
    own: list[str] = []
    for word in [*options.operands, ";"]:
        if plain(word).endswith(";") and not plain(word).endswith("\\;"):
            own += [word[:-1]] if len(word) > 1 else []
            _one(call, own)
            own = []
        else:
            own.append(word)
    return SOMETHING


def _one(call: Invocation, words: list[str]) -> None:
    """Take one command of tmux. Which of them take one of the shell changes with releases: all words may be one."""
    if not words:
        return
    if _TYPES.fullmatch(plain(words[0])):
        call.opaque("keys that are typed into another terminal")
    elif plain(words[0]).startswith("source"):
        call.opaque("commands of tmux in a file")
    for valued in (_VALUED, ""):  # which options take a value changes from command to command
        rest = replace(call, words=words[1:]).options(valued, until_operand=True).operands
        if rest:
            call.shell_text(quoted(" ").join(rest))
    for word in words[1:]:
        if " " in plain(word):  # if-shell, bind-key and the like hold commands, of the shell or of tmux
            call.shell_text(word)
            _one(call, _words(plain(word)))


def _words(text: str) -> list[str]:
    try:
        return [quoted(each) for each in shlex.split(text)]
    except ValueError:
        return []


def screen(call: Invocation) -> Stream:
    """Take `screen` and the like: a command to start, or one of their own."""
    options = call.options("-c -e -h -p -r -R -s -S -t -T -x", until_operand=True)
    for word in options.of("-c"):
        call.path("read", word)
        call.opaque("commands of screen in a file")
    if options.has("-X"):
        call.opaque("commands for another terminal")
    for program in options.of("-s"):
        call.command([program])
    return call.command(options.operands) if options.operands else SOMETHING


def attached(call: Invocation) -> Stream:
    """Take `dtach` and `abduco`: a socket or a name, then the command."""
    words = [word for word in call.words if not plain(word).startswith("-")]
    return call.command(words[1:]) if words[1:] else SOMETHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    "tmux": tmux,
    "byobu": tmux,
    "screen": screen,
    "dtach": attached,
    "abduco": attached,
}
