"""Approvals in a chat: one request and one response a prompt, however it ends (seed H11, H12; semantics 6.3)."""

import asyncio

import pytest
from gateway_desk import Screen, call, say, source_of, until

from hermes_sdk.host.gateway.messages import MessageEvent

BOTH = ("pre_approval_request", "post_approval_response")
RISKY = "rm -rf ./nothing-there"


def asked(talk):
    return [(name, payload) for name, payload in talk.events if name in BOTH]


def begin(talk, *turns, adapter=None):
    return talk.start(*turns, record=[*BOTH, "post_tool_call", "on_session_end"], adapter=adapter)


async def ends(talk):
    await until(lambda: "on_session_end" in talk.hooks())
    assert [name for name, _ in asked(talk)] == list(BOTH)
    request, response = (payload for _, payload in asked(talk))
    assert request["surface"] == response["surface"] == "gateway"
    assert request["session_key"] == response["session_key"] == "desk:dm:c1"
    status = next(payload["status"] for name, payload in talk.events if name == "post_tool_call")
    return response["choice"], response["decided_by"], status


@pytest.mark.parametrize(
    ("answer", "choice", "status"),
    [
        ("/approve", "once", "ok"),
        ("/approve session", "session", "ok"),
        ("/approve always", "always", "ok"),
        ("/deny", "deny", "blocked"),
    ],
)
def test_a_chat_answers_by_command(talk, played, answer, choice, status):
    async def chat():
        await begin(talk, [call(RISKY), say("done")])
        question = await talk.ask("go")
        assert RISKY in question
        assert "/approve session" in question
        assert await talk.ask(answer) == "done"
        assert await ends(talk) == (choice, "u1", status)

    played(chat())


def test_what_was_allowed_for_the_session_is_not_asked_again_until_a_new_one(talk, played):
    async def chat():
        await begin(talk, [call(RISKY), say("1")], [call(RISKY), say("2")])
        await talk.ask("go")
        await talk.ask("/approve session")
        assert await talk.ask("go") == "2"
        await talk.ask("/new")
        assert "Approval needed" in await talk.ask("go")

    played(chat())


def test_buttons_answer_the_prompt_that_they_belong_to(talk, played):
    async def chat():
        screen = Screen()
        await begin(talk, [call(RISKY), say("done")], adapter=screen)
        await talk.write("go")
        await until(lambda: "approval_request" in screen.kinds())
        data = next(note.data for note in screen.notes if note.kind == "approval_request")
        answer = talk.runner.answer_approval
        assert not await answer(data["session_key"], "once", approval_id="another")
        assert not await answer("desk:dm:c2", "once", approval_id=data["approval_id"])
        assert await answer(data["session_key"], "once", approval_id=data["approval_id"])
        assert not await answer(data["session_key"], "once", approval_id=data["approval_id"])
        assert await ends(talk) == ("once", "chat", "ok")
        closed = next(note.data for note in screen.notes if note.kind == "approval_closed")
        assert (closed["approval_id"], closed["choice"]) == (data["approval_id"], "once")

    played(chat())


def test_a_slip_decides_nothing(talk, played):
    async def chat():
        await begin(talk, [call(RISKY), say("done")])
        assert await talk.ask("/approve") == "Nothing waits for an approval."
        await talk.ask("go")
        assert "not offered here" in await talk.ask("/approve forever")
        assert asked(talk)[-1][0] == "pre_approval_request"
        await talk.ask("/deny")
        assert (await ends(talk))[0] == "deny"

    played(chat())


def test_nobody_answers_in_time(talk, played):
    talk.config("gateway: {approval_timeout: 0.3}\n")

    async def chat():
        await begin(talk, [call(RISKY), say("done")])
        await talk.ask("go")
        assert await ends(talk) == ("timeout", None, "blocked")

    played(chat())


@pytest.mark.parametrize("screen", [True, False])
def test_a_question_that_does_not_arrive_is_no_refusal_by_the_user(talk, played, screen):
    async def chat():
        await begin(talk, [call(RISKY), say("done")], adapter=Screen() if screen else None)
        talk.desk.works = False
        await talk.write("go")
        choice, decided_by, status = await ends(talk)
        assert (choice, status) == ("deny", "blocked")
        assert decided_by is None
        error = next(payload["error_message"] for name, payload in talk.events if name == "post_tool_call")
        assert "did not reach the chat" in error

    played(chat())


def test_a_new_message_takes_the_question_back(talk, played):
    async def chat():
        await begin(talk, [call(RISKY), say("never")], [say("second")])
        await talk.ask("go")
        assert await talk.ask("never mind") == "second"
        choice, _, status = await ends(talk)
        assert (choice, status) in {("deny", "blocked"), ("deny", "cancelled")}

    played(chat())


def test_the_end_of_the_gateway_takes_the_question_back_and_keeps_the_message(talk, played):
    async def chat():
        await begin(talk, [call(RISKY), say("never")])
        await talk.ask("go")
        runner = talk.runner
        async with asyncio.timeout(20):  # not the grace of half a minute: nobody is waited for
            await talk.stop()
        assert (await ends(talk))[0] == "deny"
        end = next(payload for name, payload in talk.events if name == "on_session_end")
        assert (end["interrupted"], end["reason"]) == (True, "shutdown")
        assert runner.adapters == {}

    played(chat())


def test_a_plugins_question_without_a_rule_is_offered_once_only(talk, played):
    talk.plugin(
        "def f(tool_name, args, **kw):\n"
        "    if tool_name == 'terminal':\n        return {'action': 'approve', 'message': 'sure?'}\n"
        "def register(ctx):\n    ctx.register_hook('pre_tool_call', f)\n"
    )

    async def chat():
        await begin(talk, [call("echo hi"), say("done")])
        question = await talk.ask("go")
        assert "sure?" in question
        assert "session" not in question
        assert "not offered" in await talk.ask("/approve always")
        assert await talk.ask("/approve") == "done"

    played(chat())


def test_a_secret_in_the_command_is_masked_in_the_question(talk, played):
    async def chat():
        await begin(talk, [call(f"{RISKY} --token ghp_{'a1B2' * 9}"), say("done")])
        question = await talk.ask("go")
        assert "a1B2a1B2" not in question
        await talk.ask("/deny")

    played(chat())


def test_two_chats_ask_at_the_same_time(talk, played):
    async def chat():
        await begin(talk, [call(RISKY), say("done")])
        await talk.ask("go", "c1")
        await talk.ask("go", "c2")
        assert await talk.ask("/approve", "c2") == "done"
        assert await talk.ask("/deny", "c1") == "done"
        keys = [payload["session_key"] for name, payload in talk.events if name == "post_approval_response"]
        assert keys == ["desk:dm:c2", "desk:dm:c1"]
        await talk.runner.receive(MessageEvent("bye", source_of()))

    played(chat())
