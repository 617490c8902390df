"""delegate_task: real child agents with sessions of their own, and subagent_stop in the parent's thread."""

import json
import threading

import pytest

from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedFailure, ScriptStep
from hermes_sdk.host.settings import HostSettings


@pytest.fixture
def delegated(start, calls, say):
    """Return a function that delegates tasks and gives (agent, parsed result)."""

    def delegated(arguments, children, **options):
        agent = start(calls(("delegate_task", arguments)), say(), children=children, **options)
        agent.run_turn("delegate")
        return agent, json.loads(agent.history[2]["content"])

    return delegated


def test_one_child_runs_and_reports(delegated, ledger, calls, say):  # seed H9.1
    work = [calls(("write_file", {"path": "out.txt", "content": "42"})), say("it is 42")]
    agent, result = delegated({"goal": "find the number", "role": "researcher"}, {"find the number": work})
    (report,) = result["results"]
    assert (report["status"], report["summary"], report["role"]) == ("completed", "it is 42", "researcher")
    assert (agent.workdir / "out.txt").read_text() == "42"
    (begun,) = ledger.payloads("subagent_start")
    (stopped,) = ledger.payloads("subagent_stop")
    assert (begun["child_goal"], begun["child_role"]) == ("find the number", "researcher")
    assert (stopped["parent_session_id"], stopped["child_role"]) == (agent.session_id, "researcher")
    assert (stopped["child_status"], stopped["child_summary"]) == ("completed", "it is 42")
    assert stopped["child_session_id"] == begun["child_session_id"] != agent.session_id
    assert stopped["parent_turn_id"] == begun["parent_turn_id"]
    assert isinstance(stopped["duration_ms"], int)


def test_a_child_fires_every_hook_with_its_own_session(delegated, ledger, calls, say):  # semantics 6.4
    work = [calls(("terminal", {"command": "true"})), say("ok")]
    agent, _ = delegated({"goal": "work", "context": "be quick"}, {"work": work})
    child = ledger.payloads("subagent_stop")[0]["child_session_id"]
    of_child = [hook for hook, row in ledger.rows if row.get("session_id") == child]
    assert of_child == [
        "on_session_start",
        "pre_llm_call",
        "pre_api_request",
        "post_api_request",
        "pre_tool_call",
        "post_tool_call",
        "transform_tool_result",
        "pre_api_request",
        "post_api_request",
        "transform_llm_output",
        "post_llm_call",
        "on_session_end",
        "on_session_finalize",
    ]
    rows = [row for _, row in ledger.rows if row.get("session_id") == child]
    assert {row["platform"] for row in rows if "platform" in row} == {"subagent"}
    before = [row for row in ledger.payloads("pre_llm_call") if row["session_id"] == child]
    assert before[0]["user_message"] == "work\n\nbe quick"
    assert agent.session_id != child


def test_children_run_beside_each_other_and_are_reported_one_after_another(delegated, watch, calls, say):
    wait = "touch {}; for i in $(seq 200); do [ -e {} ] && exit; sleep 0.05; done; exit 9"
    goals = [("a", "b"), ("b", "a")]
    children = {mine: [calls(("terminal", {"command": wait.format(mine, other)})), say(mine)] for mine, other in goals}
    stops = []
    watch("seen", subagent_stop=lambda child_summary, **_: stops.append((child_summary, threading.get_ident())))
    ended = []
    watch("ends", on_session_finalize=lambda **_: ended.append(len(stops)))
    _, result = delegated({"tasks": [{"goal": "a"}, {"goal": "b"}]}, children)
    assert [(row["task_index"], row["status"]) for row in result["results"]] == [(0, "completed"), (1, "completed")]
    assert stops == [("a", threading.get_ident()), ("b", threading.get_ident())]
    assert ended == [0, 0], "no subagent_stop before every child is drained"


def test_beside_other_tools_the_stops_still_come_in_the_parents_thread(start, watch, calls, say):
    stops = []
    watch("seen", subagent_stop=lambda **_: stops.append(threading.get_ident()))
    batch = calls(("terminal", {"command": "true"}), ("delegate_task", {"goal": "x"}), ("read_file", {"path": "y"}))
    start(batch, say(), children={"x": [say("x")]}).run_turn("go")
    assert stops == [threading.get_ident()]


