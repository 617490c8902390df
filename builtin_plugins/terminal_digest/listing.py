"""Output that is a list of files, as `find`, `ls -R` with paths, `git ls-files` and `du` print it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import takewhile
from typing import Final

from .excerpt import is_trouble

_PATH: Final = re.compile(r"[^\s:]*/[^\s:]*|[\w.@+-]+")
_SIZE: Final = re.compile(r"([0-9]+(?:[.,][0-9]+)?)([KMGTP]?)\t(\S*/.*|\S+)")
_UNITS: Final = {unit: 1 << 10 * power for power, unit in enumerate(["", "K", "M", "G", "T", "P"])}
_MOSTLY: Final = 0.9
"""The share of lines that must look alike; the others (errors, for the most part) are kept."""
_GROUPS: Final = 40
_ENDINGS: Final = 3


def sizes(lines: list[str], size: int) -> list[str] | None:
    """Return the largest entries of `du`, or None if this is not its output."""
    found = [(match, line) for line in lines if (match := _SIZE.fullmatch(line))]
    if len(found) < _MOSTLY * len(lines):
        return None
    others = [line for line in lines if line and not _SIZE.fullmatch(line)]
    largest = sorted(found, key=lambda each: _bytes(each[0]), reverse=True)
    kept = _fitting(others, size // 3, "other lines")
    return kept + _fitting([line for _, line in largest], size - _length(kept), "smaller entries")


def _is_path(line: str) -> bool:
    """Whether a line is a path and not a word such as `Killed`."""
    return _PATH.fullmatch(line) is not None and ("/" in line or not is_trouble(line))


def tree(lines: list[str], size: int) -> list[str] | None:
    """Return how many paths each directory has, or None if these are not paths for the most part."""
    paths = [line for line in lines if _is_path(line)]
    if len(paths) < _MOSTLY * len(lines) or 2 * sum("/" in path for path in paths) < len(paths):
        return None
    others = [line for line in lines if line and not _is_path(line)]
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    depth = _depth(paths)
    for path in paths:
        groups[_group(path, depth)][_ending(path)] += 1
    counted = [_described(group, endings) for group, endings in sorted(groups.items())]
    kept = _fitting(others, size // 3, "other lines")
    return kept + _fitting(counted, size - _length(kept), "directories")


def _bytes(match: re.Match[str]) -> float:
    return float(match[1].replace(",", ".")) * _UNITS[match[2]]


def _depth(paths: list[str]) -> int:
    """Return the deepest level at which there are few enough directories to name each."""
    levels = range(1, max(path.count("/") for path in paths) + 1)
    fitting = list(takewhile(lambda depth: len({_group(path, depth) for path in paths}) <= _GROUPS, levels))
    return fitting[-1] if fitting else 1


def _group(path: str, depth: int) -> str:
    return "/".join(path.split("/")[:-1][:depth]) + "/"


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem else "others"


def _described(group: str, endings: Counter[str]) -> str:
    common = ", ".join(f"{ending} {count:,}" for ending, count in endings.most_common(_ENDINGS))
    return f"{endings.total():>9,}  {group}  ({common})"


def _fitting(lines: list[str], size: int, rest: str) -> list[str]:
    kept: list[str] = []
    for number, line in enumerate(lines):
        size -= len(line) + 1
        if size < 0:
            return [*kept, f"[... {len(lines) - number:,} {rest} left out ...]"]
        kept.append(line)
    return kept


def _length(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)
