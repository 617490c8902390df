"""Redirections: files that a command reads and writes without naming them to a program, and here-documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..acts import Act
from ..paths import is_unknown, plain
from .expansions import filled
from .flow import SOMETHING, Stream
from .words import NOTHING as EMPTY
from .words import SPLIT, text_of, tilde

if TYPE_CHECKING:
    from .interpreter import Interpreter

REDIRECTS: Final = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))
_NETWORK: Final = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/(.+)")
_NO_FILES: Final = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_DUPLICATES: Final = (">&", "<&")


def redirect(shell: Interpreter, node: Any, extra: list[str], stdin: Stream) -> tuple[Stream, tuple[str, ...]]:
    """Take one redirection; returns the stdin behind it, and the paths it writes to, if stdout goes there.

    Args:
        shell: Whose command it is.
        node: The redirection (Any: the parser has no types).
        extra: Words behind it that belong to the command are added here.
        stdin: What flew in before.
    """
    if node.type == "herestring_redirect":
        given = (each for each in node.named_children if each.type != "file_descriptor")
        words = [tilde(shell.state, shell.word(each)) for each in given]
        text = plain((words[0] if words else "").replace(EMPTY, "").replace(SPLIT, " "))
        return SOMETHING if is_unknown(text) else Stream(text, origin="text"), ()
    if node.type == "heredoc_redirect":
        return _heredoc(shell, node, extra), _heredoc_targets(shell, node, extra, stdin)
    return _file_redirect(shell, node, extra, stdin)


def wrote(shell: Interpreter, targets: list[tuple[str, ...]], printed: Stream) -> None:
    """Remember what a command printed into files."""
    for paths in targets:
        for path in paths:
            shell.state.wrote(path, printed if printed.there else SOMETHING)


def _file_redirect(shell: Interpreter, node: Any, extra: list[str], stdin: Stream) -> tuple[Stream, tuple[str, ...]]:
    destinations = node.children_by_field_name("destination")
    # the parser takes every word behind a redirection for its target; for a shell only the first one is
    targets = [word for each in destinations[:1] for word in shell.words(each)]
    extra += [word for each in destinations[1:] if not _is_descriptor(each) for word in shell.words(each)]
    descriptor = text_of(node.child_by_field_name("descriptor"))
    operator = next((each.type for each in node.children if not each.is_named), ">")
    if "{" in descriptor:
        shell.findings.opaque("a redirection to a variable's descriptor")
    written: tuple[str, ...] = ()
    for target in targets:
        name = plain(target)
        if operator in _DUPLICATES and (name.rstrip("-").isdigit() or name == "-"):
            if operator == "<&" and name != "-" and not stdin.there:
                stdin = SOMETHING  # what another descriptor gives
            continue
        written += _reaches(shell, operator, target, name)
        if _NETWORK.fullmatch(name):
            stdin = Stream(origin="download")  # a socket flows both ways, and `0>&1` is all it takes
        elif operator.startswith("<") and descriptor in ("", "0"):
            stdin = shell.content(target)
    return stdin, written if descriptor in ("", "1") else ()


def _is_descriptor(node: Any) -> bool:
    """Whether a number that the parser takes for a word stands in front of the next redirection: ``> x 0>&1``."""
    following = node.parent.next_sibling
    return text_of(node).isdigit() and following is not None and following.start_byte == node.end_byte


def _reaches(shell: Interpreter, operator: str, target: str, name: str) -> tuple[str, ...]:
    network = _NETWORK.fullmatch(name)
    if network:
        shell.findings.add(Act("connect", host="" if is_unknown(name) else f"{network[1]}:{network[2]}".lower()))
        return ()
    does = "read" if operator.startswith("<") and operator != "<>" else "write"
    if name in _NO_FILES or name.startswith("/dev/fd/"):
        return ()
    return shell.touches(does, target, why="redirection")


def _heredoc(shell: Interpreter, node: Any, extra: list[str]) -> Stream:
    start = next((each for each in node.named_children if each.type == "heredoc_start"), None)
    body = next((each for each in node.named_children if each.type == "heredoc_body"), None)
    extra += [word for each in node.children_by_field_name("argument") for word in shell.words(each)]
    if body is None or start is None:
        return Stream("")
    if any(mark in text_of(start) for mark in "'\"\\"):
        text = text_of(body)
    else:
        text = plain(filled(shell, body, body.start_byte, body.end_byte).replace(EMPTY, "").replace(SPLIT, " "))
    if any(each.type == "<<-" for each in node.children):
        text = re.sub(r"(?m)^\t+", "", text)
    return Stream(text, origin="unknown" if is_unknown(text) else "text")


def _heredoc_targets(shell: Interpreter, node: Any, extra: list[str], stdin: Stream) -> tuple[str, ...]:
    targets: tuple[str, ...] = ()
    for each in node.named_children:
        if each.type in REDIRECTS:
            targets += redirect(shell, each, extra, stdin)[1]
    return targets
