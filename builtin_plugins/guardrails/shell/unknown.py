"""Programs that nobody here knows: what their words say all the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..hosts import SCHEME
from ..paths import is_unknown, plain, quoted
from .flow import SOMETHING, Stream
from .languages import language_of

if TYPE_CHECKING:
    from .invocation import Invocation

TELLTALE: Final = frozenset(
    (
        *("rm", "rmdir", "shred", "unlink", "dd", "mv", "chmod", "chown", "tee", "sudo", "doas", "su", "eval", "exec"),
        *("rimraf", "find", "curl", "wget", "mkfs", "shutdown", "reboot", "kill", "git", "ssh", "scp", "crontab"),
        *("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "yash"),
    )
)
"""Names that are taken for a command where they stand behind a program that nobody here knows."""
_SHELL_OPTIONS: Final = frozenset(
    (
        "--pager",
        "--exec",
        "--command",
        "--cmd",
        "--run",
        "--preview",
        "--pre",
        "--shell-command",
        "--on-change",
        "--hook",
    )
)
"""Options whose value programs give to a shell, where it is more than a word."""
_ENGLISH: Final = frozenset(("find", "kill", "exec", "mv", "git", "su", "tee", "sh"))
"""Those that sentences begin with, too."""
_COMMAND_IN_A_WORD: Final = re.compile(rf"[\s!:|;&(]*(?:\S*/)?(?:{'|'.join(sorted(TELLTALE - _ENGLISH))})\s+\S*[-/~$]")
"""One of them, with an option or a path behind it, where a word has blanks in it."""
_OUTPUTS: Final = ("-o", "--output", "--out", "--outfile", "--output-file")


def unknown(call: Invocation) -> Stream:
    """Take such a program: addresses are reached, paths are read, and a command behind it is its own."""
    if any("shell-escape" in text for text in call.texts):
        call.opaque("commands of a document")
    output, option = False, ""
    for word in call.words:
        text = plain(word)
        value = text.partition("=")[2] if text.startswith("-") else text
        if SCHEME.match(value):
            call.url(word[len(word) - len(value) :])
        elif output or text.partition("=")[0] in _OUTPUTS[1:]:
            call.paths("write", [word[len(word) - len(value) :]] if value else [])
        elif not is_unknown(value) and "/" in value and " " not in value:
            call.path("read", word[len(word) - len(value) :])
        output = text in _OUTPUTS
        if " " in value and (option or text.partition("=")[0]) in _SHELL_OPTIONS:
            call.shell_text(word[len(word) - len(value) :])
        elif _COMMAND_IN_A_WORD.match(value):
            call.opaque("a word that may be run as a command")
        option = text if text in _SHELL_OPTIONS else ""
    for place, word in enumerate(call.words):
        name = plain(word).rpartition("/")[2]
        if (name in TELLTALE or language_of(name)) and place + 1 < len(call.words):
            call.command(call.words[place:])
            break
    return SOMETHING


def make(call: Invocation) -> Stream:
    """Take `make`: rules that flow in or stand on the command line are not read."""
    options = call.options("-C -f -I -o -W -E --directory --file --makefile --eval --include-dir --old-file --what-if")
    if options.of("-E", "--eval") or any(plain(word) == "-" for word in options.of("-f", "--file", "--makefile")):
        call.opaque("rules that are no file")
    for word in options.operands:
        name, equals, value = plain(word).partition("=")
        if equals and ("$(" in value or "${" in value or "`" in value):
            call.opaque(f"{name} holds what make runs")
        if equals and name in ("SHELL", "MAKEFLAGS", "MAKEFILES"):
            call.opaque(f"{name} makes other programs run something")
        elif equals and value.split(" ")[0].rpartition("/")[2] in TELLTALE:
            call.shell_text(quoted(value))
    before = call.shell.state.cwds
    for directory in options.of("-C", "--directory"):
        call.shell.state.go(directory, certain=True)
    rules = options.of("-f", "--file", "--makefile") or ["GNUmakefile", "makefile", "Makefile"]
    if any(call.shell.content(word).origin != "file" for word in rules):
        call.opaque("rules that the command itself wrote")
    unknown(call)
    call.shell.state.cwds = before
    return SOMETHING
