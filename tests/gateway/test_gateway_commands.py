"""Slash commands and access: who may do what, what hooks say about it, what plugins bring (semantics 7)."""

import asyncio

import pytest
from gateway_desk import Desk, call, say, until

from hermes_sdk.host.gateway.messages import Source

PLUGIN = (
    "def where(text):\n    return f'here: {text}'\n"
    "async def later(text):\n    return 'later'\n"
    "def broken(text):\n    1/0\n"
    "def run(text):\n    return context.dispatch_tool('terminal', {'command': 'echo from-a-command'})\n"
    "def again(text):\n    context.inject_message('injected')\n"
    "def register(ctx):\n"
    "    global context\n    context = ctx\n"
    "    ctx.register_command('where', where, 'say where', '<place>')\n"
    "    for command in (later, broken, run, again):\n        ctx.register_command(command.__name__, command)\n"
)


def test_help_lists_the_gateways_and_the_plugins_commands(talk, played):
    talk.plugin(PLUGIN)

    async def chat():
        await talk.start()
        text = await talk.ask("/help")
        for command in ("/new", "/reset", "/clear", "/stop", "/approve", "/deny", "/help", "/where <place>"):
            assert command in text

    played(chat())


def test_plugins_commands_run_and_may_fail(talk, played):
    talk.plugin(PLUGIN)

    async def chat():
        await talk.start([say("injected too")], record=["post_tool_call", "pre_llm_call"])
        assert await talk.ask("/where at home") == "here: at home"
        assert await talk.ask("/later") == "later"
        assert "/broken of plugin probe failed: ZeroDivisionError" in await talk.ask("/broken")
        assert "from-a-command" in await talk.ask("/run")
        assert talk.events[0][1]["tool_name"] == "terminal"
        assert await talk.ask("/again") == "injected too"
        assert talk.events[1][1]["user_message"] == "injected"

    played(chat())


def test_unknown_commands_are_text_for_the_agent(talk, played):
    async def chat():
        await talk.start([say("1")], [say("2")], record=["pre_llm_call"])
        await talk.ask("/unheard-of x")
        await talk.ask("/etc/hosts is a file")
        messages = [payload["user_message"] for _, payload in talk.events]
        assert messages == ["/unheard-of x", "/etc/hosts is a file"]

    played(chat())


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("{'decision': 'deny', 'message': 'not today'}", "not today"),
        ("{'action': 'deny'}", "/where was blocked by a hook."),
        ("{'decision': 'handled', 'message': 'done elsewhere'}", "done elsewhere"),
        ("{'decision': 'rewrite', 'command_name': 'later', 'raw_args': ''}", "later"),
        ("{'action': 'rewrite', 'text': '/where else'}", "here: else"),
        ("{'action': 'rewrite', 'text': 'a message'}", "fine"),
        ("{'decision': 'allow'}", "here: now"),
        ("{'decision': 'nonsense'}", "here: now"),
        ("'text'", "here: now"),
        ("1/0", "here: now"),
    ],
)
def test_what_a_gateway_hook_answers_to_a_command_counts(talk, played, answer, reply):
    talk.plugin(PLUGIN)
    talk.hook("judge", "['command:where']", f"def handle(event_type, context):\n    return {answer}\n")

    async def chat():
        await talk.start()
        assert await talk.ask("/where now") == reply

    played(chat())


def test_the_first_actionable_answer_wins(talk, played):
    talk.plugin(PLUGIN)
    talk.hook("a", "['command:*']", "def handle(t, c):\n    return {'decision': 'allow'}\n")
    talk.hook("b", "['command:*']", "def handle(t, c):\n    return {'decision': 'deny', 'message': 'b'}\n")
    talk.hook("c", "['command:*']", "def handle(t, c):\n    return {'decision': 'deny', 'message': 'c'}\n")

    async def chat():
        await talk.start()
        assert await talk.ask("/where") == "b"

    played(chat())


def test_a_rewrite_opens_nothing_that_the_settings_close(talk, played):
    talk.plugin(PLUGIN)
    talk.config("gateway: {platforms: {desk: {enabled: false, admin_users: [boss], user_commands: [where]}}}\n")
    talk.hook("opens", "['command:where']", "def handle(t, c):\n    return {'action': 'rewrite', 'text': '/new'}\n")

    async def chat():
        await talk.start()
        assert await talk.ask("/new") == "You may not use /new here."
        assert await talk.ask("/where") == "You may not use /new here."
        assert await talk.ask("/where", user_id="boss") == "A new conversation begins."
        assert "list the commands" in await talk.ask("/help")

    played(chat())


