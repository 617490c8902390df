"""Who may run: the allowlist of (event, command) pairs that a person agreed to (semantics 8.6; seed S31 to S37).

The file can be written by hand: ``{"approvals": [{"event": ..., "command": ...}]}`` is enough. A damaged file approves
nothing and is never overwritten. Every change reads, alters and writes under one lock, so that no process brings back
what another one revoked.
"""

from __future__ import annotations

import datetime as dt
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.atomic import directory_lock, write_atomically
from hermes_sdk.errors import ConfigError
from hermes_sdk.shell_hooks.content import content_digest, script_mtime

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from hermes_sdk.shell_hooks.content import Consentable

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

    def find(self, entry: Consentable) -> Approval | None:
        """Return the approval of an entry, or None."""
        pair = (entry.event, entry.command)
        return next((found for found in self.approvals() if (found.event, found.command) == pair), None)

    def approve(self, entries: Collection[Consentable], cwd: Path | str | None = None) -> None:
        """Add these entries, or renew them as they are now.

        Args:
            entries: What a person agreed to.
            cwd: Where scripts run, see `content_digest`.

        Raises:
            ConfigError: The file is damaged; it is left as it is.
            OSError: It cannot be written.
        """
        with self._changing() as document:
            items = {(item["event"], item["command"]): item for item in document["approvals"]}
            for entry in entries:
                pair = (entry.event, entry.command)
                items[pair] = items.get(pair, {}) | _item(entry, cwd)  # keys that others put there stay
            document["approvals"] = list(items.values())

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
            # whoever is killed in here leaves the old file or the new one
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            write_atomically(self.path, text.encode())


def _approval(item: dict[str, Any]) -> Approval:
    mtime = item.get("script_mtime_at_approval")
    return Approval(
        event=item["event"],
        command=item["command"],
        approved_at=str(item.get("approved_at") or ""),
        script_mtime=mtime_of_text(mtime),
        content=str(item.get("content_sha256") or ""),
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


def _item(entry: Consentable, cwd: Path | str | None) -> dict[str, Any]:
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    mtime = script_mtime(entry)
    stamp = None if mtime is None else dt.datetime.fromtimestamp(mtime, dt.UTC).isoformat()
    return {
        "event": entry.event,
        "command": entry.command,
        "approved_at": now,
        "script_mtime_at_approval": stamp,
        "content_sha256": content_digest(entry, cwd),
    }
