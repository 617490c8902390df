"""Shell hooks in a host's sessions: where they run, and whose interrupt ends them (semantics 8.1 and 8.3)."""

import json
import threading
import time

import pytest

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.host.session_file import load_session, play

LS = ScriptedCall("terminal", {"command": "ls"})
BLOCK = '{"action": "block", "message": "no"}'


@pytest.fixture
def agent(shell_home, tmp_path):
    """Return a function that starts an agent under these hooks, registered by nobody but itself."""
    agents = []
    work = tmp_path / "work"
    work.mkdir()

    def agent(hooks, *steps, children=None, **more):
        shell_home.hooks(hooks, hooks_auto_accept=True, **more)
        agents.append(Agent(shell_home.loaded(), ScriptedModel(steps, children=children), workdir=work))
        return agents[-1]

    yield agent
    for one in agents:
        one.close()


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def results(agent):
    return [message["content"] for message in agent.history if message["role"] == "tool"]


def test_an_agent_registers_the_hooks_that_its_host_did_not(agent, shell_home):
    """Seed S5."""
    one = agent(
        {"pre_tool_call": [{"command": shell_home.answering("s.sh", BLOCK)}]},
        ScriptStep(tools=(LS,)),
        ScriptStep(say="x"),
    )
    one.run_turn("go")
    assert "no" in results(one)[0]


def test_what_a_host_registered_stays_as_it_is(shell_home, tmp_path):
    shell_home.hooks({"pre_tool_call": [{"command": shell_home.answering("s.sh", BLOCK)}]})
    manager, in_force = shell_home.start(accept=False)
    one = Agent(manager, ScriptedModel([ScriptStep(say="x")]), workdir=tmp_path)
    assert len(in_force.unapproved) == 1
    one.close()


def test_scripts_run_where_the_session_works(agent, shell_home, tmp_path):
    script = shell_home.script("s.sh", f"cat >> {tmp_path}/read; pwd >> {tmp_path}/pwd")
    events = ["on_session_start", "pre_llm_call", "pre_tool_call", "transform_terminal_output", "on_session_finalize"]
    one = agent({event: [{"command": script}] for event in events}, ScriptStep(tools=(LS,)), ScriptStep(say="x"))
    one.run_turn("go")
    one.close()
    assert [each["hook_event_name"] for each in lines(tmp_path / "read")] == events
    assert {each["cwd"] for each in lines(tmp_path / "read")} == {str(one.workdir)}
    assert set((tmp_path / "pwd").read_text().split()) == {str(one.workdir)}


def test_a_played_session_has_a_directory_of_its_own(shell_home, tmp_path):
    script = shell_home.script("s.sh", f"pwd > {tmp_path}/pwd; cat note.txt > {tmp_path}/note")
    shell_home.hooks({"pre_llm_call": [{"command": script}]}, hooks_auto_accept=True)
    session = tmp_path / "session.yaml"
    session.write_text("files: {note.txt: hello}\nturns:\n  - user: hi\n    model: [{say: done}]\n")
    manager, _ = shell_home.start()
    assert play(manager, load_session(session)).ok
    assert (tmp_path / "note").read_text() == "hello"
    assert "hermes-session-" in (tmp_path / "pwd").read_text()


def test_a_child_agent_is_under_the_same_hooks_with_its_own_session(agent, shell_home, tmp_path):
    """Seed X38: the parent's session is what subagent_stop is logged with."""
    script = shell_home.script("s.sh", f"cat >> {tmp_path}/read")
    hooks = {event: [{"command": script}] for event in ("pre_tool_call", "subagent_stop")}
    delegate = ScriptedCall("delegate_task", {"goal": "look"})
    children = {"look": [ScriptStep(tools=(LS,)), ScriptStep(say="seen")]}
    one = agent(hooks, ScriptStep(tools=(delegate,)), ScriptStep(say="done"), children=children)
    one.run_turn("go")
    before, inside, stopped = lines(tmp_path / "read")
    assert (before["tool_name"], before["session_id"]) == ("delegate_task", one.session_id)
    assert (inside["tool_name"], inside["cwd"]) == ("terminal", str(one.workdir))
    assert inside["session_id"] == stopped["extra"]["child_session_id"] != one.session_id
    assert stopped["session_id"] == one.session_id


@pytest.mark.parametrize("event", ["pre_llm_call", "pre_tool_call", "post_tool_call", "transform_terminal_output"])
@pytest.mark.parametrize("count", [1, 2])
def test_an_interrupt_ends_running_scripts_and_the_turn(agent, shell_home, tmp_path, event, count):
    text = f"cat >/dev/null; [ -e {tmp_path}/done ] && exit 0; echo $$ >> {tmp_path}/pids; exec sleep 600"
    script = shell_home.script("s.sh", text)
    ended = shell_home.script("e.sh", f"cat >> {tmp_path}/read")
    hooks = {event: [{"command": f"{script} {n}"} for n in range(count)], "on_session_end": [{"command": ended}]}
    one = agent(hooks, ScriptStep(tools=(LS,)), ScriptStep(say="x"))

    def interrupt():
        while not (tmp_path / "pids").exists():
            time.sleep(0.01)
        (tmp_path / "done").touch()  # hooks that fire afterwards, for the end of the turn, run as ever
        assert one.interrupt("enough")

    thread = threading.Thread(target=interrupt)
    thread.start()
    result = one.run_turn("go")
    thread.join()
    assert (result.interrupted, result.reason) == (True, "enough")
    (last,) = lines(tmp_path / "read")
    assert last["extra"]["interrupted"] is True


def test_an_interrupt_leaves_the_scripts_of_other_sessions_alone(shell_home, tmp_path):
    text = f"""cat >/dev/null; touch {tmp_path}/here.$$
        while [ ! -e {tmp_path}/go ]; do sleep 0.01; done; echo '{{"context": "finished"}}'"""
    shell_home.hooks({"pre_llm_call": [{"command": shell_home.script("s.sh", text)}]}, hooks_auto_accept=True)
    manager, in_force = shell_home.start()
    agents = [Agent(manager, ScriptedModel([ScriptStep(say="x")]), workdir=tmp_path) for _ in range(2)]
    turns = {}
    threads = [
        threading.Thread(target=lambda one=one: turns.update({one.session_id: one.run_turn("go")})) for one in agents
    ]
    for thread in threads:
        thread.start()
    while len(list(tmp_path.glob("here.*"))) < 2:
        time.sleep(0.01)
    agents[0].interrupt("enough")
    threads[0].join()
    (tmp_path / "go").touch()
    threads[1].join()
    assert [turns[one.session_id].interrupted for one in agents] == [True, False]
    (entry,) = in_force.entries
    assert in_force.hooks.runner.figures.of(entry).failures == 1
    for one in agents:
        one.close()


def test_the_run_file_of_a_host_has_its_shell_hooks(agent, shell_home):
    script = shell_home.answering("s.sh", "{}")
    one = agent({"pre_llm_call": [{"command": script}]}, ScriptStep(say="x"))
    (file,) = (shell_home.path / "run").iterdir()
    assert [row["command"] for row in json.loads(file.read_text())["shell_hooks"]] == [script]
    one.run_turn("go")
