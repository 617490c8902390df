"""`GatewayRunner`: adapters on one side, conversations with the agent on the other, plugins and hooks in between.

The way of a message: pre_gateway_dispatch -> authorisation -> a slash command, or a turn of its chat's agent.
(Rules: seed H10, semantics 7.)
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import HermesSdkError, SessionError
from hermes_sdk.gateway_hooks import HookRegistry
from hermes_sdk.host.gateway.access import Access
from hermes_sdk.host.gateway.chat import Chat
from hermes_sdk.host.gateway.database import Database
from hermes_sdk.host.gateway.delivery import Delivery
from hermes_sdk.host.gateway.firing import GatewayHooks
from hermes_sdk.host.gateway.intake import Intake, Receipt
from hermes_sdk.host.gateway.link import GatewayLink
from hermes_sdk.host.gateway.messages import MessageEvent
from hermes_sdk.host.gateway.pairing import Pairing
from hermes_sdk.host.gateway.parts import GatewayParts
from hermes_sdk.host.gateway.platforms import make_adapters
from hermes_sdk.host.gateway.send_message import SendMessage
from hermes_sdk.host.gateway.sessions import SessionStore, session_key
from hermes_sdk.host.gateway.settings import GatewaySettings
from hermes_sdk.host.gateway.slash import SlashCommands
from hermes_sdk.host.gateway.workers import Workers
from hermes_sdk.host.settings import HostSettings
from hermes_sdk.shell_hooks.register import register_from_config, registered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hermes_sdk.host.events import Listener
    from hermes_sdk.host.gateway.adapter import Adapter
    from hermes_sdk.host.gateway.messages import Source
    from hermes_sdk.host.gateway.sessions import Waiting
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

RESTARTED: Final = (
    "[The gateway was restarted while you worked on the message above. Go on with it: what ran before has its "
    "results above, anything else did not run.]"
)
"""What the agent is told about a message whose turn an earlier process did not finish."""
_OWED_FOR: Final = 7 * 86_400.0
"""Seconds for which an answer that was not sent is kept."""
_LOOK_EVERY: Final = 60.0
"""Seconds between two looks for idle chats, at most."""
_LOOK_AGAIN: Final = 0.2
"""Seconds between two looks at chats that are to finish."""
_REST_AFTER: Final = 900.0
"""Seconds after which a chat that is quiet gives back its agent; the next message takes it up from the store."""


def _nothing(_: Model) -> None:
    """Do nothing before a turn."""


class GatewayRunner:
    """A messaging gateway. Made, started and stopped on one event loop.

    Args:
        manager: Whose plugins, hooks, tools and commands count; its home keeps the conversations.
        model: Makes the model of one more conversation.
        settings: ``gateway:`` of the configuration; read from the manager's by default.
        adapters: More adapters than the configuration names.
        workdir: Where tools run; the current directory by default.
        before_turn: Called with a conversation's model before each of its turns, in the turn's thread.
        system_prompt: Added to the system prompt.
        clock: Returns seconds since 1970.
        listener: Told what happens in every agent, in its thread, and which hooks the gateway fires itself, on the
            loop.
    """

    def __init__(
        self,
        manager: PluginManager,
        model: Callable[[], Model],
        *,
        settings: GatewaySettings | None = None,
        adapters: Iterable[Adapter] = (),
        workdir: Path | str | None = None,
        before_turn: Callable[[Model], None] = _nothing,
        system_prompt: str = "",
        clock: Callable[[], float] = time.time,
        listener: Listener | None = None,
    ) -> None:
        self.manager = manager
        self.settings = settings or GatewaySettings.from_config(manager.config)
        self.adapters: dict[str, Adapter] = {}
        """The connected adapters, by platform."""
        self.missing: dict[str, str] = {}
        """Platforms that are switched on and not connected, and why."""
        self.hooks = HookRegistry(
            manager.home, handler_timeout=self.settings.handler_timeout, hook_timeout=self.settings.hook_timeout
        )
        self._model = model
        self._before_turn = before_turn
        self._more_adapters = tuple(adapters)
        self._workdir = Path(workdir or Path.cwd()).absolute()
        self._system_prompt = system_prompt
        self._clock = clock
        self._listener = listener
        self._chats: dict[str, Chat] = {}
        self._stopped = self._stopping = False
        self._watch: asyncio.Task[None] | None = None

    # -- start and end ---------------------------------------------------------------------------------

    async def start(self) -> None:
        """Load the gateway hooks, connect the adapters, and take up messages that an earlier process left.

        An adapter that cannot connect is reported in `missing`; the others run.

        Raises:
            SessionError: The database cannot be opened.
        """
        self._loop = asyncio.get_running_loop()
        self._database = Database(self.manager.home)
        self.session_store = SessionStore(self._database, self._key_of, self._clock)
        self.pairing = Pairing(self._database, self._clock)
        self.hooks.discover_and_load()
        delivery = Delivery(self.adapters, self.settings.send_timeout)
        self.parts = GatewayParts(
            self.manager,
            self.settings,
            self._host_settings(),
            self.session_store,
            self.hooks,
            GatewayHooks(self.manager, self._workdir, self._listener),
            delivery,
            Workers(self.settings.max_turns),
            self._model,
            self._before_turn,
            self._workdir,
            self._system_prompt,
            (SendMessage(delivery, self._loop).tool(),),
            self._listener,
        )
        access = Access(self.settings, self.pairing, self._vouches)
        commands = SlashCommands(self.parts, access)
        self._intake = Intake(self.parts, access, commands, self)
        if registered(self.manager) is None:  # no way to a tool leads past the shell hooks
            register_from_config(manager=self.manager)
        self._link = GatewayLink(self, self._loop)
        self.manager.host = self._link
        self.manager.publish_run_file()
        await self.expire_idle()  # first, so that no message goes on with a conversation that is over
        await self._connect()
        for owed in self.session_store.owed(_OWED_FOR):
            self._chat(owed.source).outbox.send_late(owed)
        for waiting in self.session_store.waiting():
            self._take_up(waiting)
        logger.info("the gateway runs, connected to %s", ", ".join(sorted(self.adapters)) or "nothing")
        await self.hooks.emit("gateway:startup", {"platforms": sorted(self.adapters)})
        self._watch = self._loop.create_task(self._watch_idle(), name="gateway idle watch")

    async def stop(self) -> None:
        """End: turns may finish for ``gateway.shutdown_grace`` seconds, then they end early.

        Messages whose turn did not finish are kept for the next start. A second call does nothing.
        """
        if self._stopping:
            return
        self._stopping = True
        if self._watch is not None:
            self._watch.cancel()
        chats = list(self._chats.values())
        for chat in chats:
            chat.close_to_turns()
        if not await self._finished(chats, self.settings.shutdown_grace):
            for chat in chats:
                chat.hurry()
            await self._finished(chats, max(self.settings.shutdown_grace, 10.0))
        for adapter in list(self.adapters.values()):
            await self._disconnect(adapter)
        for chat in chats:
            await chat.close()
        await self.hooks.close()
        self.adapters.clear()
        if self.manager.host is self._link:
            self.manager.host = None
        self._stopped = True
        logger.info("the gateway has ended")
        self._database.close()

    @staticmethod
    async def _finished(chats: list[Chat], seconds: float) -> bool:
        finished = asyncio.gather(*(chat.finished() for chat in chats))
        deadline = time.monotonic() + seconds
        while not finished.done() and time.monotonic() < deadline:
            for chat in chats:
                if chat.approval_choices:  # a person may take minutes; the next start asks again
                    chat.hurry()
            await asyncio.wait({finished}, timeout=min(_LOOK_AGAIN, max(0.0, deadline - time.monotonic())))
        if not finished.done():
            finished.cancel()
            return False
        return True

    def _host_settings(self) -> HostSettings:
        settings = HostSettings.from_config(self.manager.config)
        timeout = self.settings.approval_timeout
        return settings if timeout is None else replace(settings, approval_timeout=timeout)

    @property
    def model_name(self) -> str:
        """Name of the model that conversations have."""
        return self._model().name

    # -- adapters --------------------------------------------------------------------------------------

    async def _connect(self) -> None:
        made, self.missing = make_adapters(self.manager, self.settings)
        for adapter in (*made, *self._more_adapters):
            # before it starts: a message that it brings at once wants an answer
            self.adapters[adapter.name] = adapter
            try:
                await adapter.start(self)
            except HermesSdkError as error:  # it says itself what to do
                logger.error("platform %s cannot connect: %s", adapter.name, error)  # noqa: TRY400
                self._not_connected(adapter, str(error))
            except Exception as error:
                logger.exception("platform %s cannot connect", adapter.name)
                self._not_connected(adapter, f"{type(error).__name__}: {error}")

    def _not_connected(self, adapter: Adapter, why: str) -> None:
        del self.adapters[adapter.name]
        self.missing[adapter.name] = why

    async def _disconnect(self, adapter: Adapter) -> None:
        try:
            async with asyncio.timeout(self.settings.send_timeout):
                await adapter.stop()
        except Exception:
            logger.exception("platform %s did not disconnect", adapter.name)

    def _vouches(self, platform: str) -> bool:
        return bool(getattr(self.adapters.get(platform), "enforces_own_access_policy", False))

    # -- messages --------------------------------------------------------------------------------------

    async def receive(self, event: MessageEvent) -> None:
        """Take one message: it is queued in its chat, and this returns at once."""
        self.receive_nowait(event)

    def receive_nowait(self, event: MessageEvent) -> None:
        """Take one message, on the gateway's loop."""
        if self._stopped:
            logger.warning("platform %s: a message came after the gateway had stopped", event.source.platform)
            return
        self._intake.put(self._chat(event.source), event)

    async def accept(self, event: MessageEvent) -> None:
        """Take one message, and return once it is stored, or was dealt with in another way.

        Raises:
            SessionError: It was not taken; it may be sent again later.
        """
        if self._stopped:
            raise SessionError(
                "this message could not be taken", why="the gateway has stopped", fix="write again later", code="HS451"
            )
        done: asyncio.Future[None] = self._loop.create_future()
        self._intake.put(self._chat(event.source), event, Receipt(done))
        await done

    async def answer_approval(self, session_key: str, choice: str, *, approval_id: str | None = None) -> bool:
        """Answer the open approval of a chat; False where none is open, or another one than the one that is named."""
        chat = self._chats.get(session_key)
        return chat is not None and chat.answer_approval(choice, approval_id)

    def source_of(self, key: str) -> Source | None:
        """Return where the last message of a chat came from; None for a chat that is not there."""
        chat = self._chats.get(key)
        return None if chat is None else chat.outbox.source

    def _take_up(self, waiting: Waiting) -> None:
        """Go on with a message that an earlier process accepted."""
        event = waiting.event
        chat = self._chat(event.source)
        if not waiting.begun:
            chat.take(event, number=waiting.number, interrupts=False)
            return
        self.session_store.settle(waiting.number)
        if event.text == RESTARTED:
            # it has brought two processes to an end: a person decides what becomes of it
            logger.warning("a message in %s was not finished by two gateways, it is left alone", chat.key)
            chat.outbox.tell("The gateway was restarted again before this was done. Write again to go on.")
            return
        chat.take(MessageEvent(RESTARTED, event.source, internal=True), interrupts=False)

    # -- chats -----------------------------------------------------------------------------------------

    def _chat(self, source: Source) -> Chat:
        key = self._key_of(source)
        chat = self._chats.get(key)
        if chat is None:
            chat = self._chats[key] = Chat(self.parts, key, source, self._loop)
            if self._stopping:
                chat.close_to_turns()
        return chat

    def _key_of(self, source: Source) -> str:
        return session_key(source, per_user=self.settings.platform(source.platform).session_per_user)

    async def _watch_idle(self) -> None:
        timeout = self.settings.idle_timeout
        pause = min(_LOOK_EVERY, timeout / 4) if timeout else _LOOK_EVERY
        while True:
            await asyncio.sleep(pause)
            with contextlib.suppress(Exception):  # a database that is busy is asked again
                await self.expire_idle()

    async def expire_idle(self) -> None:
        """Let chats that were quiet for too long begin anew, and forget what the store knows."""
        now = self._clock()
        if self.settings.idle_timeout is not None:
            before = now - self.settings.idle_timeout
            for session in self.session_store.idle_since(before):
                self._chat(session.source).expire(before)
        for key, chat in list(self._chats.items()):
            chat.rest(now - _REST_AFTER)
            if chat.forgettable:
                del self._chats[key]

    def figures(self) -> dict[str, Any]:
        """Return what `gateway status` shows, JSON-ready."""
        return {
            "platforms": sorted(self.adapters),
            "missing": dict(self.missing),
            "chats": self.session_store.count(),
            "turns": self.parts.workers.running,
            "hooks": [asdict(status) for status in self.hooks.status()],
        }
