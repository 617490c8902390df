"""One chat in the terminal that the gateway was started in. Its answers, questions and notes are lines of text."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from hermes_sdk.host.gateway.adapters.own_settings import read_own
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TextIO

    from hermes_sdk.host.gateway.adapter import Receiver
    from hermes_sdk.host.gateway.messages import Note

NAME: Final = "console"
CHAT: Final = "main"
_SHOWN: Final = frozenset(
    {"approval_request", "approval_closed", "session_reset", "notice", "tool_started", "tool_finished"}
)


class ConsoleSettings(BaseModel):
    """``gateway.platforms.console``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: str = Field(default="owner", min_length=1, description="Id of whoever sits there, as hooks are told.")
    tools: bool = Field(default=True, description="Whether tool calls are shown.")


def make(settings: Mapping[str, Any], home: Path) -> Console:
    """Return the adapter.

    Raises:
        ConfigError: The settings will not do.
    """
    return Console(read_own(ConsoleSettings, NAME, settings, home))


def _plain(text: str) -> str:
    """Return a text with control characters spelled out: what a tool printed must not steer the terminal."""
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


class Console:
    """The adapter.

    Args:
        settings: See there.
        read: Where lines come from; stdin by default.
        write: Where text goes; stdout by default.
    """

    name = NAME
    enforces_own_access_policy = True
    """Whoever sits at the terminal may write."""

    def __init__(
        self,
        settings: ConsoleSettings | None = None,
        *,
        read: Callable[[], str] | None = None,
        write: TextIO | None = None,
    ) -> None:
        self._settings = settings or ConsoleSettings()
        self._read = read or sys.stdin.readline
        self._write = write or sys.stdout
        self._stopped = False

    async def start(self, gateway: Receiver) -> None:
        """Read lines from now on, in a thread of its own: stdin cannot be waited for on every loop."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read_lines, args=(gateway, loop), name="hermes-console", daemon=True).start()

    async def stop(self) -> None:
        """Stop handing lines over; a read that waits ends with the process."""
        self._stopped = True

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        """Print an answer."""
        del chat_id, thread_id, reply_to
        return self._print(text)

    async def show(self, chat_id: str, note: Note, *, thread_id: str | None = None) -> None:
        """Print a note.

        Raises:
            OSError: Nobody can read it.
        """
        del chat_id, thread_id
        if note.kind not in _SHOWN or (note.kind.startswith("tool_") and not self._settings.tools):
            return
        sent = self._print(f"-- {note.text}")
        if not sent.ok:
            raise OSError(sent.error)

    def _print(self, text: str) -> SendResult:
        try:
            self._write.write(_plain(text) + "\n")
            self._write.flush()
        except (OSError, ValueError) as error:  # the terminal is gone, or the stream is closed
            return SendResult(ok=False, error=f"{type(error).__name__}: {error}")
        return SendResult(ok=True)

    def _read_lines(self, gateway: Receiver, loop: asyncio.AbstractEventLoop) -> None:
        source = Source(self.name, CHAT, user_id=self._settings.user, user_name=self._settings.user)
        while not self._stopped:
            try:
                line = self._read()
            except (OSError, ValueError):
                return
            if not line:  # the end of the input: the gateway runs on
                return
            if line.strip() and not self._stopped:
                event = MessageEvent(line.rstrip("\n"), source)
                try:
                    asyncio.run_coroutine_threadsafe(gateway.receive(event), loop)
                except RuntimeError:  # the loop is closed
                    return
