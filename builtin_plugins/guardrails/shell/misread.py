r"""Places of a syntax tree where a shell would read something else than the parser did.

The parser's grammar drops a quoted blank at the edge of a word (`a\ ` is read as `a`), and takes what a line's
continuation joins for two words. Both show in the text that lies between the nodes, which is looked at here: what is
not surely read as a shell reads it is opaque.
"""

from __future__ import annotations

import re
from typing import Any, Final

_BLANK: Final = re.compile(rb"(?:[ \t\r\n;]|\\\r?\n)*")
_JOINS: Final = re.compile(rb"(?:\\\r?\n)*")
_OPEN_BLANK: Final = re.compile(rb"(?<!\\)(?:\\\\)*[ \t\n]")
_LITERAL: Final = frozenset(("string", "heredoc_body", "ansi_c_string", "raw_string", "regex", "comment"))
"""Nodes whose own text lies between their children."""
_WORDS: Final = frozenset(
    (
        *("word", "number", "string", "raw_string", "ansi_c_string", "translated_string", "concatenation"),
        *("simple_expansion", "expansion", "arithmetic_expansion", "command_substitution", "process_substitution"),
        *("command_name", "variable_assignment", "brace_expression", "variable_name"),
    )
)
_EXPANDED: Final = frozenset(("simple_expansion", "expansion", "arithmetic_expansion", "command_substitution"))
_LISTS: Final = frozenset(("command", "file_redirect", "declaration_command", "for_statement", "array"))
"""Nodes whose children are words with blanks between them."""
MOST_NODES: Final = 30_000


def misread(root: Any) -> bool:
    """Whether something in a tree is not surely what a shell reads, or the tree too large to look (any: no types)."""
    source = root.text
    start = root.start_byte
    pending = [root]
    seen = 0
    while pending:
        node = pending.pop()
        seen += 1
        if seen > MOST_NODES or _differs(node, source, start):
            return True
        pending += node.children
    return False


def _differs(node: Any, source: bytes, start: int) -> bool:
    children = node.children
    if node.type == "word" and not children:
        return _OPEN_BLANK.search(source[node.start_byte - start : node.end_byte - start]) is not None
    if not children or node.type in _LITERAL:
        return False
    if node.type == "concatenation" and _has_lone_dollar(children):
        return True
    if node.type == "command_substitution" and children[0].type == "$`":
        return True
    listed = node.type in _LISTS
    previous = None
    end = node.start_byte
    for child in children:
        between = source[end - start : child.start_byte - start]
        if not _BLANK.fullmatch(between) or (node.type == "concatenation" and not _JOINS.fullmatch(between)):
            return True
        if child.type == "comment" and previous is not None and previous.is_named and _JOINS.fullmatch(between):
            return True
        if listed and _follows(previous, child) and _JOINS.fullmatch(between):
            return True
        if node.type == "command" and not child.is_named:
            return True
        previous, end = child, child.end_byte
    return not _BLANK.fullmatch(source[end - start : node.end_byte - start])


def _has_lone_dollar(children: list[Any]) -> bool:
    """Whether a ``$`` that expands nothing stands in a word with expansions: some shells do not cut these then."""
    following = [*children[1:], None]
    lone = any(
        each.type == "$" and (after is None or after.type != "string")
        for each, after in zip(children, following, strict=True)
    )
    return lone and any(each.type in _EXPANDED for each in children)


def _follows(previous: Any, child: Any) -> bool:
    return previous is not None and previous.type in _WORDS and child.type in _WORDS
