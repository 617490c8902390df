"""``hermes-sdk memories``: what is remembered of whom, for who keeps the machine: list, export, import, and more."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TextIO

from .importing import WrongLineError, memories_of
from .places import key_of
from .recall import counted

if TYPE_CHECKING:
    import argparse

    from .settings import Settings
    from .store import Memory, Store

ABOUT: Final = "List, export, import and delete memories, of one person or of all."
_WRONG: Final = 2


class MemoriesCommand:
    """The sub-command.

    Args:
        store: Where memories are kept.
        settings: What the user chose.
        local_name: What the surfaces of this machine are called; empty where they have no name.
    """

    def __init__(self, store: Store, settings: Settings, local_name: str) -> None:
        self._store = store
        self._settings = settings
        self._local_name = local_name

    def set_up(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
        for name, about, action in (
            ("list", "show the newest memories", self.show),
            ("export", "write memories as JSON lines", self.export),
            ("import", "take in what `export` wrote", self.take_in),
            ("delete", "delete memories for good", self.delete),
            ("stats", "show how much is remembered, and where", self.stats),
        ):
            one = actions.add_parser(name, help=about, description=about)
            one.set_defaults(func=action)
            if name == "import":
                one.add_argument("file", metavar="FILE", help="JSON lines; - reads standard input")
            if name in {"import", "stats"}:
                continue
            one.add_argument("--person", help="only what this person said: local, telegram:42")
            one.add_argument("--room", help="only of this room, as `memories stats` names it")
            if name == "list":
                one.add_argument("--most", type=int, default=20, help="at most so many (20)")
            if name == "export":
                one.add_argument("--output", metavar="FILE", help="write to a file that only you can read")
            if name == "delete":
                one.add_argument("--everybody", action="store_true", help="all memories of all persons")
                one.add_argument("--yes", action="store_true", help="do not ask")

    def show(self, given: argparse.Namespace) -> int:
        """Show the newest memories."""
        memories = self._chosen(given, max(1, given.most))
        for memory in memories:
            _say(f"{memory.number}  {_when(memory)[:10]}  {memory.person or '?'} in {memory.room}: {memory.text}")
        if not memories:
            _say("nothing is remembered" + self._hint(given))
        return 0

    def export(self, given: argparse.Namespace) -> int:
        """Write memories as JSON lines, the oldest first."""
        memories = self._chosen(given)[::-1]
        if given.output is None:
            _write(memories, sys.stdout)
            return 0
        try:
            descriptor = os.open(given.output, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        except OSError as error:
            sys.stderr.write(f"{given.output} cannot be written: {error.strerror}\n")
            return 1
        os.fchmod(descriptor, 0o600)  # it may have been there before
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            _write(memories, file)
        _say(f"exported {counted(len(memories))} to {given.output}" + ("" if memories else self._hint(given)))
        return 0

    def take_in(self, given: argparse.Namespace) -> int:
        """Store what an export has, all or nothing; what is there already is left as it is."""
        source = "standard input" if given.file == "-" else given.file
        name: str | int = sys.stdin.fileno() if given.file == "-" else given.file
        try:
            with open(name, encoding="utf-8-sig", closefd=given.file != "-") as file:
                memories = memories_of(file, source, self._local_name)
                stored, held = self._store.restore(memories, keep=self._settings.keep)
        except OSError as error:
            sys.stderr.write(f"{source} cannot be read: {error.strerror}\n")
            return 1
        except WrongLineError as error:
            sys.stderr.write(f"nothing was imported: {error}\n")
            return _WRONG
        _say(f"imported {counted(stored)}" + (f"; {held} were there already" if held else ""))
        return 0

    def delete(self, given: argparse.Namespace) -> int:
        """Delete memories, their words from the indexes too."""
        if given.everybody == bool(given.person or given.room):
            sys.stderr.write("say whose: --person, --room or both, or --everybody\n")
            return _WRONG
        memories = self._chosen(given)
        if not memories:
            _say("nothing is remembered" + self._hint(given))
            return 0
        if not given.yes:
            if not sys.stdin.isatty():
                sys.stderr.write(f"this would delete {counted(len(memories))}: say --yes\n")
                return _WRONG
            sys.stdout.write(f"delete {counted(len(memories))} for good? [y/N] ")
            sys.stdout.flush()
            if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
                _say("nothing was deleted")
                return 1
        _say(f"deleted {counted(self._store.forget([memory.number for memory in memories]))}")
        return 0

    def stats(self, _given: argparse.Namespace) -> int:
        """Show how much is remembered, and where."""
        for name, value in self._store.describe().items():
            _say(f"{name}: {value}")
        rooms = self._store.rooms()
        _say(f"memories: {sum(rooms.values())}")
        for room, held in rooms.items():
            _say(f"  {held}  {room}")
        persons = Counter(memory.person or "?" for memory in self._store.select())
        if persons:
            _say("persons:")
        for person, count in sorted(persons.items()):
            _say(f"  {count}  {person}")
        return 0

    def _chosen(self, given: argparse.Namespace, most: int | None = None) -> list[Memory]:
        rooms = None if given.room is None else [given.room]
        return self._store.select(person=_person(given.person), rooms=rooms, most=most)

    def _hint(self, given: argparse.Namespace) -> str:
        """Return what to look at when a name has nothing."""
        named = given.person or given.room
        return f" of {named}; `hermes-sdk memories stats` lists persons and rooms" if named else ""


def _person(name: str | None) -> str | None:
    """Return a person as the store knows them: an id may have colons of its own, ``matrix:@bob:example.org``."""
    return name if name is None or "%" in name else key_of(*name.split(":", 1))


def _write(memories: list[Memory], file: TextIO) -> None:
    file.writelines(json.dumps(_fields(memory), ensure_ascii=False) + "\n" for memory in memories)


def _fields(memory: Memory) -> dict[str, Any]:
    """Return a memory as it is exported, JSON-ready."""
    return {
        "number": memory.number,
        "person": memory.person,
        "room": memory.room,
        "note": memory.note,
        "text": memory.text,
        "created": _when(memory),
        "uses": memory.uses,
        "session": memory.session,
    }


def _when(memory: Memory) -> str:
    return datetime.fromtimestamp(memory.created, UTC).isoformat(timespec="seconds")


def _say(line: str) -> None:
    # ids of persons and chats are what platforms made of them: none of them steers the terminal
    sys.stdout.write("".join(one if one.isprintable() else "\ufffd" for one in line) + "\n")
