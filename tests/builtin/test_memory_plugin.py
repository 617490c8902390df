"""The memory_recall plugin in a real manager: what it recalls, for whom, and its slash commands."""

from types import SimpleNamespace

import pytest

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"


@pytest.fixture
def memory(load, fire):
    """Return the plugin's two hooks and its commands as functions."""
    manager = load("memory_recall")

    def ask(message, session="s2", **overrides):
        return fire(manager, "pre_llm_call", session_id=session, user_message=message, **overrides).text or ""

    def finish(message, answer, session="s1", **overrides):
        fire(
            manager,
            "post_llm_call",
            session_id=session,
            user_message=message,
            assistant_response=answer,
            **overrides,
        )

    def command(line):
        name, _, rest = line.removeprefix("/").partition(" ")
        return manager.registrations.commands[name].handler(rest)

    return SimpleNamespace(manager=manager, ask=ask, finish=finish, command=command)


CLI = {"platform": "cli"}
ALICE = {"platform": "telegram", "sender_id": "alice"}
BOB = {"platform": "telegram", "sender_id": "bob"}


def turn(memory, who, question, answer, session):
    """Play one turn: only pre_llm_call is told who writes."""
    memory.ask(question, session, **who)
    memory.finish(question, answer, session, platform=who["platform"])


def test_an_earlier_session_is_recalled_by_its_words(memory):
    turn(memory, CLI, "the staging database is called heron", "Noted.", "s1")
    recalled = memory.ask("why is the staging database down?", "s2", **CLI)
    assert recalled.startswith("From earlier conversations with this user")
    assert "asked: the staging database is called heron | answered: Noted." in recalled
    assert memory.ask("what is the weather?", "s2", **CLI) == ""


def test_the_running_session_is_not_recalled_to_itself(memory):
    turn(memory, CLI, "the staging database is called heron", "Noted.", "s1")
    assert memory.ask("staging database?", "s1", **CLI) == ""


def test_a_user_of_a_chat_sees_nothing_of_another(memory):
    turn(memory, ALICE, "my flight leaves on friday", "Safe travels.", "a1")
    assert memory.ask("when is the flight on friday?", "b1", **BOB) == ""
    assert memory.ask("when is the flight on friday?", "c1", **CLI) == ""
    assert "leaves on friday" in memory.ask("when is my flight?", "a2", **ALICE)


def test_without_a_sender_nothing_leaves_the_session(memory):
    nobody = {"platform": "telegram", "sender_id": ""}
    turn(memory, nobody, "my flight leaves on friday", "Safe travels.", "x1")
    assert memory.ask("my flight?", "x2", **nobody) == ""


def test_child_agents_neither_read_nor_write(memory):
    turn(memory, CLI, "the staging database is called heron", "Noted.", "s1")
    child = {"platform": "subagent"}
    turn(memory, child, "look for the zeppelin", "found", "child")
    assert memory.ask("staging database", "child", **child) == ""
    assert memory.ask("zeppelin", "s2", **CLI) == ""


def test_secrets_never_reach_the_file(memory, tmp_path):
    turn(memory, CLI, f"use {KEY} for the deploy", "password: hunter2", "s1")
    memory.command(f"/remember the deploy token is {KEY}")
    written = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("memories.sqlite3*"))
    assert b"deploy" in written
    assert KEY.encode() not in written
    assert b"hunter2" not in written


def test_what_is_recalled_stays_in_its_budget(load, fire):
    manager = load("memory_recall", memory_recall={"budget_chars": 400, "max_memories": 50})
    for number in range(20):
        fire(
            manager,
            "post_llm_call",
            session_id="s1",
            platform="cli",
            user_message=f"report number {number} on the harbour",
            assistant_response="x" * 100,
        )
    text = fire(manager, "pre_llm_call", session_id="s2", platform="cli", user_message="harbour report").text
    assert 100 < len(text) <= 400


def test_a_multimodal_question_is_read(memory):
    turn(memory, CLI, "the staging database is called heron", "Noted.", "s1")
    parts = [{"type": "text", "text": "staging?"}, {"type": "image_url", "image_url": {"url": "x"}}]
    assert "heron" in memory.ask(parts, "s2", **CLI)


def test_turns_can_be_left_out(load, fire):
    manager = load("memory_recall", memory_recall={"store_turns": False})
    fire(manager, "post_llm_call", session_id="s1", platform="cli", user_message="the heron sleeps")
    assert manager.registrations.commands["recall"].handler("heron") == "nothing is remembered on that"


def test_the_commands_remember_list_and_forget(memory):
    assert memory.command("/remember tea, never coffee") == "remembered as 1: tea, never coffee"
    assert memory.command("/remember tea, never coffee") == "that is remembered already"
    assert memory.command("/recall coffee").endswith("tea, never coffee")
    assert memory.command("/recall").startswith("1  (")
    assert "tea, never coffee" in memory.ask("coffee?", **CLI)
    assert memory.command("/forget 1") == "forgot 1 memory"
    assert memory.command("/forget 1") == "forgot 0 memories"
    assert memory.command("/recall coffee") == "nothing is remembered on that"


@pytest.mark.parametrize("line", ["/remember", "/remember   ", "/forget", "/forget some", "/forget 1 2", "/forget -1"])
def test_a_command_without_sense_explains_itself(memory, line):
    assert memory.command(line).startswith("usage: /")


def test_in_a_gateway_a_command_belongs_to_whoever_wrote_the_message(memory):
    def says(user, line):
        source = SimpleNamespace(platform="telegram", user_id=user, chat_id="group")
        event = SimpleNamespace(text=line, source=source, message_id="1", internal=False)
        memory.manager.hook.pre_gateway_dispatch(event=event, gateway=None, session_store=None)
        return memory.command(line)

    says("alice", "/remember the code of the bike is blue")
    assert says("bob", "/recall bike") == "nothing is remembered on that"
    assert says("bob", "/forget all") == "forgot 0 memories"
    assert "blue" in says("alice", "/recall bike")
    assert "nobody's memory" in says(None, "/recall bike")


def test_a_damaged_file_costs_the_memory_and_not_the_turn(memory, tmp_path):
    memory.command("/remember something")
    (file,) = (tmp_path / "home").rglob("memories.sqlite3")
    for leftover in file.parent.glob("memories.sqlite3*"):
        leftover.write_bytes(b"no database " * 1_000)
    assert memory.ask("something?", **CLI) == ""
    assert "DatabaseError" in memory.manager.failures["memory_recall"].last
