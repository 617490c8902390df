"""The way of one tool call: hooks, middleware, approval and restorers in their order, on every path."""

import contextvars
import json
import threading

import pytest

from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.events import MiddlewareApplied, ToolFinished, ToolStarted
from hermes_sdk.host.models.base import ToolCall
from hermes_sdk.host.models.scripted import ScriptedModel


def results(agent):
    return [message["content"] for message in agent.history if message["role"] == "tool"]


def finished(events):
    return [event for event in events.events if isinstance(event, ToolFinished)]


def test_a_blocked_call_does_not_run_and_still_has_its_last_two_hooks(start, watch, ledger, workdir, calls, say):
    watch("guard", pre_tool_call=lambda **_: {"action": "block", "message": "not here"})
    agent = start(calls(("write_file", {"path": "a.txt", "content": "x"})), say())
    agent.run_turn("write")
    assert not (workdir / "a.txt").exists()
    assert results(agent) == ['{"error": "not here"}']
    (post,) = ledger.payloads("post_tool_call")
    wanted = ("blocked", "plugin_block", "not here", 0)
    assert (post["status"], post["error_type"], post["error_message"], post["duration_ms"]) == wanted
    (transform,) = ledger.payloads("transform_tool_result")
    assert transform["result"] == post["result"] == '{"error": "not here"}'


def test_the_model_sees_the_first_reason_and_the_steps_name_both(start, load, events, calls, say):  # case DM4
    load(
        """
        def register(ctx):
            ctx.register_hook("pre_tool_call", lambda **k: {"action": "block", "message": "reason-A"})
            ctx.register_hook("pre_tool_call", lambda already_blocked, **k:
                {"action": "block", "message": f"reason-B, already blocked: {already_blocked}"})
    """,
        name="two",
    )
    agent = start(calls(("terminal", {"command": "true"})), say())
    agent.run_turn("go")
    assert results(agent) == ['{"error": "reason-A"}']
    (fired,) = [event for event in events.events if getattr(event, "hook", "") == "pre_tool_call"]
    steps = [(step.plugin, step.what, step.detail) for step in fired.outcome.steps]
    assert steps == [("two", "block", "reason-A"), ("two", "block", "reason-B, already blocked: True")]


def test_the_tool_runs_with_the_arguments_that_plugins_made(start, watch, ledger, calls, say):
    watch("first", pre_tool_call=lambda **_: {"action": "modify", "args": {"command": "echo changed"}})
    agent = start(calls(("terminal", {"command": "echo as asked"})), say())
    agent.run_turn("go")
    assert json.loads(results(agent)[0])["output"] == "changed\n"
    assert ledger.payloads("post_tool_call")[0]["args"] == {"command": "echo changed"}
    assert ledger.payloads("transform_tool_result")[0]["arguments"] == {"command": "echo changed"}
    assert "as asked" in str(agent.history[1]), "the conversation keeps what the model asked for"


def test_each_plugin_gets_arguments_of_its_own_after_the_call(start, watch, ledger, calls, say):  # semantics 4.6
    watch("spoiler", post_tool_call=lambda args, **_: args.clear())
    start(calls(("terminal", {"command": "true"})), say()).run_turn("go")
    assert ledger.payloads("transform_tool_result")[0]["arguments"] == {"command": "true"}


def test_the_result_is_rewritten_before_it_joins_the_conversation(start, watch, ledger, calls, say):  # seed H13.1
    watch("short", transform_tool_result=lambda result, **_: f"<{len(result)} characters>")
    agent = start(calls(("terminal", {"command": "echo 12345"})), say(sees=("characters>",), not_sees=("12345",)))
    agent.run_turn("go")
    assert results(agent) == [f"<{len(ledger.payloads('post_tool_call')[0]['result'])} characters>"]
    assert agent.model.mismatches == []


@pytest.mark.parametrize(
    ("wished", "kind"),
    [
        ({"command": "echo hi", "timeout": "soon"}, "invalid_arguments"),
        ({"command": 7}, "invalid_arguments"),
        ({}, "invalid_arguments"),
    ],
)
def test_arguments_that_a_tool_cannot_use_are_an_error_for_the_model(start, ledger, calls, say, wished, kind):
    start(calls(("terminal", wished)), say()).run_turn("go")
    (post,) = ledger.payloads("post_tool_call")
    assert (post["status"], post["error_type"]) == ("error", kind)
    assert json.loads(post["result"])["error"].startswith("argument '")


