"""A gateway for tests that are not asynchronous: it runs on a loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from hermes_sdk.host.gateway.adapter import Receiver
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.plugins.manager import PluginManager

PLATFORM: Final = "desk"
PATIENCE: Final = 30.0
"""Seconds that a test waits for an answer, at most."""

_T = TypeVar("_T")


class _Adapter:
    name = PLATFORM

    def __init__(self, desk: GatewayDesk, *, vouches: bool) -> None:
        self._desk = desk
        self.enforces_own_access_policy = vouches

    async def start(self, gateway: Receiver) -> None:
        self.gateway = gateway

    async def stop(self) -> None:
        """Nothing is connected."""

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        del thread_id, reply_to
        self._desk.took(chat_id, text)
        return SendResult(ok=True)


class GatewayDesk:
    """Write to the gateway with `ask` and `write`; what it says is in `said`.

    Args:
        manager: Whose plugins count; its home has the gateway hooks and conversations.
        workdir: Where tools run.
    """

    def __init__(self, manager: PluginManager, workdir: Path) -> None:
        self.said: list[tuple[str, str]] = []
        """(chat, text) of everything that the gateway sent, in order."""
        self.strangers = False
        """Set it before the first message to have users be unknown at first, as on a public platform."""
        self._manager = manager
        self._workdir = workdir
        self._turns: list[list[ScriptStep]] = []
        self._heard = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runner: GatewayRunner | None = None

    def answers(self, *turns: str | list[str | dict[str, Any]]) -> None:
        """Say what the model does, turn by turn.

        Args:
            turns: A text is the answer; a list has texts and tool calls, ``{"terminal": {"command": "ls"}}``.
        """
        self._turns += [[_step(part) for part in ([turn] if isinstance(turn, str) else turn)] for turn in turns]

    def write(self, text: str, chat: str = "c1", *, user: str = "u1", **source: Any) -> None:
        """Write a message, and wait for nothing. `source` are more fields of `Source`, of its types."""
        runner = self._started()
        event = MessageEvent(text, Source(PLATFORM, chat, user_id=user, **source))
        self._do(runner.receive(event))

    def ask(self, text: str, chat: str = "c1", **options: Any) -> str:
        """Write a message and return what the chat is told first; `options` are those of `write`.

        Raises:
            AssertionError: Nothing is said.
        """
        before = len(self.of(chat))
        self.write(text, chat, **options)
        with self._heard:
            if not self._heard.wait_for(lambda: len(self.of(chat)) > before, PATIENCE):
                raise AssertionError(f"the gateway says nothing to {text!r}; it said {self.said}")
        return self.of(chat)[before]

    def of(self, chat: str = "c1") -> list[str]:
        """Return what a chat was told."""
        return [text for told, text in self.said if told == chat]

    @property
    def runner(self) -> GatewayRunner:
        """The gateway itself, started."""
        return self._started()

    def flush_hooks(self) -> None:
        """Wait until the gateway hooks have handled every event."""
        self._do(self._started().hooks.flush(PATIENCE))

    def close(self) -> None:
        """End the gateway and its loop."""
        if self._runner is not None and self._loop is not None:
            self._do(self._runner.stop())
            self._do(self._loop.shutdown_default_executor())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(PATIENCE)
            self._loop.close()
            self._runner = None

    def took(self, chat: str, text: str) -> None:
        """Keep what the gateway says."""
        with self._heard:
            self.said.append((chat, text))
            self._heard.notify_all()

    def _started(self) -> GatewayRunner:
        if self._runner is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="gateway-under-test", daemon=True)
            self._thread.start()
            self._runner = GatewayRunner(
                self._manager,
                ScriptedModel,
                adapters=[_Adapter(self, vouches=not self.strangers)],
                workdir=self._workdir,
                before_turn=self._before_turn,
            )
            self._do(self._runner.start())
        return self._runner

    def _before_turn(self, model: Model) -> None:
        if isinstance(model, ScriptedModel):
            model.begin_turn(self._turns.pop(0) if self._turns else [ScriptStep(say="fine")])

    def _do(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        assert self._loop is not None  # noqa: S101 - it is made before anything is done on it
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)


def _step(part: str | dict[str, Any]) -> ScriptStep:
    if isinstance(part, str):
        return ScriptStep(say=part)
    return ScriptStep(tools=tuple(ScriptedCall(name, args) for name, args in part.items()))
