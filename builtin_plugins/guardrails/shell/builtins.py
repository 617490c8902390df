"""Builtins that change the shell itself: where it is, its variables and arguments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..paths import UNKNOWN, is_unknown, plain
from .assignments import attributes, forgotten, take_assignment
from .flow import NOTHING, SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation


_HARMLESS_OPTIONS: Final = frozenset(
    ("nullglob", "failglob", "nocaseglob", "globstar", "checkwinsize", "histappend", "cmdhist", "inherit_errexit")
)


def _cd(call: Invocation) -> Stream:
    operands = call.options().operands
    target = operands[0] if operands else call.shell.state.variables.get("HOME", call.shell.state.home)
    state = call.shell.state
    if call.name == "popd" or plain(target) == "-" or (plain(target)[:1] in "+-" and call.name == "pushd"):
        state.cwds, state.stayed = (UNKNOWN,), ()
        return NOTHING
    state.go(target, certain=_is_directory(call, target))
    return NOTHING


def _is_directory(call: Invocation, target: str) -> bool:
    state = call.shell.state
    if any(act.does == "delete" for act in call.shell.findings.acts):  # it may be gone by then
        return False
    places = [state.resolved(target, cwd) for cwd in state.cwds]
    return all(not is_unknown(place) and Path(place).is_dir() for place in places)


def _read(call: Invocation) -> Stream:
    items = call.stdin.items
    operands = call.options("-p -t -n -d -u -i -N -O -s -C -c").operands
    for word in operands:
        one = plain(items[0]) if len(items) == 1 and len(operands) == 1 and call.name == "read" else UNKNOWN
        call.shell.state.assign(plain(word), one)
        call.shell.state.assign_all(plain(word), (UNKNOWN,))
    return NOTHING


def _set(call: Invocation) -> Stream:
    words = list(call.words)
    given = False
    while words and plain(words[0])[:1] in ("-", "+") and plain(words[0]) not in ("-", "+"):
        text = plain(words.pop(0))
        given = text == "--"
        if given:
            break
        if text[-1] == "o" and words:
            words.pop(0)
    if words or given:
        call.shell.state.take(tuple(words))
    return NOTHING


def _shift(call: Invocation) -> Stream:
    state = call.shell.state
    if state.positional is not None:
        number = call.texts[0] if call.texts else "1"
        known = number.isdecimal()
        if not known or int(number) <= len(state.positional):  # else it changes nothing
            state.take(state.positional[int(number) :] if known else None)
    return NOTHING


def _leave(call: Invocation) -> Stream:
    call.shell.state.leave()
    return NOTHING


def _declare(call: Invocation) -> Stream:
    r"""Take `declare` and the like where they are no keyword: ``\\export x=1``."""
    flags = "".join(text[1:] for text in call.texts if text[:1] in ("-", "+"))
    names = [take_assignment(call.shell, text) for text in call.texts if text[:1] not in ("-", "+")]
    attributes(call.shell, call.name, flags, names)
    return NOTHING


def _unset(call: Invocation) -> Stream:
    forgotten(call.shell, call.texts)
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
    options = call.options()
    if options.has("-s") and any(text not in _HARMLESS_OPTIONS for text in map(plain, options.operands)):
        call.opaque("an option of the shell that changes how it reads commands")
    return NOTHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _cd),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), _read),
    "set": _set,
    "shift": _shift,
    "let": _let,
    **dict.fromkeys(("return", "break", "continue"), _leave),
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
    "unset": _unset,
    "enable": _enable,
    "fc": _fc,
    "hash": _hash,
    "shopt": _shopt,
}
