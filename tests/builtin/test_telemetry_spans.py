"""The telemetry plugin: which spans and figures real sessions give, in an application that has its own providers."""

import json
import threading

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.host import Agent
from hermes_sdk.host.api import RetrySettings
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedFailure, ScriptedModel, ScriptStep
from hermes_sdk.host.settings import HostSettings

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
EXPORTER = InMemorySpanExporter()
READER = InMemoryMetricReader(preferred_temporality={Histogram: AggregationTemporality.DELTA})


@pytest.fixture(scope="module", autouse=True)
def _application():
    """An application that sets providers of its own; OpenTelemetry takes them once a process."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([READER], shutdown_on_exit=False))


@pytest.fixture(autouse=True)
def _nothing_before():
    EXPORTER.clear()
    READER.get_metrics_data()


class Traced:
    """The spans that ended, and how they hang together."""

    def __init__(self):
        self.spans = EXPORTER.get_finished_spans()
        self.by_id = {span.context.span_id: span for span in self.spans}

    def named(self, name):
        return [span for span in self.spans if span.name == name]

    def one(self, name):
        (span,) = self.named(name)
        return span

    def path(self, span):
        """Return the names from the root to a span."""
        above = self.by_id.get(span.parent.span_id) if span.parent else None
        return [*(self.path(above) if above else ()), span.name]

    def paths(self):
        return sorted("/".join(self.path(span)) for span in self.spans)


def points(name):
    """Return the data points of a metric since the last look."""
    data = READER.get_metrics_data()
    found = [
        metric
        for resource in (data.resource_metrics if data else ())
        for scope in resource.scope_metrics
        for metric in scope.metrics
    ]
    return [point for metric in found if metric.name == name for point in metric.data.data_points]


@pytest.fixture
def agent(load, tmp_path):
    """Return a function that makes an agent with the plugin and a script."""
    agents = []

    def agent(steps, *others, approvals=(), children=None, entry=None, **more):
        manager = load("telemetry", *others, telemetry={"provider": "global", **(entry or {})})
        model = ScriptedModel(steps, name="scripted", children=children or {})
        made = Agent(manager, model, workdir=tmp_path, approver=ScriptedApprover(list(approvals)), **more)
        agents.append(made)
        return made

    yield agent
    for one in agents:
        one.close()


def calls(*wished):
    return ScriptStep(tools=tuple(ScriptedCall(name, args) for name, args in wished))


def test_a_turn_is_a_tree_of_requests_and_tools(agent):
    steps = [calls(("terminal", {"command": "echo hi"}), ("read_file", {"path": "no"})), ScriptStep(say="done")]
    one = agent(steps)
    result = one.run_turn("go")
    traced = Traced()
    assert traced.paths() == [
        "invoke_agent hermes",
        "invoke_agent hermes/chat scripted",
        "invoke_agent hermes/chat scripted",
        "invoke_agent hermes/execute_tool read_file",
        "invoke_agent hermes/execute_tool terminal",
    ]
    turn, tool = traced.one("invoke_agent hermes"), traced.one("execute_tool terminal")
    assert dict(turn.attributes) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "hermes",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted",
        "gen_ai.conversation.id": one.session_id,
        "hermes.turn.id": result.turn_id,
        "hermes.turn.outcome": "completed",
        "hermes.platform": "cli",
    }
    (call_id,) = [m["tool_call_id"] for m in one.history if m.get("name") == "terminal" or "hi" in str(m["content"])][
        :1
    ]
    assert dict(tool.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "terminal",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call_id,
        "gen_ai.conversation.id": one.session_id,
        "hermes.tool.status": "ok",
    }
    chat = traced.named("chat scripted")[0]
    assert chat.kind is trace.SpanKind.CLIENT
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("tool_calls",)
    assert chat.attributes["gen_ai.usage.input_tokens"] >= 0
    assert all(span.status.status_code is StatusCode.UNSET for span in (turn, tool, chat))
    assert turn.start_time <= tool.start_time <= tool.end_time <= turn.end_time


def test_turns_of_a_session_are_traces_that_are_linked(agent):
    one = agent([ScriptStep(say="a"), ScriptStep(say="b")])
    one.run_turn("1")
    one.run_turn("2")
    first, second = Traced().named("invoke_agent hermes")
    assert first.context.trace_id != second.context.trace_id
    assert [link.context.span_id for link in second.links] == [first.context.span_id]
    assert first.links == ()


def test_child_agents_hang_below_the_call_that_delegated(agent):
    tasks = {"tasks": [{"goal": "left"}, {"goal": "right"}]}
    steps = [calls(("delegate_task", {"goal": "solo"}), ("delegate_task", tasks)), ScriptStep(say="done")]
    child = [calls(("terminal", {"command": "true"})), ScriptStep(say="seen")]
    agent(steps, children=dict.fromkeys(("solo", "left", "right"), child)).run_turn("go")
    traced = Traced()
    first, second = sorted(traced.named("execute_tool delegate_task"), key=lambda span: span.start_time)
    children = [span for span in traced.named("invoke_agent hermes") if span.parent]
    assert sorted(
        [span.parent.span_id for span in children].count(tool.context.span_id) for tool in (first, second)
    ) == [1, 2]
    assert [span.parent.span_id for span in children].count(first.context.span_id) == 1
    assert (
        traced.paths().count("invoke_agent hermes/execute_tool delegate_task/invoke_agent hermes/execute_tool terminal")
        == 3
    )
    assert {span.context.trace_id for span in traced.spans} == {first.context.trace_id}
    assert len({span.attributes["gen_ai.conversation.id"] for span in traced.spans}) == 4


def test_a_failed_attempt_is_a_span_of_its_own(agent):
    settings = HostSettings(retry=RetrySettings(first_delay=0))
    one = agent(
        [ScriptStep(error=ScriptedFailure("overloaded", status=529, retryable=True)), ScriptStep(say="done")],
        settings=settings,
    )
    one.run_turn("go")
    failed, worked = Traced().named("chat scripted")
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.attributes["error.type"] == "529"
    assert failed.attributes["hermes.api_request.reason"] == "overloaded"
    assert failed.attributes["hermes.api_request.attempt"] == 1
    assert worked.status.status_code is StatusCode.UNSET
    seen = points("gen_ai.client.operation.duration")
    assert sorted(point.attributes.get("error.type", "") for point in seen) == ["", "529"]


def test_a_turn_that_fails_says_why(agent):
    agent([ScriptStep(error=ScriptedFailure("no key", status=401))]).run_turn("go")
    traced = Traced()
    turn = traced.one("invoke_agent hermes")
    assert turn.status.status_code is StatusCode.ERROR
    assert (turn.attributes["hermes.turn.outcome"], turn.attributes["error.type"]) == ("failed", "model_error")
    assert traced.one("chat scripted").attributes["error.type"] == "401"


def test_an_interrupted_turn_ends_its_spans_and_is_no_error(agent):
    agent([ScriptStep(interrupt=True)]).run_turn("go")
    traced = Traced()
    turn = traced.one("invoke_agent hermes")
    assert turn.attributes["hermes.turn.outcome"] == "interrupted"
    assert turn.status.status_code is StatusCode.UNSET
    assert traced.one("chat scripted").attributes["error.type"] == "interrupted"


def test_a_block_names_who_blocked(load, agent, tmp_path):
    one = agent([calls(("terminal", {"command": "make"})), ScriptStep(say="done")])

    class Guard:
        def pre_tool_call(self, tool_name, **_):
            return {"action": "block", "message": "not today"}

    plugin = tmp_path / "home" / "plugins" / "gate"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: gate\n")
    (plugin / "__init__.py").write_text(
        "def register(ctx):\n"
        "    ctx.register_hook('pre_tool_call', lambda **_: {'action': 'block', 'message': 'not today'})\n"
    )
    one.manager.load_plugin(plugin)
    one.run_turn("go")
    traced = Traced()
    tool = traced.one("execute_tool terminal")
    assert tool.attributes["hermes.tool.status"] == "blocked"
    assert tool.attributes["hermes.tool.blocked_by"] == "gate"
    assert tool.attributes["error.type"] == "plugin_block"
    assert tool.status.status_code is StatusCode.ERROR
    hook = traced.one("hook pre_tool_call")
    assert traced.path(hook) == ["invoke_agent hermes", "execute_tool terminal", "hook pre_tool_call"]
    (event,) = hook.events
    assert event.attributes["hermes.plugin.name"] == "gate"
    assert event.attributes["hermes.plugin.did"] == "block"
    assert event.attributes["hermes.plugin.duration_ms"] >= 0
    assert "not today" not in str([span.to_json() for span in traced.spans])
    (point,) = points("hermes.hook.duration")
    assert point.attributes["hermes.plugin.name"] == "gate"


def test_an_approval_is_a_span_in_its_tool(agent):
    one = agent([calls(("terminal", {"command": "rm -rf ./x"})), ScriptStep(say="done")], approvals=["deny"])
    one.run_turn("go")
    traced = Traced()
    approval = traced.one("approval")
    assert traced.path(approval) == ["invoke_agent hermes", "execute_tool terminal", "approval"]
    assert approval.attributes["hermes.approval.choice"] == "deny"
    tool = traced.one("execute_tool terminal")
    assert (tool.attributes["hermes.tool.status"], tool.attributes["error.type"]) == ("blocked", "approval_denied")


def test_metrics_have_the_conventions_names_and_boundaries(agent):
    agent([calls(("terminal", {"command": "true"}), ("tool_of_a_dream", {})), ScriptStep(say="done")]).run_turn("go")
    data = READER.get_metrics_data()
    found = {
        metric.name: metric
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    duration, usage = found["gen_ai.client.operation.duration"], found["gen_ai.client.token.usage"]
    (point,) = duration.data.data_points
    assert (duration.unit, point.count) == ("s", 2)
    assert point.explicit_bounds == (
        0.01,
        0.02,
        0.04,
        0.08,
        0.16,
        0.32,
        0.64,
        1.28,
        2.56,
        5.12,
        10.24,
        20.48,
        40.96,
        81.92,
    )
    assert usage.unit == "{token}"
    assert {point.attributes["gen_ai.token.type"] for point in usage.data.data_points} == {"input", "output"}
    assert usage.data.data_points[0].explicit_bounds == tuple(4**n for n in range(14))
    tools = {point.attributes["gen_ai.tool.name"]: point for point in found["hermes.tool.duration"].data.data_points}
    assert set(tools) == {"terminal", "_OTHER"}
    assert "kind" not in tools["terminal"].attributes
    (turn,) = found["hermes.turn.duration"].data.data_points
    assert turn.attributes == {"hermes.platform": "cli", "hermes.turn.outcome": "completed"}


def test_content_stays_out_until_it_is_wanted(agent):
    secret = "the-project-is-called-heron"
    one = agent([calls(("terminal", {"command": f"echo {secret}; exit 3"})), ScriptStep(say=secret)])
    one.run_turn(f"{secret}?")
    assert len(Traced().spans) == 4
    assert secret not in str([span.to_json() for span in Traced().spans])


def test_content_is_masked_and_bounded(agent, tmp_path):
    (tmp_path / "log.txt").write_text("line of a log\n" * 20_000 + TOKEN)
    wished = ("terminal", {"command": f"echo {TOKEN}", "api_key": "hunter2hunter2"})
    steps = [calls(wished, ("read_file", {"path": "log.txt"})), ScriptStep(say=f"it is {TOKEN}")]
    one = agent(steps, entry={"content": True, "content_chars": 1_000}, system_prompt="Be brief.")
    one.run_turn(f"my token is {TOKEN}")
    traced = Traced()
    everything = str([span.to_json() for span in traced.spans])
    assert TOKEN not in everything
    assert "hunter2" not in everything
    turn, tool, chat = (
        traced.one("invoke_agent hermes"),
        traced.one("execute_tool terminal"),
        traced.named("chat scripted"),
    )
    assert turn.attributes["hermes.turn.message"] == "my token is [REDACTED]"
    assert turn.attributes["hermes.turn.answer"] == "it is [REDACTED]"
    assert json.loads(tool.attributes["gen_ai.tool.call.arguments"])["command"] == "echo [REDACTED]"
    assert "[REDACTED]" in tool.attributes["gen_ai.tool.call.result"]
    sent = json.loads(chat[0].attributes["gen_ai.input.messages"])
    assert sent == [{"role": "user", "parts": [{"type": "text", "content": "my token is [REDACTED]"}]}]
    assert "Be brief." in chat[0].attributes["gen_ai.system_instructions"]
    (answer,) = json.loads(chat[0].attributes["gen_ai.output.messages"])
    assert answer["parts"][0]["type"] == "tool_call"
    assert answer["finish_reason"] == "tool_calls"
    later = json.loads(chat[1].attributes["gen_ai.input.messages"])
    assert later[-1]["parts"][0]["type"] == "tool_call_response"
    read = traced.one("execute_tool read_file").attributes["gen_ai.tool.call.result"]
    assert len(read) < 1_100
    assert read.endswith("characters more>")


def test_a_secret_that_a_cut_halves_is_not_sent():
    from telemetry.content import Content

    for length in range(0, 20_000, 97):
        shown = Content(1_000).text("x " * (length // 2) + TOKEN + " y" * 30_000)
        assert TOKEN[:12] not in shown
    many = Content(1_000).text(f"{TOKEN} " * 5_000)
    assert TOKEN[:8] not in many


def test_names_that_a_model_makes_up_are_harmless(agent):
    agent([calls(("\ud800" + "a" * 900, {"x": "\udfff"})), ScriptStep(say="\ud800")], entry={"content": True}).run_turn(
        "\ud83d?"
    )
    (tool,) = [span for span in Traced().spans if span.name.startswith("execute_tool")]
    assert len(tool.name) < 250
    for span in Traced().spans:
        span.to_json().encode("utf-8")
        str(dict(span.attributes)).encode("utf-8")


def test_sessions_beside_each_other_do_not_mix(load, tmp_path):
    manager = load("telemetry", telemetry={"provider": "global"})
    start = threading.Barrier(8)
    ids = {}

    def play(number):
        steps = [calls(*[("terminal", {"command": "true"})] * 3), ScriptStep(say="done")] * 4
        one = Agent(manager, ScriptedModel(steps), workdir=tmp_path, hosted=True, session_id=f"s{number}")
        start.wait()
        for _ in range(4):
            one.run_turn("go")
        ids[number] = one.session_id
        one.close()

    threads = [threading.Thread(target=play, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    traced = Traced()
    assert len(traced.named("invoke_agent hermes")) == 32
    assert len(traced.named("execute_tool terminal")) == 96
    for span in traced.spans:
        root = traced.by_id[span.parent.span_id] if span.parent else span
        assert root.name == "invoke_agent hermes"
        assert root.attributes["gen_ai.conversation.id"] == span.attributes["gen_ai.conversation.id"]
    traces = {span.context.trace_id for span in traced.spans}
    assert len(traces) == 32


def test_sessions_on_one_loop_do_not_mix(load):
    """Hooks of two turns that interleave in one thread, as a gateway's may."""
    manager = load("telemetry", telemetry={"provider": "global"})

    def fire(hook, number, **more):
        payload = {"session_id": f"s{number}", "turn_id": f"t{number}", "task_id": f"s{number}", **more}
        known = HOOKS[hook].argument_names
        sample = HOOKS[hook].sample(**{key: value for key, value in payload.items() if key in known})
        getattr(manager.hook, hook)(**sample)

    for number in (1, 2):
        fire("pre_llm_call", number)
    for hook in ("pre_tool_call", "post_tool_call", "transform_tool_result"):
        for number in (2, 1):
            fire(hook, number, tool_call_id="call_1", tool_name="web")
    for number in (1, 2):
        fire("on_session_end", number)
    traced = Traced()
    assert len(traced.spans) == 4
    for tool in traced.named("execute_tool web"):
        turn = traced.by_id[tool.parent.span_id]
        assert turn.attributes["gen_ai.conversation.id"] == tool.attributes["gen_ai.conversation.id"]


