"""Builtins that change the shell itself: where it is, its variables and arguments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..paths import UNKNOWN, is_unknown, plain
from .state import NOTHING, SOMETHING, State, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation


def _cd(call: Invocation) -> Stream:
    operands = call.options().operands
    target = operands[0] if operands else call.shell.state.variables.get("HOME", call.shell.state.home)
    state = call.shell.state
    if call.name == "popd" or plain(target) == "-" or (plain(target)[:1] in "+-" and call.name == "pushd"):
        state.cwds, state.stayed = (UNKNOWN,), ()
        return NOTHING
    state.go(target, certain=_is_directory(state, target))
    return NOTHING


def _is_directory(state: State, target: str) -> bool:
    places = [state.resolved(target, cwd) for cwd in state.cwds]
    return all(not is_unknown(place) and Path(place).is_dir() for place in places)


def _read(call: Invocation) -> Stream:
    for word in call.options("-p -t -n -d -u -i -N -O -s -C -c").operands or ["REPLY"]:
        call.shell.state.assign(plain(word), UNKNOWN)
        call.shell.state.arrays[plain(word)] = (UNKNOWN,)
    return NOTHING


def _set(call: Invocation) -> Stream:
    texts = call.texts
    if "--" in texts:
        call.shell.state.positional = tuple(call.words[texts.index("--") + 1 :])
    elif texts and not texts[0].startswith(("-", "+")):
        call.shell.state.positional = tuple(call.words)
    return NOTHING


def _shift(call: Invocation) -> Stream:
    state = call.shell.state
    if state.positional is not None:
        count = int(call.texts[0]) if call.texts and call.texts[0].isdigit() else 1
        state.positional = state.positional[count:]
    return NOTHING


def _let(call: Invocation) -> Stream:
    for text in call.texts:
        call.shell.state.assign(text.partition("=")[0].rstrip("+-*/"), UNKNOWN)
    return NOTHING


def _enable(call: Invocation) -> Stream:
    if call.options("-f").of("-f") or any(text.startswith("-f") for text in call.texts):
        call.opaque("a builtin from a file")
    return NOTHING


def _hash(call: Invocation) -> Stream:
    if call.options("-p").has("-p"):
        call.opaque("a name is given to another program")
    return NOTHING


def _fc(call: Invocation) -> Stream:
    if not call.options("-e").has("-l"):
        call.opaque("a command of the history")
    return SOMETHING


def _shopt(call: Invocation) -> Stream:
    if any(text in ("dotglob", "extglob", "globstar") for text in call.texts) and not call.options().has("-u"):
        call.opaque("an option of the shell that changes what wildcards match")
    return NOTHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _cd),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), _read),
    "set": _set,
    "shift": _shift,
    "let": _let,
    "enable": _enable,
    "fc": _fc,
    "hash": _hash,
    "shopt": _shopt,
}
