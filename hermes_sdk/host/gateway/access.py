"""Who may write, and who may use which slash command.

A platform that vouches for its users itself (an attribute ``enforces_own_access_policy`` of the adapter, upstream's
name: a token, a signature, the terminal) lets all of them in, unless its settings name users or chats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.host.gateway.messages import Source
    from hermes_sdk.host.gateway.pairing import Pairing
    from hermes_sdk.host.gateway.settings import GatewaySettings

EVERYBODY: Final = "*"
_ALWAYS_ALLOWED: Final = frozenset({"help"})


class Access:
    """Decides who may do what.

    Args:
        settings: Allow-lists.
        pairing: Users who were approved by a code.
        vouched: Whether a platform checks its users itself.
    """

    def __init__(self, settings: GatewaySettings, pairing: Pairing, vouched: Callable[[str], bool]) -> None:
        self._settings = settings
        self._pairing = pairing
        self._vouched = vouched

    def may_write(self, source: Source) -> bool:
        """Whether a message reaches the agent."""
        settings = self._settings.platform(source.platform)
        if EVERYBODY in settings.allow_users or source.chat_id in settings.allow_chats:
            return True
        if not settings.allow_users and not settings.allow_chats and self._vouched(source.platform):
            return True
        if not source.user_id:
            return False
        return source.user_id in settings.allow_users or self._pairing.knows(source.platform, source.user_id)

    def may_command(self, source: Source, command: str) -> bool:
        """Whether somebody who may write may use a slash command, too."""
        settings = self._settings.platform(source.platform)
        if not settings.admin_users or source.user_id in settings.admin_users or command in _ALWAYS_ALLOWED:
            return True
        return command in settings.user_commands

    def pairing_code(self, source: Source) -> str | None:
        """Return a code for a stranger in a direct chat; None where none is given out."""
        if source.chat_type != "dm" or not source.user_id or not self._settings.platform(source.platform).pairing:
            return None
        return self._pairing.request(source)
