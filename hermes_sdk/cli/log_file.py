"""`hermes-sdk logs`: the end of a log of the home, and what is added to it."""

from __future__ import annotations

import os
import re
import time
from collections import deque
from typing import TYPE_CHECKING, Final, TextIO

from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import plain
from hermes_sdk.errors import HermesSdkError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RECORD: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (?P<level>[A-Z]+) ")
"""How the first line of a record begins; its other lines are indented."""
_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_POLL: Final = 0.2
"""Seconds between two looks at a log that is followed."""


class LevelFilter:
    """Keeps the records of a level and above, each with all of its lines."""

    def __init__(self, level: str) -> None:
        self._wanted = frozenset(_LEVELS[_LEVELS.index(level) :])
        self._keeping = True

    def keeps(self, line: str) -> bool:
        """Whether a line, the next one of the log, is shown."""
        record = _RECORD.match(line)
        if record is not None:
            self._keeping = record["level"] in self._wanted
        return self._keeping


class Follower:
    """Reads what is added to a log, also when it is put aside and begun anew meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._rest = ""

    def lines(self) -> Iterator[str]:
        """Yield every whole line that was added since the last call; the first call yields what there is."""
        if self._file is None:
            self._file = _open(self._path)
        while self._file is not None:
            yield from self._read(self._file)
            following = self._next_file(self._file)
            if following is None:
                return
            yield from self._read(self._file)  # what came between the last look and the renaming
            self._file.close()
            self._file, self._rest = following, ""

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _read(self, file: TextIO) -> Iterator[str]:
        *whole, self._rest = (self._rest + file.read()).split("\n")
        yield from whole

    def _next_file(self, file: TextIO) -> TextIO | None:
        """Return the log that was begun after the one that is open; None while it is still written to."""
        mine = os.fstat(file.fileno()).st_ino
        newer: Path | None = None
        for path in _files(self._path):  # newest first
            try:
                if path.stat().st_ino == mine:
                    break
            except OSError:  # renamed at this moment
                return None
            newer = path
        return None if newer is None else _open(newer)


def print_log(home: Path, name: str, *, lines: int, level: str = "DEBUG", follow: bool = False) -> int:
    """Print the last lines of a log and return the exit code.

    Args:
        home: The home.
        name: The log, without its suffix.
        lines: How many lines to print at first.
        level: Records of a lower level are left out.
        follow: Go on with what is added, until a signal comes or nobody reads any more.

    Raises:
        HermesSdkError: There is no such log.
    """
    path = home / "logs" / f"{name}.log"
    if not follow and not path.exists():
        raise _no_log(path)
    shown = LevelFilter(level)
    follower = Follower(path)
    try:
        _print(_last(path, follower, shown, lines))
        while follow:
            time.sleep(_POLL)
            _print(line for line in follower.lines() if shown.keeps(line))
    except BrokenPipeError:
        # `| head` has seen enough; the interpreter would try to write the rest once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_FAILED
    finally:
        follower.close()
    return EXIT_OK


def _print(lines: Iterator[str] | deque[str]) -> None:
    for line in lines:
        print(plain(line), flush=True)


def _last(path: Path, follower: Follower, shown: LevelFilter, wanted: int) -> deque[str]:
    """Return the last lines of a log and of those that were put aside before it."""
    kept: deque[str] = deque(maxlen=wanted)
    for older in map(_open, _files(path)[:0:-1]):
        if older is not None:
            with older:
                kept.extend(line for line in older.read().splitlines() if shown.keeps(line))
    kept.extend(line for line in follower.lines() if shown.keeps(line))
    return kept


def _files(path: Path) -> list[Path]:
    """Return the log and those that were put aside, newest first; the log itself also when it is absent."""
    aside = {int(found.suffix[1:]): found for found in path.parent.glob(f"{path.name}.*") if found.suffix[1:].isdigit()}
    return [path, *(aside[number] for number in sorted(aside))]


def _open(path: Path) -> TextIO | None:
    try:
        return path.open(encoding="utf-8", errors="backslashreplace", newline="\n")
    except FileNotFoundError:
        return None


def _no_log(path: Path) -> HermesSdkError:
    names = [found.stem for found in path.parent.glob("*.log")]
    there = f"take one that is there: {', '.join(sorted(names))}" if names else ""
    written = {
        "gateway": "`hermes-sdk gateway run` writes it",
        "hermes-sdk": "commands write it when there is something to tell",
    }
    fix = (
        written.get(path.stem)
        or did_you_mean(path.stem, [*names, *written])
        or there
        or f"known are {', '.join(written)}"
    )
    return HermesSdkError("there is no such log", where=str(path), fix=fix, code="HS101")
