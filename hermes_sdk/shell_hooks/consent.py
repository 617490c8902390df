"""Who may run: the allowlist of (event, command) pairs that a person agreed to (semantics 8.6; seed S31 to S37).

The file can be written by hand: ``{"approvals": [{"event": ..., "command": ...}]}`` is enough. A damaged file approves
nothing and is never overwritten. Every change reads, alters and writes under one lock, so that no process brings back
what another one revoked.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.atomic import directory_lock, write_atomically
from hermes_sdk.errors import ConfigError
from hermes_sdk.shell_hooks.command import script_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.shell_hooks.entries import ShellEntry

FILE_NAME: Final = "shell-hooks-allowlist.json"
_SHAPE: Final = '{"approvals": [{"event": "...", "command": "..."}]}'


@dataclass(frozen=True, slots=True)
class Approval:
    """One pair that was agreed to."""

    event: str
    command: str
    approved_at: str = ""
    """ISO 8601, UTC."""
    script_mtime: float | None = None
    """Modification time of the script at approval, in seconds since 1970."""
    content: str = ""
    """Digest of everything that the command reads from files, for ``hooks_trust: content``."""


class Allowlist:
    """The allowlist file of one home."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME

    def problem(self) -> str:
        """Return why the file cannot be used, or an empty string."""
        try:
            self._read()
        except ConfigError as error:
            return str(error)
        return ""

    def approvals(self) -> list[Approval]:
        """Return what is approved; nothing where the file is damaged."""
        try:
            document = self._read()
        except ConfigError:
            return []
        return [_approval(item) for item in document["approvals"]]

    def find(self, entry: ShellEntry) -> Approval | None:
        """Return the approval of an entry, or None."""
        pair = (entry.event, entry.command)
        return next((found for found in self.approvals() if (found.event, found.command) == pair), None)

    def approve(self, entries: list[ShellEntry]) -> None:
        """Add these entries, or renew them as they are now.

        Raises:
            ConfigError: The file is damaged; it is left as it is.
            OSError: It cannot be written.
        """
        with self._changing() as document:
            pairs = {(entry.event, entry.command) for entry in entries}
            kept = [item for item in document["approvals"] if (item.get("event"), item.get("command")) not in pairs]
            document["approvals"] = [*kept, *(_item(entry) for entry in entries)]

    def revoke(self, command: str) -> list[Approval]:
        """Remove every pair with exactly this command and return them; a host that runs keeps its hooks.

        Raises:
            ConfigError: The file is damaged; it is left as it is.
            OSError: It cannot be written.
        """
        with self._changing() as document:
            gone = [item for item in document["approvals"] if item.get("command") == command]
            document["approvals"] = [item for item in document["approvals"] if item.get("command") != command]
        return [_approval(item) for item in gone]

    def _read(self) -> dict[str, Any]:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {"approvals": []}
        except (OSError, UnicodeDecodeError) as error:
            raise self._damaged(f"it cannot be read: {error}") from None
        try:
            document: dict[str, Any] = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"it is no JSON: {error}") from None
        items = document.get("approvals") if isinstance(document, dict) else None
        if not isinstance(items, list):
            raise self._damaged(f"unrecognised allowlist format, expected {_SHAPE}")
        for item in items:
            if not isinstance(item, dict) or not all(isinstance(item.get(key), str) for key in ("event", "command")):
                raise self._damaged(f"an approval without event and command, expected {_SHAPE}")
        return document

    def _damaged(self, why: str) -> ConfigError:
        return ConfigError(
            "the allowlist of shell hooks approves nothing",
            where=str(self.path),
            why=why,
            fix="mend or move the file; it is not overwritten",
            code="HS125",
        )

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with directory_lock(self.path.parent):
            document = self._read()
            yield document
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            write_atomically(self.path, text.encode())


def _approval(item: dict[str, Any]) -> Approval:
    mtime = item.get("script_mtime_at_approval")
    return Approval(
        event=item["event"],
        command=item["command"],
        approved_at=str(item.get("approved_at", "")),
        script_mtime=mtime_of_text(mtime),
        content=str(item.get("content_sha256", "")),
    )


def mtime_of_text(value: Any) -> float | None:
    """Return a stored modification time in seconds since 1970, from a number or ISO 8601."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        try:
            return dt.datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    return None


def _item(entry: ShellEntry) -> dict[str, Any]:
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    mtime = script_mtime(entry)
    stamp = None if mtime is None else dt.datetime.fromtimestamp(mtime, dt.UTC).isoformat()
    return {
        "event": entry.event,
        "command": entry.command,
        "approved_at": now,
        "script_mtime_at_approval": stamp,
        "content_sha256": content_digest(entry),
    }


def script_mtime(entry: ShellEntry) -> float | None:
    """Return when the script of an entry was last modified, or None where there is no such file."""
    script = script_of(list(entry.argv)) if entry.argv else None
    try:
        return None if script is None else script.stat().st_mtime
    except OSError:
        return None


def content_digest(entry: ShellEntry) -> str:
    """Return a digest of the program, the script and every argument that names a file."""
    digest = hashlib.sha256()
    for word in entry.argv:
        digest.update(word.encode("utf-8", "surrogateescape") + b"\0")
        path = Path(word)
        if "/" in word and path.is_file():
            try:
                digest.update(hashlib.sha256(path.read_bytes()).digest())
            except OSError as error:
                digest.update(f"<{error.strerror}>".encode())
    return digest.hexdigest()
