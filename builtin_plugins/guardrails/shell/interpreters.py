"""Programs that run code: shells, whose scripts are read, and other languages, which are opaque."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..paths import is_unknown, path_pattern, plain, quoted
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
LANGUAGES: Final = {
    "python": "-c",
    "pypy": "-c",
    "ipython": "-c",
    "perl": "-e -E",
    "ruby": "-e",
    "node": "-e --eval -p --print",
    "deno": "eval",
    "bun": "-e --eval -p",
    "php": "-r -B -E -R",
    "lua": "-e",
    "luajit": "-e",
    "Rscript": "-e",
    "R": "-e",
    "osascript": "-e",
    "tclsh": "",
    "expect": "-c",
    "guile": "-c",
    "julia": "-e -E",
    "groovy": "-e",
    "elixir": "-e",
    "gdb": "-ex --ex -iex -eval-command --eval-command -x --command --batch",
    "lldb": "-o -O -s -S -k --one-line --source --batch",
    "bpftrace": "-e",
    "vim": "-c",
    "vi": "-c",
    "nvim": "-c",
    "ex": "-c",
    "emacs": "--eval -eval -f --batch",
    "jshell": "",
    "ed": "",
    "dc": "",
    "m4": "",
    "pwsh": "-c -Command -EncodedCommand -File -f",
    "powershell": "-c -Command -EncodedCommand -File -f",
    "cmd": "/c /k",
}
"""Language -> options behind which code stands."""
_VALUED: Final = {
    "python": "-W -X",
    "pypy": "-W -X",
    "perl": "-I -x",
    "ruby": "-I -r -C -E",
    "node": "-r --require --import --loader -C",
    "php": "-d -c -z",
    "lua": "-l",
    "gdb": "-p -c -d -s -e --pid --core --symbols --exec",
}
"""Options in front of the code that take a value."""
_VERSIONED: Final = re.compile(r"(python|pypy|perl|ruby|node|php|lua)[\d.]*\Z")
_AWK_RUNS: Final = re.compile(r"system\s*\(|\|&?|getline|>|@load|@include")
_SED_RUNS: Final = re.compile(r"(?:^|[;{}/\d$\n])\s*(?:e\b|[wWr]\s*\S)|s(.).*\1.*\1[gIpm\d]*[ew]")
STDIN: Final = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_TIMES: Final = re.compile(r"(?m)^[ \t]*(?:@\w+|(?:[^\s#]+[ \t]+){4}[^\s#]+)[ \t]+")
"""When a line of a crontab runs."""
_TAKES_COMMANDS: Final = ("ed", "ex", "gdb", "vim", "vi")
_CODE_ANYWHERE: Final = frozenset(("gdb", "lldb", "vim", "vi", "nvim", "ex", "emacs"))
"""Programs that take code behind their files, too."""
_GOES_TO: Final = re.compile(r"\+(?:\d*|/.*)\Z", re.DOTALL)
"""Where an editor opens a file; any other `+...` is a command."""
_INTERACTIVE: Final = frozenset(("vim", "vi", "nvim", "emacs", "R"))


def language_of(name: str) -> str | None:
    """Return the language that a program runs: `python3.12` is python."""
    match = _VERSIONED.match(name)
    base = match[1] if match else name
    return base if base in LANGUAGES else None


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


def language(call: Invocation) -> Stream:
    """Take an interpreter of another language."""
    name = language_of(call.name) or call.name
    if any("timeit" in text for text in call.texts[:3]):
        call.opaque("python code on the command line")
    if _has_code(call, name):
        call.opaque(f"{name} code on the command line")
        return SOMETHING
    if "-m" in call.texts and name in ("python", "pypy"):
        return _module(call, call.texts.index("-m") + 1)
    operands = [text for text in call.texts if not text.startswith("-")]
    written = call.shell.content(quoted(operands[0])) if operands else Stream(origin="file")
    if written.origin == "download" or (not operands and call.stdin.origin == "download"):
        call.does("download-run", "runs what was just downloaded")
    elif written.origin != "file":
        call.opaque(f"{name} code that the command itself wrote")
    elif call.stdin.there and (not operands or operands[0] in STDIN or name in _TAKES_COMMANDS):
        call.opaque(f"{name} code that flows in")
    if operands:
        call.path("write" if name in _INTERACTIVE else "read", quoted(operands[0]))
    return SOMETHING


def _has_code(call: Invocation, name: str) -> bool:
    """Whether code stands in front of the first operand."""
    coded, valued = LANGUAGES[name].split(), _VALUED.get(name, "").split()
    for place, text in enumerate(call.texts):
        if place and call.texts[place - 1] in valued:
            continue
        if any(text == option or _letter_of(option, text) for option in coded):
            return True
        if text.startswith("+") and name in _CODE_ANYWHERE and not _GOES_TO.match(text):
            return True
        if (not text.startswith("-") or text == "-") and name not in _CODE_ANYWHERE:
            break
    return False


def _module(call: Invocation, place: int) -> Stream:
    """Take ``python -m module``: some modules are programs that are known here."""
    module = call.texts[place] if place < len(call.texts) else ""
    rest = call.words[place + 1 :]
    if module in ("pip", "virtualenv"):
        return call.command([quoted(module), *rest])
    if module in ("hermes_sdk", "hermes_cli.main", "hermes_cli", "twine", "poetry", "hatch", "flit"):
        return call.command([quoted(module.partition(".")[0].replace("_", "-").replace("hermes-cli", "hermes")), *rest])
    if module == "venv":
        return call.command([quoted("virtualenv"), *rest])
    if module in ("code", "pdb", "IPython") or call.stdin.there:
        call.opaque("python code that flows in")
    return SOMETHING


def _letter_of(option: str, text: str) -> bool:
    """Whether a word of joined letters has an option in it: -Sc, -ne."""
    if text.startswith("--"):
        return option.startswith("--") and text.startswith(f"{option}=")
    return len(option) == 2 and text.startswith("-") and option[1] in text[1:] and not text.startswith("-m")  # noqa: PLR2004


def awk(call: Invocation) -> Stream:
    """Take awk: a program without pipes, files and `system` only reads."""
    options = call.options("-f -v -F -i --file --assign --field-separator --include")
    programs = options.operands[:1] if not options.has("-f", "--file") else []
    for program in programs:
        text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', plain(program))
        if _AWK_RUNS.search(re.sub(r"[<>]=?\s*[\d$\w(]|\|\|", " ", text)) or "system" in text or is_unknown(text):
            call.opaque("an awk program that can run commands or write files")
    if options.has("-f", "--file"):
        call.opaque("an awk program in a file")
    libraries = [plain(word) for word in options.of("-i", "--include")]
    if any(library != "inplace" for library in libraries):
        call.opaque("an awk library")
    call.paths("write" if libraries else "read", options.operands[len(programs) :])
    return SOMETHING


def sed(call: Invocation) -> Stream:
    """Take sed: -i changes its files; scripts can run commands too."""
    options = call.options("-e -f -l --expression --file --line-length")
    scripts = options.of("-e", "--expression")
    operands = options.operands
    if not scripts and not options.has("-f", "--file"):
        scripts, operands = operands[:1], operands[1:]
    for script in scripts:
        if _SED_RUNS.search(plain(script)) or is_unknown(script):
            call.opaque("a sed script that can run commands or write files")
    if options.has("-f", "--file"):
        call.opaque("a sed script in a file")
    in_place = options.has("-i", "--in-place") or any(flag == "-i" for flag in options.flags)
    call.paths("write" if in_place else "read", operands)
    return SOMETHING


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
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), awk),
    **dict.fromkeys(("sed", "gsed"), sed),
    **dict.fromkeys(("at", "batch", "crontab"), repeated),
    "eval": evaluate,
    "trap": trap,
    "alias": alias,
}
