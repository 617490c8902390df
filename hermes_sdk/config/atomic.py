"""Write a file so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file's content; its mode is kept, a new file is the user's alone (0600).

    A symbolic link stays one: the file behind it is replaced, so that a linked dotfile keeps working.

    Raises:
        OSError: The directory is read-only, the disk is full, ...; the old file is untouched then.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(descriptor, target.stat().st_mode & 0o7777)
            stream.write(content)
            stream.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # a write knows no name
            error.filename = str(target)
        raise


@contextlib.contextmanager
def directory_lock(directory: Path) -> Iterator[None]:
    """Hold a lock that other processes of ours respect; the directory itself carries it, no file is left."""
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
