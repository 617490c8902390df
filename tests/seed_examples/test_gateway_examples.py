"""The page's examples for pre_gateway_dispatch."""

import asyncio
from types import SimpleNamespace

import pytest


def message(text, *, chat_type="group", user_id="7", chat_id="c1", platform="telegram"):
    source = SimpleNamespace(platform=platform, chat_id=chat_id, chat_type=chat_type, user_id=user_id)
    return SimpleNamespace(text=text, source=source, message_id="m1", internal=False)


@pytest.fixture(params=["hook", "ahook"])
def dispatch(request):
    """Return a function that fires the hook, as a synchronous and as an asynchronous host does."""

    def fire(manager, event):
        arguments = {"event": event, "gateway": None, "session_store": None}
        if request.param == "hook":
            return manager.hook.pre_gateway_dispatch(**arguments)

        async def fire_async():
            return await manager.ahook.pre_gateway_dispatch(**arguments)

        return asyncio.run(fire_async())

    return fire


def test_x29_direct_messages_of_strangers_are_dropped(load, dispatch):
    """Seed X29, H10.6 and H10.8: skip with a reason; approved users and groups go on."""
    manager, _ = load("x29")
    decision = dispatch(manager, message("hi", chat_type="dm", user_id="99"))
    assert (decision.action, decision.reason) == ("skip", "unauthorized-dm")
    assert [step.plugin for step in decision.steps] == ["x29"]
    assert dispatch(manager, message("hi", chat_type="dm", user_id="7")).action == "allow"
    assert dispatch(manager, message("hi", chat_type="group", user_id="99")).action == "allow"


def test_x30_ambient_messages_wait_for_a_mention(load, dispatch):
    """Seed X30 and H10.7: buffered until the bot is mentioned, then sent as one; chats are kept apart."""
    manager, module = load("x30")
    for text, chat in [("first", "c1"), ("second", "c1"), ("elsewhere", "c2")]:
        decision = dispatch(manager, message(text, chat_id=chat))
        assert (decision.action, decision.reason) == ("skip", "ambient-buffered")
    decision = dispatch(manager, message("@hermes what now?", chat_id="c1"))
    assert (decision.action, decision.text) == ("rewrite", "first\nsecond\n@hermes what now?")
    assert module._buffers == {("telegram", "c1"): [], ("telegram", "c2"): ["elsewhere"]}