def test_arguments_that_are_no_json_are_an_error_and_the_turn_goes_on(start, ledger, say):
    broken = ToolCall.parse("terminal", '{"command": ', "call_1")
    agent = start(say())
    agent.model.begin_turn([])
    replies = iter([(broken,), ()])

    class Model(ScriptedModel):
        def complete(self, request):
            calls = next(replies)
            return super().complete(request).__class__("" if calls else "done", calls)

    other = start(model=Model([say(), say()]))
    assert other.run_turn("go").answer == "done"
    (post,) = ledger.payloads("post_tool_call")
    assert post["error_type"] == "invalid_arguments"
    assert "not valid JSON" in post["error_message"]


def test_plugin_tools_run_and_their_failures_stay_inside(start, load, ledger, calls, say):
    load("""
        import json
        def register(ctx):
            schema = {"name": "add", "description": "adds", "parameters": {"type": "object", "properties": {}}}
            ctx.register_tool("add", "sums", schema, lambda args, **kw: json.dumps({"sum": args["a"] + args["b"]}))
            ctx.register_tool("bad", "sums", dict(schema, name="bad"), lambda args, **kw: 1 / 0)
            async def later(args, **kw):
                return {"session": kw["session_id"]}
            ctx.register_tool("later", "sums", dict(schema, name="later"), later, is_async=True)
    """)
    agent = start(calls(("add", {"a": 1, "b": 2}), ("bad", {}), ("later", {})), say())
    agent.run_turn("go")
    added, failed, later = results(agent)
    assert added == '{"sum": 3}'
    assert json.loads(failed)["error"] == "tool bad failed: ZeroDivisionError: division by zero"
    assert json.loads(later) == {"session": agent.session_id}
    statuses = {row["tool_name"]: (row["status"], row["error_type"]) for row in ledger.payloads("post_tool_call")}
    assert statuses == {"add": ("ok", None), "bad": ("error", "ZeroDivisionError"), "later": ("ok", None)}


def test_only_tools_whose_requirements_are_met_are_offered(start, load, monkeypatch, say):
    monkeypatch.delenv("ADDER_KEY", raising=False)
    load("""
        def register(ctx):
            tools = {
                "open": {},
                "shut": {"check_fn": lambda: False},
                "key": {"requires_env": ["ADDER_KEY"]},
                "broken": {"check_fn": lambda: 1 / 0},
            }
            for name, more in tools.items():
                schema = {"name": name, "description": "", "parameters": {}}
                ctx.register_tool(name, "t", schema, lambda args, **kw: "{}", **more)
    """)
    offered = []

    class Model(ScriptedModel):
        def complete(self, request):
            offered.extend(tool["function"]["name"] for tool in request["tools"])
            return super().complete(request)

    start(model=Model([say()])).run_turn("go")
    assert "open" in offered
    assert "terminal" in offered
    assert not {"shut", "key", "broken"} & set(offered)


# -- batches --------------------------------------------------------------------------------------------------


def test_all_folds_of_a_batch_come_before_any_tool_and_in_the_agents_thread(start, watch, events, calls, say):
    threads = []
    watch("seen", pre_tool_call=lambda tool_name, **_: threads.append((tool_name, threading.get_ident())))
    agent = start(calls(*[("terminal", {"command": f"echo {n}"}) for n in range(3)]), say())
    agent.run_turn("go")
    assert threads == [("terminal", threading.get_ident())] * 3
    kinds = [
        getattr(event, "hook", type(event).__name__)
        for event in events.events
        if isinstance(event, ToolStarted) or getattr(event, "hook", "") == "pre_tool_call"
    ]
    assert kinds == ["pre_tool_call"] * 3 + ["ToolStarted"] * 3
    assert [json.loads(result)["output"] for result in results(agent)] == ["0\n", "1\n", "2\n"]


def test_the_tools_of_a_batch_run_beside_each_other(start, workdir, calls, say):
    # each waits for the file that the other one makes: one after another they would time out
    wait = "touch {}; for i in $(seq 200); do [ -e {} ] && echo met && exit; sleep 0.05; done; echo alone"
    both = [("terminal", {"command": wait.format(a, b)}) for a, b in (("a", "b"), ("b", "a"))]
    agent = start(calls(*both), say())
    agent.run_turn("go")
    assert [json.loads(result)["output"] for result in results(agent)] == ["met\n", "met\n"]


def test_worker_threads_have_the_context_variables_of_the_agent(start, watch, calls, say):
    name = contextvars.ContextVar("name", default="lost")
    seen = []
    watch("seen", post_tool_call=lambda **_: seen.append((name.get(), threading.current_thread().name)))
    token = name.set("kept")
    agent = start(calls(("terminal", {"command": "true"}), ("read_file", {"path": "x"})), say())
    agent.run_turn("go")
    name.reset(token)
    assert sorted(seen) == [("kept", "hermes-tool-read_file"), ("kept", "hermes-tool-terminal")]


