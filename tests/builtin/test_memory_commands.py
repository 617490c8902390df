"""The slash commands of memory_recall on the command line."""

import pytest

from hermes_sdk.host import Agent
from hermes_sdk.host.commands import run_command
from hermes_sdk.host.models.scripted import ScriptedModel, ScriptStep


@pytest.fixture
def types(load, tmp_path):
    """Return a function that types a line in a real session and gives what it says."""
    manager = load("memory_recall")
    agents = [Agent(manager, ScriptedModel(), workdir=tmp_path)]

    def types(line):
        answer = run_command(agents[0], line)
        assert not answer.failed, answer.text
        return answer.text

    types.manager = manager
    yield types
    agents[0].close()


def test_remember_recall_and_forget(types):
    assert types("/remember tea, never coffee") == "remembered as 1: tea, never coffee"
    assert types("/remember tea, never coffee") == "that is remembered already"
    assert types("/recall coffee").endswith("tea, never coffee")
    assert types("/recall").startswith("1  (")
    assert types("/forget 1") == "forgot 1 memory"
    assert types("/forget 1") == "forgot 0 memories"
    assert types("/recall coffee") == "nothing is remembered on that"


def test_forget_takes_words_numbers_and_all(types):
    for text in ("the tea is green", "the tea is black", "the cup is red", "the pot is blue"):
        types(f"/remember {text}")
    assert types("/forget tea").splitlines()[0] == "2 memories have these words; say /forget and a number:"
    assert types("/forget Black TEA") == "forgot 1 memory: the tea is black"
    assert types("/forget coffee") == "nothing of yours that is remembered here has these words"
    assert types("/forget 3, #4") == "forgot 2 memories"
    types("/remember the plate is white")
    assert types("/forget all") == "forgot 2 memories"
    assert types("/recall") == "nothing is remembered on that"


def test_a_number_is_not_given_twice(types):
    types("/remember the tea is green")
    types("/forget all")
    assert types("/remember the tea is black") == "remembered as 2: the tea is black"


@pytest.mark.parametrize("line", ["/remember", "/remember   ", "/remember --chat", "/forget", "/forget  "])
def test_a_command_without_sense_explains_itself(types, line):
    said = types(line)
    assert "usage: /" in said or "leave --chat out" in said or "needs a word" in said


def test_an_option_that_is_none_is_refused(types):
    assert types("/remember --projcet tabs") == "there is no option --projcet; did you mean --project?"
    assert "usage: /remember" in types("/remember --xyz tabs")
    assert types("/remember --chat tabs").startswith("the command line is no chat")
    assert "needs a word" in types("/remember ...")
    assert types("/recall") == "nothing is remembered on that"


@pytest.mark.parametrize("wanted", ["--all", "-1", "1e9", "9" * 30, '"', "%"])
def test_what_is_no_number_forgets_nothing(types, wanted):
    types("/remember the tea is green")
    assert types(f"/forget {wanted}") == "nothing of yours that is remembered here has these words"
    assert "tea" in types("/recall tea")


def test_a_memory_of_a_project_is_recalled_in_that_project_only(load, tmp_path):
    manager = load("memory_recall")

    def session(directory):
        return Agent(manager, ScriptedModel(), workdir=directory)

    def recalled(agent):
        agent.run_turn("how do we indent files?")  # the directory is known from the turn on
        return run_command(agent, "/recall indent").text

    here, there = tmp_path / "here", tmp_path / "there"
    (here / ".git").mkdir(parents=True)
    (here / "src").mkdir()
    there.mkdir()
    agents = [session(here), session(here / "src"), session(there)]
    agents[0].run_turn("hello")
    assert run_command(agents[0], "/remember --project indent with tabs").text.startswith("remembered as 1")
    assert [recalled(agent)[:2].strip() for agent in agents] == ["1", "1", "no"]
    assert run_command(agents[2], "/forget all").text == "forgot 1 memory"  # one's own, in any project
    for agent in agents:
        agent.close()


def test_a_store_that_fails_is_said_and_the_session_goes_on(load, tmp_path):
    manager = load("memory_recall")
    (tmp_path / "home" / "plugin-data").write_text("in the way")
    agent = Agent(manager, ScriptedModel([ScriptStep(say="yes")]), workdir=tmp_path)
    said = run_command(agent, "/remember tea, never coffee")
    assert said.failed
    assert "the memory file cannot be made" in said.text
    assert agent.run_turn("is the tea ready?").completed
    agent.close()
