"""The files of a log: their names, and how the last one ends."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .chain import parsed

if TYPE_CHECKING:
    from pathlib import Path

    from .chain import Record

_NAME: Final = re.compile(r"audit-(\d{6,})\.jsonl")
_PIECE: Final = 1 << 16
LONGEST_TORN: Final = 1 << 24
"""Bytes behind the last record that a process which died may have left; more than that is something else."""


def number_of(path: Path) -> int:
    """Return the number of a file of a log, from 1; 0 for any other file."""
    found = _NAME.fullmatch(path.name)
    return int(found[1]) if found else 0


def file_name(number: int) -> str:
    """Return the name of a file of a log."""
    return f"audit-{number:06}.jsonl"


def log_files(directory: Path) -> list[Path]:
    """Return the files of a log, the oldest first.

    Raises:
        OSError: The directory cannot be read.
    """
    return sorted((path for path in directory.iterdir() if number_of(path) and path.is_file()), key=number_of)


@dataclass(frozen=True, slots=True)
class Tail:
    """How a file ends."""

    last: Record | None
    """The last record; None where the file has none."""
    torn: bytes
    """What stands behind it: half a record of a process that died."""
    size: int
    ended: bool
    """Whether the file ends with a line end, or is empty."""


def tail_of(descriptor: int, start: int = 0) -> Tail:
    """Return how an open file ends, read from its end; not further back than `start`.

    Raises:
        OSError: It cannot be read, or has no record within `LONGEST_TORN` bytes of its end.
    """
    begin = size = os.fstat(descriptor).st_size
    read, piece = b"", _PIECE
    while begin > start:
        end, begin = begin, max(start, begin - piece)
        read = os.pread(descriptor, end - begin, begin) + read
        found = _last_record(read, whole=begin == start)
        if found is not None:
            last, behind = found
            return Tail(last, read[behind:], size, read.endswith(b"\n"))
        if len(read) > LONGEST_TORN:
            raise OSError(errno.EILSEQ, f"no record of the log within {LONGEST_TORN:,} bytes of its end")
        piece *= 2  # so that a long torn end costs linear work
    return Tail(None, read, size, not read or read.endswith(b"\n"))


def _last_record(read: bytes, *, whole: bool) -> tuple[Record, int] | None:
    """Return the last record of the end of a file, and where what follows it begins."""
    end = len(read)
    while end > 0:
        stop = end - 1 if read[end - 1 : end] == b"\n" else end
        begin = read.rfind(b"\n", 0, stop) + 1
        if begin == 0 and not whole:  # the line begins further in front
            return None
        record = parsed(read[begin:stop])
        if record is not None:
            return record, end
        end = begin
    return None
