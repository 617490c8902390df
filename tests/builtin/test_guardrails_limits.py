"""Rate limits of guardrails: who has a count of their own, and where it is kept."""

import os
import socket
import sys
import uuid

import pytest
from guardrails.counting import LibraryCounter

ADDRESS = os.environ.get("HERMES_TEST_REDIS", "redis://127.0.0.1:6379/0")


@pytest.fixture
def limited(load, fire, tmp_path):
    """Return a function that loads guardrails with a limit, and gives a function that makes calls."""

    def limited(limit, rules="", **entry):
        (tmp_path / "home").mkdir(exist_ok=True)
        (tmp_path / "home" / "guardrails.yaml").write_text(f"{rules}\nlimits:\n  - {{name: often, {limit}}}\n")
        manager = load("guardrails", guardrails=entry)

        def call(tool="read_file", session="s", user="", **args):
            turn = {"session_id": session, "platform": "telegram" if user else "cli", "sender_id": user}
            fire(manager, "pre_llm_call", **turn)
            return fire(manager, "pre_tool_call", tool_name=tool, args=args or {"path": "x"}, session_id=session)

        return call

    return limited


def actions(decisions):
    return [decision.action for decision in decisions]


def test_a_call_too_many_is_blocked_and_says_which_limit(limited):
    call = limited("limit: 2/hour, tool: read_file")
    decisions = [call() for _ in range(3)]
    assert actions(decisions) == ["run", "run", "block"]
    assert "more than 2/hour of these" in decisions[2].message
    assert "rule often, guardrails.yaml:3:5" in decisions[2].message
    assert call("write_file").action == "run"


def test_a_call_too_many_can_be_for_a_person_to_decide(limited):
    call = limited("limit: 1/hour, action: approve, message: that is a lot")
    assert actions([call(), call()]) == ["run", "approve"]
    assert "that is a lot" in call().message


@pytest.mark.parametrize(
    ("per", "anna_again", "ben", "bens_tool"),
    [("user", "block", "run", "block"), ("[]", "block", "block", "block"), ("[user, tool]", "block", "run", "run")],
)
def test_who_has_a_count_of_their_own(limited, per, anna_again, ben, bens_tool):
    call = limited(f"limit: 1/hour, per: {per}")
    assert call(user="anna").action == "run"
    assert call(user="anna", session="t").action == anna_again
    assert call(user="ben", session="u").action == ben
    assert call("write_file", user="ben", session="u").action == bens_tool


def test_sessions_count_apart_where_the_limit_says_so(limited):
    call = limited("limit: 1/hour, per: session")
    assert actions([call(session="a"), call(session="b"), call(session="a")]) == ["run", "run", "block"]


def test_a_limit_is_about_what_commands_do(limited):
    call = limited("limit: 1/hour, does: connect, host: '*.example'")
    commands = ["curl a.example", "curl a.test", "sh -c 'curl b.example'"]
    assert actions([call("terminal", command=command) for command in commands]) == ["run", "run", "block"]


def test_what_the_rules_block_is_not_counted(limited):
    call = limited("limit: 1/hour", "rules: [{name: unwritten, action: block, tool: write_file}]")
    assert actions([call("write_file"), call("write_file"), call(), call()]) == ["block", "block", "run", "block"]


# -- several gateways ----------------------------------------------------------------------------------------------


@pytest.fixture
def redis():
    """The address of a real Redis, under a prefix of the test's own."""
    host, _, port = ADDRESS.partition("://")[2].partition("/")[0].rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError as error:
        pytest.skip(f"no Redis at {ADDRESS} ({error}); set HERMES_TEST_REDIS to one")
    return ADDRESS


def test_two_gateways_share_their_counts_in_redis(redis):
    first, second = LibraryCounter(redis), LibraryCounter(redis)
    name = uuid.uuid4().hex
    assert [first.hit("2/minute", name), second.hit("2/minute", name), first.hit("2/minute", name)] == [
        True,
        True,
        False,
    ]
    assert not second.hit("2/minute", name)
    assert LibraryCounter().hit("2/minute", name)


def test_the_plugin_counts_in_redis(redis, limited):
    name = uuid.uuid4().hex
    call = limited("limit: 1/minute", limits_storage=redis)
    assert call(user=name).action == "run"
    assert call(user=name).action == "block"


@pytest.mark.parametrize(("when_down", "after"), [("memory", ["run", "block"]), ("block", ["block", "block"])])
def test_while_redis_is_down_the_settings_say_what_happens(limited, caplog, when_down, after):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        call = limited("limit: 1/hour", limits_storage=f"redis://:geheim@127.0.0.1:{port}/0", limits_down=when_down)
        decisions = [call(), call()]
    assert actions(decisions) == after
    assert "the counts of the rate limits cannot be reached" in caplog.text + str(decisions[1].message)
    assert "geheim" not in caplog.text + str(decisions)


def test_what_has_no_limit_runs_while_redis_is_down(limited):
    call = limited("limit: 1/hour, tool: read_file", limits_storage="redis://127.0.0.1:1/0", limits_down="block")
    assert call("write_file").action == "run"


def test_without_the_package_for_redis_the_way_to_it_is_named(limited, monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    call = limited("limit: 1/hour", limits_storage="redis://localhost:6379/0")
    assert "pip install 'hermes-sdk[guardrails,redis]'" in call().message
