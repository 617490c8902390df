"""Programs that read, write and delete files, and those that only print."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final

from ..paths import BELOW, NAME, UNKNOWN, is_unknown, plain, quoted
from . import shells
from .flow import NOTHING, SOMETHING, Stream
from .words import with_escapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

_READERS: Final = {
    "cat": "",
    "bat": "",
    "batcat": "",
    "tac": "",
    "nl": "",
    "head": "-n -c --lines --bytes",
    "tail": "-n -c --lines --bytes --pid",
    "less": "",
    "more": "",
    "od": "-A -N -j -t -w",
    "hexdump": "-e -n -s",
    "strings": "-n -t -e",
    "sort": "-k -t -S -T",
    "cut": "-d -f -c -b",
    "wc": "",
    "file": "-m",
    "stat": "-c -f",
    "ls": "-I -w --color",
    "du": "-d --max-depth",
    "tree": "-L -P -I",
    "md5sum": "",
    "sha1sum": "",
    "sha256sum": "",
    "sha512sum": "",
    "diff": "-U -C",
    "cmp": "-n",
    "comm": "",
    "paste": "-d",
    "fold": "-w",
    "rev": "",
    "column": "-s -t",
    "jq": "-f --arg --argjson --indent",
    "readlink": "",
    "realpath": "",
}
"""Programs whose operands are files to read, and their options that take a value."""
_PATTERN_FIRST: Final = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "jq"))
_HARMLESS: Final = frozenset(
    (
        *(":", "true", "false", "test", "[", "pwd", "date", "whoami", "id", "uname", "hostname", "sleep", "seq", "yes"),
        *("wait", "exit", "type", "which", "help", "tput", "clear"),
        *("jobs", "fg", "bg", "disown", "umask", "ulimit", "times", "basename", "dirname", "expr", "nproc", "free"),
        *("df", "ps", "pgrep", "uptime", "env", "printenv", "locale", "tty", "history", "info", "arch", "atq"),
    )
)
_FORMAT: Final = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|%%")
_MOST_TEXT: Final = 20_000


def nothing(call: Invocation) -> Stream:
    """Take a program that only prints something about the machine."""
    if call.name in ("which", "type") and call.words:
        return Stream("".join(f"/usr/bin/{text}\n" for text in call.texts if not text.startswith("-")), origin="text")
    if call.name in ("basename", "dirname") and call.words and not is_unknown(call.words[0]):
        head, _, tail = call.texts[0].rstrip("/").rpartition("/")
        return Stream(tail if call.name == "basename" else head or ".", origin="text")
    return Stream(call.shell.state.cwds[0], origin="text") if call.name == "pwd" else SOMETHING


def echo(call: Invocation) -> Stream:
    """Take `echo`; what it prints may be a script for the next command."""
    words = list(call.words)
    escapes = False
    while words and re.fullmatch(r"-[neE]+", plain(words[0])):
        escapes = "e" in plain(words.pop(0))
    text = " ".join(map(plain, words))
    if is_unknown(text):
        return Stream(text, origin="unknown")
    return Stream(_unescaped(text) if escapes or "\\" in text else text, origin="text")


def _unescaped(text: str) -> str:
    return with_escapes(re.sub(r"\\0([0-7]{1,3})", r"\\\1", text))


def printf(call: Invocation) -> Stream:
    """Take `printf`: the format is filled in, where all of it is known."""
    words = call.words
    if words and plain(words[0]) == "-v":
        call.shell.state.assign(plain(words[1]) if len(words) > 1 else "", UNKNOWN)
        return NOTHING
    if words and plain(words[0]) == "--":
        words = words[1:]
    if not words or is_unknown("".join(words)):
        return SOMETHING
    arguments = [plain(word) for word in words[1:]]
    template = _unescaped(plain(words[0]))
    printed = _printed(template, arguments)
    rounds = 1
    while arguments and _FORMAT.search(template) and rounds < 64 and len(printed) < _MOST_TEXT:  # noqa: PLR2004
        printed += _printed(template, arguments)
        rounds += 1
    return Stream(printed, origin="text") if not arguments else Stream(printed, origin="unknown")


def _printed(template: str, arguments: list[str]) -> str:
    def value(match: re.Match[str]) -> str:
        kind = match[0][-1]
        if kind == "%":
            return "%"
        argument = arguments.pop(0) if arguments else ""
        return _unescaped(argument) if kind == "b" else argument[:1] if kind == "c" else argument

    return _FORMAT.sub(value, template)


def readers(call: Invocation) -> Stream:
    """Take a program that reads files."""
    given = call.options(f"{_READERS[call.name]} --files0-from --pager")
    for pager in given.of("--pager"):
        call.shell_text(pager)
    operands = [*given.operands, *(name for names in given.of("--files0-from") for name in call.listed(names))]
    if call.name in _PATTERN_FIRST:
        operands = operands[1:]
    call.paths("read", operands)  # `ls -R` and `du` read names, but no file
    if call.name == "ls":
        return Stream(items=tuple(f"{where.rstrip('/')}/{NAME}" for where in operands) or (NAME,), origin="names")
    if call.name == "sort":
        options = call.options(f"{_READERS['sort']} -o --output --compress-program")
        call.paths("write", options.of("-o", "--output"))
        for program in options.of("--compress-program"):
            call.command([program])
    if call.name in ("less", "more") and any(re.match(r"\+.*[!|]", text) for text in call.texts):
        call.opaque("a pager that runs a command")
    if call.name == "cat":
        streams = [call.shell.content(word) for word in operands if plain(word) != "-"]
        return streams[0] if len(streams) == 1 else call.stdin if not streams else SOMETHING
    if call.name == "rev" and call.stdin.text is not None and call.stdin.origin != "unknown":
        return Stream("\n".join(line[::-1] for line in call.stdin.text.split("\n")), origin="text")
    return Stream(origin=call.stdin.origin if call.stdin.origin == "download" else "unknown")


def into_second(call: Invocation) -> Stream:
    """Take `uniq` and `xxd`, whose second operand is written."""
    operands = call.options("-f -s -w -c -l -g -o").operands
    call.paths("read", operands[:1])
    call.paths("write", operands[1:2])
    if call.name == "xxd" and any(text.startswith("-r") for text in call.texts):
        return _decoded_hex(call)
    return Stream(origin=call.stdin.origin if call.stdin.origin == "download" else "unknown")


def temporary(call: Invocation) -> Stream:
    """Take `mktemp`, which prints the name of something that nobody else has."""
    options = call.options("-p --suffix")
    template = options.operands[0] if options.operands else "tmp.XXXXXXXXXX"
    directories = options.of("-p", "--tmpdir")
    if plain(template).startswith("/"):
        call.path("write", template)
        return Stream(plain(template), origin="unknown" if is_unknown(template) else "text")
    usual = call.variables.get("TMPDIR") or call.shell.state.variables.get("TMPDIR") or "/tmp"  # noqa: S108 - where it is
    where = (
        plain(directories[0])
        if directories
        else usual
        if options.has("-t", "--tmpdir") or not options.operands
        else "."
    )
    path = f"{where.rstrip('/')}/{plain(template)}"
    call.path("write", quoted(path))
    return Stream(path, origin="unknown" if is_unknown(path) else "text")


def _decoded_hex(call: Invocation) -> Stream:
    if call.stdin.text is None or call.stdin.origin == "unknown":
        return Stream(origin="decoded")
    digits = "".join(re.findall(r"[0-9A-Fa-f]{2}", call.stdin.text))
    if len(digits) > _MOST_TEXT:
        return Stream(origin="decoded")
    return Stream(bytes.fromhex(digits).decode("utf-8", "replace"), origin="text")


def grep(call: Invocation) -> Stream:
    """Take a search: the pattern comes first."""
    options = call.options(
        "-e -f -m -A -B -C --regexp --file --include --exclude --exclude-dir --max-count -g -t --pager"
    )
    operands = options.operands if options.has("-e", "--regexp", "-f", "--file") else options.operands[1:]
    call.paths("read", [*operands, *options.of("-f", "--file")], recursive=options.has("-r", "-R", "--recursive"))
    for pager in options.of("--pager"):
        call.shell_text(pager)
    if options.has("--pre"):
        call.opaque("a program that rg runs on each file")
    if options.has("-l", "--files-with-matches", "--files", "-L") and not call.stdin.there:
        return Stream(items=tuple(f"{where.rstrip('/')}/{BELOW}" for where in operands or ["."]), origin="names")
    return Stream(origin=call.stdin.origin if call.stdin.origin == "download" else "unknown")


def decode(call: Invocation) -> Stream:
    """Take `base64` and its like: what is known is decoded and looked at, everything else is opaque to what runs it."""
    options = call.options("-w --wrap -i -o --input --output")
    call.paths("read", [*options.operands, *options.of("-i", "--input")])
    call.paths("write", options.of("-o", "--output"))
    text = call.stdin.text
    if not options.has("-d", "-D", "--decode") or text is None or call.stdin.origin == "unknown" or options.operands:
        return Stream(origin="download" if call.stdin.origin == "download" else "decoded")
    try:
        decoder = base64.b32decode if call.name == "base32" else base64.b64decode
        return Stream(decoder("".join(text.split())).decode("utf-8", "replace"), origin="text")
    except (binascii.Error, ValueError):
        return Stream(origin="decoded")


def filters(call: Invocation) -> Stream:
    """Take a program that changes what flows through it, such as `tr` or `gunzip`."""
    options = call.options("-o -S -d -k -in -out -pass")
    if call.name not in ("tr", "openssl"):
        call.paths("write", options.operands)
    if call.name == "openssl":
        if any(text in ("engine", "-engine", "-provider-path") for text in call.texts):
            call.opaque("a library that is loaded")
        call.paths("write", options.of("-out"))
        call.paths("read", options.of("-in"))
    return Stream(origin="download" if call.stdin.origin == "download" else "decoded")


def remove(call: Invocation) -> Stream:
    """Take what deletes its operands."""
    options = call.options("-n -s -i --iterations --size" if call.name == "shred" else "")
    everything = call.name in ("rimraf", "srm", "trash", "wipe") or options.has("-r", "-R", "--recursive")
    call.paths("delete", options.operands, recursive=everything)  # `shred` leaves the name, and nothing of the file
    return SOMETHING


def move(call: Invocation) -> Stream:
    """Take `mv`, `cp`, `ln` and `install`: sources, then where to."""
    options = call.options("-t -S -m -o -g --target-directory --suffix --mode --owner --group --backup --context")
    operands = list(options.operands)
    targets = options.of("-t", "--target-directory") or ([operands.pop()] if len(operands) > 1 else [])
    if call.name == "ln" and not targets:
        targets = ["."]
    if call.name == "mv":
        call.paths("delete", operands, recursive=True)
    elif call.name != "ln":
        call.paths("read", operands, recursive=options.has("-r", "-R", "-a", "--recursive", "--archive"))
    for target in targets:
        call.into(target, operands)
    state = call.shell.state
    for source in operands:
        name = plain(source).rstrip("/").rpartition("/")[2]
        for cwd in state.cwds:
            for target in targets:
                here = state.resolved(target, cwd)
                state.copies[here] = state.copies[f"{here}/{name}"] = state.resolved(source, cwd)
                if call.name == "ln":
                    if state.links.get(here, state.resolved(source, cwd)) != state.resolved(source, cwd):
                        call.opaque("a link that is made twice")
                    state.links[here] = state.resolved(source, cwd)
                    state.links[f"{here}/{name}"] = state.resolved(source, cwd)
                else:
                    flows = plain(source) in shells.STDIN[1:]
                    content = call.stdin if flows else call.shell.content(source)
                    state.wrote(here, content)
                    state.wrote(f"{here}/{name}", content)
    return SOMETHING


def write(call: Invocation) -> Stream:
    """Take what makes or changes its operands."""
    options = call.options("-s -r -d -t -m -o --size --reference --mode")
    call.paths("write", options.operands)
    if call.name == "tee":
        for word in options.operands:
            for cwd in call.shell.state.cwds:
                call.shell.state.wrote(call.shell.state.resolved(word, cwd), call.stdin)
        return call.stdin
    return SOMETHING


def dd(call: Invocation) -> Stream:
    """Take `dd`: `if=` is read, `of=` written."""
    for word in call.words:
        name, _, _ = plain(word).partition("=")
        if name in ("if", "of"):
            call.path("read" if name == "if" else "write", word[len(name) + 1 :])
    return SOMETHING


def rights(call: Invocation) -> Stream:
    """Take `chmod`, `chown` and the like: opened to everybody, or a whole tree."""
    options = call.options("--reference --from")
    operands = options.operands if options.has("--reference") else options.operands[1:]
    if call.name == "chattr":
        operands = [word for word in options.operands if plain(word)[:1] not in ("+", "=")]
    mode = plain(options.operands[0]) if options.operands else ""
    recursive = options.has("-R", "--recursive")
    opened = call.name == "chmod" and bool(re.search(r"(?:^|[ao,])[ao]*\+\w*w|[2367]$|^[2467]\d{3}$|\+\w*s", mode))
    for word in operands:
        call.path("write", word, recursive=recursive)
        if recursive or opened or call.name in ("chattr", "setfacl"):
            call.path("permissions", word, recursive=recursive)
    return SOMETHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(_HARMLESS, nothing),
    **dict.fromkeys(_READERS, readers),
    **dict.fromkeys(_PATTERN_FIRST - {"jq"}, grep),
    **dict.fromkeys(("base64", "base32"), decode),
    **dict.fromkeys(("uniq", "xxd"), into_second),
    "mktemp": temporary,
    **dict.fromkeys(("tr", "gunzip", "gzip", "zcat", "bunzip2", "xz", "unxz", "zstd", "openssl", "uudecode"), filters),
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "srm", "rimraf", "trash", "wipe", "grm"), remove),
    **dict.fromkeys(("mv", "cp", "ln", "install", "gmv", "gcp"), move),
    **dict.fromkeys(("tee", "touch", "mkdir", "truncate", "mkfifo", "mknod", "sponge", "fallocate", "nano"), write),
    **dict.fromkeys(("chmod", "chown", "chgrp", "setfacl", "chattr"), rights),
    "echo": echo,
    "printf": printf,
    "dd": dd,
}