def test_a_turn_belongs_below_what_the_application_has_open(agent):
    one = agent([ScriptStep(say="a")])
    with trace.get_tracer("app").start_as_current_span("request"):
        one.run_turn("go")
    traced = Traced()
    assert traced.path(traced.one("chat scripted")) == ["request", "invoke_agent hermes", "chat scripted"]


def test_what_runs_inside_a_tool_is_below_it(agent, tmp_path):
    one = agent([calls(("probe", {})), ScriptStep(say="done")])
    plugin = tmp_path / "home" / "plugins" / "probe"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: probe\n")
    (plugin / "__init__.py").write_text(
        "from opentelemetry import trace\n"
        "def probe(args, **_):\n"
        "    with trace.get_tracer('library').start_as_current_span('GET'):\n"
        "        return '{}'\n"
        "def register(ctx):\n"
        "    schema = {'description': 'x', 'parameters': {'type': 'object', 'properties': {}}}\n"
        "    ctx.register_tool('probe', 'test', schema, probe)\n"
    )
    one.manager.load_plugin(plugin)
    one.new_session()
    one.run_turn("go")
    traced = Traced()
    assert traced.path(traced.one("GET")) == ["invoke_agent hermes", "execute_tool probe", "GET"]


def test_spans_do_not_stay_open(load, fire):
    """Turns and calls that nobody ends: the oldest ends when there are too many, the rest with the plugin."""
    manager = load("telemetry", telemetry={"provider": "global"})
    for number in range(1_100):
        fire(manager, "pre_llm_call", session_id=f"s{number}", turn_id=f"t{number}")
        fire(manager, "pre_tool_call", session_id=f"s{number}", turn_id=f"t{number}", tool_call_id=f"c{number}")
    ended = EXPORTER.get_finished_spans()
    assert len(ended) == 200
    assert {span.attributes["error.type"] for span in ended} == {"too_many"}
    for number in range(1_100):
        fire(manager, "pre_tool_call", session_id="nobody", turn_id="", tool_call_id=f"c{number}")
    assert len(EXPORTER.get_finished_spans()) == 300
    manager.unload("telemetry")
    assert len(EXPORTER.get_finished_spans()) == 3_300


