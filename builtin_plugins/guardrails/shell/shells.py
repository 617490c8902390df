"""Shells, and what runs scripts for them: their text and files are read as commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..paths import path_pattern, plain, quoted
from .flow import NOTHING, SOMETHING, Stream
from .invocation import hidden

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

SHELLS: Final = frozenset(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "yash"))
PROGRAM_DIRECTORIES: Final = frozenset(
    ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/lib/cargo/bin/coreutils")
)
"""Where a program is the one of its name."""
_LONGEST_FILE: Final = 32_768
"""Characters of a script's file that are read; a longer one is opaque."""
STDIN: Final = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_TIMES: Final = re.compile(r"(?m)^[ \t]*(?:@\w+|(?:[^\s#]+[ \t]+){4}[^\s#]+)[ \t]+")
"""When a line of a crontab runs."""


def shell(call: Invocation) -> Stream:
    """Take a shell: the script of -c, of a file, or the one that flows in."""
    words = list(call.words)
    script_next = stdin_script = False
    while words:
        text = plain(words[0])
        if text in ("--", "-"):
            words = words[1:]
            break
        if len(text) < 2 or text[0] not in "-+":  # noqa: PLR2004
            break
        words = words[1:]
        if text.startswith("--"):
            if text in ("--rcfile", "--init-file"):
                _file(call, words[0] if words else "", ())
                words = words[1:]
            continue
        script_next = script_next or ("c" in text and text[0] == "-")
        stdin_script = stdin_script or ("s" in text and text[0] == "-")
        if text[-1] in "oO":
            _shell_option(call, plain(words[0]) if words else "")
            words = words[1:]
    if script_next:
        call.variables = {**call.variables, "0": plain(words[1])} if len(words) > 1 else call.variables
        return call.shell_text(words[0], tuple(words[2:])) if words else NOTHING
    if words and not stdin_script:
        return _file(call, words[0], tuple(words[1:]))
    return from_stream(call, call.stdin, tuple(words))


def _shell_option(call: Invocation, name: str) -> None:
    if name not in ("pipefail", "errexit", "nounset", "xtrace", "noglob", "nullglob", "verbose", "noexec"):
        call.opaque("an option of the shell that changes how it reads commands")


def from_stream(call: Invocation, stream: Stream, positional: tuple[str, ...] = ()) -> Stream:
    """Take a script that flows in."""
    if stream.origin == "download":
        call.does("download-run", "runs what was just downloaded")
        return SOMETHING
    if stream.text is not None and stream.origin != "unknown":
        return call.shell_text(quoted(stream.text), positional, NOTHING)
    if stream.there:
        call.opaque("a script that is only known when it runs")
        if stream.text is not None:
            call.shell_text(quoted(stream.text), positional, NOTHING)
    return SOMETHING


def _too_long(call: Invocation) -> Stream:
    call.opaque("a script too long to read")
    return SOMETHING


def _file(call: Invocation, word: str, positional: tuple[str, ...]) -> Stream:
    call.path("read", word)
    return script_file(call, word, positional)


def script_file(call: Invocation, word: str, positional: tuple[str, ...], *, same_shell: bool = False) -> Stream:
    """Take a script that lies in a file: what the command wrote there itself, or what is there now."""
    stream = call.stdin if plain(word) in STDIN[1:] else call.shell.content(word)
    if stream.origin != "file":  # what is there now may stay there, too
        from_stream(call, stream, positional)
    for cwd in call.shell.state.cwds:
        path = path_pattern(word, cwd, call.shell.state.links)
        text = _read(path.real) if path.exact else None
        if text is None:
            continue
        if len(text) > _LONGEST_FILE:
            return _too_long(call)
        state = call.shell.state
        if same_shell:
            _source(call, text, positional)
            continue
        call.shell.nested(text, state.child(call.variables, positional), call.stdin)
    if not path_pattern(word, call.shell.state.cwds[0]).exact:
        call.opaque("a script that is only known when it runs")
    return SOMETHING


def _source(call: Invocation, text: str, positional: tuple[str, ...]) -> None:
    state = call.shell.state
    before = state.positional
    if positional:
        state.positional = positional
    call.shell.leaving(lambda: call.shell.script(text, call.stdin))
    if positional:
        state.positional = before


