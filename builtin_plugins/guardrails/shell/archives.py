"""Archivers: what they pack is read, and what comes out is written somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..paths import plain, quoted
from .flow import SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation


def archive(call: Invocation) -> Stream:
    """Take `tar` and `unzip`: what comes out of an archive is written somewhere."""
    words = call.texts
    if any(
        re.match(r"--(to-command|checkpoint-action|use-compress|rsh|info-script|new-volume)", text) for text in words
    ):
        call.opaque("an archiver that runs a program")
    if call.name == "tar" and words and not words[0].startswith("-"):
        call.words = [quoted(f"-{words[0]}"), *call.words[1:]]
    options = call.options("-f -C -d -I -F --file --directory -X -T -x --files-from")
    if call.name == "tar":
        options = call.options("-f -C -I -F --file --directory -X -T --files-from")
        if options.has("-I", "-F"):
            call.opaque("an archiver that runs a program")
    if call.name in ("tar", "bsdtar") and options.has("-P", "--absolute-names"):
        call.opaque("an archive whose names may lead anywhere")
    for names in options.of("-T", "--files-from"):
        call.paths("read", call.listed(names), recursive=True)
    places = options.of("-C", "--directory", "-d")
    archives = options.of("-f", "--file") or options.operands[:1]
    if call.name == "tar" and not options.has("-x", "--extract", "--get"):
        does = "read" if options.has("-t", "--list") else "write"
        call.paths(does, [each for each in archives if plain(each) != "-"])
        call.paths("read", options.operands, recursive=True)
        return SOMETHING
    call.paths("read", [each for each in archives if plain(each) != "-"])
    for place in places or ["."]:
        call.path("write", place, recursive=not is_start(call, place))
    return SOMETHING


def is_start(call: Invocation, place: str) -> bool:
    """Whether a place is where the session works, and not the home: an archive is unpacked there every day."""
    state = call.shell.state
    found = {state.resolved(place, cwd) for cwd in state.cwds}
    return found <= set(state.start) - {state.home}


def copies(call: Invocation) -> Stream:
    """Take `cpio`, which packs and copies what flows in the names of."""
    options = call.options("-F -O -I -D -E --file --directory")
    if not options.has("-o", "-p", "--create", "--pass-through"):
        return archive(call)
    call.paths("read", call.listed(), recursive=True)
    call.paths("write", [*options.operands, *options.of("-F", "-O", "--file")])
    return SOMETHING


def compress(call: Invocation) -> Stream:
    """Take `zip`: the archive, then what goes into it, or moves there."""
    options = call.options("-b -i -n -P -t -tt -x -TT --unzip-command --temp-path")
    if options.of("-TT", "--unzip-command"):
        call.opaque("an archiver that runs a program")
    call.paths("write", options.operands[:1])
    names = [*options.operands[1:], *(call.listed() if options.has("-@", "--names-stdin") else ())]
    call.paths("delete" if options.has("-m", "--move") else "read", names, recursive=True)
    return SOMETHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(("tar", "unzip", "bsdtar"), archive),
    "cpio": copies,
    "zip": compress,
}
