"""guardrails in real sessions: what the model, a person and child agents meet."""

import json

import pytest

from hermes_sdk.host import Agent
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

BLOCKS_TOUCH = "rules: [{name: no-touch, action: block, program: touch, message: nothing is made here}]\n"


@pytest.fixture(autouse=True)
def _home(monkeypatch, tmp_path):
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))


@pytest.fixture
def workdir(tmp_path):
    """Where the session works."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def play(load, tmp_path, workdir):
    """Return a function that plays calls in one turn, and gives their results."""
    agents = []

    def play(*calls, policy=None, approver=None, children=None, sender="", platform="cli"):
        if policy is not None:
            (tmp_path / "home").mkdir(exist_ok=True)
            (tmp_path / "home" / "guardrails.yaml").write_text(policy)
        steps = [ScriptStep(tools=tuple(ScriptedCall(name, args) for name, args in calls)), ScriptStep(say="done")]
        model = ScriptedModel(steps, children=children)
        agents.append(Agent(load("guardrails"), model, workdir=workdir, approver=approver, platform=platform))
        agents[-1].run_turn("go", sender_id=sender)
        return [json.loads(message["content"]) for message in agents[-1].history if message["role"] == "tool"]

    yield play
    for agent in agents:
        agent.close()


def shell(command):
    return "terminal", {"command": command}


def test_a_blocked_command_does_not_run_and_the_model_is_told_why(play, workdir):
    (workdir / "kept").touch()
    (result,) = play(shell("r\\m -rf $HOME kept"))
    assert (workdir / "kept").exists()
    assert "guardrails: this would delete the file system or a home directory: deletes" in result["error"]
    assert "rule root-and-home, default_policy.yaml:" in result["error"]


def test_an_ordinary_command_runs(play, workdir):
    play(shell("mkdir -p build && touch build/x && rm build/x"))
    assert list(workdir.iterdir()) == [workdir / "build"]


def test_a_person_is_asked_and_what_they_say_counts(play, workdir):
    approver = ScriptedApprover(["once", "deny"])
    play(shell('python3 -c \'open("made", "w")\''), shell('python3 -c \'open("other", "w")\''), approver=approver)
    assert [path.name for path in workdir.iterdir()] == ["made"]
    assert "cannot be judged: python code on the command line" in approver.prompts[0].description


def test_what_a_person_allowed_for_the_session_is_that_and_nothing_else(play, workdir):
    approver = ScriptedApprover(["session", "deny"])
    play(*[shell('python3 -c \'open("made", "a").write("x")\'')] * 2, shell("python3 -c 1"), approver=approver)
    assert (workdir / "made").read_text() == "xx"
    assert len(approver.prompts) == 2


def test_where_nobody_can_be_asked_it_does_not_run(play, workdir):
    play(shell('python3 -c \'open("made", "w")\''))
    assert list(workdir.iterdir()) == []


def test_a_rewrite_changes_what_runs_and_what_is_judged(play, workdir):
    policy = (
        "rules:\n"
        "  - {name: no-touch, action: block, program: touch}\n"
        "  - {name: softly, action: rewrite, tool: terminal, args: {command: touch}, set: {timeout: 5},\n"
        "     replace: {command: {pattern: 'touch (\\w+)', with: 'echo \\1 > other'}}}\n"
    )
    (result,) = play(shell("touch x"), policy=policy)
    assert result["exit_code"] == 0
    assert (workdir / "other").read_text() == "x\n"


def test_a_child_agent_answers_to_its_parents_user_and_is_a_subagent(play, workdir):
    policy = (
        "rules:\n"
        "  - {name: annas, action: block, program: touch, user: 'telegram:anna'}\n"
        "  - {name: childs, action: block, program: mkdir, platform: subagent}\n"
    )
    work = [
        ScriptStep(tools=(ScriptedCall("terminal", {"command": "touch x"}),)),
        ScriptStep(tools=(ScriptedCall("terminal", {"command": "mkdir y"}),)),
        ScriptStep(say="done"),
    ]
    delegated = ("delegate_task", {"goal": "work"})
    made = {"policy": policy, "platform": "telegram"}
    play(delegated, shell("mkdir z"), children={"work": work}, sender="anna", **made)
    assert [path.name for path in workdir.iterdir()] == ["z"]
    play(delegated, children={"work": work}, sender="ben", **made)
    assert sorted(path.name for path in workdir.iterdir()) == ["x", "z"]


def test_a_policy_that_changes_counts_from_the_next_call_on(load, fire, tmp_path, caplog):
    policy = tmp_path / "home" / "guardrails.yaml"
    manager = load("guardrails")

    def decided(text):
        policy.write_text(text) if text else policy.unlink()
        return fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "touch x"})

    assert decided("rules: []\n").action == "run"
    assert decided(BLOCKS_TOUCH).action == "block"
    assert "mended" in decided("rules: 7\n").message
    assert "the one of before stays in force" in caplog.text
    assert decided("").action == "run"  # the one that comes along


def test_a_broken_policy_blocks_every_tool_and_says_where_it_is_broken(play, workdir):
    (result,) = play(shell("touch x"), policy="rules: [{name: a, action: blok}]")
    assert list(workdir.iterdir()) == []
    assert "every tool is blocked until the policy is mended" in result["error"]
    assert "guardrails.yaml:1:19" in result["error"]
    assert "did you mean 'block'?" in result["error"]


def test_a_broken_policy_that_is_not_fail_closed_lets_calls_through_and_says_so(play, workdir, caplog):
    play(shell("touch x"), policy="fail_closed: false\nrules: [{name: a, action: blok}]")
    assert [path.name for path in workdir.iterdir()] == ["x"]
    assert "the policy cannot be used" in caplog.text


def test_a_policy_that_is_named_and_not_there_blocks(load, fire):
    manager = load("guardrails", guardrails={"policy": "company.yaml"})
    decision = fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "true"})
    assert decision.action == "block"
    assert "there is no policy" in decision.message


def test_a_named_policy_is_read_from_the_home(load, fire, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "company.yaml").write_text(BLOCKS_TOUCH)
    manager = load("guardrails", guardrails={"policy": "company.yaml"})
    assert fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "touch x"}).action == "block"
    assert fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "rm -rf /"}).action == "run"


@pytest.mark.parametrize("entry", [{"limits_storage": "ftp://x"}, {"limits_down": "ignore"}, {"polcy": "x"}])
def test_a_wrong_setting_is_named_and_blocks(load, fire, caplog, entry):
    decision = fire(load("guardrails", guardrails=entry), "pre_tool_call", tool_name="terminal", args={})
    assert decision.action == "block"
    assert next(iter(entry)) in caplog.text
    assert "ftp" not in caplog.text