def test_strangers_in_direct_chats_get_a_code_and_groups_get_nothing(talk, played):
    async def chat():
        await talk.start([say("hello")], [say("again")], adapter=Desk(vouches=False))
        told = await talk.ask("hi")
        code = told.split()[-1]
        await talk.write("hi again")  # no second code so soon
        await talk.write("hi all", "g1", chat_type="group")
        await talk.write("hi", "nameless", user_id="")
        await asyncio.sleep(0.2)
        assert len(talk.desk.said) == 1
        assert talk.runner.pairing.approve(code.lower()).user_id == "u1"
        assert await talk.ask("hi") == "hello"
        assert await talk.ask("hi", "g1", chat_type="group") == "hello"  # known is known
        talk.runner.pairing.revoke("desk", "u1")
        await talk.write("hi")
        await until(lambda: len(talk.desk.said) == 4)
        assert "pair approve" in talk.desk.said[-1][1]

    played(chat())


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ("allow_users: [u1]", True),
        ("allow_users: [17]", False),
        ("allow_users: '*'", True),
        ("allow_chats: [c1]", True),
        ("allow_chats: [c2], pairing: false", False),
    ],
)
def test_lists_say_who_may_write(talk, played, settings, allowed):
    talk.config(f"gateway: {{platforms: {{desk: {{enabled: false, {settings}}}}}}}\n")

    async def chat():
        await talk.start([say("hello")], record=["pre_llm_call"], adapter=Desk(vouches=False))
        await talk.write("hi")
        if allowed:
            await until(lambda: talk.desk.of() == ["hello"])
        else:
            await until(lambda: not talk.runner._chats["desk:dm:c1"].busy)
            await asyncio.sleep(0.1)
            assert talk.events == []

    played(chat())


def test_a_model_that_fails_is_said_and_the_chat_goes_on(talk, played):
    async def chat():
        await talk.start([], [say("better")])
        assert "the script has no step for this request" in await talk.ask("hi")
        assert await talk.ask("hi") == "better"

    played(chat())


def test_an_agent_sends_messages_to_other_chats(talk, played):
    from gateway_desk import call

    async def chat():
        away = {"platform": "desk", "chat": "c2", "text": "psst"}
        wrong = {"platform": "desc", "chat": "c2", "text": "psst"}
        await talk.start(
            [call("", "send_message", **away), call("", "send_message", **wrong), say("sent")],
            record=["post_tool_call"],
        )
        assert await talk.ask("tell them") == "sent"
        assert talk.desk.of("c2") == ["psst"]
        statuses = [payload["status"] for _, payload in talk.events]
        assert statuses == ["ok", "error"]
        assert "did you mean 'desk'?" in talk.events[1][1]["error_message"]

    played(chat())


def test_session_keys_cannot_collide():
    from hermes_sdk.host.gateway.sessions import session_key

    sources = [Source("a", "b:c"), Source("a", "b", thread_id="c"), Source("a", "b%3Ac"), Source("a", "b", "group")]
    assert len({session_key(source) for source in sources}) == len(sources)


WHO = """
import contextvars

WRITER = contextvars.ContextVar("writer", default="nobody")

def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", lambda event, **_: WRITER.set(event.source.user_id) and None)
    ctx.register_command("who", lambda args: f"{args} is {WRITER.get()}")
"""


def test_a_command_that_waits_for_somebody_elses_turn_still_knows_who_wrote_it(talk, played):
    """In a group: what it answers, or deletes, is its writer's, not that of the message that it waited for."""

    async def chat():
        talk.plugin(WHO)
        talk.config("plugins:\n  enabled: [probe]\ngateway:\n  when_busy: queue\n")
        await talk.start([call("sleep 0.5"), say("slept")])
        await talk.write("sleep a little", user_id="alice", chat_type="group")
        await talk.write("/who bob", user_id="bob", chat_type="group")
        await talk.write("/who carol", user_id="carol", chat_type="group")
        await until(lambda: len(talk.desk.of()) == 3)
        assert talk.desk.of() == ["slept", "bob is bob", "carol is carol"]

    played(chat())


def test_the_commands_of_a_chat_are_listed_without_columns(talk, played):
    async def chat():
        await talk.start()
        lines = (await talk.ask("/help")).splitlines()
        assert lines[0] == "/new: end this conversation and begin a new one"
        assert not [line for line in lines if "  " in line]

    played(chat())
