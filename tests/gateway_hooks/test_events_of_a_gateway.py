"""A real gateway fires all eight events, each with every key, and is held up by no handler."""

import asyncio
import json

import pytest

from hermes_sdk import PluginManager
from hermes_sdk.gateway_hooks import EVENTS
from hermes_sdk.gateway_hooks.events import event_of
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

EVERYTHING = ["gateway:*", "session:*", "agent:*", "command:*"]
CHAT = Source("desk", "c1", user_id="u1")


class Desk:
    """An adapter that knows its users and keeps what it is to say."""

    name = "desk"
    enforces_own_access_policy = True

    def __init__(self):
        self.said = asyncio.Queue()

    async def start(self, gateway):
        self._gateway = gateway

    async def stop(self):
        pass

    async def send(self, chat_id, text, *, thread_id=None, reply_to=None):
        self.said.put_nowait(text)
        return SendResult(ok=True)

    async def ask(self, text):
        """Write a message and return what comes back first."""
        await self._gateway.receive(MessageEvent(text, CHAT))
        async with asyncio.timeout(60):
            return await self.said.get()


@pytest.fixture
def talk(home, tmp_path):
    """Return a function that starts a gateway whose model plays steps, writes messages, and returns the answers."""

    def talk(messages, *steps, patience=30.0):
        model = ScriptedModel(steps)
        manager = PluginManager(home.path, entry_points=False)

        async def run():
            manager.discover_and_load()
            desk = Desk()
            runner = GatewayRunner(manager, lambda: model, adapters=[desk], workdir=tmp_path)
            await runner.start()
            answers = [await desk.ask(message) for message in messages]
            await runner.hooks.close(patience)
            await runner.stop()
            return answers, runner.hooks.status()

        try:
            return asyncio.run(run())
        finally:
            manager.shutdown()

    return talk


def test_all_eight_events_come_in_order_with_every_key(home, talk):
    """Seed G10 to G17 and G21: fired by the gateway itself."""
    code = "import json\ndef handle(event_type, context):\n    note(json.dumps([event_type, context]))\n"
    home.hook("all", home.note + code, EVERYTHING)
    long = "x" * 600
    tools = (ScriptedCall("terminal", {"command": "echo a"}), ScriptedCall("terminal", {"command": "echo b"}))
    answers, [status] = talk(
        [long, "/help me", "/new", "again"],
        ScriptStep(tools=tools),
        ScriptStep(tools=tools[:1]),
        ScriptStep(say="y" * 700),
        ScriptStep(say="second"),
    )
    assert (status.failed, status.dropped) == (0, 0)
    assert answers[0] == "y" * 700
    fired = [json.loads(line) for line in home.lines()]
    assert [event for event, _ in fired] == [
        "gateway:startup",
        "session:start", "agent:start", "agent:step", "agent:step", "agent:end",
        "command:help",
        "command:new", "session:end", "session:reset",
        "session:start", "agent:start", "agent:end",
    ]  # fmt: skip
    for event, context in fired:
        assert set(context) == event_of(event).key_names, event
    assert {event_of(event).name for event, _ in fired} == {event.name for event in EVENTS}
    contexts = [context for _, context in fired]
    assert contexts[0] == {"platforms": ["desk"]}
    assert all((context["platform"], context["user_id"]) == ("desk", "u1") for context in contexts[1:])
    start, begun, step, second_step, end = contexts[1:6]
    assert start["session_id"] == begun["session_id"] == step["session_id"] == end["session_id"]
    assert begun["message"] == end["message"] == "x" * 500
    assert end["response"] == "y" * 500
    assert (step["iteration"], step["tool_names"]) == (1, ["terminal", "terminal"])
    assert (second_step["iteration"], second_step["tool_names"]) == (2, ["terminal"])
    assert (contexts[6]["command"], contexts[6]["args"]) == ("help", "me")
    assert contexts[8]["session_key"] == contexts[9]["session_key"] == start["session_key"]
    assert contexts[10]["session_key"] == start["session_key"]
    assert contexts[10]["session_id"] != start["session_id"]


def test_answers_come_while_handlers_sleep_raise_and_hang(home, talk):
    """Seed G2, G3 and G22: nothing that a handler does, or returns, changes the conversation."""
    home.hook("sleeping", "import asyncio\nasync def handle(e, c):\n    await asyncio.sleep(1000)\n", EVERYTHING[:3])
    home.hook("raising", "def handle(e, c):\n    raise SystemExit(e)\n", EVERYTHING)
    home.hook("hanging", "import threading\ndef handle(e, c):\n    threading.Event().wait(5)\n", ["gateway:startup"])
    home.hook("blocking", "def handle(e, c):\n    return {'action': 'block', 'context': 'injected'}\n", EVERYTHING)
    answers, statuses = talk(
        ["one", "two"], ScriptStep(say="1", not_sees=("injected",)), ScriptStep(say="2"), patience=0.5
    )
    assert answers == ["1", "2"]
    figures = {status.name: (status.handled, status.failed) for status in statuses}
    assert figures["blocking"] == (6, 0)
    assert figures["raising"] == (6, 6)


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("{'decision': 'deny', 'message': 'not now'}", "not now"),
        ("{'decision': 'handled', 'message': 'done already'}", "done already"),
        ("{'decision': 'rewrite', 'text': 'say hello'}", "hello"),
        ("{'decision': 'allow'}", "/new: "),
        ("'nonsense'", "/new: "),
    ],
)
def test_a_handler_decides_about_a_slash_command(home, talk, answer, reply):
    home.hook("judge", f"def handle(event_type, context):\n    return {answer}\n", "command:help")
    [said], _ = talk(["/help"], ScriptStep(say="hello"))
    assert reply in said
