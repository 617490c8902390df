"""``hooks_trust: content``: what was approved is what runs, byte for byte (semantics 8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hermes_sdk.shell_hooks.content import content_digest
from hermes_sdk.shell_hooks.listing import approve_command

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.consent import Allowlist
    from hermes_sdk.shell_hooks.entries import ShellEntry


class ContentTrust:
    """Looks, right before each start, whether an entry's files are those that were approved.

    Args:
        allowlist: Where the approvals are.
    """

    def __init__(self, allowlist: Allowlist) -> None:
        self._allowlist = allowlist
        self._bound: Literal["command", "content"] = "command"
        self._approved: dict[tuple[str, str], str] = {}

    def bind(self, trust: Literal["command", "content"]) -> None:
        """Take over what is approved now; with ``command`` nothing is looked at."""
        self._bound = trust
        self._approved = {(known.event, known.command): known.content for known in self._allowlist.approvals()}

    def refusal(self, entry: ShellEntry, cwd: str) -> str:
        """Return why an entry must not run at this moment, or an empty string.

        Args:
            entry: The entry.
            cwd: Where its script would run.
        """
        if self._bound == "command" or entry.url:
            return ""
        pair = (entry.event, entry.command)
        digest = content_digest(entry, cwd)
        if self._approved.get(pair) == digest:
            return ""
        approval = self._allowlist.find(entry)  # perhaps somebody approved the new content meanwhile
        if approval is not None and approval.content == digest:
            self._approved[pair] = digest
            return ""
        known = self._approved.get(pair) or (approval is not None and approval.content)
        what = "it changed since it was approved" if known else "its approval does not say of which content"
        return f"{what}; read it, then run: {approve_command(entry.command)}"
