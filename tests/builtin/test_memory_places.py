"""Whose memories are recalled where: nothing of another user's chats, in a real gateway."""

import contextvars

import pytest
from memory_recall.places import chat_place, key_of, local_place, named

from hermes_sdk.host import Agent
from hermes_sdk.host.gateway.messages import MessageEvent, Source
from hermes_sdk.host.models.scripted import ScriptedModel, ScriptStep
from hermes_sdk.testing.desk import GatewayDesk

GROUP = {"chat": "-100", "chat_type": "group"}


SPY = """
seen = []

def register(ctx):
    ctx.register_middleware("llm_request", see)

def see(request, platform="", **_):
    asked = [message["content"] for message in request["messages"] if message["role"] == "user"][-1]
    seen.append((platform, str(asked).partition("From earlier conversations")[2]))
"""


@pytest.mark.parametrize(
    "place",
    [
        local_place,
        lambda name: chat_place("webchat", "owner", "main", "", private=True, name=name),
        lambda name: chat_place("webhook", "", "7:8", "9", private=False, name=name),
        lambda name: chat_place("telegram", "42", "c%1", "", private=True, name=name),
    ],
)
def test_what_a_machine_without_a_name_remembered_is_known_where_it_has_one(place):
    before, after = place(""), place("dora:1@x")
    assert named(before.person, "dora:1@x") == after.person
    for directory in ("/srv/app", "/a:b%3A"):
        moved = [named(room, "dora:1@x") for room in before.rooms(directory)]
        assert moved == list(after.rooms(directory))
        assert [named(room, "other") for room in moved] == moved
        assert [named(room, "") for room in moved] == moved


@pytest.fixture
def desk(load, tmp_path):
    """A gateway with the plugin; `recalls` gives what a message brings back, `seen` is that for each model request."""
    manager = load("memory_recall")
    (tmp_path / "spy").mkdir()
    (tmp_path / "spy" / "__init__.py").write_text(SPY)
    (tmp_path / "spy" / "plugin.yaml").write_text("name: spy")
    desk = GatewayDesk(manager, tmp_path)
    desk.seen = manager.load_plugin(tmp_path / "spy").module.seen
    desk.manager = manager

    def recalls(text, chat="c1", **options):
        desk.seen.clear()
        desk.ask(text, chat, **options)
        ((_, recalled),) = desk.seen
        return recalled

    desk.recalls = recalls
    yield desk
    desk.close()


def test_a_person_is_recalled_in_their_own_private_chats(desk):
    desk.ask("my flight leaves on friday at noon", "c1", user="alice")
    assert "leaves on friday" in desk.recalls("when is my flight?", "c2", user="alice")


def test_nothing_is_recalled_from_another_users_chats(desk):
    desk.ask("my flight leaves on friday at noon", "c1", user="alice")
    desk.ask("/remember my flight has the number 4711", "c1", user="alice")
    assert not desk.recalls("when is the flight on friday?", "c3", user="bob")
    assert desk.ask("/recall flight", "c3", user="bob") == "nothing is remembered on that"
    assert desk.ask("/forget all", "c3", user="bob") == "forgot 0 memories"
    assert desk.ask("/forget 1", "c3", user="bob") == "forgot 0 memories"


def test_a_private_chat_is_not_recalled_in_a_group(desk):
    desk.ask("my flight leaves on friday at noon", "c1", user="alice")
    desk.ask("/remember --chat the flight is cheap", "c1", user="alice")
    assert not desk.recalls("when is my flight?", user="alice", **GROUP)
    assert desk.ask("/recall flight", user="alice", **GROUP) == "nothing is remembered on that"
    assert desk.ask("/forget all", user="alice", **GROUP) == "forgot 0 memories"


def test_a_group_is_recalled_in_that_group_only(desk):
    desk.ask("our picnic begins on sunday at ten", user="alice", **GROUP)
    desk.ask("/new", user="alice", **GROUP)
    assert "begins on sunday" in desk.recalls("when does the picnic begin?", user="bob", **GROUP)
    for options in (
        {"chat": "c1", "user": "alice"},
        {"chat": "-100", "user": "alice"},
        {"chat": "-200", "user": "alice", "chat_type": "group"},
        {"chat": "-100", "user": "alice", "chat_type": "group", "thread_id": "7"},
    ):
        assert not desk.recalls("when does the picnic on sunday begin?", **options)


