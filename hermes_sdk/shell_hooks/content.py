"""What a command reads from files, as one digest: for `hooks_trust: content`, and for showing drift."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hermes_sdk.shell_hooks.command import find_program, script_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    class Consentable(Protocol):
        """What a person agrees to: an entry, or an outbound target."""

        @property
        def event(self) -> str:
            """Its event, or ``outbound``."""
            ...

        @property
        def command(self) -> str:
            """Its command as written, or ``POST <url>``."""
            ...

        @property
        def argv(self) -> tuple[str, ...]:
            """Its resolved words; none where nothing is started."""
            ...


_SETTLED: Final = 2.0
"""Seconds after which a file that looks the same is taken for the same: clocks of file systems are coarse."""

_digests: Final[dict[str, tuple[tuple[int, ...], bytes]]] = {}
"""Digest of a file, under its path, with what the system says about the file. A change always moves its ctime."""


def content_digest(entry: Consentable, cwd: Path | str | None = None) -> str:
    """Return a digest of the program, the script, and every argument that names a file.

    Args:
        entry: Whose command.
        cwd: Where its script runs: what relative words are relative to; by default the process's own directory.
    """
    digest = hashlib.sha256()
    for word in _words(entry):
        digest.update(os.fsencode(word) + b"\0")
        for path in _files(word, Path(cwd or ".")):
            digest.update(os.fsencode(path) + b"\0" + _file_digest(path))
    return digest.hexdigest()


def _words(entry: Consentable) -> Iterator[str]:
    for number, word in enumerate(entry.argv):
        # which file a bare program word means depends on PATH
        yield (find_program(word, os.environ.get("PATH", os.defpath)) or word) if number == 0 else word


def _files(word: str, cwd: Path) -> Iterator[Path]:
    """Yield the files that a word names, by itself or behind a ``=``."""
    for text in dict.fromkeys((word, word.partition("=")[2])):
        if text and os.path.isfile(cwd / text):  # noqa: PTH113 - pathlib raises for a NUL or an endless name
            yield cwd / text


def _file_digest(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            about = os.fstat(stream.fileno())
            looks = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            known = _digests.get(str(path))
            if known is not None and known[0] == looks:
                return known[1]
            digest = hashlib.file_digest(stream, "sha256").digest()
    except OSError as error:
        return f"<{error.strerror}>".encode()
    if time.time() - about.st_ctime > _SETTLED:
        _digests[str(path)] = (looks, digest)
    return digest


def script_mtime(entry: Consentable) -> float | None:
    """Return when the script of an entry was last modified, in seconds since 1970; None where there is no such file."""
    script = script_of(entry.argv) if entry.argv else None
    try:
        return None if script is None else script.stat().st_mtime
    except OSError:
        return None
