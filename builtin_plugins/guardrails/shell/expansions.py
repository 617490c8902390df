"""Words of a script: quoting, variables, substitutions, expanded as far as that can be known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..paths import DOWNLOADED, UNKNOWN, plain, quoted
from . import words as rules
from .assignments import forget
from .flow import NOTHING, SOMETHING, Stream
from .parameters import operated
from .words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .interpreter import Interpreter
    from .state import State

_SUBSTITUTIONS: Final = frozenset(("command_substitution", "process_substitution"))
_EXPANSIONS: Final = frozenset(("simple_expansion", "expansion", "arithmetic_expansion", *_SUBSTITUTIONS))
_SPECIAL: Final = {"$": UNKNOWN, "?": UNKNOWN, "!": UNKNOWN, "-": UNKNOWN, "#": UNKNOWN, "_": UNKNOWN, "0": "bash"}
_KEPT_BY_THE_SHELL: Final = frozenset(
    (
        *(
            "_",
            "PWD",
            "OLDPWD",
            "OPTARG",
            "OPTIND",
            "REPLY",
            "MAPFILE",
            "COPROC",
            "RANDOM",
            "SRANDOM",
            "SECONDS",
            "LINENO",
        ),
        *(
            "PIPESTATUS",
            "FUNCNAME",
            "DIRSTACK",
            "EPOCHSECONDS",
            "EPOCHREALTIME",
            "UID",
            "EUID",
            "PPID",
            "GROUPS",
            "match",
        ),
    )
)
"""Variables that a shell sets by itself, whatever a script assigns."""
_ALL_QUOTED: Final = re.compile(r"\$@|\$\{@\}|\$\{(\w+)\[@\]\}")
_ALL: Final = re.compile(r"\$[@*]|\$\{[@*]\}|\$\{(\w+)\[[@*]\]\}")
_ANOTHER_NAME: Final = re.compile(
    r"\$\w+\{(?:[^}]*,)?\w|\$\w+(?:,[^}]*)?\}[\w{]|\$\w+\{(?:,[^}]*|[^}]*,,[^}]*|[^}]*,)\}\w|\$\w+\{[^}]*\{", re.ASCII
)
"""Braces are expanded before variables: ``$x{a,b}`` is ``$xa $xb``."""
_MISREAD: Final = re.compile(r"\$(?=[\w{(@*#?!$-])|`", re.ASCII)


def variable(state: State, name: str) -> str:
    """Return a variable's value as plain text; what nobody set here may be anything."""
    if name.isdigit() and name != "0":
        words = state.positional
        if words is None:
            return UNKNOWN
        return plain(words[int(name) - 1]) if int(name) <= len(words) else ""
    if name in ("@", "*"):
        return UNKNOWN if state.positional is None else " ".join(map(plain, state.positional))
    if name == "PWD" and len(state.cwds) == 1:
        return state.cwds[0]
    if name in _KEPT_BY_THE_SHELL or name.startswith("BASH"):
        return UNKNOWN
    defaults = {"HOME": state.home, "IFS": " \t\n"}
    return state.variables.get(name, defaults.get(name) or _SPECIAL.get(name, UNKNOWN))


def pieces(shell: Interpreter, node: Any, start: int, end: int, literal: Callable[[str], str]) -> str:
    """Return the text of a quoted node; what lies between its expansions is taken from the source itself."""
    source = node.text
    base, parts = node.start_byte, []
    position = start
    for child in node.named_children:
        if child.type not in _EXPANSIONS:
            continue
        parts.append(literal(rules.decoded(source[position - base : child.start_byte - base])))
        parts.append(_as_quoted(shell, child))
        position = child.end_byte
    parts.append(literal(rules.decoded(source[position - base : end - base])))
    return "".join(parts)


def filled(shell: Interpreter, node: Any, start: int, end: int) -> str:
    """Return the text of double quotes or a here-document, its expansions filled in."""

    def literal(text: str) -> str:
        _look_for_expansions(shell, text)
        return rules.in_double_quotes(text)

    return pieces(shell, node, start, end, literal)


# -- literal text --------------------------------------------------------------------------------------------------


def _literal(shell: Interpreter, node: Any) -> str:
    text = text_of(node)
    if any(child.type in _EXPANSIONS for child in node.named_children):
        return pieces(shell, node, node.start_byte, node.end_byte, rules.unescaped)
    return _unquoted(shell, text)


def _look_for_expansions(shell: Interpreter, text: str) -> None:
    if _MISREAD.search(re.sub(r"\\.", "", text, flags=re.DOTALL)):
        shell.findings.opaque("an expansion that the parser takes for text")


def _unquoted(shell: Interpreter, text: str) -> str:
    _look_for_expansions(shell, text)
    return rules.unescaped(text)


def _raw(_: Interpreter, node: Any) -> str:
    return quoted(text_of(node)[1:-1]) or rules.NOTHING


def _ansi(_: Interpreter, node: Any) -> str:
    return rules.ansi_c(text_of(node)[2:-1]) or rules.NOTHING


def _string(shell: Interpreter, node: Any) -> str:
    inner = filled(shell, node, node.start_byte + 1, node.end_byte - 1)
    none = any(_ALL_QUOTED.fullmatch(text_of(child)) for child in node.named_children)  # "$@" of no words is no word
    return inner if none else inner or rules.NOTHING


