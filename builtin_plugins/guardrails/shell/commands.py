"""One simple command: which program it is, and what that program does with its words."""

from __future__ import annotations

import fnmatch
import logging
from typing import TYPE_CHECKING, Final

from ..acts import Act
from ..paths import is_unknown, path_pattern, plain, quoted, readable
from . import builtins, databases, files, git, interpreters, machine, network, wrappers
from .interpreter import Interpreter
from .invocation import Invocation
from .state import NOTHING, SOMETHING, Findings, State, Stream, TooLongError
from .unknown import TELLTALE, make, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

logger = logging.getLogger(__name__)

_PROGRAMS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **builtins.RUNS,
    **machine.RUNS,
    **databases.RUNS,
    **files.RUNS,
    **network.RUNS,
    **interpreters.RUNS,
    **wrappers.RUNS,
    "git": git.git,
    **dict.fromkeys(("make", "gmake", "bmake"), make),
}
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
        Interpreter(findings, execute, reading.state).script(script)
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
    if not words:
        return NOTHING
    first = words[0]
    if not first:
        return execute(shell, words[1:], stdin, variables)
    text = plain(first)
    name = text.rpartition("/")[2] or text
    if is_unknown(first):
        return _unknown(shell, words, stdin, variables)
    if any(each in first for each in "*?["):
        return _wildcard(shell, words, stdin, variables)
    call = Invocation(shell, name, words[1:], stdin, variables, _shown(shell, text, name))
    if text.startswith("="):
        shell.findings.opaque("a program that zsh looks for", name, call.line)
    if name in shell.state.functions and "/" not in text:
        return shell.call(name, words[1:], stdin)
    if text in shell.state.aliases:
        interpreters.expand_alias(call)
    call.does("run")
    printed = (_known(name) or unknown)(call)
    if call.program != name or ("/" in text and name not in _PROGRAMS):  # of that name, and perhaps something else
        interpreters.program_file(call, first)
    return printed


def _shown(shell: Interpreter, text: str, name: str) -> str:
    """Return how rules see a program: one that lies in an unusual place is not the one of that name."""
    directory = text.rpartition("/")[0]
    if not directory or directory in interpreters.PROGRAM_DIRECTORIES:
        return name
    return path_pattern(quoted(text), shell.state.cwds[0]).text


def _known(name: str) -> Callable[[Invocation], Stream] | None:
    if name.startswith("mkfs"):
        return machine.make_filesystem
    program = _PROGRAMS.get(name)
    if program is None and interpreters.language_of(name):
        return interpreters.language
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