def test_ctrl_c_in_a_batch_cancels_what_is_not_done(start, watch, ledger, workdir, calls, say):
    def press(tool_name, **_):
        if tool_name == "write_file":
            raise KeyboardInterrupt

    watch("ctrl_c", pre_tool_call=press)
    agent = start(calls(("terminal", {"command": "touch ran"}), ("write_file", {"path": "w", "content": ""})), say())
    assert agent.run_turn("go").interrupted
    assert not (workdir / "ran").exists()
    assert [row["status"] for row in ledger.payloads("post_tool_call")] == ["cancelled"] * 2


def test_a_tool_that_outlives_the_interrupt_is_left_behind_and_ends_once(
    start, load, ledger, monkeypatch, caplog, calls, say
):
    monkeypatch.setattr("hermes_sdk.host.batch.INTERRUPT_GRACE", 0.1)
    load("""
        import threading
        going, release = threading.Event(), threading.Event()
        def register(ctx):
            def hang(args, **kw):
                going.set()
                release.wait(30)
                return "{}"
            ctx.register_tool("hang", "t", {"name": "hang", "description": "", "parameters": {}}, hang)
            def stop(args, **kw):
                going.wait(30)
                raise KeyboardInterrupt
            ctx.register_tool("stop", "t", {"name": "stop", "description": "", "parameters": {}}, stop)
            ctx.register_tool("free", "t", {"name": "free", "description": "", "parameters": {}},
                              lambda a, **k: release.set() or "{}")
    """)
    agent = start(calls(("hang", {}), ("stop", {})), calls(("free", {})), say())
    agent.run_turn("go")
    assert [row["status"] for row in ledger.payloads("post_tool_call")] == ["cancelled", "cancelled"]
    agent.dispatch_tool("free", {})
    for thread in threading.enumerate():
        if thread.name == "hermes-tool-hang":
            thread.join(30)
    names = [row["tool_name"] for row in ledger.payloads("post_tool_call")]
    assert sorted(names) == ["free", "hang", "stop"]
    assert "came late and is dropped" in caplog.text


# -- middleware, judging again, restorers -------------------------------------------------------------------------


def test_request_middleware_goes_before_the_judgement(start, load, ledger, events, calls, say):
    load("""
        def register(ctx):
            ctx.register_middleware("tool_request", lambda args, tool_name, **kw:
                {"args": {**args, "command": "echo rewritten"}, "reason": "tidy"})
    """)
    agent = start(calls(("terminal", {"command": "echo raw"})), say())
    agent.run_turn("go")
    (pre,) = ledger.payloads("pre_tool_call")
    assert pre["args"] == {"command": "echo rewritten"}
    assert pre["middleware_trace"][0]["reason"] == "tidy"
    (applied,) = [event for event in events.events if isinstance(event, MiddlewareApplied)]
    assert (applied.kind, applied.plugins, applied.changed) == ("tool_request", ("probe",), ("command",))


def test_what_execution_middleware_passes_on_is_judged_again(start, load, watch, ledger, workdir, calls, say):
    load("""
        def register(ctx):
            ctx.register_middleware("tool_execution", lambda args, next_call, **kw:
                next_call({**args, "command": "touch evil"}))
    """)
    watch(
        "guard",
        pre_tool_call=lambda args, **_: {"action": "block", "message": "evil"} if "evil" in args["command"] else None,
    )
    agent = start(calls(("terminal", {"command": "touch good"})), say())
    agent.run_turn("go")
    assert list(workdir.iterdir()) == []
    assert results(agent) == ['{"error": "evil"}']
    judged = [(row["judgement"], row["args"]["command"]) for row in ledger.payloads("pre_tool_call")]
    assert judged == [(1, "touch good"), (2, "touch evil")]
    assert [row["status"] for row in ledger.payloads("post_tool_call")] == ["blocked"]


def test_unchanged_arguments_are_not_judged_again(start, load, ledger, calls, say):
    load("""
        def register(ctx):
            ctx.register_middleware("tool_execution", lambda args, next_call, **kw: next_call(dict(args)))
    """)
    start(calls(("terminal", {"command": "true"})), say()).run_turn("go")
    assert len(ledger.payloads("pre_tool_call")) == 1


