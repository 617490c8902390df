"""Walks the syntax tree of a script in the order in which a shell would run it, without running anything.

Both branches of every condition are taken, loops twice, functions where they are called. Whatever the walk does not
understand is noted as opaque, so that a mistake here asks a person too often, and does not let something through.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ..acts import Act
from ..paths import UNKNOWN, path_pattern
from .expansions import WORDS, variable
from .flow import DEEPEST, NOTHING, SOMETHING, Findings, Stream, TooLongError, joined
from .misread import misread
from .state import LONGEST, MOST_WAYS, RUNS_WHEN_COUNTED, State
from .statements import HANDLERS, other
from .words import NOTHING as EMPTY
from .words import encoded, finished, text_of, tilde, unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_TRICKS: Final = re.compile(r"@P\}|\bBASH_(?:CMDS|ALIASES)\b|\b(?:mapfile|readarray)\b[^\n;|&]* -\w*C")
"""Expansion as a prompt, the shell's own tables of commands, a command for each line that is read."""
_SAYS_NAMES: Final = frozenset(("ls", "du", "tree", "stat", "file", "find", "readlink", "realpath", "wc", "git", "zip"))
"""Programs that do not show what is in the files that they read."""
_TEXTS: Final = frozenset(("heredoc_body", "test_operator", "regex", "extglob_pattern"))


@lru_cache(maxsize=1)
def _bash() -> Any:
    """Return the language (Any: its package has no types).

    Raises:
        ImportError: The extra is not installed.
    """
    from tree_sitter import Language
    from tree_sitter_bash import language

    return Language(language())


def _parsed(source: bytes) -> Any:
    """Return a script's tree (Any: see above), from a parser of its own: a parser is not for several threads."""
    from tree_sitter import Parser

    return Parser(_bash()).parse(source)


class Interpreter:
    """Reads scripts for one judgement.

    Args:
        findings: Where acts are noted.
        execute: Told about each simple command: ``execute(interpreter, words, stdin, variables)``.
        state: The shell that the scripts run in.
    """

    def __init__(self, findings: Findings, execute: Callable[..., Stream], state: State) -> None:
        self.findings = findings
        self.state = state
        self.direct = False
        """Whether the next command is run by another program, which knows no functions of the shell."""
        self._execute = execute

    # -- scripts ---------------------------------------------------------------------------------------

    def script(self, text: str, stdin: Stream = NOTHING) -> Stream:
        """Read a script; returns what it prints, as far as that is known."""
        if len(text) > LONGEST:
            self.findings.opaque("a script too long to read")
            return SOMETHING
        if _TRICKS.search(text) or RUNS_WHEN_COUNTED.search(text):
            self.findings.opaque("text that a shell runs where nobody expects it")
        self._enter(DEEPEST)
        try:
            root = _parsed(encoded(text)).root_node
            if root.has_error or "\0" in text:
                self.findings.opaque("syntax that is not understood")
            if misread(root):
                self.findings.opaque("words that a shell may take apart in another way")
            printed = self.each(root.named_children, stdin)
            self._uncalled()
            return printed
        finally:
            self.findings.depth -= 1

    def nested(self, text: str, state: State, stdin: Stream = NOTHING) -> Stream:
        """Read a script that runs in a shell of its own."""
        outer, self.state = self.state, state
        try:
            return self.script(text, stdin)
        finally:
            self.state = outer

    def run(self, words: list[str], stdin: Stream = NOTHING, variables: Mapping[str, str] | None = None) -> Stream:
        """Take one simple command, its words expanded."""
        self.findings.step()
        self._enter(DEEPEST)
        try:
            return self._execute(self, words, stdin, variables or {})
        finally:
            self.findings.depth -= 1

    def call(self, name: str, arguments: list[str], stdin: Stream) -> Stream:
        """Run a function of the script."""
        state = self.state
        state.called.add(name)
        if name in state.calling:
            self.findings.opaque(f"the function {name} calls itself")
            return SOMETHING
        outer = state.positional, state.calling
        state.positional, state.calling = tuple(arguments), (*state.calling, name)
        try:
            return self.leaving(lambda: self._bodies(name, stdin))
        finally:
            state.positional, state.calling = outer

    def leaving(self, visit: Callable[[], Stream]) -> Stream:
        """Take what can be left in the middle: behind it, things are as at its end or as where it was left."""
        state = self.state
        outer, state.left = state.left, []
        printed = visit()
        for left in state.left[:MOST_WAYS]:
            state.merge(left)
        if len(state.left) > MOST_WAYS:
            self.findings.opaque("a script with too many ways through it")
        state.left = [*outer, *state.left]
        return printed

    def _bodies(self, name: str, stdin: Stream) -> Stream:
        return joined([self.visit(body, stdin) for body in self.state.functions[name] if body is not None])

    def _uncalled(self) -> None:
        """Look at functions that nothing here calls: something later may."""
        state = self.state
        for name in [name for name in state.functions if name not in state.called]:
            outer, state.positional = state.positional, None
            state.called.add(name)
            state.branching += 1
            self._bodies(name, NOTHING)
            state.branching -= 1
            state.positional = outer

    def _enter(self, deepest: int) -> None:
        if self.findings.depth >= deepest:
            raise TooLongError
        self.findings.depth += 1

    # -- the tree --------------------------------------------------------------------------------------

    def visit(self, node: Any, stdin: Stream) -> Stream:
        """Take one node; returns what it prints (nodes are Any: the parser has no types)."""
        self.findings.step()
        self._enter(DEEPEST * 4)
        try:
            return HANDLERS.get(node.type, other)(self, node, stdin)
        finally:
            self.findings.depth -= 1

    def each(self, nodes: Iterable[Any], stdin: Stream) -> Stream:
        """Take several nodes, one after another."""
        return joined([self.visit(node, stdin) for node in nodes if node.type != "comment"])

    def words(self, node: Any) -> list[str]:
        """Return the words that one word becomes."""
        return [tilde(self.state, each).replace(EMPTY, "") for each in finished(self.word(node))]

    def word(self, node: Any) -> str:
        """Return one word, expanded as far as it is known."""
        self.findings.step()
        self._enter(DEEPEST * 4)
        try:
            maker = WORDS.get(node.type)
            if maker is not None:
                return maker(self, node)
            if node.named_children and node.type not in _TEXTS:
                self.each(node.named_children, NOTHING)
                return UNKNOWN
            return unescaped(text_of(node))
        finally:
            self.findings.depth -= 1

    def variable(self, name: str) -> str:
        """Return a variable's value as plain text; what nobody set here may be anything."""
        return variable(self.state, name)

    # -- files -----------------------------------------------------------------------------------------

    def touches(
        self, does: str, word: str, *, program: str = "", words: str = "", recursive: bool = False, why: str = ""
    ) -> tuple[str, ...]:
        """Note that a path is read, written or deleted; returns it as it may be named."""
        named = []
        for cwd in self.state.cwds:
            path = path_pattern(word, cwd, self.state.links)
            self.findings.add(Act(does, program, words, path, recursive, why=why))
            if path.unknown and (does != "read" or program not in _SAYS_NAMES):
                self.findings.opaque(f"{does}s what is only known when it runs", program, words)
            named.append(path.text)
        return tuple(named)

    def content(self, word: str) -> Stream:
        """Return what is in a file: known where the script itself wrote it."""
        for cwd in self.state.cwds:
            written = self.state.files.get(path_pattern(word, cwd, self.state.links).text)
            if written is not None:
                return written
        return Stream(origin="file")
