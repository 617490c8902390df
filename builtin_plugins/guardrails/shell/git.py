"""git: what throws work away, where it connects, and the many ways in which it runs other programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..acts import Act
from ..hosts import SCHEME, host_of_remote
from ..paths import BELOW, is_unknown, plain, quoted
from .flow import SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation, Options

_GIVEN_TO_A_SHELL: Final = re.compile(r"--(?:exec|upload-pack|receive-pack)(?:=|\Z)|!")
_GLOBAL: Final = "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix"
_VALUED: Final = {
    "archive": "-o --output --format --prefix --remote --exec",
    "checkout": "-b -B --orphan",
    "clean": "-e --exclude",
    "clone": "-b -u -o -c -j --depth --branch --upload-pack --config --template --reference --origin",
    "commit": "-m -F -C -c -t --message --file --author --date",
    "difftool": "-x -t --extcmd --tool",
    "fetch": "-o -j --depth --upload-pack",
    "format-patch": "-o --output-directory",
    "grep": "-e -f -O",
    "log": "-n -S -G -L --author --since --until --grep",
    "pull": "-o -j -s -X --depth --upload-pack",
    "push": "-o --push-option --receive-pack --exec --repo",
    "rebase": "-x -s -X --exec --onto",
    "remote": "-t -m",
    "restore": "-s --source",
    "submodule": "-b --reference --depth",
    "switch": "-c -C --orphan",
    "tag": "-m -F -u --message --file",
    "worktree": "-b -B",
}
"""Command -> its options that take a value."""
_RUNS_PROGRAMS: Final = re.compile(
    r"alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|.*\.(?:command|cmd|textconv|helper|"
    r"driver|clean|smudge|process|program|uploadpack|receivepack|pager|tool)|diff\.external|sequence\.editor|"
    r"protocol\.|url\.|include(?:if)?\.|filter\.|init\.templatedir",
    re.IGNORECASE,
)
_HOLDS_A_COMMAND: Final = re.compile(
    r"core\.(?:pager|editor|sshcommand|askpass)|pager\.\w+|sequence\.editor|diff\.external", re.IGNORECASE
)
"""Settings whose value is given to a shell."""
_CONNECTS: Final = frozenset(("clone", "fetch", "pull", "push", "ls-remote", "archive", "remote", "submodule"))
_REMOTE: Final = re.compile(r'^\s*\[remote "([^"]+)"\]\s*$|^\s*(?:push)?url\s*=\s*(\S+)', re.MULTILINE)


def git(call: Invocation) -> Stream:
    """Take git."""
    given = call.options(_GLOBAL, until_operand=True)
    state = call.shell.state
    before = state.cwds
    for directory in [*given.of("-C"), *given.of("--work-tree")]:
        state.go(directory, certain=True)
    for word in [*given.of("-c"), *given.of("--config-env")]:
        _setting(call, plain(word))
    behind = [plain(word) for word in given.operands]
    if given.of("--config-env") or any(_GIVEN_TO_A_SHELL.match(text) for text in behind if behind[0] != "rebase"):
        call.opaque("an option of git that runs a program")
    if behind[:1] == ["checkout-index"]:
        call.paths("write", [text.partition("=")[2] for text in behind if text.startswith("--prefix=")], recursive=True)
    if given.has("--exec-path") and given.of("--exec-path"):
        call.opaque("git takes its commands from another directory")
    if given.operands:
        command = plain(given.operands[0])
        rest = type(call)(call.shell, call.name, given.operands[1:], call.stdin, call.variables)
        if is_unknown(command):
            call.opaque("a command of git that is only known when it runs")
        _command(call, command, rest)
    state.cwds = before
    names = any(text in ("ls-files", "--name-only") for text in call.texts) and not given.values
    return Stream(items=(BELOW,), origin="names") if names else SOMETHING


def _setting(call: Invocation, text: str) -> None:
    name, _, value = text.partition("=")
    if _HOLDS_A_COMMAND.fullmatch(name):
        call.shell_text(quoted(value))
    elif name.lower().startswith("alias."):
        call.shell_text(quoted(value[1:] if value.startswith("!") else f"git {value}"))
    elif value.startswith("!") or _RUNS_PROGRAMS.match(text) or is_unknown(name):
        call.opaque("a setting of git that can run a program or change where it connects")


def _command(call: Invocation, command: str, rest: Invocation) -> None:
    options = rest.options(_VALUED.get(command, ""))
    texts = [plain(word) for word in options.operands]
    if command in _CONNECTS:
        _connects(call, command, options)
    texts = ["--", *texts] if "--" in rest.texts else texts
    if command in _DISCARDS and _DISCARDS[command](options, texts):
        call.does("discard", "throws work away for good")
    if command == "clean" and options.has("-f", "--force"):
        call.paths("delete", options.operands or ["."], recursive=True)
    elif command == "rm":
        call.paths("delete", options.operands, recursive=True)
    elif command == "config" and texts:
        call.paths("write", rest.options("-f --file").of("-f", "--file"))
        _setting(call, "=".join(texts[:2]))
        if options.has("--global", "--system"):
            call.path("write", quoted(f"{call.shell.state.home}/.gitconfig"))
    elif command in ("clone", "init", "worktree"):
        call.paths("write", options.operands[1:2] or ["."])
    else:
        call.paths("read", [word for word in options.operands if plain(word).startswith(("/", "../"))])
    call.paths("write", options.of("--output", "--output-directory", "--directory"))
    if command in ("archive", "format-patch"):
        call.paths("write", options.of("-o"))
    _runs(call, command, rest, options, texts)


def _runs(call: Invocation, command: str, rest: Invocation, options: Options, texts: list[str]) -> None:
    """Look at what git gives to a shell."""
    if command == "rebase":
        for word in options.of("-x", "--exec"):
            call.shell_text(word)
    elif command in ("submodule", "bisect") and texts[:1] in (["foreach"], ["run"]):
        words = [word for word in rest.words[rest.texts.index(texts[0]) + 1 :] if plain(word) != "--recursive"]
        call.shell_text(quoted(" ").join(words))
        call.command(words)
    elif command in ("difftool", "mergetool", "filter-branch", "daemon", "send-email", "instaweb", "http-backend"):
        call.opaque(f"git {command} runs other programs")
    if options.has("--upload-pack", "--receive-pack", "--ext-diff", "--open-files-in-pager", "--config", "--template"):
        call.opaque("an option of git that runs a program")
    if command == "clone" and (options.of("-c") or options.of("-u")):
        call.opaque("an option of git that can run a program")
    if any(plain(word).startswith("ext::") for word in rest.words):
        call.opaque("an address of git that runs a program")


def _push(options: Options, texts: list[str]) -> bool:
    forced = options.has("-f", "--force", "--force-with-lease", "--mirror", "--delete", "-d", "--prune")
    return forced or any(text.startswith(("+", ":")) for text in texts[1:])


def _checkout(options: Options, texts: list[str]) -> bool:
    return _switch(options, texts) or texts[:1] in (["."], ["--"]) or len(texts) > 1


def _switch(options: Options, _: list[str]) -> bool:
    return options.has("-f", "--force", "--discard-changes", "-B", "-C")


def _restore(options: Options, _: list[str]) -> bool:
    return not options.has("--staged", "-S") or options.has("--worktree", "-W")


def _branch(options: Options, _: list[str]) -> bool:
    return options.has("-D") or (options.has("-d", "--delete") and options.has("-f", "--force"))


_DISCARDS: Final[dict[str, Callable[[Options, list[str]], bool]]] = {
    "reset": lambda options, _: options.has("--hard", "--merge", "--keep"),
    "clean": lambda options, _: options.has("-f", "--force"),
    "push": _push,
    "checkout": _checkout,
    "switch": _switch,
    "restore": _restore,
    "branch": _branch,
    "tag": lambda options, _: options.has("-d", "--delete"),
    "stash": lambda _, texts: texts[:1] in (["drop"], ["clear"]),
    "reflog": lambda _, texts: texts[:1] in (["expire"], ["delete"]),
    "worktree": lambda options, texts: texts[:1] == ["remove"] and options.has("-f", "--force"),
    "gc": lambda options, _: options.has("--prune"),
    "update-ref": lambda options, _: options.has("-d"),
    **dict.fromkeys(("filter-branch", "filter-repo", "prune"), lambda *_: True),
}
"""Command -> whether its options and operands throw work away."""


def _connects(call: Invocation, command: str, options: Options) -> None:
    operands = options.operands
    if command in ("remote", "submodule"):
        subcommand = plain(operands[0]) if operands else ""
        if subcommand not in ("add", "set-url", "update", "show", "prune"):
            return
        operands = operands[1:]
    if command == "archive" and not options.has("--remote"):
        return
    places = [word for word in operands if SCHEME.match(plain(word)) or host_of_remote(plain(word))]
    for word in places[:1]:
        host = None if SCHEME.match(plain(word)) else host_of_remote(plain(word))
        if host is None:
            call.url(word)
        else:
            call.connect(host)
    local = bool(operands) and plain(operands[0])[:1] in ("/", ".", "~")
    if not places and not local and command != "submodule":
        _named_remote(call, plain(operands[0]) if operands else "origin")


def _named_remote(call: Invocation, name: str) -> None:
    """Note the hosts of a remote that the repository knows by name."""
    found = []
    for cwd in call.shell.state.cwds:
        found += [address for remote, address in _remotes(cwd) if remote == name]
    for address in found:
        host = None if SCHEME.match(address) else host_of_remote(address)
        if host is not None:
            call.connect(host)
        elif SCHEME.match(address):
            call.url(quoted(address))
    if not found:
        call.shell.findings.add(Act("connect", call.name, call.line, host=""))


def _remotes(cwd: str) -> list[tuple[str, str]]:
    """Return (name, address) of the remotes of the repository that a directory is in."""
    if not cwd.startswith("/") or is_unknown(cwd):
        return []
    for directory in [Path(cwd), *Path(cwd).parents]:
        config = directory / ".git" / "config"
        try:
            if not config.is_file():
                continue
            text = config.read_text("utf-8", errors="replace")[:65_536]
        except OSError:
            return []
        remotes, name = [], ""
        for match in _REMOTE.finditer(text):
            name = match[1] or name
            remotes += [(name, match[2])] if match[2] else []
        return remotes
    return []
