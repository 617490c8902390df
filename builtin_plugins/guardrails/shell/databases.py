"""Clients of databases: statements that throw data away, and those that run programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..paths import is_unknown, plain
from .flow import SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

_DISCARDS: Final = re.compile(
    r"\b(?:drop|truncate)\s+(?:table|database|schema|view|index|role|user|owned)\b|"
    r"\btruncate\s+\w|\bdelete\s+from\s+[\w.\"`]+\s*(?:;|\Z)|\bdropDatabase\s*\(|\.drop\s*\(",
    re.IGNORECASE,
)
_RUNS: Final = re.compile(
    r"(?m)\\!|\\(?:g|o|w|copy)\b[^\n]*\||\bprogram\s+['$]|^\s*(?:system|source)\b|"
    r"^\s*\.(?:shell|system|read|import|output|once|load|open|log|excel|save|backup|cd)\b|"
    r"\b(?:readfile|writefile|edit|load_extension|lo_export|pg_read_file)\s*\(|\binto\s+(?:out|dump)file\b",
    re.IGNORECASE,
)
_CLIENTS: Final = {
    "psql": "-c -d -f -h -p -U -v -o -L -A -F -P -R -T "
    "--command --dbname --file --host --port --username --set --output",
    "mysql": "-e -h -P -u -D -S --execute --host --port --user --database --socket",
    "sqlite3": "-cmd -init -separator -nullvalue -newline",
    "mongosh": "--eval -f --file --host --port -u -p",
}


def client(call: Invocation) -> Stream:
    """Take a client; statements flow in, or stand on its command line."""
    name = {"mariadb": "mysql", "mongo": "mongosh", "sqlite": "sqlite3"}.get(call.name, call.name)
    options = call.options(_CLIENTS[name])
    statements = [plain(each) for each in options.of("-c", "--command", "-e", "--execute", "-cmd", "--eval")]
    operands = options.operands
    if name == "sqlite3":
        call.paths("write", operands[:1])
        statements += [plain(each) for each in operands[1:]]
    if call.stdin.there:
        statements.append(call.stdin.text if call.stdin.text is not None and call.stdin.origin != "unknown" else "")
        if not statements[-1]:
            call.opaque("statements that are only known when they run")
    if options.of("-init", "-f", "--file"):
        call.paths("read", options.of("-init", "-f", "--file"))
        call.opaque("statements in a file")
    call.paths("write", options.of("-o", "--output", "-L"))
    for host in options.of("-h", "--host"):
        call.connect(plain(host))
    for statement in statements:
        if _RUNS.search(statement) or is_unknown(statement):
            call.opaque("a statement that can run a program or reach files")
        if _DISCARDS.search(statement):
            call.does("discard", "throws data away for good")
    return SOMETHING


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = dict.fromkeys(
    ("psql", "mysql", "mariadb", "sqlite3", "sqlite", "mongosh", "mongo"), client
)
