"""Programs that run code of other languages, which is opaque: only where it comes from is looked at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..paths import is_unknown, plain, quoted
from .flow import SOMETHING, Stream
from .shells import STDIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

LANGUAGES: Final = {
    "python": "-c",
    "pypy": "-c",
    "ipython": "-c",
    "perl": "-e -E",
    "ruby": "-e",
    "node": "-e --eval -p --print",
    "deno": "eval",
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
    "nodejs": "-e --eval -p --print",
    "tsx": "-e --eval -p --print",
    "ts-node": "-e --eval -p --print",
    "raku": "-e",
    "ghc": "-e",
    "gnuplot": "-e",
    "vim": "-c --cmd -S -u",
    "vi": "-c --cmd -S -u",
    "nvim": "-c --cmd -S -u -l",
    "ex": "-c --cmd -S -u",
    "emacs": "--eval -eval -f --batch -l --load --script",
    "emacsclient": "-e --eval",
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
_SED_RUNS: Final = re.compile(r"(?:^|[;{}/\d$\n!]|/[IM]+)\s*!?\s*(?:e\b|[wWr]\s*\S)|s(.).*\1.*\1[gIpm\d]*[ew]")
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
    if any(re.match(r"-[eEl]|--(?:source|exec|load)", text) for text in call.texts):
        call.opaque("an awk program behind an option")
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


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), awk),
    **dict.fromkeys(("sed", "gsed"), sed),
}