def test_a_turn_that_the_next_one_overtakes_ends(load, fire):
    manager = load("telemetry", telemetry={"provider": "global"})
    fire(manager, "pre_llm_call", session_id="s", turn_id="t1")
    fire(manager, "pre_tool_call", session_id="s", turn_id="t1", tool_call_id="c")
    fire(manager, "pre_llm_call", session_id="s", turn_id="t2")
    assert [span.attributes["error.type"] for span in Traced().spans] == ["superseded", "superseded"]
    fire(manager, "post_tool_call", session_id="s", turn_id="t1", tool_call_id="c")  # late: its turn is over
    fire(manager, "transform_tool_result", session_id="s", turn_id="t1", tool_call_id="c")
    assert len(Traced().spans) == 2
    fire(manager, "on_session_finalize", session_id="s")
    assert Traced().spans[-1].attributes["error.type"] == "session_over"


def test_a_tool_that_a_plugin_runs_between_turns_is_a_trace_of_its_own(agent):
    one = agent([])
    one.dispatch_tool("terminal", {"command": "true"})
    (tool,) = Traced().spans
    assert (tool.name, tool.parent, tool.attributes["hermes.tool.status"]) == ("execute_tool terminal", None, "ok")


def test_hooks_are_left_out_when_nobody_wants_them(agent, fire):
    steps = [calls(("terminal", {"command": "true"})), ScriptStep(say="done")]
    one = agent(steps, "redaction", entry={"hook_spans": False})
    assert one.manager.tracing is False
    one.run_turn("go")
    assert [span for span in Traced().spans if span.name.startswith("hook")] == []
    assert points("hermes.hook.duration") == []


