"""Reads what ``hermes-sdk memories export`` wrote, line by line, and believes nothing of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from .places import named
from .store import Memory
from .words import words_of
from .worth import NOTE_CHARS, kept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_LONGEST: Final = 1_000_000
"""Characters of a line; one that an export has is far below."""
_MOST_USES: Final = 2**31 - 1

_Name = Annotated[str, StringConstraints(max_length=1_000, pattern=r"^[^\x00]*$")]


class WrongLineError(Exception):
    """A line that no export has; says which, what is wrong, and what to do."""


class _Line(BaseModel):
    """One memory as it is exported."""

    model_config = ConfigDict(extra="forbid", strict=True)

    number: int
    """As it was; it gets another one."""
    person: _Name
    room: Annotated[str, StringConstraints(max_length=1_000, pattern=r"^(?:user|private|chat|project):[^\x00]+$")]
    note: bool
    text: str
    created: AwareDatetime
    uses: int = Field(ge=0, le=_MOST_USES)
    session: _Name


def memories_of(file: TextIO, source: str, local_name: str) -> Iterator[Memory]:
    """Yield the memories of an export, masked and on one line each, as everything that is stored.

    Args:
        file: JSON lines.
        source: What it is called, for messages.
        local_name: What the surfaces of this machine are called; memories of a machine without a name get it.

    Raises:
        WrongLineError: A line is wrong, or the file is no text.
    """
    number = 0
    try:
        for number, line in enumerate(iter(partial(file.readline, _LONGEST + 1), ""), 1):
            if line.strip():
                yield _memory(line, f"{source}, line {number}", local_name)
    except UnicodeDecodeError as error:
        raise WrongLineError(f"{source}, after line {number}: this is no UTF-8 text; write it as UTF-8") from error


def _memory(line: str, where: str, local_name: str) -> Memory:
    if len(line) > _LONGEST:
        raise WrongLineError(f"{where}: it has more than {_LONGEST:,} characters, which no export has")
    try:
        read = _Line.model_validate_json(line)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_context=False, include_input=False)[0]
        key = ".".join(map(str, detail["loc"]))
        about = f"{key}: {detail['msg']}" if key else detail["msg"]
        raise WrongLineError(f"{where}: {about}; write it as `memories export` does") from error
    text = kept(read.text, NOTE_CHARS)
    if not words_of(text, 1):
        raise WrongLineError(f"{where}: text: there is no word that it can be found by; give it one, or drop the line")
    room, person = named(read.room, local_name), named(read.person, local_name)
    return Memory(0, room, person, read.session, read.note, text, read.created.timestamp(), read.uses)
