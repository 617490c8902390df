"""The memory_recall plugin in a real manager: what it stores and recalls, and that a failure costs no turn."""

import pytest
from memory_recall.sqlite_store import SqliteStore

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
CLI = {"platform": "cli", "sender_id": ""}


@pytest.fixture
def told(load, fire):
    """Return a function that loads the plugin and gives functions to play turns on the command line."""

    def told(**settings):
        manager = load("memory_recall", memory_recall=settings)

        def ask(message, session="s2", **who):
            return fire(manager, "pre_llm_call", session_id=session, user_message=message, **(CLI | who)).text or ""

        def turn(message, session="s1", **who):
            context = ask(message, session, **who)
            platform = (CLI | who)["platform"]
            fire(
                manager,
                "post_llm_call",
                session_id=session,
                user_message=message,
                assistant_response="Noted, zeppelin.",
                platform=platform,
            )
            return context

        def command(line):
            name, _, rest = line.removeprefix("/").partition(" ")
            return manager.registrations.commands[name].handler(rest)

        return manager, ask, turn, command

    return told


def test_what_was_stated_is_recalled_in_another_session(told):
    _, ask, turn, _ = told()
    turn("the staging database is called heron. Is it up?")
    assert ask("why is the staging database down?").splitlines()[1].endswith(") the staging database is called heron.")
    assert ask("what is the weather?") == ""
    assert ask("zeppelin") == ""  # what the model says is nobody's statement


def test_the_running_session_is_not_recalled_to_itself(told):
    _, ask, turn, _ = told()
    turn("the staging database is called heron", "s1")
    assert ask("staging database?", "s1") == ""


def test_child_agents_neither_read_nor_write(told, fire):
    manager, ask, turn, _ = told()
    turn("the staging database is called heron")
    assert turn("the zeppelin is grey and the staging database is up", "child", platform="subagent") == ""
    # a host that gives a child agent its parent's platform
    fire(manager, "subagent_start", child_session_id="c2")
    assert turn("the zeppelin is blue and the staging database is down", "c2") == ""
    assert ask("zeppelin") == ""


def test_secrets_never_reach_the_file(told, tmp_path):
    _, _, turn, command = told()
    turn(f"the token for the deploy is {KEY}, and the password is hunter2")
    command(f"/remember the deploy token is {KEY}")
    written = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("memories.sqlite3*"))
    assert b"deploy" in written
    assert KEY[4:].lower().encode() not in written.lower()
    assert b"hunter2" not in written


def test_what_is_recalled_stays_in_its_budget(told):
    _, ask, turn, _ = told(budget_tokens=100, max_memories=50)
    turn("\n".join(f"report number {number} on the harbour is {'good ' * number}" for number in range(1, 6)))
    turn("\n".join(f"paper number {number} on the harbour is {'good ' * number}" for number in range(1, 6)), "s0")
    lines = ask("harbour report paper number").splitlines()
    assert len("\n".join(lines).encode()) <= 400
    assert 3 <= len(lines) < 11


def test_no_more_memories_than_wanted_are_recalled(told):
    _, ask, turn, _ = told(max_memories=2)
    turn("\n".join(f"the harbour number {number} is open" for number in range(5)))
    assert len(ask("harbour").splitlines()) == 3


def test_a_multimodal_question_is_read_and_remembered(told):
    _, ask, turn, _ = told()
    image = {"type": "image_url", "image_url": {"url": "x"}}
    turn([{"type": "text", "text": "the staging database is called heron"}, image])
    assert "heron" in ask([{"type": "text", "text": "staging?"}, image])


def test_statements_can_be_left_out(told):
    _, ask, turn, command = told(store_statements=False)
    turn("the staging database is called heron")
    command("/remember the harbour is open")
    assert ask("staging database") == ""
    assert "harbour" in ask("harbour")


def test_what_was_recalled_counts_as_used_when_the_turn_is_over(told, tmp_path):
    _, ask, turn, _ = told()
    turn("the heron database is old")
    ask("heron database", "s2")
    turn("heron database?", "s3")
    turn("heron database?", "s4")
    (file,) = (tmp_path / "home").rglob("memories.sqlite3")
    store = SqliteStore(lambda: file.parent)
    (memory,) = store.select()
    store.close()
    assert memory.uses == 2


@pytest.mark.parametrize("setting", [{"budget_tokens": 5}, {"half_life_days": 0}, {"budget_chars": 400}])
def test_a_setting_that_cannot_be_is_refused_by_name(load, setting):
    manager = load("memory_recall", memory_recall=setting)
    assert "memory_recall" not in manager.plugins
    (row,) = [row for row in manager.list_plugins() if row["key"] == "memory_recall"]
    assert next(iter(setting)) in str(row)


def test_a_damaged_file_costs_the_memory_and_not_the_turn(told, tmp_path):
    manager, ask, turn, command = told()
    command("/remember something")
    (file,) = (tmp_path / "home").rglob("memories.sqlite3")
    file.unlink()
    file.write_bytes(b"no database " * 1_000)
    assert turn("something is wrong here") == ""
    assert ask("something?") == ""
    said = manager.failures["memory_recall"].last
    assert f"{file}: it is damaged; move it away, and a new one is made" in said
    file.unlink()
    turn("something is right again")
    assert "right again" in ask("something?")
