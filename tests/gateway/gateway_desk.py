"""Real gateways on real homes, with an adapter that keeps what it is to say and show."""

import asyncio
from dataclasses import replace
from functools import partial

from hermes_sdk import PluginManager
from hermes_sdk.cli.recording_listener import RecordingListener
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

SECONDS = 30


class Desk:
    """An adapter without forms: everything arrives as text."""

    def __init__(self, name="desk", *, vouches=True):
        self.name = name
        self.enforces_own_access_policy = vouches
        self.said = []
        self.works = True

    async def start(self, gateway):
        self.gateway = gateway

    async def stop(self):
        pass

    async def send(self, chat_id, text, *, thread_id=None, reply_to=None):
        if not self.works:
            return SendResult(ok=False, error="the line is dead")
        self.said.append((chat_id, text))
        return SendResult(ok=True)

    def of(self, chat="c1"):
        return [text for chat_id, text in self.said if chat_id == chat]


class Screen(Desk):
    """An adapter that shows notes."""

    def __init__(self, name="desk"):
        super().__init__(name)
        self.notes = []

    async def show(self, chat_id, note, *, thread_id=None):
        if not self.works:
            raise ConnectionError("the line is dead")
        self.notes.append(note)

    def kinds(self):
        return [note.kind for note in self.notes]


class Talk:
    """A gateway under test: made on a running loop, its model plays a list of turns in each conversation."""

    def __init__(self, path):
        self.path = path
        self.home = path / "home"
        self.work = path / "work"
        self.home.mkdir(exist_ok=True)
        self.work.mkdir(exist_ok=True)
        self.events = []
        self.runner = None

    def plugin(self, code, name="probe"):
        directory = self.home / "plugins" / name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "plugin.yaml").write_text(f"name: {name}\n")
        (directory / "__init__.py").write_text(code)
        (self.home / "config.yaml").touch()

    def config(self, text):
        (self.home / "config.yaml").write_text(text)

    def hook(self, name, events, code):
        directory = self.home / "hooks" / name
        directory.mkdir(parents=True)
        (directory / "HOOK.yaml").write_text(f"events: {events}\n")
        (directory / "handler.py").write_text(code)

    async def start(self, *turns, adapter=None, record=(), recording=None, model=None, **options):
        """Start a gateway.

        `record` names hooks whose firing is noted in `events` as (hook, payload); `recording` is a file that all of
        them are recorded in.
        """
        self.manager = PluginManager(self.home, entry_points=False, builtin_dir=self.path)
        self.manager.discover_and_load()
        holder = PluginHolder("recorder")
        for hook in record:
            holder.add_callback(hook, partial(self._record, hook))
        self.manager.register(holder, "recorder")
        self.desk = adapter or Desk()
        if recording is not None:
            options["listener"] = self.recording = RecordingListener(recording, self.manager, "gateway")

        def make():
            made = ScriptedModel()
            made.turns = [list(turn) for turn in turns]
            return made

        def before_turn(played):
            played.begin_turn(played.turns.pop(0) if played.turns else [ScriptStep(say="fine")])

        self.runner = GatewayRunner(
            self.manager,
            model or make,
            adapters=[self.desk],
            workdir=self.work,
            before_turn=before_turn if model is None else lambda _: None,
            **options,
        )
        await self.runner.start()
        return self.runner

    def _record(self, hook, **payload):
        self.events.append((hook, payload))

    async def write(self, text, chat="c1", **source):
        event = text if isinstance(text, MessageEvent) else MessageEvent(text, source_of(chat, **source))
        await self.runner.receive(event)

    async def ask(self, text, chat="c1", **source):
        """Write a message and return what the chat is told first."""
        before = len(self.desk.of(chat))
        await self.write(text, chat, **source)
        await until(lambda: len(self.desk.of(chat)) > before)
        return self.desk.of(chat)[before]

    async def stop(self):
        if self.runner is not None:
            runner, self.runner = self.runner, None
            await runner.stop()
            self.manager.shutdown()

    def hooks(self):
        return [name for name, _ in self.events]


def source_of(chat="c1", **more):
    return replace(Source("desk", chat, user_id="u1"), **more)


async def until(condition, seconds=SECONDS):
    """Wait until something is true; fails when only a hang can be why it is not."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for knows nothing of tests
            await asyncio.sleep(0.01)


def say(text):
    return ScriptStep(say=text)


def call(command, tool="terminal", **args):
    return ScriptStep(tools=(ScriptedCall(tool, args or {"command": command}),))
