"""Paths that a command names, as far as they are known, against path patterns of a policy.

Both sides can hold wildcards, and they stand for different things: those of a rule for what it is about, those of a
command for what the shell, or a variable, will put there. So two questions are asked. May the command touch what the
rule is about? A rule that stands in the way asks this. Does it surely stay inside? A rule that lets through asks that.
"""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

UNKNOWN: Final = "\ue000"
"""Stands for any text, in a word of a command that is known in part."""
BELOW: Final = "\ue003"
"""Stands for any path below the one in front of it, as `find` prints them: without `..`."""
NAME: Final = "\ue005"
"""Stands for the name of a file, as a wildcard gives it: without a slash, and not `..`."""
DOWNLOADED: Final = "\ue004"
"""Stands for text that comes from a host."""
_UNKNOWNS: Final = (UNKNOWN, BELOW, NAME, DOWNLOADED)
QUOTED: Final = 0xE100
"""A character with this added is quoted: no wildcard, whatever it looks like."""

_MANY: Final = "\ue010"
"""``**`` or something unknown: any text, slashes too."""
_SOME: Final = "\ue011"
"""``*``: any text within a directory."""
_DEEP: Final = "\ue013"
"""Something below: any text, but no `..`."""
_ONE: Final = "\ue012"
"""``?`` or ``[...]``: one character within a directory."""
_WILD: Final = re.compile(f"[{_MANY}{_DEEP}{_SOME}{_ONE}]")
_LONG: Final = (_MANY, _DEEP, _SOME)
"""What stands for a text of any length."""
_READABLE: Final = str.maketrans({_MANY: "…", _DEEP: "…", _SOME: "*", _ONE: "?"})
_LONGEST: Final = 4_096
"""Characters of a path: the kernel takes no longer one."""
_LONGEST_WILD: Final = 200
"""Characters that count of a path from its first wildcard on."""
_LINKS_FOLLOWED: Final = 256
"""Components of a path that are looked up; a longer one may be anywhere."""


def plain(word: str) -> str:
    """Return a word as text, quoting forgotten."""
    return "".join(chr(ord(each) - QUOTED) if QUOTED <= ord(each) < QUOTED + 128 else each for each in word)


def quoted(text: str) -> str:
    """Return `text` as part of a word in which nothing is special."""
    return "".join(chr(ord(each) + QUOTED) if each.isascii() and not each.isalnum() else each for each in text)


def readable(word: str) -> str:
    """Return a word for people: an ellipsis for what is unknown."""
    text = plain(word)
    for each in _UNKNOWNS:
        text = text.replace(each, "…")
    return text


def is_unknown(text: str) -> bool:
    """Whether a part of a word is only known when the command runs."""
    return any(each in text for each in _UNKNOWNS)


@dataclass(frozen=True, slots=True)
class PathPattern:
    """An absolute path that a command names, with wildcards where the shell fills something in."""

    text: str
    """Normalised; wildcards as single characters."""
    real: str
    """The same with symbolic links followed, as far as the files are there now."""
    shown: str
    """As people read it."""

    @property
    def readable(self) -> str:
        """The path for people: as it is written, and where that is."""
        where = self.text.translate(_READABLE)
        return self.shown if self.unknown or self.shown == where else f"{self.shown} ({where})"

    @property
    def unknown(self) -> bool:
        """Whether nothing of it is known."""
        return self.text.startswith(_MANY)

    @property
    def exact(self) -> bool:
        """Whether all of it is known."""
        return not _WILD.search(self.text)


def path_pattern(word: str, cwd: str, links: dict[str, str] | None = None) -> PathPattern:
    """Return the path that a word names.

    Args:
        word: A word of a command: wildcards that the shell expands, quoted characters, unknown parts.
        cwd: Where the command runs, as plain text that may have unknown parts too.
        links: Symbolic links that the same command made before.
    """
    tokens = _tokens(word[:_LONGEST])
    wild = _WILD.search(tokens)
    if wild and len(tokens) > wild.start() + _LONGEST_WILD:
        tokens = tokens[: wild.start() + _LONGEST_WILD] + _MANY
    if not tokens.startswith("/") and not tokens.startswith(_MANY):
        tokens = f"{_literal(cwd)}/{tokens}"
    text = posixpath.normpath(tokens) if not tokens.startswith(_MANY) else tokens
    text = "/" + text.lstrip("/") if text.startswith("//") else text
    for link, target in (links or {}).items():
        if text == link or text.startswith(f"{link}/"):
            text = posixpath.normpath(target.rstrip("/") + text[len(link) :] or "/")
    shown = readable(word) or "."
    real = _real(tokens) if not links else text
    return PathPattern(text, real, shown)


def _literal(text: str) -> str:
    return text.replace(UNKNOWN, _MANY).replace(DOWNLOADED, _MANY).replace(BELOW, _DEEP).replace(NAME, _SOME)


def _tokens(word: str) -> str:
    pieces = []
    position = 0
    while position < len(word):
        each = word[position]
        position += 1
        if each == "[" and "]" in word[position + 1 :]:
            position = word.index("]", position + 1) + 1
            pieces.append(_ONE)
        else:
            pieces.append(
                {"*": _SOME, "?": _ONE, UNKNOWN: _MANY, DOWNLOADED: _MANY, BELOW: _DEEP, NAME: _SOME}.get(
                    each, plain(each)
                )
            )
    return "".join(pieces).replace("\0", "")