def test_in_a_group_it_is_told_who_said_it(desk):
    desk.ask("I never eat any cheese", user="alice", **GROUP)
    desk.ask("/new", user="alice", **GROUP)
    assert ", desk:alice) I never eat any cheese" in desk.recalls("is cheese fine?", user="bob", **GROUP)
    desk.ask("/new", user="alice", **GROUP)
    assert ", desk" not in desk.recalls("is cheese fine?", user="alice", **GROUP)


def test_in_a_group_the_message_says_who_wrote_where_the_turn_names_another(desk):
    def turn():
        group = Source("desk", "-100", "group", user_id="bob")
        desk.manager.hook.pre_gateway_dispatch(
            event=MessageEvent("I bring the bread", group), gateway=None, session_store=None
        )
        known = {"session_id": "g", "user_message": "I bring the bread", "conversation_history": [], "model": "m"}
        desk.manager.hook.pre_llm_call(**known, is_first_turn=True, platform="desk", sender_id="alice")
        desk.manager.hook.post_llm_call(**known, assistant_response="ok", platform="desk")

    contextvars.copy_context().run(turn)
    assert ", desk:bob) I bring the bread" in desk.ask("/recall bread", user="alice", **GROUP)
    assert desk.ask("/forget all", user="alice", **GROUP) == "forgot 0 memories"


def test_an_adapter_that_calls_itself_the_command_line_is_a_chat(desk):
    payload = {"conversation_history": [], "is_first_turn": True, "model": "m", "session_id": "s", "sender_id": ""}
    desk.manager.registrations.commands["remember"].handler("my flight is at noon on friday")
    recall = desk.manager.hook.pre_llm_call
    assert recall(user_message="flight on friday?", platform="cli", **payload).text
    assert not in_one_message(desk.manager)(Source("cli", "c1", user_id="mallory"), "cli", "mallory")


def test_in_a_group_everybody_forgets_only_what_they_said(desk):
    desk.ask("/remember the picnic is on sunday", user="alice", **GROUP)
    desk.ask("/remember the picnic is expensive", user="bob", **GROUP)
    assert desk.ask("/forget picnic sunday", user="bob", **GROUP).startswith("nothing of yours")
    assert desk.ask("/forget all", user="bob", **GROUP) == "forgot 1 memory"
    assert "sunday" in desk.ask("/recall picnic", user="bob", **GROUP)


def test_what_is_remembered_for_one_chat_stays_in_it(desk):
    desk.ask("/remember --chat we speak French here", "c1", user="alice")
    assert "French" in desk.recalls("which French do we speak?", "c1", user="alice")
    assert not desk.recalls("which French do we speak?", "c2", user="alice")
    assert desk.ask("/recall speak", "c2", user="alice") == "nothing is remembered on that"


@pytest.mark.parametrize("option", ["", "--chat ", "--project "])
def test_in_a_group_no_option_leads_out_of_it(desk, option):
    desk.ask(f"/remember {option}the picnic is on sunday", user="alice", **GROUP)
    assert "sunday" in desk.recalls("when is the picnic?", user="alice", **GROUP)
    assert not desk.recalls("when is the picnic?", "c1", user="alice")


def in_one_message(manager):
    """Return a function that calls the hooks of a message and of its turn in one context, as a gateway does."""
    context = contextvars.copy_context()

    def turn(source, platform, sender="alice"):
        event = MessageEvent("when is my flight on friday?", source)
        manager.hook.pre_gateway_dispatch(event=event, gateway=None, session_store=None)
        payload = {"conversation_history": [], "is_first_turn": True, "model": "m", "session_id": "x"}
        return manager.hook.pre_llm_call(user_message=event.text, platform=platform, sender_id=sender, **payload).text

    return lambda *arguments: context.run(turn, *arguments)


