"""How plugins are shown: a table with the reasons under it, or all about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from hermes_sdk.cli.screen import console, plain
from hermes_sdk.cli.tables import PlainTable, print_pair
from hermes_sdk.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_STATUS_STYLES: Final = {
    "enabled": "green",
    "loaded": "green",
    "live": "green",
    "degraded": "yellow",
    "failed": "red",
    "refused": "red",
    "broken manifest": "red",
    "suspended": "red",
    "disabled": "dim",
    "not enabled": "dim",
    "present, not enabled": "dim",
    "shadowed": "dim",
}

Row = "Mapping[str, Any]"
"""One plugin, with the keys of plugins/listing.py."""


def show_list(rows: Sequence[Mapping[str, Any]], problems: Sequence[str]) -> None:
    """Print the table, then why plugins are not in force, what failed, and what is wrong in config.yaml."""
    screen = console()
    if rows:
        cells = [
            (row["order"] or "", row["key"], row["version"], _source(row), _status(row), _hooks(row)) for row in rows
        ]
        titles = ("#", "plugin", "version", "source", "status", "hooks")
        screen.print(PlainTable(titles, cells, numbers=("#",), styles=_STATUS_STYLES))
    else:
        screen.print("no plugin is installed")
    # copies of one name are refused with the same words
    notes = dict.fromkeys([*_notes(rows, set(problems)), *(("config", problem) for problem in problems)])
    if notes:
        screen.print()
    for about, text in notes:
        print_pair(screen, about, text, width=0)


def show_details(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print everything about each of `rows`, copies of one name."""
    screen = console()
    for number, row in enumerate(rows):
        if number:
            screen.print()
        screen.print(Text(plain(row["key"]), "bold"))
        pairs = list(_details(row))
        width = max(len(label) for label, _ in pairs)
        for label, text in pairs:
            print_pair(screen, label, text, width=width)


def show_commands(commands: Sequence[Mapping[str, str]]) -> None:
    """Print the commands that plugins brought along."""
    screen = console()
    if not commands:
        screen.print("no plugin adds a command")
        return
    rows = [(entry["command"], entry["plugin"], entry["help"]) for entry in commands]
    screen.print(PlainTable(("command", "plugin", "what it does"), rows))


def _notes(rows: Sequence[Mapping[str, Any]], said: set[str]) -> Iterator[tuple[str, str]]:
    for row in rows:
        if row["why"] and row["why"] not in said:  # an unreadable config.yaml is why no plugin loads: said once
            yield row["key"], row["why"]
        if row["failures"] and row["enabled"]:  # one that did not load failed once, and `why` says how
            yield row["key"], f"{counted(row['failures'], 'failure')}, the last one: {row['last_failure']}"
    live = {(row["live"]["pid"], row["live"]["since"]) for row in rows if row["live"]}
    for pid, since in sorted(live):
        yield "live", f"in pid {pid} since {since}"


def _details(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    live = row["live"]
    known: dict[str, object] = {
        "status": _status(row) + (f": {row['why']}" if row["why"] else ""),
        "description": row["description"],
        "author": row["author"],
        "source": row["source"],
        "distribution": row["distribution"],
        "version": row["version"],
        "place": row["path"],
        "kind": "" if row["kind"] == "standalone" else row["kind"],
        "order": row["order"],
        "hooks": _hooks(row),
        "tools": row["tools"],
        "commands": [f"/{name}" for name in row["commands"]],
        "CLI commands": [f"hermes-sdk {name}" for name in row["cli_commands"]],
        "skills": row["skills"],
        "middleware": row["middleware"],
        "fail closed": row["fail_closed"],
        "needs": row["needs"],
        "failures": f"{row['failures']}, the last one: {row['last_failure']}" if row["failures"] else "",
        "problems": "\n".join(row["problems"]),
        "live": f"in pid {live['pid']} since {live['since']}" if live else "",
        "module": "one for all homes of a process" if row["shared_module"] else "",
    }
    for label, value in known.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
        if text:
            yield label, text


def _status(row: Mapping[str, Any]) -> str:
    if row["suspended"]:
        return "suspended"
    return "live" if row["live"] and row["status"] == "enabled" else str(row["status"])


def _source(row: Mapping[str, Any]) -> str:
    distribution = row["distribution"]
    return f"{row['source']}\n{distribution}" if distribution and distribution != row["key"] else str(row["source"])


def _hooks(row: Mapping[str, Any]) -> str:
    if row["hooks"]:
        return ", ".join(row["hooks"])
    unknown = row["enabled"] and row["live"] is None and row["status"] == "enabled"
    return "known when loaded" if unknown else ""
