"""A chat that writes more than is worked on: what waits is bounded, and whoever wrote is told."""

import asyncio

import pytest
from gateway_desk import Screen, call, say, source_of, until

from hermes_sdk.errors import SessionError
from hermes_sdk.host.gateway.messages import MessageEvent

FULL = (
    "This message was not taken: 2 messages wait in this chat already; "
    "write again when they are done, or end them with /stop."
)


async def fill(talk):
    """Let a turn run and two messages wait."""
    await talk.write("go")
    await until(lambda: "tool_started" in talk.desk.kinds())
    for text in ("one", "two"):
        await talk.runner.accept(MessageEvent(text, source_of()))


def test_one_message_too_many_is_not_taken_and_the_chat_is_told_once(talk, played, waiting_tool, gate):
    talk.config("gateway: {when_busy: queue, max_waiting: 2}\n")

    async def chat():
        await talk.start([call("", "wait", x=1), say("first")], adapter=Screen())
        await fill(talk)
        for _ in range(50):
            await talk.write("flood")
            await asyncio.sleep(0)
        await until(lambda: FULL in talk.desk.of() and talk.runner._chats["desk:dm:c1"].intake.idle)
        await talk.write("/help")  # what needs no place is taken
        await until(lambda: "/approve" in talk.desk.of()[-1])
        await talk.write("elsewhere", "c2")  # and so is what others write
        await until(lambda: talk.desk.kinds().count("tool_started") == 2)
        assert talk.desk.of().count(FULL) == 1
        gate.set()
        await until(lambda: talk.desk.of()[-3:] == ["first", "fine", "fine"])
        assert await talk.ask("again") == "fine"
        session = talk.runner.session_store.find("desk:dm:c1")
        written = [each["content"] for each in talk.runner.session_store.transcript(session.session_id)]
        assert "flood" not in written

    played(chat())


def test_whoever_waits_for_a_receipt_is_told_that_it_was_not_taken(talk, played, waiting_tool, gate):
    talk.config("gateway: {when_busy: queue, max_waiting: 2}\n")

    async def chat():
        await talk.start([call("", "wait", x=1), say("first")], adapter=Screen())
        await fill(talk)
        with pytest.raises(SessionError, match="HS450"):
            await talk.runner.accept(MessageEvent("three", source_of()))
        # a command is taken before it is run: the chat itself is told
        await talk.runner.accept(MessageEvent("/new", source_of()))
        await until(lambda: FULL in talk.desk.of())
        # what the host itself says is never left out
        await talk.runner.accept(MessageEvent("[a process has ended]", source_of(), internal=True))
        gate.set()
        await until(lambda: len(talk.desk.of()) > 4)

    played(chat())


def test_messages_that_plugins_have_not_judged_yet_are_bounded_too(talk, played):
    talk.config("gateway: {max_waiting: 10}\n")
    talk.plugin(
        "import asyncio, os\n"
        "async def f(**kw):\n"
        "    while not os.path.exists(os.environ['HERMES_HOME'] + '/go'):\n"
        "        await asyncio.sleep(0.01)\n"
        "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )

    async def chat():
        await talk.start([say("first")], adapter=Screen())
        for _ in range(1_000):
            await talk.write("flood")
        chat = talk.runner._chats["desk:dm:c1"]
        assert len(chat.intake) == 10
        await until(lambda: len(talk.desk.of()) == 1)
        assert talk.desk.of()[0].startswith("This message was not taken: 10 messages wait")
        assert len(chat.outbox.queue) == 0
        (talk.home / "go").touch()
        await until(lambda: len(talk.desk.of()) > 1)

    played(chat())


def test_a_gateway_that_has_ended_takes_nothing_more(talk, played):
    async def chat():
        runner = await talk.start([say("first")])
        await talk.stop()
        with pytest.raises(SessionError, match="HS451"):
            await runner.accept(MessageEvent("hi", source_of()))

    played(chat())
