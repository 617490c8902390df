"""The slash commands: ``/remember``, ``/recall`` and ``/forget``, each for who typed it, where it was typed."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Final

from .recall import counted, dated
from .words import WORDS_KEPT, words_of
from .worth import NOTE_CHARS, kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .places import Place
    from .search import Search
    from .settings import Settings
    from .store import Memory, Store
    from .whereabouts import Whereabouts

REMEMBER: Final = "[--chat | --project] <what to remember>"
RECALL: Final = "[words]"
FORGET: Final = "<number> ... | <words> | all"
_NOBODY: Final = "this host does not say who typed the command, and where, so nobody's memory is touched"
_LISTED: Final = 10
_WORDS: Final = 24
_NUMBERS: Final = re.compile(r"#?[0-9]{1,18}(?:[\s,]+#?[0-9]{1,18})*", re.ASCII)
_OPTIONS: Final = ("--chat", "--project")


class Commands:
    """The handlers of the slash commands.

    Args:
        store: Where memories are kept.
        search: Finds them.
        whereabouts: Knows who typed a command, and where.
        settings: What the user chose.
    """

    def __init__(self, store: Store, search: Search, whereabouts: Whereabouts, settings: Settings) -> None:
        self._store = store
        self._search = search
        self._whereabouts = whereabouts
        self._settings = settings

    def remember(self, raw_args: str) -> str:
        """/remember: keep a note."""
        place = self._whereabouts.of_command()
        if place is None:
            return _NOBODY
        option, rest = _option(raw_args.strip())
        if option and option not in _OPTIONS:
            near = difflib.get_close_matches(option, _OPTIONS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"usage: /remember {REMEMBER}"
            return f"there is no option {option}; {hint}"
        text = kept(rest, NOTE_CHARS)
        if not words_of(text, 1):
            return f"usage: /remember {REMEMBER}" if not text else "a memory needs a word that it can be found by"
        room = place.room
        if option == "--project":
            room = place.project(self._whereabouts.project())
        elif option == "--chat":
            if not place.chat:
                return "the command line is no chat; leave --chat out, or say --project"
            room = place.chat
        numbers = self._store.add(room, place.person, [text], note=True, keep=self._settings.keep)
        return f"remembered as {numbers[0]}: {text}" if numbers else "that is remembered already"

    def recall(self, raw_args: str) -> str:
        """/recall: list what is remembered on some words, or the newest."""
        place = self._whereabouts.of_command()
        if place is None:
            return _NOBODY
        rooms = place.rooms(self._whereabouts.project())
        if raw_args.strip():
            found = self._search.find(rooms, raw_args, _LISTED)
        else:
            found = self._store.select(rooms=rooms, most=_LISTED)
        return _listed(found, place) or "nothing is remembered on that"

    def forget(self, raw_args: str) -> str:
        """/forget: delete own memories by number, the one that has some words, or all."""
        place = self._whereabouts.of_command()
        if place is None:
            return _NOBODY
        asked = raw_args.strip()
        if not asked:
            return f"usage: /forget {FORGET}; /recall shows the numbers"
        own = self._own(place)
        if asked.lower() == "all":
            return _forgot(self._store.forget([memory.number for memory in own]))
        if _NUMBERS.fullmatch(asked):
            numbers = {int(number) for number in re.findall(r"[0-9]+", asked)}
            return _forgot(self._store.forget([memory.number for memory in own if memory.number in numbers]))
        words = set(words_of(asked, _WORDS))
        fitting = [memory for memory in own if words and words <= set(words_of(memory.text, WORDS_KEPT))]
        if len(fitting) > 1:
            listed = _listed(fitting[:_LISTED], place)
            return f"{len(fitting)} memories have these words; say /forget and a number:\n{listed}"
        if fitting:
            return f"{_forgot(self._store.forget([fitting[0].number]))}: {fitting[0].text}"
        return "nothing of yours that is remembered here has these words"

    def _own(self, place: Place) -> list[Memory]:
        """Return what this person said at this place, in any project."""
        rooms = [room for room in self._store.rooms() if place.owns(room)]
        return self._store.select(person=place.person, rooms=rooms)


def _option(text: str) -> tuple[str, str]:
    if not text.startswith("--"):
        return "", text
    option, _, rest = text.partition(" ")
    return option.lower(), rest


def _listed(memories: Sequence[Memory], place: Place) -> str:
    return "\n".join(f"{memory.number}  {dated(memory, place)}" for memory in memories)


def _forgot(count: int) -> str:
    return f"forgot {counted(count)}"
