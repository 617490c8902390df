"""What a person allowed for good: ``approvals.json`` in the home.

Entries are kept under (plugin, rule key), `HOST` for the host's own patterns. One lock, atomic writes. A
damaged file approves nothing, is never overwritten, and is reported. (Rule: semantics 6.3.)
"""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from hermes_sdk.config.atomic import directory_lock, write_atomically
from hermes_sdk.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)

FILE_NAME: Final = "approvals.json"

HOST: Final = "host"
"""Stands where the plugin's name stands, for the host's own dangerous-command patterns."""

Key = tuple[str, str]
"""(plugin, rule key)."""


@dataclass(frozen=True, slots=True)
class StandingApproval:
    """One thing that is never asked about again."""

    plugin: str
    rule_key: str
    description: str = ""
    approved_at: str = ""
    """ISO 8601, UTC; empty where somebody wrote the entry by hand."""

    @property
    def key(self) -> Key:
        """What it is found by."""
        return (self.plugin, self.rule_key)


class ApprovalStore:
    """The standing approvals of one home.

    Args:
        home: The home; the file is made when the first approval is added.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME

    def entries(self) -> list[StandingApproval]:
        """Return every standing approval.

        Raises:
            ConfigError: The file is damaged.
        """
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error
        try:
            document = json.loads(text)
        except ValueError as error:
            raise self._damaged(f"it is not JSON: {error}") from error
        rows = document.get("approvals") if isinstance(document, dict) else None
        if not isinstance(rows, list):
            raise self._damaged('it has no list "approvals"')
        return [self._entry(row) for row in rows]

    def approved(self, keys: Iterable[Key]) -> set[Key]:
        """Return those of `keys` that stand; none when the file is damaged, which is logged."""
        wanted = set(keys)
        if not wanted:
            return set()
        try:
            return wanted & {entry.key for entry in self.entries()}
        except ConfigError as error:
            logger.warning("no standing approval counts: %s", error)
            return set()

    def add(self, plugin: str, rule_key: str, description: str = "") -> None:
        """Approve for good.

        Raises:
            ConfigError: The file is damaged and stays as it is.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._locked():
            entries = self.entries()
            if all(entry.key != (plugin, rule_key) for entry in entries):
                self._write([*entries, StandingApproval(plugin, rule_key, description, now)])

    def revoke(self, plugin: str, rule_key: str | None = None) -> list[StandingApproval]:
        """Take back what was approved for a plugin, or one rule of it; return what was taken back.

        Raises:
            ConfigError: The file is damaged and stays as it is.
        """
        with self._locked():
            entries = self.entries()
            gone = [entry for entry in entries if entry.plugin == plugin and rule_key in (None, entry.rule_key)]
            if gone:
                self._write([entry for entry in entries if entry not in gone])
        return gone

    def _entry(self, row: object) -> StandingApproval:
        if not isinstance(row, dict):
            raise self._damaged(f"an approval is {type(row).__name__}, not an object")
        values = {name: row.get(name, "") for name in StandingApproval.__slots__}
        if not all(isinstance(value, str) for value in values.values()) or not values["rule_key"]:
            raise self._damaged('an approval needs "plugin" and "rule_key" as text')
        return StandingApproval(**values)

    def _write(self, entries: list[StandingApproval]) -> None:
        document = {"approvals": [asdict(entry) for entry in entries]}
        text = json.dumps(document, indent=2, ensure_ascii=False)
        write_atomically(self.path, f"{text}\n".encode())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with directory_lock(self.path.parent):
            yield

    def _damaged(self, why: str) -> ConfigError:
        return ConfigError(
            "standing approvals cannot be read",
            where=str(self.path),
            why=why,
            fix="mend the file, or move it away to start anew",
            code="HS140",
        )
