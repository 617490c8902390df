"""An answer that is in the transcript reaches its chat, though the gateway ended before it was sent."""

import asyncio

from gateway_desk import Desk, say, source_of, until

from hermes_sdk.host.gateway.messages import MessageEvent
from hermes_sdk.host.gateway.outbox import LATE


class Stuck(Desk):
    """An adapter whose platform does not answer any more."""

    async def send(self, chat_id, text, *, thread_id=None, reply_to=None):
        self.said.append((chat_id, text))
        await asyncio.Event().wait()


async def crash(talk):
    """Let a gateway end in the middle of sending its answer, and be gone."""
    await talk.start([say("hello")], adapter=Stuck())
    await talk.write("hi")
    await until(talk.desk.of)
    runner, talk.runner = talk.runner, None
    for chat in runner._chats.values():
        chat.outbox.queue.cancel()  # as the end of the process does
    await runner.stop()
    talk.manager.shutdown()


def test_an_answer_that_was_not_sent_is_sent_after_the_restart_once_and_marked(talk, played):
    talk.config("gateway: {shutdown_grace: 0.1}\n")

    async def chat():
        await crash(talk)
        await talk.start([say("second")])
        await until(talk.desk.of)
        assert talk.desk.of() == [LATE + "hello"]
        assert await talk.ask("and?") == "second"
        await talk.stop()
        await talk.start([say("third")])
        assert await talk.ask("still?") == "third"
        store = talk.runner.session_store
        transcript = store.transcript(store.find("desk:dm:c1").session_id)
        assert [each["content"] for each in transcript] == ["hi", "hello", "and?", "second", "still?", "third"]

    played(chat())


def test_an_answer_waits_for_its_platform(talk, played):
    talk.config("gateway: {shutdown_grace: 0.1}\n")

    async def chat():
        await crash(talk)
        await talk.start(adapter=Desk("other"))
        await until(lambda: talk.runner._chats["desk:dm:c1"].outbox.queue.idle)
        await talk.stop()
        await talk.start()
        await until(talk.desk.of)
        assert talk.desk.of() == [LATE + "hello"]

    played(chat())


def test_an_answer_that_nobody_wants_any_more_is_forgotten(talk, played):
    now = [1_000_000.0]
    talk.config("gateway: {shutdown_grace: 0.1, idle_timeout: null}\n")

    async def chat():
        await talk.start(clock=lambda: now[0])
        store = talk.runner.session_store
        session = store.get_or_create_session(source_of())
        store.end_turn(None, session.session_id, 0, (), ("old", MessageEvent("hi", source_of())))
        now[0] += 6 * 86_400
        store.end_turn(None, session.session_id, 0, (), ("new", MessageEvent("hi", source_of())))
        now[0] += 2 * 86_400
        await talk.stop()
        await talk.start(clock=lambda: now[0])
        await until(talk.desk.of)
        assert talk.desk.of() == [LATE + "new"]

    played(chat())


def test_an_answer_that_its_platform_does_not_take_is_not_kept(talk, played):
    async def chat():
        await talk.start([say("hello")])
        talk.desk.works = False
        await talk.write("hi")
        await until(lambda: talk.runner.session_store.find("desk:dm:c1") is not None)
        await until(lambda: not talk.runner._chats["desk:dm:c1"].busy)
        assert talk.runner.session_store.owed(60) == []

    played(chat())
