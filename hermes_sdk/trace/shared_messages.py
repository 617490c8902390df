"""Messages of conversations, each written once: a call's history is all of the calls before it and a little more.

In a recording, a list of messages leaves its place empty, and the entry says where: ``refs`` is a list of
``{"at": [keys and places], "messages": [[first, last], ...]}``, numbers of message lines that stand before it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Way: TypeAlias = tuple[str | int, ...]
"""The way to a value, from an entry down: keys of objects and places in lists."""


class MessageWriter:
    """Takes messages out of entries, and says which are new."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        """Number of each message that was written, by its digest."""

    def taken_out(self, entry: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the lines of messages that are new, and the entry without its messages.

        Args:
            entry: Values as JSON has them.
        """
        lines: list[dict[str, Any]] = []
        refs: list[dict[str, Any]] = []
        # made anew, whatever the caller put there: a reader trusts it
        rest = {key: self._without(value, (key,), lines, refs) for key, value in entry.items() if key != "refs"}
        return lines, rest | {"refs": refs} if refs else rest

    def _without(self, value: Any, way: Way, lines: list[dict[str, Any]], refs: list[dict[str, Any]]) -> Any:
        # Any: whatever JSON has
        if isinstance(value, dict):
            return {key: self._without(item, (*way, key), lines, refs) for key, item in value.items()}
        if not isinstance(value, list):
            return value
        if not value or not all(isinstance(item, dict) and isinstance(item.get("role"), str) for item in value):
            return [self._without(item, (*way, place), lines, refs) for place, item in enumerate(value)]
        refs.append({"at": list(way), "messages": _spans([self._number(item, lines) for item in value])})
        return None

    def _number(self, message: dict[str, Any], lines: list[dict[str, Any]]) -> int:
        digest = hashlib.sha256(json.dumps(message).encode()).digest()
        number = self._numbers.get(digest)
        if number is None:
            number = self._numbers[digest] = len(self._numbers) + 1
            lines.append({"message": number, "value": message})
        return number


def _spans(numbers: list[int]) -> list[list[int]]:
    """Return numbers as pairs of first and last: a history that grows is one pair, however long it is."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return spans


class MessageReader:
    """Puts messages back into entries."""

    def __init__(self) -> None:
        self._messages: dict[int, Any] = {}
        self._last = 0

    def takes(self, line: Mapping[str, Any]) -> bool:
        """Remember a line that is a message; False for any other line."""
        number = line.get("message")
        if "type" in line or not isinstance(number, int):
            return False
        self._messages[number] = line.get("value")
        self._last = max(self._last, number)
        return True

    def put_back(self, entry: dict[str, Any]) -> bool:
        """Put the messages of an entry in their places; False where some are missing, which are left out."""
        whole = True
        refs = entry.pop("refs", None)
        for ref in refs if isinstance(refs, list) else ():
            try:
                *way, last = ref["at"]
                place: Any = entry
                for key in way:
                    place = place[key]
                spans = [(int(first), int(end)) for first, end in ref["messages"]]
                place[last] = [self._messages[number] for span in spans for number in self._known(*span)]
                whole = whole and len(place[last]) == sum(end - first + 1 for first, end in spans)
            except (KeyError, IndexError, TypeError, ValueError):
                whole = False
        return whole

    def _known(self, first: int, end: int) -> Iterator[int]:
        # no further than there are messages: a damaged number must not keep the reader busy
        return (number for number in range(first, min(end, self._last) + 1) if number in self._messages)