def _translated(shell: Interpreter, node: Any) -> str:
    if not text_of(node).startswith('$"'):
        shell.findings.opaque("quotes that the parser takes apart in another way")
    return "".join(shell.word(each) for each in node.named_children) or rules.NOTHING


def _concatenation(shell: Interpreter, node: Any) -> str:
    parts, position, source = [], node.start_byte, node.text
    previous = ""
    if _ANOTHER_NAME.search(text_of(node)):
        shell.findings.opaque("braces that make another variable's name")
    for child in node.named_children:
        between = source[position - node.start_byte : child.start_byte - node.start_byte]
        if child.type == "string" and re.search(rb"(?<![\\$])\$\Z", between):  # $"..." is for translation
            between = between[:-1]
        made = shell.word(child)
        before = source[: child.start_byte - node.start_byte]
        expanded = before[-1:] == b"}" and position == child.start_byte and previous in _EXPANSIONS
        if before and made.startswith("~") and (before[-1] not in b"{},:=" or expanded):
            made = quoted("~") + made[1:]  # a home stands at the beginning
        previous = child.type
        parts += [_unquoted(shell, rules.decoded(between)), made]
        position = child.end_byte
    parts.append(_unquoted(shell, rules.decoded(source[position - node.start_byte :])))
    return "".join(parts)


# -- variables -----------------------------------------------------------------------------------------------------


def _as_quoted(shell: Interpreter, child: Any) -> str:
    """Return an expansion inside of double quotes: one word, but for all arguments and all members."""
    many = _ALL_QUOTED.fullmatch(text_of(child))
    if many:
        members = shell.state.arrays.get(many[1]) if many[1] else shell.state.positional
        return UNKNOWN if members is None else rules.SPLIT.join(word + rules.NOTHING for word in members)
    return quoted(_value(shell, child))


def _expansion(shell: Interpreter, node: Any) -> str:
    separators = shell.state.variables.get("IFS", " \t\n")
    many = _ALL.fullmatch(text_of(node))
    if many:
        members = shell.state.arrays.get(many[1]) if many[1] else shell.state.positional
        if members is None:
            return UNKNOWN
        return rules.SPLIT.join(rules.expanded(plain(word), separators) for word in members)
    return rules.expanded(_value(shell, node), separators)


def _value(shell: Interpreter, node: Any) -> str:
    """Return what an expansion stands for, as plain text."""
    if node.type in _SUBSTITUTIONS:
        return plain(_substituted(shell, node))
    if node.type == "arithmetic_expansion":
        forget(shell, text_of(node))
        shell.each(node.named_children, NOTHING)
        return UNKNOWN
    return _parameter(shell, node)


def _parameter(shell: Interpreter, node: Any) -> str:
    text = text_of(node)
    name = text[1:] if node.type == "simple_expansion" else text[2:-1]
    if re.fullmatch(r"\w+|[$?!#_@*-]", name, re.ASCII):
        return shell.variable(name)
    match = re.match(r"(\w+)", name, re.ASCII)
    inner = [each for each in node.named_children if each.type != "variable_name"]
    # what a default would run
    arguments = [rules.tilde(shell.state, shell.word(each)) for each in inner if each.type in WORDS]
    if match is None:
        return UNKNOWN
    return operated(shell, match[1], name[match.end() :], arguments if len(arguments) == len(inner) else [])


# -- substitutions -------------------------------------------------------------------------------------------------


def _substituted(shell: Interpreter, node: Any) -> str:
    """Return what ``$(...)`` prints, or the file that ``<(...)`` gives, as a word."""
    source = text_of(node)
    outer, shell.state = shell.state, shell.state.copy()
    try:
        printed = _printed(shell, node, source)
    finally:
        shell.state = outer
    if node.type == "process_substitution":
        path = f"/dev/fd/{len(shell.state.files) + 63}"
        shell.state.files[path] = printed if printed.there else SOMETHING
        return path
    if printed.text is not None and printed.origin != "unknown":
        return quoted(printed.text.rstrip("\n"))
    if printed.items:
        return " ".join(map(quoted, printed.items))
    return DOWNLOADED if printed.origin == "download" else UNKNOWN


def _printed(shell: Interpreter, node: Any, source: str) -> Stream:
    from .redirections import REDIRECTS, redirect

    if node.type == "command_substitution" and source.startswith("`"):
        if "`" in re.sub(r"\\.", "", source[1:-1], flags=re.DOTALL):
            shell.findings.opaque("backquotes that the parser takes together")
        return shell.script(re.sub(r"\\([$`\\])", r"\1", source[1:-1]))
    children = node.named_children
    if children and all(each.type in REDIRECTS for each in children):
        return redirect(shell, children[0], [], NOTHING)[0]
    return shell.each(children, SOMETHING if source.startswith(">(") else NOTHING)


WORDS: Final[dict[str, Callable[[Interpreter, Any], str]]] = {
    "word": _literal,
    "number": _literal,
    "raw_string": _raw,
    "ansi_c_string": _ansi,
    "string": _string,
    "translated_string": _translated,
    "concatenation": _concatenation,
    "brace_expression": _literal,
    "simple_expansion": _expansion,
    "expansion": _expansion,
    "arithmetic_expansion": _expansion,
    "command_substitution": _expansion,
    "process_substitution": _substituted,
}
"""Kind of node -> what makes a word of it."""
