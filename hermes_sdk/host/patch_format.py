"""The multi-file patch format of the tool ``patch``: what it says, and what it makes of a file's text.

*** Begin Patch
*** Update File: src/app.py
@@ def main
 context line
-removed line
+added line
*** Add File: notes.txt
+first line
*** Delete File: old.txt
*** End Patch
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

_HEADERS: Final[dict[str, Literal["update", "add", "delete"]]] = {
    "*** Update File:": "update",
    "*** Add File:": "add",
    "*** Delete File:": "delete",
}
_MOVE: Final = "*** Move to:"


class PatchError(ValueError):
    """A patch cannot be read, or does not fit the file; the model gets the message."""


@dataclass(slots=True)
class Hunk:
    """One place in a file: `before` is replaced by `after`."""

    hint: str = ""
    """Text of a line that stands in front of the place."""
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """What happens to one file."""

    kind: Literal["update", "add", "delete"]
    path: str
    hunks: list[Hunk] = field(default_factory=list)
    move_to: str | None = None

    def apply(self, text: str) -> str:
        """Return the new text of the file; `text` is empty for one that is added.

        Raises:
            PatchError: A hunk does not fit.
        """
        lines = text.splitlines()
        position = 0
        for hunk in self.hunks:
            position = self._replace(lines, hunk, position)
        return "".join(f"{line}\n" for line in lines)

    def _replace(self, lines: list[str], hunk: Hunk, start: int) -> int:
        if hunk.hint:
            start = next((i + 1 for i in range(start, len(lines)) if hunk.hint in lines[i]), start)
        place = _find(lines, hunk.before, start)
        if place is None:
            place = _find(lines, hunk.before, 0)
        if place is None:
            wanted = "\n".join(hunk.before)
            raise PatchError(f"{self.path}: these lines are not in the file:\n{wanted}")
        lines[place : place + len(hunk.before)] = hunk.after
        return place + len(hunk.after)


def parse_patch(patch: str) -> list[FilePatch]:
    """Read a patch.

    Raises:
        PatchError: A line is not understood, or there is nothing to do.
    """
    files: list[FilePatch] = []
    for number, line in enumerate(patch.splitlines(), 1):
        if line.strip() in ("*** Begin Patch", "*** End Patch", "*** End of File"):
            continue
        header = next((prefix for prefix in _HEADERS if line.startswith(prefix)), None)
        if header is not None:
            files.append(FilePatch(_HEADERS[header], line.removeprefix(header).strip()))
        elif not files:
            if line.strip():
                raise PatchError(f"line {number}: expected '*** Update File: PATH', found {line!r}")
        elif line.startswith(_MOVE):
            files[-1].move_to = line.removeprefix(_MOVE).strip()
        else:
            _take_line(files[-1], line, number)
    if not files:
        raise PatchError("the patch names no file")
    return files


def _take_line(file: FilePatch, line: str, number: int) -> None:
    if line.startswith("@@"):
        file.hunks.append(Hunk(line.strip("@ ")))
        return
    if not file.hunks:
        file.hunks.append(Hunk())
    hunk, sign, text = file.hunks[-1], line[:1], line[1:]
    if sign in (" ", ""):
        hunk.before.append(text)
        hunk.after.append(text)
    elif sign == "-":
        hunk.before.append(text)
    elif sign == "+":
        hunk.after.append(text)
    else:
        raise PatchError(f"line {number}: a line begins with ' ', '-' or '+', not {sign!r}")


def _find(lines: list[str], wanted: list[str], start: int) -> int | None:
    """Return where `wanted` stands, exactly or but for blanks at the ends of lines."""
    for normal in (str, str.rstrip):
        target = [normal(line) for line in wanted]
        for place in range(start, len(lines) - len(wanted) + 1):
            if [normal(line) for line in lines[place : place + len(wanted)]] == target:
                return place
    return None