def test_the_same_user_id_on_another_platform_is_another_person(desk):
    desk.ask("my flight leaves on friday at noon", "c1", user="alice")
    turn = in_one_message(desk.manager)
    assert "noon" in turn(Source("desk", "c1", user_id="alice"), "desk")
    assert not turn(Source("other", "c1", user_id="alice"), "other")
    # what a message says and what its turn says must be the same
    assert not turn(Source("desk", "c1", user_id="alice"), "other")
    assert not turn(Source("desk", "c1", user_id="bob"), "desk")


def test_a_chat_that_does_not_say_who_writes_is_a_room_of_its_own(desk):
    desk.ask("my flight leaves on friday at noon", "c1", user="")
    desk.ask("/new", "c1", user="")
    assert "leaves on friday" in desk.recalls("when is my flight?", "c1", user="")
    assert not desk.recalls("when is my flight?", "c2", user="")


def test_the_command_line_and_the_chats_know_nothing_of_each_other(desk, tmp_path):
    desk.ask("my flight leaves on friday at noon", "c1", user="alice")
    platform = {"platform": "cli", "sender_id": ""}
    payload = {"conversation_history": [], "is_first_turn": True, "model": "m", "session_id": "s"}
    recall = desk.manager.hook.pre_llm_call
    assert not recall(user_message="when is my flight?", **payload, **platform).text
    agent = Agent(desk.manager, ScriptedModel([ScriptStep(say="noted")]), workdir=tmp_path)
    agent.run_turn("the staging database is called heron")
    agent.close()
    assert recall(user_message="staging database?", **payload, **platform).text
    assert not desk.recalls("staging database?", "c1", user="alice")


def test_where_a_host_does_not_say_who_and_where_nothing_is_touched(load, fire):
    manager = load("memory_recall")
    for sender in ("alice", ""):
        turn = {"platform": "telegram", "user_message": "my flight leaves on friday at noon"}
        fire(manager, "pre_llm_call", session_id="a", sender_id=sender, **turn)
        fire(manager, "post_llm_call", session_id="a", **turn)
        assert not fire(manager, "pre_llm_call", session_id="b", sender_id=sender, **turn).text
    assert manager.failures == {}
    manager.hook.pre_gateway_dispatch(event=object(), gateway=None, session_store=None)
    for name in ("remember", "recall", "forget"):
        assert "nobody's memory is touched" in manager.registrations.commands[name].handler("all")
    # a turn of a gateway that says neither platform nor sender is not the local user's
    fire(manager, "post_llm_call", session_id="b", platform="", user_message="the harbour is open today")
    assert not fire(manager, "pre_llm_call", session_id="c", platform="cli", user_message="harbour", sender_id="").text


def test_a_child_agent_of_a_chat_recalls_nothing(desk):
    desk.ask("my flight leaves on friday at noon", "c1", user="alice")
    turn = in_one_message(desk.manager)
    assert "noon" in turn(Source("desk", "c2", user_id="alice"), "desk")
    assert not turn(Source("desk", "c2", user_id="alice"), "subagent", "")


def test_no_part_of_a_name_can_pass_for_another():
    assert key_of("a", "b:c") != key_of("a:b", "c")
    assert key_of("a%3Ab") != key_of("a:b")
    key_of("lone \ud800", "nul \0").encode()
    alice = chat_place("telegram", "alice", "c1", "", private=True)
    assert chat_place("telegram", "alice:x", "c1", "", private=True).room not in alice.rooms("/p")
    assert not alice.owns("project:user%3Atelegram%3Aalice%3Ax:/p")
    assert alice.owns(alice.project("/other"))


def test_where_memories_are_shared_people_of_one_machine_have_its_name():
    assert local_place("dora").room != local_place("otto").room
    here, there = (chat_place("webchat", "owner", "c", "", private=True, name=name) for name in ("dora", "otto"))
    assert not set(here.rooms("/p")) & set(there.rooms("/p"))
    public = [chat_place("telegram", "42", "c", "", private=True, name=name) for name in ("dora", "otto")]
    assert public[0] == public[1]
