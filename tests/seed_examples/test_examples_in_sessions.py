"""The page's examples in real sessions: what they see and what the model sees of them."""

import json
import logging

import pytest

from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptStep

POLICY = "Never execute commands that delete files without explicit user confirmation."


def answer(**more):
    return ScriptStep(say="done", **more)


def test_x17_parallel_calls_are_logged_one_by_one(load, start, calls, caplog):
    """Seed X17 and H1.2: three parallel calls give three lines, with the session as task."""
    manager, module = load("x17")
    paths = [("read_file", {"path": f"{name}.txt"}) for name in "abc"]
    agent = start(manager, calls(*paths), answer())
    with caplog.at_level(logging.INFO, logger=module.__name__):
        assert agent.run_turn("read").completed
    assert caplog.messages == [
        f"TOOL_CALL session={agent.session_id} tool=read_file args={json.dumps(args)}" for _, args in paths
    ]


def test_x18_the_warning_comes_before_the_tool_runs(load, start, calls, capsys):
    """Seed X18 and H1.1."""
    manager, _ = load("x18")
    agent = start(manager, calls(("write_file", {"path": "a.txt", "content": "x"})), answer())
    agent.run_turn("write")
    assert capsys.readouterr().out == "⚠ Executing potentially dangerous tool: write_file\n"
    assert (agent.workdir / "a.txt").read_text() == "x"


def test_x19_every_call_counts_a_failing_one_as_error(load, start, calls):
    """Seed X19, H2.1, H2.3 and H2.4: results are JSON, durations whole milliseconds."""
    manager, module = load("x19")
    agent = start(
        manager,
        calls(("terminal", {"command": "true"}), ("terminal", {"command": "sleep 0.05"})),
        calls(("read_file", {"path": "missing.txt"})),
        answer(),
    )
    agent.run_turn("work")
    assert module._tool_counts == {"terminal": 2, "read_file": 1}
    assert module._error_counts == {"terminal": 2, "read_file": 1}
    assert all(isinstance(value, int) for values in module._latency_ms.values() for value in values)
    assert max(module._latency_ms["terminal"]) >= 50


def test_x22_the_policy_is_in_every_request_of_a_turn_and_never_stored(load, start, calls):
    """Seed X22, H3.2, H3.6 and H3.7: in the user message, not in system prompt or history."""
    manager, _ = load("x22")
    agent = start(manager, calls(("read_file", {"path": "a"}), sees=(POLICY,)), answer(sees=(POLICY,)))
    agent.run_turn("first")
    agent.model.begin_turn([answer(sees=(POLICY,))])
    agent.run_turn("second")
    assert agent.model.mismatches == []
    assert POLICY not in (agent.system_prompt or "")
    assert POLICY not in json.dumps(agent.history)
    assert [message["content"] for message in agent.history if message["role"] == "user"] == ["first", "second"]


def test_x24_only_a_finished_turn_is_logged(load, start, caplog):
    """Seed X24, H4.1 and H4.2: neither a failed turn nor one at the iteration limit."""
    manager, module = load("x24")
    agent = start(manager, ScriptStep(say="four"))
    with caplog.at_level(logging.INFO, logger=module.__name__):
        agent.run_turn("hi")
        agent.model.begin_turn([])
        assert not agent.run_turn("again").completed
    assert caplog.messages == [f"RESPONSE session={agent.session_id} model=scripted/demo chars=4"]


def test_x24_an_interrupted_turn_is_not_logged(load, start, caplog):
    """Seed X24 and H4.1."""
    manager, module = load("x24")
    agent = start(manager, ScriptStep(interrupt=True))
    with caplog.at_level(logging.INFO, logger=module.__name__):
        assert agent.run_turn("hi").interrupted
    assert caplog.messages == []


def test_x25_the_second_turn_of_a_session_leaves_its_cache(load, start):
    """Seed X25, H5.1 and H5.2: on_session_start comes once a session."""
    manager, module = load("x25")
    agent = start(manager, answer())
    agent.run_turn("first")
    cache = module._session_caches[agent.session_id]
    agent.model.begin_turn([answer()])
    agent.run_turn("second")
    assert module._session_caches == {agent.session_id: cache}
    agent.new_session()
    agent.model.begin_turn([answer()])
    agent.run_turn("third")
    assert len(module._session_caches) == 2


def test_x27_the_first_turn_ends_the_duration(load, start, caplog):
    """Seed X27, H6.1: on_session_end comes at the end of every turn."""
    manager, module = load("x27")
    agent = start(manager, answer())
    with caplog.at_level(logging.INFO, logger=module.__name__):
        agent.run_turn("first")
        agent.model.begin_turn([answer()])
        agent.run_turn("second")
    (line,) = caplog.messages
    assert line.startswith(f"SESSION_DURATION session={agent.session_id} seconds=")
    assert line.endswith("completed=True interrupted=False")


def test_x28_each_child_of_a_delegation_is_logged_in_the_parents_thread(load, start, calls, caplog):
    """Seed X28, H9.1, H9.2 and H9.5: once a child, one after another."""
    manager, module = load("x28")
    tasks = [{"goal": "one", "role": "reader"}, {"goal": "two"}, {"goal": "three"}]
    children = {task["goal"]: [answer()] for task in tasks}
    agent = start(manager, calls(("delegate_task", {"tasks": tasks})), answer(), children=children)
    with caplog.at_level(logging.INFO, logger=module.__name__):
        agent.run_turn("delegate")
    lines = [line.rpartition(" duration_ms=")[0] for line in caplog.messages]
    assert lines == [
        f"SUBAGENT parent={agent.session_id} role={role} status=completed" for role in ("reader", None, None)
    ]
    assert len({record.thread for record in caplog.records}) == 1


@pytest.mark.parametrize("choice", ["once", "deny", "timeout"])
def test_x32_the_persons_answer_is_logged(load, start, calls, caplog, choice):
    """Seed X32, H12.1 and H12.2."""
    manager, module = load("x32")
    agent = start(
        manager, calls(("terminal", {"command": "rm -rf build"})), answer(), approver=ScriptedApprover([choice])
    )
    with caplog.at_level(logging.INFO, logger=module.__name__):
        agent.run_turn("tidy up")
    assert caplog.messages == [f"approval {choice}: rm -rf build for session {agent.session_id}"]


def test_x33_the_model_never_sees_the_secret(load, start, calls):
    """Seed X33 and H13.1: read_file and terminal alike."""
    secret = "sk-" + "a1B2" * 8
    manager, _ = load("x33")
    agent = start(
        manager,
        calls(("read_file", {"path": "key.txt"}), ("search_files", {"pattern": "sk-"})),
        answer(sees=("[REDACTED]",), not_sees=(secret,)),
    )
    (agent.workdir / "key.txt").write_text(f"key {secret}\n")
    agent.run_turn("read")
    assert agent.model.mismatches == []
    assert secret not in json.dumps(agent.history)


def test_x34_the_summary_reaches_the_model_before_the_cut(load, start, calls):
    """Seed X34, H14.1, H13.5 and H14.5: the hook sees the raw output, longer than what the model may get."""
    manager, _ = load("x34")
    agent = start(
        manager,
        calls(("terminal", {"command": "find . -type f"})),
        answer(sees=("[summary: 900 paths total, showing first 40]",), not_sees=("characters in all",)),
    )
    for number in range(900):
        (agent.workdir / f"{'long' * 15}-{number:04}.txt").touch()
    agent.run_turn("look")
    assert agent.model.mismatches == []
