"""Runs one gateway in a process of its own: many chats at a time, each waits for its reply before it writes again.

    gateway_worker.py CHATS MESSAGES MODEL_SECONDS (with | without)

Prints one JSON object: latencies, what was lost, what came out of order, and memory half-way and at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from hermes_sdk import PluginManager
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.base import ModelReply
from hermes_sdk.host.models.scripted import ScriptedModel

HANDLERS: Final = {
    "sleeps": "import time\n\n\ndef handle(event_type, context):\n    time.sleep(0.05)\n",
    "raises": "def handle(event_type, context):\n    raise RuntimeError(event_type)\n",
    "hangs": "import asyncio\n\n\nasync def handle(event_type, context):\n    await asyncio.sleep(86400)\n",
}
"""Three gateway hooks, each on every event of a conversation."""
_LONGEST: Final = 60.0
"""Seconds after which a reply counts as lost."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Echo(ScriptedModel):
    """Answers with the last message, after the time that a model takes."""

    def __init__(self, seconds: float) -> None:
        super().__init__(name="echo")
        self._seconds = seconds

    def complete(self, request: dict[str, Any]) -> ModelReply:
        """Answer."""
        if self._seconds:
            time.sleep(self._seconds)
        return ModelReply(text=f"re: {request['messages'][-1]['content']}")


class Clients:
    """The people: an adapter, and the chats behind it."""

    name = "clients"
    enforces_own_access_policy = True

    def __init__(self) -> None:
        self.replies: dict[str, asyncio.Queue[str]] = {}
        self.latencies: list[float] = []
        self.lost = self.out_of_order = 0

    async def start(self, gateway: GatewayRunner) -> None:
        """Connect."""
        self._gateway = gateway

    async def stop(self) -> None:
        """Disconnect."""

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        """Deliver a reply."""
        del thread_id, reply_to
        self.replies[chat_id].put_nowait(text)
        return SendResult(ok=True)

    async def talk(self, chat: str, numbers: range) -> None:
        """Write messages one after another."""
        replies = self.replies.setdefault(chat, asyncio.Queue())
        source = Source(self.name, chat, user_id=chat)
        for number in numbers:
            began = time.perf_counter()
            await self._gateway.receive(MessageEvent(f"{chat} {number}", source))
            try:
                async with asyncio.timeout(_LONGEST):
                    reply = await replies.get()
            except TimeoutError:
                self.lost += 1
                continue
            self.latencies.append(time.perf_counter() - began)
            self.out_of_order += reply != f"re: {chat} {number}"


async def measure(home: Path, chats: int, messages: int, model_seconds: float) -> dict[str, Any]:
    """Run the conversations and return what came of them."""
    manager = PluginManager(home, entry_points=False)
    manager.discover_and_load()
    clients = Clients()
    runner = GatewayRunner(manager, lambda: Echo(model_seconds), adapters=[clients], workdir=home)
    await runner.start()
    # every chat has begun, every thread has run, and every queue of a handler has been filled once
    await _everybody(clients, chats, range(1))
    clients.latencies.clear()
    half = 1 + messages // 2
    await _everybody(clients, chats, range(1, half))
    memory = [_resident()]
    await _everybody(clients, chats, range(half, messages + 1))
    memory.append(_resident())
    statuses = {status.name: status.handled + status.failed + status.late for status in runner.hooks.status()}
    transcripts = sum(len(runner.session_store.transcript(chat.session_id or "")) for chat in _chats(runner, clients))
    await runner.stop()
    manager.shutdown()
    return {
        "latencies": sorted(clients.latencies),
        "lost": clients.lost,
        "out_of_order": clients.out_of_order,
        "stored": transcripts,
        "memory": memory,
        "handled": statuses,
    }


def _chats(runner: GatewayRunner, clients: Clients) -> list[Any]:
    found = [runner.session_store.find(f"{clients.name}:dm:{chat}") for chat in clients.replies]
    return [session for session in found if session is not None]


async def _everybody(clients: Clients, chats: int, numbers: range) -> None:
    await asyncio.gather(*(clients.talk(f"c{chat}", numbers) for chat in range(chats)))


def _resident() -> float:
    """Return the memory that this process holds, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * _PAGE / 1e6


def main() -> None:
    """Be the worker."""
    chats, messages, model_seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        if sys.argv[4] == "with":
            for name, code in HANDLERS.items():
                hook = home / "hooks" / name
                hook.mkdir(parents=True)
                (hook / "HOOK.yaml").write_text("events: ['session:*', 'agent:*']\n", encoding="utf-8")
                (hook / "handler.py").write_text(code, encoding="utf-8")
        print(json.dumps(asyncio.run(measure(home, chats, messages, model_seconds))))
        sys.stdout.flush()
        os._exit(0)  # one handler still hangs


if __name__ == "__main__":
    main()
