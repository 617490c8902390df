"""One simple command: which program it is, and what that program does with its words."""

from __future__ import annotations

import fnmatch
import logging
import re
from typing import TYPE_CHECKING, Final

from ..acts import Act
from ..paths import is_unknown, path_pattern, plain, quoted, readable
from . import (
    archives,
    builtins,
    databases,
    files,
    git,
    languages,
    machine,
    network,
    outputs,
    scripted,
    shells,
    terminals,
    wrappers,
)
from .flow import NOTHING, SOMETHING, Findings, Stream, TooLongError
from .interpreter import Interpreter
from .invocation import Invocation
from .state import RUNS_WHEN_COUNTED, State
from .unknown import TELLTALE, make, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

logger = logging.getLogger(__name__)

_PROGRAMS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **machine.RUNS,
    **databases.RUNS,
    **files.RUNS,
    **archives.RUNS,
    **outputs.RUNS,
    **network.RUNS,
    **shells.RUNS,
    **languages.RUNS,
    **wrappers.RUNS,
    **terminals.RUNS,
    **scripted.RUNS,
    **builtins.RUNS,
    "git": git.git,
    **dict.fromkeys(("make", "gmake", "bmake"), make),
}
_KEYWORDS: Final = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "for", "while", "until", "select", "do", "done", "case", "esac", "in"),
        *("function", "{", "}", "!", "[["),
    )
)
_OF_A_PROCESS: Final = re.compile(r"/proc/[^/]+/(task/[^/]+/)?(exe|fd/\d+|map_files/.*)\Z|/dev/fd/\d+\Z")
_MOST_CANDIDATES: Final = 8


class Reading:
    """What is found out about one tool call.

    Args:
        cwds: Where commands may run.
        home: What ``~`` is.
    """

    def __init__(self, cwds: tuple[str, ...], home: str) -> None:
        self.findings = Findings()
        self.state = State(cwds, home, cwds[:1])


def read_script(reading: Reading, script: str) -> None:
    """Note what a shell script would do; never raises for what it contains.

    Args:
        reading: Where it is noted.
        script: The script.

    Raises:
        ImportError: The parser is not installed.
    """
    findings = reading.findings
    try:
        shell = Interpreter(findings, execute, reading.state)
        shell.script(script)
        while reading.state.traps:
            later, then = reading.state.traps.pop()
            shell.nested(later, then.later())
    except (TooLongError, RecursionError):
        findings.acts[Act("opaque", why="a command too long or too deep to judge")] = None
    except ImportError:
        raise
    except Exception as error:  # a mistake of ours must not let a command pass
        logger.warning("a command could not be judged", exc_info=True)
        findings.acts[Act("opaque", why=f"a command that the judge failed on ({type(error).__name__})")] = None


def execute(shell: Interpreter, words: list[str], stdin: Stream, variables: Mapping[str, str]) -> Stream:
    """Take one simple command.

    Args:
        shell: Whose command it is.
        words: Its words, expanded.
        stdin: What flows in.
        variables: Assignments in front of it.
    """
    direct, shell.direct = shell.direct, False
    if not words:
        return NOTHING
    first = words[0]
    if not first:
        return execute(shell, words[1:], stdin, variables)
    text = plain(first)
    name = _name(shell, text)
    if is_unknown(first):
        return _unknown(shell, words, stdin, variables)
    if any(each in first for each in "*?["):
        return _wildcard(shell, words, stdin, variables)
    call = Invocation(shell, name, words[1:], stdin, variables, _shown(shell, text, name))
    if text in shell.state.aliases:
        shells.expand_alias(call)
    bodies = shell.state.functions.get(text, ()) if not direct else ()
    if bodies:
        printed = shell.call(name, words[1:], stdin)
        if None not in bodies:
            return printed
    if first in _KEYWORDS:
        shell.findings.opaque("a keyword that the parser takes for a program")
        return shell.run(words[1:], stdin, variables)
    _look_at_text(call, text)
    call.does("run")
    printed = (_known(name) or unknown)(call)
    if call.program != name or ("/" in text and name not in _PROGRAMS):  # of that name, and perhaps something else
        shells.program_file(call, first)
    return printed


def _name(shell: Interpreter, text: str) -> str:
    if _OF_A_PROCESS.match(text):
        shell.findings.opaque("a program that is named by a process", "", text)
        return "sh"  # what runs commands is a shell most of the time
    return text.rpartition("/")[2] or text


def _look_at_text(call: Invocation, text: str) -> None:
    if text.startswith(("=", "/proc/", "/dev/fd/")):
        call.opaque("a program that is only known when it runs")
        if text.startswith("/proc/"):  # the shell itself, most likely
            shells.shell(call)
    if any(RUNS_WHEN_COUNTED.search(word) for word in call.texts):
        call.opaque("text that runs something where it is taken for a number")


def _shown(shell: Interpreter, text: str, name: str) -> str:
    """Return how rules see a program: one that lies in an unusual place is not the one of that name."""
    directory = text.rpartition("/")[0]
    if not directory or directory in shells.PROGRAM_DIRECTORIES:
        return name
    return path_pattern(quoted(text), shell.state.cwds[0]).text


def _known(name: str) -> Callable[[Invocation], Stream] | None:
    if name.startswith("mkfs"):
        return machine.make_filesystem
    program = _PROGRAMS.get(name)
    if program is None and languages.language_of(name):
        return languages.language
    return program


def _unknown(shell: Interpreter, words: list[str], stdin: Stream, variables: Mapping[str, str]) -> Stream:
    """Take a program that is only known when it runs; what stands behind it may be its command."""
    shell.findings.opaque("a program that is only known when it runs", "", readable(" ".join(words))[:200])
    call = Invocation(shell, "", words[1:], stdin, variables)
    tail = plain(words[0]).rpartition("/")[2]
    if tail and not is_unknown(tail) and _known(tail):
        return execute(shell, [tail, *words[1:]], stdin, variables)
    return unknown(call)


def _wildcard(shell: Interpreter, words: list[str], stdin: Stream, variables: Mapping[str, str]) -> Stream:
    """Take a program that is written with wildcards: every known one that they match."""
    shell.findings.opaque("a program that is written with wildcards", "", readable(words[0]))
    pattern = plain(words[0]).rpartition("/")[2]
    candidates = [name for name in sorted(TELLTALE) if fnmatch.fnmatchcase(name, pattern)]
    for name in candidates[:_MOST_CANDIDATES]:
        execute(shell, [name, *words[1:]], stdin, variables)
    return SOMETHING
