"""What a tool call would do: its arguments, read as shell commands, code, files and addresses."""

from __future__ import annotations

import os
import re
import shlex
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.fired_by import FIRED_BY

from .acts import Act
from .hosts import SCHEME, hosts_of_url
from .paths import Places, path_pattern, quoted
from .policy import Tool
from .shell.commands import Reading, read_script
from .who import NOBODY, Caller

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_TOOLS: Final = {
    "terminal": Tool(shell=["command"]),  # noqa: S604 - no call of a shell, but the name of an argument
    "execute_code": Tool(code=["code"]),
    "read_file": Tool(read=["path"]),
    "write_file": Tool(write=["path"]),
    "patch": Tool(write=["path"]),
    "search_files": Tool(read=["path"]),
    "web_extract": Tool(connect=["urls"]),
    "browser_navigate": Tool(connect=["url"]),
}
_SHELL: Final = frozenset(("command", "commands", "cmd", "shell_command", "bash", "command_line"))
_CODE: Final = frozenset(("code", "source_code", "javascript", "python", "expression"))
_ADDRESS: Final = frozenset(
    ("url", "urls", "uri", "endpoint", "base_url", "image_url", "webhook_url", "host", "hostname")
)
_PATH: Final = frozenset(
    (
        *(
            "path",
            "paths",
            "file",
            "files",
            "file_path",
            "filepath",
            "filename",
            "file_name",
            "directory",
            "dir",
            "folder",
        ),
        *("destination", "dest", "output", "output_path", "target_path", "source", "source_path", "notebook_path"),
    )
)
_READS: Final = re.compile(
    r"(?:^|_)(?:read|get|list|search|view|find|show|stat|head|open|glob|grep)(?:_|$)", re.IGNORECASE
)
_SEARCHES: Final = re.compile(r"(?:^|_)(?:search|find|glob|grep)(?:_|$)", re.IGNORECASE)
_PATCHED: Final = re.compile(r"^\*\*\* (Add|Update|Delete|Move)(?: File| to)?: (.+?)\s*$", re.MULTILINE)
_DEEPEST: Final = 12
_MOST_VALUES: Final = 2_000


@dataclass(slots=True)
class Call:
    """One tool call, as rules see it."""

    tool: str
    args: Mapping[str, Any]
    """Any: a model sends what it likes."""
    session_id: str = ""
    caller: Caller = NOBODY
    acts: list[Act] = field(default_factory=list)
    places: Places = field(default_factory=lambda: Places("/", "/", "/"))
    cwds: tuple[str, ...] = ()
    """Where a shell of the session may be afterwards."""


def working_directory() -> tuple[str, bool]:
    """Return where the session works, and whether each command starts there.

    hermes-agent does not say; its terminal begins in TERMINAL_CWD, and stays where a command went.
    """
    named = FIRED_BY.get().workdir
    if named:
        return named, True
    try:
        return os.environ.get("TERMINAL_CWD") or os.getcwd(), False  # noqa: PTH109 - text is what patterns are made of
    except FileNotFoundError:
        return "/", False


