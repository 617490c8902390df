"""Where and when each hook of the seed fires in a session of this host, and what it is told."""

import json

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.host.api import RetrySettings
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedFailure, ScriptStep
from hermes_sdk.host.settings import HostSettings


def test_pre_tool_call_comes_right_before_every_tool(start, load, ledger, events, calls, say):
    """Built-in and plugin tools alike, once a call: seed H1.1 and H1.2."""
    load("""
        def register(ctx):
            ctx.register_tool("mine", "t", {"name": "mine", "description": "", "parameters": {}}, lambda a, **k: "{}")
    """)
    batch = calls(("terminal", {"command": "true"}), ("terminal", {"command": "true"}), ("mine", {}))
    agent = start(batch, say())
    agent.run_turn("go")
    rows = ledger.payloads("pre_tool_call")
    assert [row["tool_name"] for row in rows] == ["terminal", "terminal", "mine"]
    assert [row["args"] for row in rows] == [{"command": "true"}, {"command": "true"}, {}]
    assert {row["task_id"] for row in rows} == {agent.session_id}
    started = [event.call_id for event in events.events if type(event).__name__ == "ToolStarted"]
    assert sorted(started) == sorted(row["tool_call_id"] for row in rows)


def test_a_block_keeps_the_tool_from_running_and_is_its_error(start, watch, workdir, calls, say):
    """Seed H1.4 and H1.6: other answers of observers change nothing."""
    watch("observer", pre_tool_call=lambda **_: {"seen": True})
    watch("guard", pre_tool_call=lambda **_: {"action": "block", "message": "not allowed"})
    agent = start(calls(("terminal", {"command": "touch ran"})), say())
    agent.run_turn("go")
    assert list(workdir.iterdir()) == []
    assert agent.history[2]["content"] == '{"error": "not allowed"}'


def test_post_tool_call_comes_right_after_every_tool(start, load, ledger, calls, say):
    """A tool that raises gives the JSON error: seed H2.1, H2.2 and H2.4."""
    load("""
        def register(ctx):
            def broken(args, **kw):
                raise KeyError("gone")
            ctx.register_tool("broken", "t", {"name": "broken", "description": "", "parameters": {}}, broken)
    """)
    start(calls(("terminal", {"command": "sleep 0.05"}), ("broken", {})), say()).run_turn("go")
    rows = {row["tool_name"]: row for row in ledger.payloads("post_tool_call")}
    assert json.loads(rows["terminal"]["result"])["exit_code"] == 0
    assert isinstance(rows["terminal"]["duration_ms"], int)
    assert rows["terminal"]["duration_ms"] >= 40
    assert json.loads(rows["broken"]["result"]) == {"error": "tool broken failed: KeyError: 'gone'"}
    assert rows["broken"]["status"] == "error"


def test_pre_llm_call_comes_once_a_turn_before_the_loop(start, ledger, calls, say):
    """Not once a request: seed H3.1 and H3.2."""
    agent = start(calls(("terminal", {"command": "true"})), calls(("terminal", {"command": "true"})), say())
    agent.run_turn("go")
    assert ledger.names("pre_llm_call", "pre_api_request", "post_llm_call") == [
        "pre_llm_call",
        *["pre_api_request"] * 3,
        "post_llm_call",
    ]


def test_post_llm_call_has_the_conversation_after_the_turn(start, ledger, calls, say):
    """Seed H4.1."""
    agent = start(calls(("terminal", {"command": "true"})), say("finished"))
    agent.run_turn("go")
    (row,) = ledger.payloads("post_llm_call")
    assert (row["user_message"], row["assistant_response"]) == ("go", "finished")
    assert [message["role"] for message in row["conversation_history"]] == ["user", "assistant", "tool", "assistant"]
    assert row["conversation_history"] == agent.history
    assert row["conversation_history"] is not agent.history


@pytest.mark.parametrize(
    ("steps", "completed", "interrupted"),
    [
        ([ScriptStep(say="fine")], True, False),
        ([ScriptStep(interrupt=True)], False, True),
        ([], False, False),
    ],
)
def test_on_session_end_comes_last_whatever_happened(start, ledger, steps, completed, interrupted):
    """Seed H6.1 and H6.4."""
    agent = start(*steps)
    agent.run_turn("go")
    assert ledger.names()[-1] == "on_session_end"
    (row,) = ledger.payloads("on_session_end")
    assert (row["completed"], row["interrupted"], row["session_id"]) == (completed, interrupted, agent.session_id)


