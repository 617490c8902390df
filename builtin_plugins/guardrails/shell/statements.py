"""Statements of a script: sequences, conditions, loops, functions, pipelines, commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..paths import BELOW, NAME, UNKNOWN, plain
from .assignments import assign, assignment, declare, forget, unset
from .expansions import WORDS
from .flow import NOTHING, SOMETHING, Stream, joined
from .redirections import REDIRECTS, redirect, wrote
from .words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .interpreter import Interpreter
    from .state import State

_MOST_TURNS: Final = 8
_CHANGES_VARIABLES: Final = frozenset(("test_command", "arithmetic_expansion", "c_style_for_statement"))


def _block(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    return shell.each(node.named_children, stdin)


def other(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    """Look for commands inside of a node that has no meaning of its own here."""
    if node.type == "ERROR":
        shell.findings.opaque("syntax that is not understood")
    elif node.type in WORDS:
        shell.word(node)
        return NOTHING
    elif node.type in _CHANGES_VARIABLES:
        forget(shell, text_of(node))
    return shell.each(node.named_children, stdin)


def _subshell(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    outer, shell.state = shell.state, shell.state.copy()
    try:
        return shell.each(node.named_children, stdin)
    finally:
        shell.state = outer


def _list(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    left, *rest = node.named_children
    state: State = shell.state
    printed = [shell.visit(left, stdin)]
    skipped = state.snapshot()
    chained = any(child.type == "&&" for child in node.children)
    if chained and _ends_in_cd(left) and not {"cd"} & (state.functions.keys() | state.aliases.keys()):
        # what follows only runs where `cd` worked
        state.cwds = tuple(cwd for cwd in state.cwds if cwd not in state.stayed) or state.cwds
    printed += [shell.visit(each, stdin) for each in rest]
    state.merge(skipped)
    return joined(printed)


def _ends_in_cd(node: Any) -> bool:
    while node.type == "list" and any(child.type == "&&" for child in node.children):
        node = node.named_children[-1]
    return node.type == "command" and text_of(node.child_by_field_name("name")) == "cd"


def _pipeline(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    return _stages(shell, node.named_children, stdin)


def _stages(shell: Interpreter, nodes: Iterable[Any], stream: Stream) -> Stream:
    for node in nodes:
        if node.type == "comment":
            continue
        outer, shell.state = shell.state, shell.state.copy()
        try:
            stream = shell.visit(node, stream)
        finally:
            shell.state = outer
        if not stream.there:
            stream = SOMETHING
    return stream


def _branches(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    """Take all branches of an `if` or `case`."""
    shell.state.branching += 1
    try:
        shell.each(node.named_children, stdin)
    finally:
        shell.state.branching -= 1
    return SOMETHING


def _loop(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    state: State = shell.state
    before = state.snapshot()
    condition = node.children_by_field_name("condition") if node.type == "while_statement" else []
    starts = {each.start_byte for each in condition}

    def turns() -> Stream:
        for _ in range(2):  # what the first turn assigns, the second may run
            if node.type == "c_style_for_statement":
                forget(shell, text_of(node))
            shell.each(condition, stdin)  # it runs at least once
            state.branching += 1
            shell.each((each for each in node.named_children if each.start_byte not in starts), stdin)
            state.branching -= 1
        return SOMETHING

    shell.leaving(turns)
    for name, value in state.variables.items():
        if value[:1] in (BELOW, NAME):  # the last `read` found nothing
            state.put(name, UNKNOWN)
    state.merge(before)
    return SOMETHING


def _for(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    name = text_of(node.child_by_field_name("variable"))
    given = node.children_by_field_name("value")
    values = [word for each in given for word in shell.words(each)]
    if not given:
        values = list(shell.state.positional or (UNKNOWN,))
    known = [_filled(word) if any(each in word for each in "*?[") else plain(word) for word in values]
    if len(known) > _MOST_TURNS:
        known = [*known[:_MOST_TURNS], UNKNOWN]
    body = node.child_by_field_name("body")
    before = shell.state.snapshot()

    def turns() -> Stream:
        for value in known or [UNKNOWN]:
            shell.state.put(name, UNKNOWN if name in shell.state.readonly else value)
            shell.state.branching += 1
            shell.visit(body, stdin)
            shell.state.branching -= 1
        return SOMETHING

    shell.leaving(turns)
    shell.state.merge(before)
    return SOMETHING


def _filled(word: str) -> str:
    """Return a wildcard's word as a value: names of files, in directories that are known up to the wildcard."""
    head, tail = re.split(r"[*?\[]", word, maxsplit=1)[0], re.split(r"[*?\]]", word)[-1]
    begun = plain(head).rpartition("/")[2]
    if (begun and not begun.strip(".")) or ".." in plain(tail):  # could be `..`
        return plain(head) + UNKNOWN
    between = word[len(head) : len(word) - len(tail)]
    return plain(head) + (BELOW if "/" in between or "**" in between else NAME) + plain(tail)