def test_how_children_end_is_told_apart(delegated, ledger, calls, say):
    children = {
        "fails": [calls(("terminal", {"command": "true"}))] * 9,
        "breaks": [ScriptStep(error=ScriptedFailure("down"))],
        "leaves": [ScriptStep(interrupt=True)],
        "works": [say("fine")],
    }
    tasks = [{"goal": goal} for goal in (*children, "unheard of")]
    _, result = delegated({"tasks": tasks}, children, max_iterations=3)
    statuses = [row["status"] for row in result["results"]]
    assert statuses == ["failed", "error", "interrupted", "completed", "error"]
    assert "down" in result["results"][1]["error"]
    assert "no child agent with the goal 'unheard of'" in result["results"][4]["error"]
    assert [row["child_status"] for row in ledger.payloads("subagent_stop")] == statuses[:4]
    assert [row["child_summary"] for row in ledger.payloads("subagent_stop")] == [None, None, None, "fine"]


def test_a_child_over_its_time_is_ended(delegated, ledger, calls, say):
    work = [calls(("terminal", {"command": "sleep 300"})), say("never")]
    _, result = delegated({"goal": "slow"}, {"slow": work}, settings=HostSettings(child_timeout=0.3))
    assert result["results"][0]["status"] == "timeout"
    assert ledger.payloads("subagent_stop")[0]["child_status"] == "timeout"


def test_an_interrupt_of_the_parent_ends_its_children(start, watch, ledger, calls, say):
    def stop(**_):
        agent.interrupt("stop")

    watch("stop", pre_tool_call=lambda tool_name, **_: stop() if tool_name == "terminal" else None)
    work = [calls(("terminal", {"command": "sleep 300"})), say("never")]
    agent = start(calls(("delegate_task", {"goal": "slow"})), say(), children={"slow": work})
    assert agent.run_turn("go").interrupted
    (stopped,) = ledger.payloads("subagent_stop")
    assert stopped["child_status"] == "interrupted"
    ends = [row for row in ledger.payloads("on_session_end") if row["session_id"] == stopped["child_session_id"]]
    assert [(row["completed"], row["interrupted"]) for row in ends] == [(False, True)]
    statuses = [(row["tool_name"], row["status"]) for row in ledger.payloads("post_tool_call")]
    assert statuses == [("terminal", "cancelled"), ("delegate_task", "cancelled")]


def test_children_of_children_are_bounded(start, ledger, calls, say):
    deeper = [calls(("delegate_task", {"goal": "dig"})), say("dug")]
    agent = start(*deeper, children={"dig": deeper}, settings=HostSettings(max_depth=2))
    agent.run_turn("dig")
    assert len(ledger.payloads("subagent_stop")) == 2
    unknown = [row["error_message"] for row in ledger.payloads("post_tool_call") if row["status"] == "error"]
    assert unknown == ["unknown tool 'delegate_task'"]


def test_a_child_asks_the_same_person(delegated, calls, say):
    approver = ScriptedApprover(["deny"])
    work = [calls(("terminal", {"command": "rm -rf x"})), say("denied")]
    delegated({"goal": "clean"}, {"clean": work}, approver=approver)
    assert [(prompt.command, prompt.depth) for prompt in approver.prompts] == [("rm -rf x", 1)]


def test_placeholders_in_a_task_stay_until_the_childs_own_tools_run(delegated, load, ledger, workdir, calls, say):
    load("""
        def register(ctx):
            ctx.register_restorer(lambda args, **kw: {k: v.replace("<KEY>", "s3cr3t") if isinstance(v, str) else v
                                                      for k, v in args.items()})
    """)
    work = [calls(("write_file", {"path": "key", "content": "<KEY>"})), say("stored")]
    delegated({"goal": "store <KEY>"}, {"store <KEY>": work})
    assert (workdir / "key").read_text() == "s3cr3t"
    assert "s3cr3t" not in repr(ledger.rows)


@pytest.mark.parametrize(
    "arguments", [{}, {"tasks": []}, {"tasks": ["x"]}, {"goal": " "}, {"tasks": [{"goal": "x"}] * 21}]
)
def test_tasks_that_cannot_be_read_are_an_error(delegated, ledger, arguments):
    _, result = delegated(arguments, {})
    assert result["error"]
    assert ledger.names("subagent_start", "subagent_stop") == []
