"""Slash commands of a session: the host's own and those of plugins."""

import pytest

from hermes_sdk.host.commands import run_command


@pytest.fixture
def agent(start, load, say):
    load("""
        def register(ctx):
            ctx.register_command("echo", lambda args: args.upper(), description="shouts", args_hint="TEXT")
            ctx.register_command("silent", lambda args: None)
            ctx.register_command("broken", lambda args: 1 / 0)
            async def later(args):
                return f"later {args}"
            ctx.register_command("later", later)
    """)
    return start(say())


@pytest.mark.parametrize(
    ("line", "text", "failed"),
    [
        ("/echo hello there", "HELLO THERE", False),
        ("/ECHO x", "X", False),
        ("/silent", "", False),
        ("/later on", "later on", False),
        ("/broken", "/broken of plugin probe failed: ZeroDivisionError: division by zero", True),
        ("/ecko", "no command /ecko; did you mean 'echo'?", True),
        ("/zzz", "no command /zzz; /help lists them", True),
    ],
)
def test_commands_run_and_their_failures_stay_inside(agent, line, text, failed):
    answer = run_command(agent, line)
    assert (answer.text, answer.failed, answer.leaves) == (text, failed, False)


@pytest.mark.parametrize("line", ["hello", "/etc/hosts is a file", "what is /help", "/", "/ help"])
def test_other_lines_are_messages(agent, line):
    assert run_command(agent, line) is None


def test_the_hosts_own_commands(agent):
    assert run_command(agent, "/exit").leaves
    assert "/echo TEXT  shouts (probe)" in run_command(agent, "/help").text
    agent.run_turn("hello")
    before = agent.session_id
    assert run_command(agent, "/new").text == f"new session {agent.session_id}"
    assert agent.session_id != before
