"""Programs that run the command behind them: `sudo`, `env`, `xargs`, `timeout`, `find -exec` and the like."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..paths import BELOW, UNKNOWN, plain, quoted
from .assignments import look_at
from .flow import NOTHING, SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation, Options

SIMPLE: Final = {
    "builtin": ("", 0),
    "busybox": ("", 0),
    "toybox": ("", 0),
    "caffeinate": ("-t -w", 0),
    "catchsegv": ("", 0),
    "chroot": ("--userspec --groups", 1),
    "chrt": ("-T -P -D", 1),
    "coproc": ("", 0),
    "dbus-run-session": ("--config-file", 0),
    "eatmydata": ("", 0),
    "exec": ("-a", 0),
    "fakeroot": ("-l -s -i -b", 0),
    "ionice": ("-c -n -p -P -u --class --classdata", 0),
    "nice": ("-n --adjustment", 0),
    "nocache": ("-n", 0),
    "noglob": ("", 0),
    "nohup": ("", 0),
    "numactl": ("-m -N -C -p", 0),
    "proxychains": ("-f", 0),
    "proxychains4": ("-f", 0),
    "rlwrap": ("-f -H -s", 0),
    "setsid": ("", 0),
    "stdbuf": ("-i -o -e --input --output --error", 0),
    "strace": ("-e -o -p -s -u -E -P --output", 0),
    "ltrace": ("-e -o -p -s -u --output", 0),
    "systemd-run": ("-p --unit --property --uid --gid -E --setenv --slice -M", 0),
    "taskset": ("-p", 1),
    "time": ("-f -o --format --output", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "torsocks": ("", 0),
    "tsocks": ("", 0),
    "unbuffer": ("", 0),
    "unshare": ("-S -G -R -w", 0),
    "nsenter": ("-t -S -G", 0),
    "valgrind": ("--log-file --xml-file", 0),
}
"""Name -> (options that take a value, operands in front of the command)."""
_REPORTS: Final = {
    **dict.fromkeys(("strace", "ltrace", "time"), ("-o", "--output")),
    "valgrind": ("--log-file", "--xml-file"),
}
"""Options behind which the file stands that they write."""

PRIVILEGED: Final = {
    "sudo": "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot",
    "doas": "-u -C -a",
    "pkexec": "--user",
    "run0": "-u -g --user --group --unit --property -D",
    "gosu": "",
    "su-exec": "",
}
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_MOST_ITEMS: Final = 64
_FIND_FILES: Final = frozenset(("-fprint", "-fprint0", "-fls", "-fprintf"))
_FD_COMMANDS: Final = frozenset(("-x", "--exec", "-X", "--exec-batch"))
_FD_VALUED: Final = (
    "-e -t -d -E -S -c -j -o --extension --type --max-depth --exclude --size --color --threads --owner "
    "--base-directory --search-path --changed-within --changed-before --format"
)
_FD_HOLDERS: Final = frozenset(("{}", "{.}", "{/}", "{//}", "{/.}"))
_FIND_COMMANDS: Final = frozenset(("-exec", "-execdir", "-ok", "-okdir"))


def simple(call: Invocation) -> Stream:
    """Take a program that runs what stands behind its options, and some operands."""
    valued, skipped = SIMPLE[call.name]
    options = call.options(valued, until_operand=True)
    for word in options.of(*_REPORTS.get(call.name, ())):
        if plain(word)[:1] in ("|", "!"):  # strace writes to a command then
            call.shell_text(word[1:])
        else:
            call.path("write", word)
    return call.command(options.operands[skipped:])


def command(call: Invocation) -> Stream:
    """Take the builtin: with -v or -V it only says where a program is."""
    options = call.options(until_operand=True)
    if options.has("-v", "-V"):
        return Stream("".join(f"{plain(each)}\n" for each in options.operands), origin="text")
    return call.command(options.operands)


def privileged(call: Invocation) -> Stream:
    """Take `sudo` and its like."""
    call.does("privilege", "another user's rights")
    options = call.options(PRIVILEGED[call.name], until_operand=True)
    words = options.operands
    if call.name in ("gosu", "su-exec"):
        words = words[1:]
    if options.has("-s", "-i", "--shell", "--login") and len(words) != 0:
        return call.shell_text(quoted(" ").join(words))
    if options.has("-e", "--edit"):
        call.paths("write", words)
        return SOMETHING
    return _with_assignments(call, words) if words else call.command(["sh"]) if options.has("-s", "-i") else SOMETHING


def env(call: Invocation) -> Stream:
    """Take `env`: assignments, then the command; -S holds more words."""
    options = call.options("-u -C --unset --chdir", until_operand=True)
    words = options.operands
    for place, text in enumerate(call.texts):
        split = re.match(r"-[iv0]*S|--split-string(?:=|\Z)", text)
        if split:  # all behind it is the command, options too
            value = [text[split.end() :]] if len(text) > split.end() else call.texts[place + 1 : place + 2]
            if any("$" in each for each in value):
                call.opaque("variables that env itself puts in")
            rest = call.words[place + (1 if len(text) > split.end() else 2) :]
            words = [*(quoted(part) for each in value for part in each.split()), *rest]
            break
        if not text.startswith("-"):
            break
    for directory in options.of("-C", "--chdir"):
        call.shell.state.go(directory, certain=False)
    return _with_assignments(call, words) if words else SOMETHING


def _with_assignments(call: Invocation, words: list[str]) -> Stream:
    variables = dict(call.variables)
    while words and _ASSIGNMENT.match(plain(words[0])):
        name, _, value = plain(words[0]).partition("=")
        look_at(call.shell, name, value)
        variables[name] = value
        words = words[1:]
    return replace(call, variables=variables).command(words)


def su(call: Invocation) -> Stream:
    """Take `su`, `runuser` and `script`, whose -c is a script."""
    if call.name != "script":
        call.does("privilege", "another user's rights")
    options = call.options("-c -s -g -G -T -O -I -B --command --shell --group --session-command")
    for text in options.of("-c", "--command", "--session-command"):
        call.shell_text(text)
    if call.name == "script":
        call.paths("write", options.operands or [quoted("typescript")])
    elif not options.values and call.stdin.there:
        return call.command(["sh"])
    if call.name == "runuser" and options.has("-u"):
        return call.command(options.operands[1:])
    return SOMETHING


def flock(call: Invocation) -> Stream:
    """Take `flock FILE command` and `flock FILE -c script`."""
    options = call.options("-w -E --timeout --conflict-exit-code", until_operand=True)
    rest = options.operands[1:]
    if rest and plain(rest[0]) in ("-c", "--command"):
        return call.shell_text(rest[1]) if len(rest) > 1 else NOTHING
    return call.command(rest)


def watch(call: Invocation) -> Stream:
    """Take `watch` and `entr`, which give their words to a shell."""
    operands = call.options("-n -d --interval", until_operand=True).operands
    return call.shell_text(quoted(" ").join(operands))


def xargs(call: Invocation) -> Stream:
    """Take `xargs` and `parallel`: the command, with the words that flow in behind it or in place of `{}`."""
    valued = "-I -i -n -P -L -d -E -s -a -J -j --max-args --max-procs --delimiter --arg-file --replace --jobs"
    options = call.options(valued, until_operand=True)
    words = options.operands or ["echo"]
    behind: list[str] | None = None
    if call.name == "parallel":
        words, behind = _parallel_arguments(words)
    items = behind or _items(call, options)
    if len(items) > _MOST_ITEMS:
        items = [*items[:_MOST_ITEMS], UNKNOWN]
    if not words:  # only `parallel`: its arguments are commands
        for item in items:
            call.shell_text(item, stdin=NOTHING)
        return SOMETHING
    holder = (options.of("-I", "--replace") or ["{}"])[0]
    if any(plain(holder) in plain(word) for word in words):
        for item in items:
            _filled(call, words, plain(holder), item)
        return SOMETHING
    return call.command([*words, *items], NOTHING)


def _items(call: Invocation, options: Options) -> list[str]:
    """Return the words that flow in, as `xargs` takes them apart; what is not surely known is unknown."""
    text = call.stdin.text
    if options.has("-a", "--arg-file", "-d", "--delimiter"):
        return [UNKNOWN]
    if text is None or call.stdin.origin == "unknown":
        return list(call.stdin.items) or [UNKNOWN]
    if options.has("-0", "--null"):
        return [quoted(each) for each in text.split("\0")]
    if options.has("-I", "-i", "--replace", "-L") or call.name == "parallel":
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return [UNKNOWN] if any(mark in text for mark in "'\"\\") else [quoted(line) for line in lines] or [UNKNOWN]
    try:
        return [quoted(each) for each in shlex.split(text)] or [UNKNOWN]
    except ValueError:
        return [UNKNOWN]


def _parallel_arguments(words: list[str]) -> tuple[list[str], list[str] | None]:
    texts = [plain(word) for word in words]
    for mark in (":::", "::::"):
        if mark in texts:
            place = texts.index(mark)
            return words[:place], words[place + 1 :] if mark == ":::" else [UNKNOWN]
    return words, None


def _filled(call: Invocation, words: list[str], holder: str, item: str) -> None:
    filled = [item if plain(word) == holder else quoted(plain(word).replace(holder, plain(item))) for word in words]
    if call.name == "parallel":
        call.shell_text(quoted(" ").join(filled), stdin=NOTHING)
    else:
        call.command(filled, NOTHING)


def find(call: Invocation) -> Stream:
    """Take `find`: where it looks, what it deletes, writes and runs."""
    texts = call.texts
    if "-files0-from" in texts:
        call.opaque("find looks where a file says")
    roots = []
    for place, (word, text) in enumerate(zip(call.words, texts, strict=True)):
        if re.fullmatch(r"-O\d*|-D", text) or (place and texts[place - 1] == "-D"):
            continue
        if (text.startswith("-") and text not in ("-H", "-L", "-P")) or text in ("(", "!"):
            break
        roots += [word] if not text.startswith("-") else []
    roots = roots or ["."]
    name = _find_name(call)
    found = tuple(f"{root.rstrip('/')}/{BELOW}{name}" for root in roots)
    call.paths("read", roots)  # names only: what is done with what is found, is looked at below and behind a pipe
    if "-delete" in texts:
        call.paths("delete", found if name else roots, recursive=not name)
    for place, text in enumerate(texts):
        if text in _FIND_FILES and place + 1 < len(texts):
            call.path("write", call.words[place + 1])
        elif text in _FIND_COMMANDS:
            _find_command(call, place, found)
    return Stream(items=found, origin="find")


def fd(call: Invocation) -> Stream:
    """Take `fd`: behind -x and -X stands what is run with what it finds."""
    place = next((at for at, text in enumerate(call.texts) if text in _FD_COMMANDS), len(call.words))
    options = replace(call, words=call.words[:place]).options(_FD_VALUED)
    roots = [*options.operands[1:], *options.of("--search-path", "--base-directory")] or ["."]
    call.paths("read", roots)
    found = tuple(f"{root.rstrip('/')}/{BELOW}" for root in roots)
    words = call.words[place + 1 :]
    for item in found if words else ():
        filled = [item if plain(word) in _FD_HOLDERS else word for word in words]
        call.command(filled if filled != words else [*words, item], NOTHING)
    return Stream(items=found, origin="find")


def _find_name(call: Invocation) -> str:
    """Return the pattern that the names of all files must fit, where there is one."""
    texts = call.texts
    if texts.count("-name") != 1 or any(each in texts for each in ("-o", "-or", "!", "-not", ",")):
        return ""
    place = texts.index("-name") + 1
    acts = [at for at, text in enumerate(texts) if text in ("-delete", *_FIND_COMMANDS)]
    if place >= len(texts) or any(at < place for at in acts):  # what stands in front of the name is done to all
        return ""
    return texts[place] if re.search(r"\w", texts[place]) else ""


def _find_command(call: Invocation, place: int, found: tuple[str, ...]) -> None:
    texts = call.texts
    end = next((at for at in range(place + 1, len(texts)) if texts[at] in (";", "+")), len(texts))
    words = call.words[place + 1 : end]
    for item in found:
        filled = [
            item if plain(word) == "{}" else word.replace(quoted("{}"), BELOW).replace("{}", BELOW) for word in words
        ]
        call.command(filled, NOTHING)


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(SIMPLE, simple),
    **dict.fromkeys(PRIVILEGED, privileged),
    "command": command,
    "env": env,
    "su": su,
    "runuser": su,
    "script": su,
    "flock": flock,
    "watch": watch,
    "entr": watch,
    "xargs": xargs,
    "parallel": xargs,
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
}