class Reader:
    """Finds out what calls would do.

    Args:
        tools: What a policy says of arguments.
        hermes_home: The agent's home.
    """

    def __init__(self, tools: Mapping[str, Tool], hermes_home: Path) -> None:
        self._tools = {**_TOOLS, **tools}
        self._hermes_home = str(hermes_home)

    def read(self, call: Call, workdir: str, cwds: tuple[str, ...] = ()) -> Call:
        """Note what a call does.

        Args:
            call: The call; its `acts` are filled in.
            workdir: Where the session works.
            cwds: Where its shell may be else.
        """
        home = os.path.expanduser("~")  # noqa: PTH111 - text is what patterns are made of
        call.places = Places(workdir, home, self._hermes_home)
        inside = call.args.get("workdir") or call.args.get("cwd")
        if isinstance(inside, str) and inside:
            cwds = ()
            workdir = path_pattern(_as_word(inside, home), workdir).text
        reading = Reading((workdir, *(each for each in cwds if each != workdir)), home)
        tool = self._tools.get(call.tool)
        for line in _argument_lists(call.args):
            read_script(reading, line)
        for key, path, value in _leaves(call.args):
            if value is None:
                reading.findings.opaque("more arguments than can be looked at")
                break
            self._argument(call, reading, tool, key, path, value)
        call.acts = list(reading.findings.acts) or [Act("call", words=call.tool)]
        call.cwds = reading.state.cwds
        return call

    def _argument(self, call: Call, reading: Reading, tool: Tool | None, key: str, path: str, value: str) -> None:
        kinds = _declared(tool, path) if tool is not None else _guessed(call.tool, key)
        if key == "patch" or (key == "input" and "patch" in call.tool):
            for kind, name in _PATCHED.findall(value):
                _touch(reading, "delete" if kind == "Delete" else "write", name)
        if call.tool == "process" and key == "data":
            reading.findings.opaque("input for a program that runs in the background")
            kinds = ["shell"]
        for kind in kinds:
            if kind == "shell":
                read_script(reading, value)
            elif kind == "code":
                reading.findings.opaque("code of another language")
            elif kind == "connect":
                _connect(reading, value)
            else:
                searched = kind == "read" and _SEARCHES.search(call.tool) is not None
                _touch(reading, kind, value, recursive=searched or kind == "delete")
        if not kinds and SCHEME.match(value):
            _connect(reading, value)


def _declared(tool: Tool, path: str) -> list[str]:
    return [kind for kind in ("shell", "code", "read", "write", "delete", "connect") if path in getattr(tool, kind)]


def _guessed(tool: str, key: str) -> list[str]:
    """Return what an argument of a tool that nobody described is likely to be, the worst that it may be."""
    name = key.lower()
    if name in _SHELL:
        return ["shell"]
    if name in _CODE:
        return ["code"]
    if name in _ADDRESS:
        return ["connect"]
    if name in _PATH:
        return ["read"] if _READS.search(tool) else ["read", "write"]
    return []


def _leaves(args: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Yield (key, path, text) of every text in the arguments; of lists, the key that they stand under.

    The text is None where there are too many, or they are too deep: what follows is not looked at.
    """
    pending = deque((str(key), str(key), value, 0) for key, value in args.items())
    left = _MOST_VALUES
    while pending:
        key, path, value, depth = pending.popleft()
        left -= 1
        if not left or depth > _DEEPEST:
            yield key, path, None
        elif isinstance(value, str):
            yield key, path, value
        elif isinstance(value, dict):
            pending += [(str(name), f"{path}.{name}", item, depth + 1) for name, item in value.items()]
        elif isinstance(value, list | tuple):
            pending += [(key, path, item, depth + 1) for item in value]


def _argument_lists(args: Mapping[str, Any]) -> Iterator[str]:
    """Yield commands that stand in several texts: a list of words, or a program and its arguments."""
    for key, value in args.items():
        if str(key).lower() not in (*_SHELL, "argv"):
            continue
        more: list[Any] = next(
            (args[name] for name in ("args", "arguments", "argv") if isinstance(args.get(name), list)), []
        )
        words = value if isinstance(value, list) else [value, *more] if isinstance(value, str) and more else []
        if words and all(isinstance(word, str) for word in words):
            yield shlex.join(words)


def _as_word(path: str, home: str) -> str:
    """Return a path that no shell reads; `~` is the tools' own."""
    return quoted(home + path[1:] if path == "~" or path.startswith("~/") else path)


def _touch(reading: Reading, does: str, path: str, *, recursive: bool = False) -> None:
    text = path.removeprefix("file://")
    if SCHEME.match(text):
        _connect(reading, text)
        return
    for cwd in reading.state.cwds:
        pattern = path_pattern(_as_word(text, reading.state.home), cwd)
        reading.findings.add(Act(does, path=pattern, recursive=recursive))


def _connect(reading: Reading, address: str) -> None:
    if address.lower().startswith("file://"):
        _touch(reading, "read", address[7:])
        return
    for host in hosts_of_url(address.strip()):
        reading.findings.add(Act("connect", host=host))
