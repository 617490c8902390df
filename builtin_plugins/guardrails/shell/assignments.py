"""Assignments: what variables are set to, and which of them make other programs run something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..paths import UNKNOWN, is_unknown, plain
from .state import NOTHING, Stream
from .words import NOTHING as EMPTY
from .words import SPLIT, text_of, tilde

if TYPE_CHECKING:
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
        *("GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "SHELLOPTS", "BASHOPTS", "ZDOTDIR", "PYTHONHOME", "GLOBIGNORE"),
    )
)
_PREFIXES: Final = ("LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG")
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
                shell.state.arrays[name] = tuple(members)
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
    text = plain(tilde(shell.state, shell.word(value)).replace(EMPTY, "").replace(SPLIT, " "))
    if target.type == "subscript":
        shell.state.arrays.pop(name, None)
        text = UNKNOWN
    if any(each.type == "+=" for each in node.children):
        text = shell.state.variables.get(name, UNKNOWN) + text
    look_at(shell, name, text)
    return name, text


def look_at(shell: Interpreter, name: str, text: str) -> None:
    """Note what a variable makes other programs do: run its value, or something from where it points to."""
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
    if re.match(r"(?:declare|typeset|local)\s+-\w*n", text_of(node)):
        shell.findings.opaque("a variable that names another one")
    return assign(shell, node, stdin)


def unset(shell: Interpreter, node: Any, _: Stream) -> Stream:
    """Take `unset`."""
    for name in text_of(node).split()[1:]:
        shell.state.arrays.pop(name, None)
        shell.state.functions.pop(name, None)
        shell.state.assign(name, "")
    return NOTHING


def forget(shell: Interpreter, text: str) -> None:
    """Let variables that arithmetic may change be unknown."""
    for name in _ARITHMETIC.findall(text):
        shell.state.assign(name, UNKNOWN)
