"""LC1: a hook that keeps refusing to let the turn end loops forever and burns quota.

The hook is told which attempt it is; after three the turn ends with a notice. A hook that crashes refuses nothing.
"""

import json

import pytest

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.events import EventLog, VerifyAsked
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep


def read_lines(path):
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def turn(shell_home, tmp_path):
    """Return a function that runs a turn which edits a file, under a pre_verify script."""
    work = tmp_path / "work"
    work.mkdir()

    def turn(text, **config):
        script = shell_home.script("never.sh", f"cat >> {tmp_path}/read\n{text}")
        manager = shell_home.started({"pre_verify": [{"command": script}]}, **config)
        write = ScriptedCall("write_file", {"path": "a.py", "content": "x = 1\n"})
        steps = [ScriptStep(tools=(write,)), *(ScriptStep(say=f"answer {number}") for number in range(9))]
        events = EventLog()
        agent = Agent(manager, ScriptedModel(steps), workdir=work, listener=events)
        result = agent.run_turn("write it")
        agent.close()
        asked = [event for event in events.events if isinstance(event, VerifyAsked)]
        return result, asked, [json.loads(line) for line in read_lines(tmp_path / "read")]

    return turn


def test_lc1_after_three_refusals_the_turn_ends_with_a_notice(turn):
    result, asked, payloads = turn("""echo '{"action":"continue","message":"not yet"}'""")
    assert result.completed
    assert result.answer == "answer 3"
    assert [payload["extra"]["attempt"] for payload in payloads] == [0, 1, 2]
    assert payloads[0]["extra"]["changed_paths"]
    assert [event.stopped for event in asked] == [False, False, False, True]
    assert "3 times" in asked[-1].message


@pytest.mark.parametrize(("cap", "answer"), [(0, "answer 0"), (1, "answer 1"), (5, "answer 5")])
def test_lc1_how_often_is_configurable(turn, cap, answer):
    result, _, payloads = turn("""echo '{"action":"continue","message":"more"}'""", agent={"max_verify_nudges": cap})
    assert result.answer == answer
    assert len(payloads) == cap


@pytest.mark.parametrize("text", ["exit 1", "kill -9 $$", "echo nonsense", """echo '{"action":"continue"}'"""])
def test_lc1_a_script_that_fails_refuses_nothing(turn, text):
    result, asked, payloads = turn(text)
    assert result.answer == "answer 0"
    assert asked == []
    assert len(payloads) == 1