def test_on_session_finalize_is_the_last_word_about_a_session(start, ledger, say):
    """Seed H7.1 and H7.2; the CLI has no on_session_reset, seed H8.1."""
    agent = start(say())
    agent.run_turn("go")
    session_id = agent.session_id
    agent.new_session()
    agent.close()
    names = ledger.names("on_session_end", "on_session_finalize", "on_session_reset")
    assert names == ["on_session_end", "on_session_finalize"]
    assert ledger.payloads("on_session_finalize")[0]["session_id"] == session_id


def test_subagent_stop_comes_once_a_child_of_any_number(start, ledger, calls, say):
    """Seed H9.1 and H9.2."""
    children = {goal: [say(goal)] for goal in "abc"}
    agent = start(calls(("delegate_task", {"tasks": [{"goal": goal} for goal in "abc"]})), say(), children=children)
    agent.run_turn("go")
    rows = ledger.payloads("subagent_stop")
    assert [row["child_summary"] for row in rows] == ["a", "b", "c"]
    assert [row["child_role"] for row in rows] == [None, None, None]
    assert len({row["child_session_id"] for row in rows}) == 3
    names = ledger.names("on_session_finalize", "subagent_stop")
    assert names == ["on_session_finalize"] * 3 + ["subagent_stop"] * 3


@pytest.mark.parametrize("answer", ["once", "session", "always", "deny", "timeout"])
def test_the_approval_hooks_come_around_the_prompt(start, ledger, calls, say, answer):
    """Seed H11.1, H11.4, H11.6, H12.1 and H12.2: whatever a hook answers, the person decides."""
    seen = []

    class Person(ScriptedApprover):
        def ask(self, prompt, timeout, interrupt):
            seen.append(ledger.names("pre_approval_request", "post_approval_response"))
            return super().ask(prompt, timeout, interrupt)

    command = {"command": "sudo -n rm -rf nothing"}
    start(calls(("terminal", command)), say(), approver=Person([answer])).run_turn("go")
    assert seen == [["pre_approval_request"]]
    (request,) = ledger.payloads("pre_approval_request")
    assert (request["pattern_key"], request["pattern_keys"]) == ("rm_rf", ["rm_rf", "sudo"])
    assert request["description"] == "recursive delete; run with another user's rights"
    (response,) = ledger.payloads("post_approval_response")
    assert response["choice"] == answer


@pytest.mark.parametrize(
    ("tool", "args"),
    [("terminal", {"command": "echo x"}), ("read_file", {"path": "nothing"}), ("search_files", {"pattern": "x"})],
)
def test_transform_tool_result_works_on_any_tool(start, watch, calls, say, tool, args):
    """The model sees exactly what is returned, and None leaves the result: seed H13.1 and H13.3."""
    watch("keep", transform_tool_result=lambda **_: None)
    watch("swap", transform_tool_result=lambda tool_name, **_: f"rewritten {tool_name}")
    agent = start(calls((tool, args)), say(sees=(f"rewritten {tool}",)))
    agent.run_turn("go")
    assert agent.history[2]["content"] == f"rewritten {tool}"
    assert agent.model.mismatches == []


def test_transform_terminal_output_comes_before_transform_tool_result(start, watch, calls, say):
    """Narrower and earlier: seed H13.5, H14.3 and H14.5; the empty string replaces too."""
    watch("empty", transform_terminal_output=lambda output, **_: "" if "noise" in output else None)
    agent = start(calls(("terminal", {"command": "echo noise"}), ("terminal", {"command": "echo kept"})), say())
    agent.run_turn("go")
    outputs = [json.loads(message["content"])["output"] for message in agent.history if message["role"] == "tool"]
    assert outputs == ["", "kept\n"]


def test_the_host_sends_every_argument_of_the_contract_and_no_other(start, ledger, caplog, calls, say):
    """Seed H1.3, H2.3, H3.3, H4.3, H5.3, H6.3, H7.3, H9.3, H11.3, H13.2 and H14.2: nothing is filled in for it."""
    agent = start(
        calls(("write_file", {"path": "a", "content": "x"}), ("terminal", {"command": "sudo -n true"})),
        calls(("delegate_task", {"goal": "child", "role": "leaf"})),
        ScriptStep(error=ScriptedFailure("busy", 429, retryable=True)),
        say(),
        children={"child": [say()]},
        approver=ScriptedApprover(["once"]),
        settings=HostSettings(retry=RetrySettings(first_delay=0.0)),
    )
    agent.run_turn("go")
    agent.new_session()
    fired = {hook for hook, _ in ledger.rows}
    assert {hook for hook, contract in HOOKS.items() if contract.family not in ("gateway", "kanban")} - fired == {
        "on_session_reset"
    }
    for hook, payload in ledger.rows:
        assert set(payload) == HOOKS[hook].argument_names, hook
        assert "task_id" not in payload or payload["task_id"], hook
    assert "the host fired" not in caplog.text
