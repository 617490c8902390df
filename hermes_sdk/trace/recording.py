"""A recording of hook traffic: JSON lines, the first of which says what it is. docs/reference/recording-format.md.

Strings are redacted unless asked otherwise, and long ones cut; each line is with the operating system when it is
written, so that a process that dies leaves everything but perhaps half of the last line.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TextIO

from hermes_sdk.errors import SessionError
from hermes_sdk.json_values import json_safe
from hermes_sdk.masking import redact, redact_under
from hermes_sdk.trace.shared_messages import MessageReader, MessageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)

FORMAT: Final = "hermes-sdk-recording"
VERSION: Final = 2
"""2 keeps each message of a conversation once; version 1 is read, too."""
LONGEST: Final = 65_536
"""Characters of one string that are kept; of a longer one a digest says which it was."""

_CUT_ALREADY: Final = re.compile(r"<[\d,]+ characters more, sha256 [0-9a-f]{16}>\Z")
_OPTION: Final = re.compile(r"--?(\w[\w-]*)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a hook call, or an event of the host."""

    number: int
    """From 1, in the order in which things happened."""
    data: Mapping[str, Any]
    """The line; values as JSON has them."""

    @property
    def is_hook(self) -> bool:
        """Whether it is a hook call."""
        return self.data.get("type") == "hook"

    @property
    def name(self) -> str:
        """Name of the hook, or of the event."""
        return str(self.data.get("hook") or self.data.get("event") or "")

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What each implementation did, of a hook call."""
        return list(self.data.get("steps") or ())


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording that was read."""

    path: Path
    header: Mapping[str, Any]
    entries: list[Entry]
    warnings: list[str] = field(default_factory=list)
    """What could not be read and was left out."""

    def hooks(self) -> Iterator[Entry]:
        """Yield the hook calls."""
        return (entry for entry in self.entries if entry.is_hook)


class Recorder:
    """Writes a recording. For any thread.

    Args:
        stream: Where it goes; closed by `close`.
        header: More about it: title, plugins, versions; JSON-ready.
        redacted: Whether strings are redacted.
    """

    def __init__(self, stream: TextIO, header: Mapping[str, Any], *, redacted: bool = True) -> None:
        self._stream = stream
        self._redacted = redacted
        self._lock = threading.Lock()
        self._number = 0
        self._messages = MessageWriter()
        safe = kept(dict(header), redacted=redacted)
        self._write({"format": FORMAT, "version": VERSION, "redacted": redacted, **safe})

    def add(self, data: Mapping[str, Any]) -> None:
        """Write one entry; values may be of any type, what JSON cannot carry becomes a text that says what it was.

        Where it cannot be written any more, as on a full disk, the recording ends with a warning in the log.
        """
        safe = kept(dict(data), redacted=self._redacted)
        with self._lock:
            if self._stream.closed:
                return
            self._number += 1
            lines, rest = self._messages.taken_out(safe)
            try:
                for line in lines:
                    self._write(line)
                self._write({"n": self._number} | rest)
            except OSError as error:
                logger.warning("the recording ends before entry %d: %s", self._number, error.strerror)
                self._close()

    def _write(self, document: Mapping[str, Any]) -> None:
        self._stream.write(json.dumps(document, ensure_ascii=False) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Close the stream."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        with contextlib.suppress(OSError):  # what could not be written is tried once more
            self._stream.close()


def kept(value: Any, *, redacted: bool) -> Any:
    """Return a value of any type as a recording has it; one that a recording has already stays as it is.

    Args:
        value: Anything.
        redacted: Whether secrets are masked: by their form, and by the name of their key.
    """
    return _kept(json_safe(value), redacted=redacted)


def _kept(value: Any, *, redacted: bool) -> Any:
    if isinstance(value, str):
        return _cut(redact(value) if redacted else value)
    if isinstance(value, list):
        if not redacted:
            return [_kept(item, redacted=False) for item in value]
        return [_behind(before, item) for before, item in zip([None, *value], value, strict=False)]
    if not isinstance(value, dict):
        return value
    if not redacted:
        return {key: _kept(item, redacted=False) for key, item in value.items()}
    return {redact(key): _named(key, item) for key, item in value.items()}


def _behind(before: Any, value: Any) -> Any:
    """Return an item of a list, which may be a command: what an option such as ``--token`` is given is masked."""
    option = _OPTION.fullmatch(before) if isinstance(before, str) else None
    if option is None or (isinstance(value, str) and _OPTION.fullmatch(value)):
        return _kept(value, redacted=True)
    return _named(option[1].replace("-", "_"), value)


def is_cut(text: str) -> bool:
    """Whether a text of a recording is the beginning of a longer one."""
    return _CUT_ALREADY.match(text, LONGEST) is not None


def _named(key: str, value: Any) -> Any:
    """Return a value that stands under a key: all of a text is masked where the key says that it is a secret."""
    return _cut(redact_under(key, value)) if isinstance(value, str) else _kept(value, redacted=True)


def _cut(text: str) -> str:
    """Cut a text that is masked already: of half a secret nobody could tell what it is."""
    more = len(text) - LONGEST
    if more <= 0 or is_cut(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{text[:LONGEST]}<{more:,} characters more, sha256 {digest}>"


def read_recording(path: Path) -> Recording:
    """Read a recording; a last line that was cut off is left out with a warning.

    Raises:
        SessionError: There is no such file, it is no recording, or one of a newer version.
    """
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise SessionError(
            "the recording cannot be read", where=str(path), why=str(error.strerror), code="HS460"
        ) from None
    first, *lines = text.split("\n")
    header = _parsed(first)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise SessionError(
            "this is no recording",
            where=f"{path}:1",
            why=f"its first line is not a JSON object with format {FORMAT!r}",
            fix="make one with `hermes-sdk run SESSION --record FILE`",
            code="HS461",
        )
    version = header.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise SessionError(
            "the recording was made by a newer version",
            where=f"{path}:1",
            why=f"it has version {version!r}, this hermes-sdk reads up to {VERSION}",
            fix="update hermes-sdk",
            code="HS462",
        )
    entries: list[Entry] = []
    warnings: list[str] = []
    messages = MessageReader()
    for place, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        data = _parsed(line)
        if not isinstance(data, dict):
            warnings.append(f"{path}:{place}: half a line, or no JSON object: left out")
        elif version == 1 or not messages.takes(data):
            if version > 1 and not messages.put_back(data):
                warnings.append(f"{path}:{place}: messages that it names are not there: left out")
            entries.append(Entry(len(entries) + 1, data))
    return Recording(path, header, entries, warnings)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