def _read(path: str) -> str | None:
    """Return a script, not much more than what is read of one; None for what is none or cannot be read."""
    try:
        file = Path(path)
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            content = stream.read(_LONGEST_FILE * 4)
    except (OSError, ValueError):
        return None
    return None if b"\0" in content else content.decode("utf-8", "replace")


def program_file(call: Invocation, word: str) -> Stream:
    """Take a program that is named by its path: a shell script is read like one."""
    written = call.shell.content(word)
    if written.origin != "file":  # what is there now may stay there, too
        from_stream(call, written, tuple(call.words))
    other = _another_name(call, word)
    if other:
        return call.shell.run([quoted(other), *call.words], call.stdin, call.variables)
    for cwd in call.shell.state.cwds:
        path = path_pattern(word, cwd, call.shell.state.links)
        text = _read(path.real) if path.exact else None
        first = (text or "").partition("\n")[0]
        if first.startswith("#!") and any(each in SHELLS for each in re.split(r"[\s/]+", first)):
            if len(text or "") > _LONGEST_FILE:
                return _too_long(call)
            return call.shell.nested(text or "", call.shell.state.child(call.variables, tuple(call.words)), call.stdin)
    return SOMETHING


def _another_name(call: Invocation, word: str) -> str | None:
    """Return what a program is really called, where it is a copy of or a link to one: ``cp /bin/rm x; ./x``."""
    state = call.shell.state
    for cwd in state.cwds:
        path = path_pattern(word, cwd, state.links)
        origin = state.copies.get(path.text) or state.copies.get(path_pattern(word, cwd).text) or path.real
        name = origin.rpartition("/")[2]
        if path.exact and name != call.name and origin.rpartition("/")[0] in PROGRAM_DIRECTORIES:
            return name
    return None


def source(call: Invocation) -> Stream:
    """Take `source` and `.`."""
    if call.words:
        call.path("read", call.words[0])
        return script_file(call, call.words[0], tuple(call.words[1:]), same_shell=True)
    return NOTHING


def evaluate(call: Invocation) -> Stream:
    """Take `eval`: its words are a script of this shell."""
    text = " ".join(call.texts)
    call.partly(text)
    return call.shell.script(hidden(text), call.stdin)


def trap(call: Invocation) -> Stream:
    """Take `trap`: its first word is a script for later, when variables may have other values."""
    operands = call.options("-l -p").operands
    if operands and plain(operands[0]) not in ("", "-"):
        text = plain(operands[0])
        call.partly(text)
        call.shell.state.traps.append((hidden(text), call.shell.state.snapshot()))
    return NOTHING


def alias(call: Invocation) -> Stream:
    """Take `alias`: what it stands for is read, and its name is as good as a function."""
    for text in call.texts:
        name, equals, script = text.partition("=")
        if equals:
            known = call.shell.state.aliases.get(name, ())
            call.shell.state.aliases[name] = tuple(dict.fromkeys([*known, script]))
            call.shell_text(quoted(script), stdin=NOTHING)
    return NOTHING


def expand_alias(call: Invocation) -> None:
    """Take an alias: the shell may put what it stands for in front of the words, or may not know aliases at all."""
    state = call.shell.state
    texts = state.aliases.pop(call.name)
    words = [shlex.quote(plain(word)) for word in call.words]
    for text in texts:
        script = " ".join([text, *words])
        call.partly(script)
        call.shell.script(hidden(script), call.stdin)
    state.aliases[call.name] = texts


def repeated(call: Invocation) -> Stream:
    """Take a program whose input is shell commands for another time: `at`, `batch`, `crontab`."""
    options = call.options("-f -u -q")
    if options.has("-l", "-c"):
        return SOMETHING
    call.does("system", "schedules commands")
    files = options.of("-f") or ([] if call.name != "crontab" else options.operands)
    for word in files:
        if plain(word) != "-":
            call.path("read", word)
            script_file(call, word, ())
    stream = call.stdin
    if call.name == "crontab" and stream.text is not None:
        stream = Stream(_TIMES.sub("", stream.text), origin=stream.origin)
    if stream.there:
        from_stream(call, stream)
    return SOMETHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(SHELLS, shell),
    **dict.fromkeys(("source", "."), source),
    **dict.fromkeys(("at", "batch", "crontab"), repeated),
    "eval": evaluate,
    "trap": trap,
    "alias": alias,
}
