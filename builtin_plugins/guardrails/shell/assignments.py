"""Assignments: what variables are set to, and which of them make other programs run something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..paths import UNKNOWN, is_unknown, plain
from .flow import NOTHING, Stream
from .state import RUNS_WHEN_COUNTED
from .words import NOTHING as EMPTY
from .words import SPLIT, text_of, tilde

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .interpreter import Interpreter

_ARITHMETIC: Final = re.compile(r"([A-Za-z_]\w*)(?:\+\+|--|\s*[-+*/%&|^]?=(?!=))", re.ASCII)
_HOLDS_A_COMMAND: Final = frozenset(
    (
        *("PROMPT_COMMAND", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "GIT_SSH_COMMAND", "GIT_SSH"),
        *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS"),
        *("RSYNC_RSH", "CVS_RSH", "GIT_PROXY_COMMAND", "PS4", "SUDO_ASKPASS", "FCEDIT", "LESSOPEN", "LESSCLOSE"),
    )
)
"""Variables whose value some program gives to a shell."""
_CHANGES_PROGRAMS: Final = frozenset(
    (
        *("BASH_ENV", "ENV", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "TAR_OPTIONS", "GIT_DIR"),
        *("MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "PERL5LIB", "RUBYLIB"),
        *("HERMES_HOME", "HERMES_SAFE_MODE", "HERMES_ACCEPT_HOOKS"),
        *("GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "SHELLOPTS", "BASHOPTS", "ZDOTDIR", "PYTHONHOME", "GLOBIGNORE"),
    )
)
_PREFIXES: Final = ("LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "GIT_TRACE")
_NODE_RUNS: Final = re.compile(r"--(?:require|import|loader|experimental-loader|inspect)|-r\b")


def assign(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    """Take one or several assignments (nodes are Any: the parser has no types)."""
    for each in [node] if node.type == "variable_assignment" else node.named_children:
        if each.type == "variable_assignment":
            name, value = assignment(shell, each)
            shell.state.assign(name, value)
            array = each.child_by_field_name("value")
            if array is not None and array.type == "array":
                members = [word for one in array.named_children for word in shell.words(one)]
                shell.state.assign_all(name, tuple(members))
        else:
            shell.visit(each, stdin)
    return NOTHING


def assignment(shell: Interpreter, node: Any) -> tuple[str, str]:
    """Return the name and the value, as plain text, of one assignment."""
    target = node.child_by_field_name("name")
    name = re.split(r"\[", text_of(target), maxsplit=1)[0]
    value = node.child_by_field_name("value")
    if target.type == "subscript":
        for index in target.named_children[1:]:  # it may run something: x[$(...)]=1
            shell.word(index)
    if value is None:
        return name, ""
    if value.type == "array":
        members = [word for each in value.named_children for word in shell.words(each)]
        return name, plain(members[0]) if members else ""
    parts = shell.word(value).replace(SPLIT, " ").split(":")
    text = plain(":".join(tilde(shell.state, part) for part in parts).replace(EMPTY, ""))
    if target.type == "subscript":
        shell.state.arrays.pop(name, None)
        text = UNKNOWN
    if any(each.type == "+=" for each in node.children):
        text = shell.state.variables.get(name, UNKNOWN) + text
    look_at(shell, name, text)
    return name, text


def take_assignment(shell: Interpreter, text: str) -> str:
    """Take ``name=value`` as a word of a command; returns the name."""
    name, equals, value = text.partition("=")
    name = name.removesuffix("+")
    if equals:
        look_at(shell, name, value)
        shell.state.assign(name, value if text[len(name)] == "=" else UNKNOWN)
    return name


def attributes(shell: Interpreter, command: str, flags: str, names: Iterable[str]) -> None:
    """Take the options of `declare`, `export` and the like."""
    if set(flags) & set("niluc") and command not in ("export", "readonly"):
        shell.findings.opaque("a variable whose value the shell changes, or that names another one")
    if "f" in flags and (command == "export" or "x" in flags):
        shell.findings.opaque("a function for other shells")
    for name in names:
        if command == "export" or "x" in flags:
            shell.state.export(name)
        if command == "readonly" or "r" in flags:
            shell.state.readonly.add(name)


def look_at(shell: Interpreter, name: str, text: str) -> None:
    """Note what a variable makes other programs do: run its value, or something from where it points to."""
    if RUNS_WHEN_COUNTED.search(text):
        shell.findings.opaque("a value that runs something where it is taken for a number")
    if name in _HOLDS_A_COMMAND and text:
        if is_unknown(text):
            shell.findings.opaque(f"{name} holds a command that is only known when it runs")
        else:
            shell.nested(text, shell.state.child({}, ()))
    if name in _CHANGES_PROGRAMS or name.startswith(_PREFIXES) or (name == "NODE_OPTIONS" and _NODE_RUNS.search(text)):
        shell.findings.opaque(f"{name} makes other programs run something")
    first = text.partition(":")[0]
    known = (UNKNOWN, "/usr/", "/bin", "/sbin", "/opt/", shell.state.home)
    if name == "PATH" and text and not first.startswith(known):
        shell.findings.opaque("PATH is changed, so that names may mean other programs")


def declare(shell: Interpreter, node: Any, stdin: Stream) -> Stream:
    """Take `declare`, `local`, `export` and the like."""
    assign(shell, node, stdin)
    flags = "".join(text_of(each)[1:] for each in node.named_children if text_of(each).startswith(("-", "+")))
    names = [text_of(each.child_by_field_name("name") or each) for each in node.named_children]
    attributes(shell, node.children[0].type, flags, names)
    return NOTHING


def unset(shell: Interpreter, node: Any, _: Stream) -> Stream:
    """Take `unset`."""
    forgotten(shell, [text_of(each) for each in node.named_children])
    return NOTHING


def forgotten(shell: Interpreter, words: list[str]) -> None:
    """Take the words of `unset`."""
    flags = "".join(word[1:] for word in words if word.startswith("-"))
    for name in words:
        if "f" in flags or "v" not in flags:
            shell.state.undefine(name, certain="f" in flags)
        if "f" not in flags:
            shell.state.assign(name, "")


def forget(shell: Interpreter, text: str) -> None:
    """Let variables that arithmetic may change be unknown."""
    for name in _ARITHMETIC.findall(text):
        shell.state.assign(name, UNKNOWN)
