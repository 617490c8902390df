"""The way of a message, and what fires on it in which order (seed H10, H7.3, H8.3; semantics 7)."""

import asyncio

import pytest
from gateway_desk import Desk, Screen, call, say, source_of, until

from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.host.gateway.messages import MessageEvent
from hermes_sdk.host.models.base import ModelReply
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

SESSION = ("on_session_start", "on_session_end", "on_session_finalize", "on_session_reset")


def trace(talk):
    """Have a gateway hook note every event in the list that plugin hooks are noted in."""
    talk.hook(
        "trace",
        ["gateway:*", "session:*", "agent:*", "command:*"],
        "import builtins\ndef handle(t, c):\n    builtins.noted(t, c)\n",
    )


@pytest.fixture
def noted(talk, monkeypatch):
    import builtins

    trace(talk)
    monkeypatch.setattr(builtins, "noted", lambda *event: talk.events.append(event), raising=False)


def test_a_message_passes_dispatch_then_authorisation_then_the_agent(talk, played):
    async def chat():
        await talk.start([say("hello")], record=["pre_gateway_dispatch", "pre_llm_call"], adapter=Desk(vouches=False))
        await talk.ask("hi")  # a stranger: dispatch saw the message, the agent did not
        assert talk.hooks() == ["pre_gateway_dispatch"]
        assert "pair approve" in talk.desk.of()[0]
        talk.runner.pairing.approve(talk.desk.of()[0].split()[-1])
        assert await talk.ask("hi") == "hello"
        assert talk.hooks() == ["pre_gateway_dispatch", "pre_gateway_dispatch", "pre_llm_call"]
        payload = talk.events[1][1]
        assert payload["event"].text == "hi"
        assert payload["gateway"] is talk.runner
        assert payload["session_store"] is talk.runner.session_store
        assert talk.events[2][1]["sender_id"] == "u1"

    played(chat())


@pytest.mark.parametrize("command", ["new", "reset", "clear"])
def test_a_new_conversation_fires_everything_in_the_documented_order(talk, played, noted, command):
    """Seed H7.4, H8.3 and G11 to G13."""

    async def chat():
        await talk.start([say("one")], [say("two")], record=SESSION)
        await talk.ask("first")
        await talk.runner.hooks.flush()
        old = talk.runner._chats["desk:dm:c1"].session_id
        talk.events.clear()
        await talk.ask(f"/{command}")
        await talk.runner.hooks.flush()
        new = talk.runner.session_store.find("desk:dm:c1").session_id
        plugins = [(name, payload) for name, payload in talk.events if name in SESSION]
        assert [name for name, _ in plugins] == ["on_session_finalize", "on_session_reset"]
        (finalize, reset) = (payload for _, payload in plugins)
        assert (finalize["session_id"], finalize["old_session_id"], finalize["new_session_id"]) == (old, old, new)
        assert (reset["session_id"], reset["old_session_id"], reset["new_session_id"]) == (new, old, new)
        assert finalize["reason"] == reset["reason"] == "new_session"
        handed = [event for event in talk.hooks() if ":" in event]
        assert handed == [f"command:{command}", "session:end", "session:reset"]
        talk.events.clear()
        assert await talk.ask("second") == "one"  # a conversation of its own, so its model begins anew
        await talk.runner.hooks.flush()
        assert [name for name in talk.hooks() if name in SESSION] == ["on_session_start", "on_session_end"]
        assert talk.events[0][1]["session_id"] == new
        assert [event for event in talk.hooks() if ":" in event] == ["session:start", "agent:start", "agent:end"]

    played(chat())


def test_finalize_comes_before_the_swap_and_reset_after_it(talk, played):
    seen = {}

    async def chat():
        await talk.start([say("one")])
        store = talk.runner.session_store

        def look(hook):
            def callback(**payload):
                seen[hook] = store.find("desk:dm:c1").session_id == payload["session_id"]

            return callback

        holder = PluginHolder("looker")
        holder.add_callback("on_session_finalize", look("finalize"))
        holder.add_callback("on_session_reset", look("reset"))
        talk.manager.register(holder, "looker")
        await talk.ask("hi")
        await talk.ask("/new")
        assert seen == {"finalize": True, "reset": True}

    played(chat())