def _function(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    name = text_of(node.child_by_field_name("name"))
    shell.state.define(name, node.child_by_field_name("body"))
    for each in node.children_by_field_name("redirect"):
        redirect(shell, each, [], stdin)
    return NOTHING


def _redirected(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    body = node.child_by_field_name("body")
    redirects = [each for each in node.named_children if each.type in REDIRECTS]
    extra: list[str] = []
    into: list[tuple[str, ...]] = []
    for each in redirects:
        stdin, target = redirect(shell, each, extra, stdin)
        into += [target] if target else []
    if body is None:
        printed = SOMETHING
    elif body.type == "command":
        printed = _command(shell, body, stdin, extra)
    else:
        if extra:
            shell.findings.opaque("words behind a redirection")
            shell.run(extra)
        printed = shell.visit(body, stdin)
    wrote(shell, into, printed)
    for each in redirects:
        printed = _after_heredoc(shell, each, printed)
    return NOTHING if into else printed


def _after_heredoc(shell: Interpreter, node: Any, printed: Stream) -> Stream:
    """Take what the parser puts into a here-document: the rest of its first line."""
    if node.type != "heredoc_redirect":
        return printed
    for child in node.named_children:
        if child.type == "pipeline":
            printed = _stages(shell, child.named_children, printed)
        elif child.type not in ("heredoc_start", "heredoc_body", "heredoc_end", *REDIRECTS, *WORDS):
            printed = joined([printed, shell.visit(child, NOTHING)])
    return printed


def _plain_command(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    return _command(shell, node, stdin, [])


def _command(shell: Interpreter, node: Any, stdin: Stream, extra: list[str]) -> Stream:
    variables: dict[str, str] = {}
    words: list[str] = []
    into: list[tuple[str, ...]] = []
    behind: list[str] = []
    for child in node.named_children:
        if child.type == "variable_assignment":
            name, value = assignment(shell, child)
            variables[name] = value
        elif child.type in REDIRECTS:
            stdin, target = redirect(shell, child, behind, stdin)
            into += [target] if target else []
        elif child.type == "command_name":
            words += shell.words(child.named_children[0]) if child.named_children else [plain(text_of(child))]
        elif child.type != "comment":
            words += shell.words(child)
    words += behind + extra
    if not words:
        for name, value in variables.items():
            shell.state.assign(name, value)
        return NOTHING
    printed = shell.run(words, stdin, variables)
    wrote(shell, into, printed)
    return NOTHING if into else printed


HANDLERS: Final[dict[str, Callable[[Interpreter, Any, Stream], Stream]]] = {
    "program": _block,
    "compound_statement": _block,
    "do_group": _block,
    "negated_command": _block,
    "subshell": _subshell,
    "list": _list,
    "pipeline": _pipeline,
    "if_statement": _branches,
    "case_statement": _branches,
    "while_statement": _loop,
    "for_statement": _for,
    "c_style_for_statement": _loop,
    "function_definition": _function,
    "redirected_statement": _redirected,
    "command": _plain_command,
    "variable_assignment": assign,
    "variable_assignments": assign,
    "declaration_command": declare,
    "unset_command": unset,
}
"""Kind of node -> what takes it; `other` takes every kind that is not here."""
