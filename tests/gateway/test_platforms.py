"""Platforms of plugins, in our form and in hermes-agent's, and those that cannot be used (semantics 4.7)."""

from gateway_desk import say, until

OURS = """
import asyncio
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source

class Radio:
    name = "radio"
    enforces_own_access_policy = True
    def __init__(self, config):
        self.config = config
        self.said = []
    async def start(self, gateway):
        self.gateway = gateway
    async def stop(self):
        self.said.append("over")
    async def send(self, chat_id, text, *, thread_id=None, reply_to=None):
        self.said.append(text)
        return SendResult(True)

def register(ctx):
    ctx.register_platform("radio", "Radio", Radio, lambda: True)
"""
THEIRS = """
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

class Platform(Enum):
    RADIO = "radio"

@dataclass
class SendResult:
    success: bool
    message_id: str = None
    error: str = None

class Radio:
    def __init__(self, config):
        self.config = config
        self.said = []
    def set_message_handler(self, handler):
        self.handler = handler
    async def connect(self):
        return self.config.extra.get("band") == "fm"
    async def disconnect(self):
        self.said.append("over")
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self.said.append((chat_id, content, metadata))
        return SendResult(True, "m1")
    async def hear(self, text):
        source = SimpleNamespace(platform=Platform.RADIO, chat_id="7", chat_type="group", user_id="u9", user_name=None,
                                 thread_id="t")
        await self.handler(SimpleNamespace(text=text, source=source, message_id="x1"))

def register(ctx):
    ctx.register_platform("radio", "Radio", Radio, lambda: True, required_env=["RADIO_KEY"], install_hint="buy one")
"""


def settings(talk, text):
    talk.config(f"plugins: {{enabled: [probe]}}\ngateway:\n  platforms:\n    radio: {{{text}}}\n")


def test_a_platform_of_a_plugin_is_started_with_its_settings(talk, played):
    talk.plugin(OURS)
    settings(talk, "band: fm")

    async def chat():
        runner = await talk.start([say("hello")])
        radio = runner.adapters["radio"]
        assert radio.config.extra == {"band": "fm"}
        from hermes_sdk.host.gateway.messages import MessageEvent, Source

        await radio.gateway.receive(MessageEvent("hi", Source("radio", "1", user_id="u")))
        await until(lambda: radio.said == ["hello"])
        await talk.stop()
        assert radio.said[-1] == "over"

    played(chat())


def test_an_adapter_in_hermes_agents_form_works(talk, played, monkeypatch):
    monkeypatch.setenv("RADIO_KEY", "k")
    talk.plugin(THEIRS)
    settings(talk, "band: fm, allow_users: [u9]")

    async def chat():
        runner = await talk.start([say("hello")], record=["pre_gateway_dispatch"])
        radio = runner.adapters["radio"].adapter
        await radio.hear("hi")
        await until(lambda: radio.said)
        assert radio.said == [("7", "hello", {"thread_id": "t"})]
        source = talk.events[0][1]["event"].source
        assert (source.platform, source.platform.value, source.chat_type, source.user_id) == (
            "radio",
            "radio",
            "group",
            "u9",
        )

    played(chat())


def test_what_cannot_be_used_is_said_and_the_others_run(talk, played, monkeypatch):
    monkeypatch.delenv("RADIO_KEY", raising=False)
    talk.plugin(THEIRS)
    settings(talk, "band: fm}\n    webchatt: {port: 0")

    async def chat():
        runner = await talk.start([say("hello")])
        assert "the environment lacks RADIO_KEY; buy one" in runner.missing["radio"]
        assert "did you mean 'webchat'?" in runner.missing["webchatt"]
        assert await talk.ask("hi") == "hello"
        monkeypatch.setenv("RADIO_KEY", "k")

    played(chat())


def test_an_adapter_that_does_not_connect_is_said(talk, played, monkeypatch):
    monkeypatch.setenv("RADIO_KEY", "k")
    talk.plugin(THEIRS)
    settings(talk, "band: am")

    async def chat():
        runner = await talk.start([say("hello")])
        assert runner.missing == {"radio": "ConnectionError: its connect() returned False"}
        assert sorted(runner.adapters) == ["desk"]

    played(chat())