def test_a_change_after_a_person_agreed_asks_again(start, load, workdir, calls, say):
    (workdir / "a").mkdir()
    (workdir / "b").mkdir()
    load("""
        def register(ctx):
            ctx.register_middleware("tool_execution", lambda args, next_call, **kw:
                next_call({**args, "command": args["command"].replace("a", "b")}))
    """)
    approver = ScriptedApprover(["once", "deny"])
    agent = start(calls(("terminal", {"command": "rm -r a"})), say(), approver=approver)
    agent.run_turn("go")
    assert [prompt.command for prompt in approver.prompts] == ["rm -r a", "rm -r b"]
    assert {path.name for path in workdir.iterdir()} == {"a", "b"}
    assert json.loads(results(agent)[0])["error"] == "denied by the user: recursive delete"


@pytest.mark.parametrize("change", ["true", "rm -r b"], ids=["to harmless", "under the same rule"])
def test_a_change_after_a_person_agreed_asks_again_whatever_it_is(start, load, workdir, calls, say, change):
    (workdir / "a").mkdir()
    load(f"""
        def register(ctx):
            ctx.register_middleware("tool_execution", lambda args, next_call, **kw:
                next_call({{**args, "command": {change!r}}}))
    """)
    approver = ScriptedApprover(["session", "deny"])
    start(calls(("terminal", {"command": "rm -r a"})), say(), approver=approver).run_turn("go")
    assert [prompt.command for prompt in approver.prompts] == ["rm -r a", change]


def test_a_result_of_execution_middleware_stands(start, load, ledger, events, workdir, calls, say):
    load("""
        def register(ctx):
            ctx.register_middleware("tool_execution", lambda args, next_call, **kw: '{"cached": true}')
    """)
    agent = start(calls(("terminal", {"command": "touch ran"})), say())
    agent.run_turn("go")
    assert results(agent) == ['{"cached": true}']
    (applied,) = [event for event in events.events if isinstance(event, MiddlewareApplied)]
    assert (applied.kind, applied.plugins, applied.changed) == ("tool_execution", ("probe",), ("result",))
    assert list(workdir.iterdir()) == []
    assert ledger.payloads("post_tool_call")[0]["status"] == "ok"


def test_middleware_that_raises_is_as_if_it_were_not_there(start, load, calls, say):
    load("""
        def register(ctx):
            ctx.register_middleware("tool_request", lambda **kw: 1 / 0)
            ctx.register_middleware("tool_execution", lambda **kw: 1 / 0)
    """)
    agent = start(calls(("terminal", {"command": "echo through"})), say())
    agent.run_turn("go")
    assert json.loads(results(agent)[0])["output"] == "through\n"


def test_only_the_tool_sees_the_original_of_a_placeholder(start, load, ledger, events, workdir, calls, say):
    load("""
        def register(ctx):
            def restore(args, **kw):
                return {key: value.replace("<KEY-1>", "s3cr3t") for key, value in args.items()}
            ctx.register_restorer(restore)
    """)
    command = "echo <KEY-1> | sed 's/[<>]//g' > out"
    agent = start(calls(("terminal", {"command": command.replace("<KEY-1>", '"<KEY-1>"')})), say())
    agent.run_turn("go")
    assert (workdir / "out").read_text() == "s3cr3t\n"
    assert "s3cr3t" not in repr(ledger.rows)
    assert "s3cr3t" not in repr(events.events)
    (applied,) = [event for event in events.events if isinstance(event, MiddlewareApplied)]
    assert (applied.kind, applied.plugins, applied.changed) == ("restorer", ("probe",), ("command",))


# -- ctx.dispatch_tool ----------------------------------------------------------------------------------------


def test_dispatch_tool_takes_the_models_path(start, load, watch, ledger, workdir, calls, say):  # semantics 4.8
    load("""
        def register(ctx):
            ctx.register_command("look", lambda args: ctx.dispatch_tool("terminal", {"command": args}))
    """)
    watch(
        "guard", pre_tool_call=lambda args, **_: {"action": "block", "message": "no"} if "evil" in str(args) else None
    )
    agent = start()
    from hermes_sdk.host.commands import run_command

    assert json.loads(run_command(agent, "/look echo seen").text)["output"] == "seen\n"
    assert run_command(agent, "/look touch evil").text == '{"error": "no"}'
    assert list(workdir.iterdir()) == []
    names = ledger.names("pre_tool_call", "post_tool_call", "transform_tool_result")
    assert names == ["pre_tool_call", "post_tool_call", "transform_tool_result"] * 2
    (first, second) = ledger.payloads("post_tool_call")
    assert all(first[key] for key in ("session_id", "turn_id", "task_id", "tool_call_id", "api_request_id"))
    assert first["tool_call_id"] != second["tool_call_id"]
    assert agent.history == []