def test_tracing_ends_with_the_plugin(load):
    manager = load("telemetry", telemetry={"provider": "global"})
    assert manager.tracing is True
    manager.tracing = False
    assert manager.tracing is True
    manager.unload("telemetry")
    assert manager.tracing is False


def test_values_of_any_type_fail_nothing(load, caplog):
    """What a plugin's failure would be counted for, and what would cost a batch."""
    manager = load("telemetry", telemetry={"provider": "global", "content": True})
    endless = {}
    endless["x"] = endless
    odd = [None, -1, float("nan"), float("inf"), 10**400, True, "", "\ud800", b"x", [], {}, endless, [7, {"role": 5}]]
    odd += [{"input_tokens": 10**30, "output_tokens": -5}, "http://[::1", "http://u:pw@h:99999/", object()]
    for hook, contract in HOOKS.items():
        for name in contract.argument_names - {"already_blocked", "judgement"}:
            for value in odd:
                manager.invoke_hook(hook, **contract.sample(**{name: value}))
    assert manager.failures == {}
    assert [record for record in caplog.records if record.name.startswith("opentelemetry")] == []
    assert EXPORTER.get_finished_spans()


def test_a_conversation_is_not_copied_for_it(load):
    manager = load("telemetry", telemetry={"provider": "global"})
    assert not manager.has_hook("pre_api_request")
