"""What the hooks share: the masker, the vault, and whose session a text belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.masking.kinds import KINDS

from .masker import Masker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .vault import Vault

_running: Final[ContextVar[str]] = ContextVar("redaction_session", default="")
"""The session whose tool runs in this thread: transform_terminal_output is not told."""


class Redactor:
    """Masks texts and arguments; remembers originals where there is a vault."""

    def __init__(self) -> None:
        self.masker = Masker(KINDS)
        self.vault: Vault | None = None
        self.tools: Sequence[str] = ()
        """Patterns of the tools whose arguments are masked."""

    def changed(self, text: str, session_id: str = "") -> str | None:
        """Return `text` masked; None when there is nothing to mask."""
        masked = self.mask(text, session_id or _running.get())
        return None if masked is text else masked

    def mask(self, text: str, session_id: str) -> str:
        """Return `text` masked; the same object when there is nothing to mask."""
        if self.vault is None or not session_id:
            return self.masker.mask(text)
        return self.masker.mask(self.vault.hide(session_id, text), partial(self.vault.keep, session_id))

    def run(self, next_call: Callable[[], Any], session_id: str = "", **_: Any) -> Any:
        """Note whose tool runs, and let it (its result is of any type); a tool_execution middleware."""
        token = _running.set(session_id)
        try:
            return next_call()
        finally:
            _running.reset(token)

    def request(self, args: dict[str, Any], tool_name: str = "", session_id: str = "", **_: Any) -> Any:
        """Mask arguments before any hook sees them (in the form of the host's answers); a tool_request middleware."""
        masked = self.arguments(args, tool_name, session_id)
        return None if masked is args else {"args": masked}

    def arguments(self, args: dict[str, Any], tool_name: str, session_id: str) -> dict[str, Any]:
        """Return a tool's arguments masked; the same object when there is nothing to mask."""
        if not any(fnmatchcase(tool_name, pattern) for pattern in self.tools):
            return args
        masked: dict[str, Any] = self._value(args, session_id)
        return args if masked == args else masked

    def _value(self, value: Any, session_id: str) -> Any:
        if isinstance(value, str):
            return self.mask(value, session_id)
        if isinstance(value, dict):
            return {self._value(key, session_id): self._value(one, session_id) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(one, session_id) for one in value]
        return value