def _real(tokens: str) -> str:
    """Follow links of the part before the first wildcard; `..` behind a link means its target's parent."""
    wild = _WILD.search(tokens)
    if wild is None:
        known, rest = tokens, ""
    else:
        cut = tokens.rfind("/", 0, wild.start()) + 1
        known, rest = tokens[:cut], tokens[cut:]
    if not known.startswith("/"):
        return posixpath.normpath(tokens)
    if known.count("/") > _LINKS_FOLLOWED:
        return _MANY
    try:
        resolved = os.path.realpath(known)
    except (OSError, ValueError, UnicodeError):
        resolved = posixpath.normpath(known)
    return posixpath.normpath(f"{resolved}/{rest}") if rest else resolved


@lru_cache(maxsize=4096)
def _rule(pattern: str, workdir: str, home: str, hermes_home: str) -> tuple[str, ...]:
    """Return a policy's pattern as tokens, all its readings: `/x/**` means /x too."""
    for start, meaning in (("~", home), (".", workdir), ("$HERMES_HOME", hermes_home)):
        if pattern == start or pattern.startswith(f"{start}/"):
            pattern = _escaped(meaning) + pattern[len(start) :]
    tokens = pattern.replace("**", _MANY).replace("*", _SOME).replace("?", _ONE)
    tokens = tokens.translate({code + QUOTED: code for code in range(128)})
    readings = [tokens]
    if tokens.endswith(f"/{_MANY}"):
        readings.append(tokens[:-2] or "/")
    if tokens.startswith(f"{_MANY}/"):
        readings.append(tokens[1:])
    return tuple(readings)


def _escaped(text: str) -> str:
    return "".join(chr(ord(each) + QUOTED) if each in "*?" else each for each in text.rstrip("/"))


@dataclass(frozen=True, slots=True)
class Places:
    """The directories that patterns of a policy begin with."""

    workdir: str
    home: str
    hermes_home: str

    def readings(self, pattern: str) -> tuple[str, ...]:
        """Return the forms of a policy's path pattern, as tokens."""
        return _rule(pattern, self.workdir, self.home, self.hermes_home)

    def may_touch(self, pattern: str, path: PathPattern, *, recursive: bool) -> bool:
        """Whether a path could be one that a rule's pattern is about."""
        forms = {path.text, path.real}
        for form in (path.text, path.real):
            if form.endswith(f"/{_SOME}"):  # all that is in a directory: as good as the directory
                forms.add(form[:-2] or "/")
            if recursive:
                forms.add(f"{form.rstrip('/')}/{_MANY}")
        if path.unknown:  # what is known of it behind the unknown part says too little: such a path is opaque
            return self.readings(pattern)[0] == _MANY
        return any(_meet(reading, form) for reading in self.readings(pattern) for form in forms)

    def stays_within(self, pattern: str, path: PathPattern, *, recursive: bool) -> bool:
        """Whether a path is surely one that a rule's pattern is about, with everything below it if `recursive`."""
        return all(self._within(pattern, form, recursive) for form in {path.text, path.real})

    def _within(self, pattern: str, form: str, recursive: bool) -> bool:
        readings = self.readings(pattern)
        wild = _WILD.search(form)
        if wild is not None:
            recursive = True
            part = form.rfind("/", 0, wild.start()) + 1
            if _MANY in form or form.startswith(f".{_SOME}", part) or form.startswith(f".{_ONE}", part):
                return False  # could hold or be `..`
            form = form[: part - 1] or "/"
        if recursive and not readings[0].endswith(_MANY):
            return False
        return any(_meet(reading, form) for reading in readings)


@lru_cache(maxsize=8192)
def _meet(one: str, other: str) -> bool:
    """Whether there is a path that both patterns match."""
    if not _WILD.search(one) and not _WILD.search(other):
        return one == other
    known = min(_known(one), _known(other))
    if one[:known] != other[:known]:
        return False
    row = {0}  # places in `other` that are reached behind the first characters of `one`
    row = _closed(row, other)
    for each in one:
        row = _closed(_stepped(row, each, other), other)
        if not row:
            return False
    return len(other) in row


def _known(pattern: str) -> int:
    """Return how many characters stand before the first wildcard."""
    wild = _WILD.search(pattern)
    return wild.start() if wild else len(pattern)


def _stepped(row: set[int], each: str, other: str) -> set[int]:
    wild = each in _LONG
    reached = set(row) if wild else set()
    pending = list(row)
    while pending:
        place = pending.pop()
        if place == len(other):
            continue
        theirs = other[place]
        if theirs in _LONG:
            if wild or theirs != _SOME or each != "/":
                reached.add(place)
            step = place + 1 if wild else None
        elif wild:
            step = place + 1 if each != _SOME or theirs != "/" else None
        else:
            step = place + 1 if each == theirs or (_ONE in (each, theirs) and "/" not in (each, theirs)) else None
        if step is not None and step not in reached:
            reached.add(step)
            if wild:
                pending.append(step)
    return reached


def _closed(row: set[int], other: str) -> set[int]:
    """Add the places that are reached by letting wildcards of `other` stand for nothing."""
    closed = set(row)
    for place in row:
        following = place
        while following < len(other) and other[following] in _LONG:
            following += 1
            closed.add(following)
    return closed