def test_internal_events_skip_the_dispatch_hook_authorisation_and_commands(talk, played):
    """Seed H10.2."""

    async def chat():
        await talk.start([say("seen")], record=["pre_gateway_dispatch", "pre_llm_call"], adapter=Desk(vouches=False))
        assert await talk.ask(MessageEvent("/help", source_of(), internal=True)) == "seen"
        assert talk.hooks() == ["pre_llm_call"]
        assert talk.events[0][1]["user_message"] == "/help"

    played(chat())


@pytest.mark.parametrize(
    ("answer", "user_message"),
    [
        ("{'action': 'rewrite', 'text': 'other'}", "other"),
        ("{'action': 'allow'}", "hi"),
        ("None", "hi"),
        ("{'action': 'rewrite'}", "hi"),
        ("1/0", "hi"),
    ],
)
def test_what_a_dispatch_hook_answers_decides_what_the_agent_gets(talk, played, answer, user_message):
    talk.plugin(
        f"def f(event, **kw):\n    return {answer}\n"
        "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )

    async def chat():
        await talk.start([say("ok")], record=["pre_llm_call"])
        assert await talk.ask("hi") == "ok"
        assert talk.events[0][1]["user_message"] == user_message

    played(chat())


def test_a_skipped_message_gets_no_reply_no_pairing_and_no_turn(talk, played):
    """Seed H10.6 and X29."""
    talk.plugin(
        "def f(event, **kw):\n    return {'action': 'skip', 'reason': 'no'} if event.text != 'in' else None\n"
        "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )

    async def chat():
        await talk.start([say("ok")], record=["pre_llm_call"], adapter=Desk(vouches=False))
        for text in ("hi", "/help", "/new"):
            await talk.write(text)
        assert "pair approve" in await talk.ask("in")
        assert len(talk.desk.said) == 1
        assert talk.runner.pairing.requests()[0].user_id == "u1"
        assert talk.events == []

    played(chat())


def test_skip_while_a_turn_runs_neither_joins_nor_interrupts_it(talk, played, waiting_tool, gate):
    async def chat():
        screen = Screen()
        await talk.start([call("", "wait", x=1), say("done")], record=["on_session_end"], adapter=screen)
        await talk.write("go")
        await until(lambda: "tool_started" in screen.kinds())
        await talk.write("psst")
        await asyncio.sleep(0.1)
        gate.set()
        await until(lambda: talk.desk.of() == ["done"])
        await until(lambda: talk.events)
        assert talk.events[0][1]["completed"] is True
        assert len(talk.events) == 1

    played(chat())


def test_a_new_message_interrupts_the_running_turn_and_is_the_next_one(talk, played, waiting_tool, gate):
    async def chat():
        screen = Screen()
        await talk.start(
            [call("", "wait", x=1), say("never")],
            [say("second")],
            record=["on_session_end", "pre_llm_call"],
            adapter=screen,
        )
        await talk.write("go")
        await until(lambda: "tool_started" in screen.kinds())
        await talk.write("other")
        await until(lambda: talk.runner._chats["desk:dm:c1"]._turns[0].cut_off)
        gate.set()
        await until(talk.desk.of)
        assert talk.desk.of() == ["second"]
        ends = [payload for name, payload in talk.events if name == "on_session_end"]
        await until(lambda: len([name for name in talk.hooks() if name == "on_session_end"]) == 2)
        assert (ends[0]["interrupted"], ends[0]["reason"]) == (True, "new_message")
        history = [payload["conversation_history"] for name, payload in talk.events if name == "pre_llm_call"][1]
        assert [message["content"] for message in history if message["role"] == "user"] == ["go", "other"]

    played(chat())


def test_with_queue_a_new_message_waits(talk, played, waiting_tool, gate):
    talk.config("gateway: {when_busy: queue}\n")

    async def chat():
        screen = Screen()
        await talk.start([call("", "wait", x=1), say("first")], [say("second")], adapter=screen)
        await talk.write("go")
        await until(lambda: "tool_started" in screen.kinds())
        await talk.write("other")
        await asyncio.sleep(0.1)
        gate.set()
        await until(lambda: talk.desk.of() == ["first", "second"])

    played(chat())


def test_stop_ends_the_turn_and_the_conversation_goes_on(talk, played, waiting_tool, gate):
    async def chat():
        screen = Screen()
        await talk.start([call("", "wait", x=1), say("never")], [say("on")], record=["on_session_end"], adapter=screen)
        assert await talk.ask("/stop") == "Nothing is running."
        await talk.write("go")
        await until(lambda: "tool_started" in screen.kinds())
        assert await talk.ask("/stop") == "Stopped."
        gate.set()
        await until(lambda: talk.events)
        assert (talk.events[0][1]["interrupted"], talk.events[0][1]["reason"]) == (True, "stop")
        assert await talk.ask("and now") == "on"

    played(chat())


def test_chats_and_threads_have_conversations_of_their_own(talk, played):
    async def chat():
        await talk.start([say("1")], [say("2")])
        assert await talk.ask("a", "c1") == "1"
        assert await talk.ask("a", "c2") == "1"
        assert await talk.ask("b", "c1") == "2"
        assert await talk.ask("b", "c1", thread_id="t") == "1"
        assert await talk.ask("b", "c1", chat_type="group") == "1"
        assert talk.runner.session_store.count() == 4

    played(chat())


def test_a_quiet_chat_begins_anew_and_plugins_are_told(talk, played):
    """Seed H7.1 and H8.1."""
    now = [1000.0]
    talk.config("gateway: {idle_timeout: 3600}\n")

    async def chat():
        await talk.start([say("1")], [say("2")], record=SESSION, clock=lambda: now[0])
        await talk.ask("a")
        old = talk.runner.session_store.find("desk:dm:c1").session_id
        now[0] += 800
        await talk.runner.expire_idle()
        assert await talk.ask("b") == "2"
        now[0] += 3601
        await talk.runner.expire_idle()
        await until(lambda: "on_session_reset" in talk.hooks())
        assert [name for name in talk.hooks() if name in SESSION[2:]] == ["on_session_finalize", "on_session_reset"]
        assert talk.events[-1][1]["reason"] == "idle"
        assert talk.runner.session_store.find("desk:dm:c1").session_id != old
        assert len(talk.desk.said) == 2  # nobody waits for a word about it
        talk.events.clear()
        assert await talk.ask("c") == "1"
        assert talk.hooks()[0] == "on_session_start"

    played(chat())


def test_a_chat_that_rests_gives_its_agent_back_and_goes_on_where_it_was(talk, played):
    now = [1000.0]

    async def chat():
        await talk.start([say("1")], [say("2")], record=[*SESSION, "pre_llm_call"], clock=lambda: now[0])
        await talk.ask("a")
        now[0] += 1000
        await talk.runner.expire_idle()
        await until(lambda: talk.runner._chats["desk:dm:c1"].session_id is None)
        await talk.runner.expire_idle()
        assert talk.runner._chats == {}
        talk.events.clear()
        assert await talk.ask("b") == "1"  # a new scripted model, the same conversation
        assert talk.hooks() == ["pre_llm_call", "on_session_end"]
        history = talk.events[0][1]["conversation_history"]
        assert [message["content"] for message in history] == ["a", "1", "b"]
        assert talk.events[0][1]["is_first_turn"] is False

    played(chat())


def test_a_chat_with_a_command_in_the_background_keeps_its_agent(talk, played):
    now = [1000.0]

    async def chat():
        started = ScriptStep(tools=(ScriptedCall("terminal", {"command": "sleep 300", "background": True}),))
        await talk.start([started, say("1")], clock=lambda: now[0])
        await talk.ask("a")
        now[0] += 1000
        await talk.runner.expire_idle()
        await until(lambda: not talk.runner._chats["desk:dm:c1"].busy)
        assert talk.runner._chats["desk:dm:c1"].session_id is not None

    played(chat())


def test_a_plugin_adds_to_a_transcript_without_a_turn(talk, played):
    """Seed H10.3 and H10.9: silent ingest."""
    talk.plugin(
        "def f(event, session_store, **kw):\n"
        "    if event.text.startswith('note'):\n"
        "        session = session_store.get_or_create_session(event.source)\n"
        "        session_store.append_to_transcript(session.session_id, {'role': 'user', 'content': event.text})\n"
        "        return {'action': 'skip', 'reason': 'kept'}\n"
        "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )

    async def chat():
        await talk.start([say("1")], [say("2")], record=["pre_llm_call"])
        await talk.write("note one")
        await talk.ask("a")
        await talk.write("note two")
        await talk.ask("b")
        history = talk.events[1][1]["conversation_history"]
        assert [message["content"] for message in history] == ["note one", "a", "1", "note two", "b"]

    played(chat())


def test_nothing_is_out_of_order_inside_a_chat_and_nothing_is_lost(talk, played):
    talk.config("gateway: {when_busy: queue, handler_timeout: 0.5}\n")
    talk.hook("sleeps", "['agent:*', 'session:*']", "import time\ndef handle(t, c):\n    time.sleep(0.005)\n")
    talk.hook("raises", "['agent:*']", "def handle(t, c):\n    raise SystemExit('no')\n")
    talk.hook("hangs", "['agent:start']", "import asyncio\nasync def handle(t, c):\n    await asyncio.sleep(1000)\n")

    class EchoModel(ScriptedModel):
        """Answers with what it was asked."""

        def complete(self, request):
            return ModelReply(text=f"re: {request['messages'][-1]['content']}")

    async def chat():
        await talk.start(model=EchoModel)
        await asyncio.gather(
            *(talk.write(f"{chat}-{number}", f"c{chat}") for number in range(10) for chat in range(20))
        )
        await until(lambda: len(talk.desk.said) == 200, 60)
        for chat in range(20):
            assert talk.desk.of(f"c{chat}") == [f"re: {chat}-{number}" for number in range(10)]

    played(chat())


def test_of_three_messages_at_once_the_last_is_answered_and_the_agent_has_all(talk, played, waiting_tool, gate):
    async def chat():
        turns = [call("", "wait", x=1), say("1")], [say("2")], [say("3")]
        await talk.start(*turns, record=["on_session_end", "pre_llm_call"], adapter=Screen())
        await talk.write("a")
        await until(lambda: "tool_started" in talk.desk.kinds())
        for text in ("b", "c"):
            await talk.write(text)
        await until(lambda: len(talk.runner._chats["desk:dm:c1"]._turns) == 3)
        gate.set()
        await until(talk.desk.of)
        await until(lambda: not talk.runner._chats["desk:dm:c1"].busy)
        assert talk.desk.of() == ["3"]
        ends = [payload["interrupted"] for name, payload in talk.events if name == "on_session_end"]
        assert ends == [True, True, False]
        history = [payload["conversation_history"] for name, payload in talk.events if name == "pre_llm_call"][-1]
        assert [message["content"] for message in history if message["role"] == "user"] == ["a", "b", "c"]

    played(chat())


def test_a_conversation_that_was_idle_while_no_gateway_ran_is_over_at_the_start(talk, played):
    async def chat():
        await talk.start([say("1")], clock=lambda: 1000.0)
        await talk.ask("a")
        await talk.stop()
        await talk.start([say("2")], record=[*SESSION, "pre_llm_call"], clock=lambda: 1e9)
        assert await talk.ask("b") == "2"
        names = ["on_session_finalize", "on_session_reset", "on_session_start", "pre_llm_call"]
        assert talk.hooks()[:4] == names
        assert talk.events[0][1]["reason"] == "idle"
        assert len(talk.events[3][1]["conversation_history"]) == 1

    played(chat())


def test_a_message_that_cannot_be_stored_is_said(talk, played):
    async def chat():
        await talk.start([say("1")])

        def full(key, event):
            raise OSError("no space left")

        talk.runner.session_store.accept = full
        assert await talk.ask("a") == "This message could not be taken: OSError; write again later."

    played(chat())
