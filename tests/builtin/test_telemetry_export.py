"""The telemetry plugin: what reaches a collector over OTLP/HTTP, and what becomes of a turn when nobody is there."""

import logging
import os
import socket
import subprocess
import sys
import threading

import pytest
from otlp_collector import Collector, plain

from hermes_sdk.host import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

STEPS = [ScriptStep(tools=(ScriptedCall("terminal", {"command": "echo hi"}),)), ScriptStep(say="done")]


@pytest.fixture
def collector(monkeypatch):
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):
        monkeypatch.delenv(name, raising=False)
    one = Collector()
    yield one
    one.close()


@pytest.fixture
def run(load, tmp_path):
    """Return a function that runs one session with an own provider, to its very end."""

    def run(turns=1, **entry):
        manager = load("telemetry", telemetry={"provider": "own", **entry})
        agent = Agent(manager, ScriptedModel(STEPS * turns), workdir=tmp_path)
        results = [agent.run_turn("go") for _ in range(turns)]
        agent.close()
        assert all(result.completed for result in results)
        return manager

    return run


def until(reached):
    """Wait for something that another thread does; the suite's timeout ends a wait in vain."""
    while not reached():
        threading.Event().wait(0.01)


def test_spans_and_metrics_reach_a_collector(run, collector):
    manager = run(
        endpoint=collector.url,
        headers={"authorization": "Bearer abc"},
        resource={"deployment.environment.name": "test"},
    )
    manager.shutdown()
    spans = {span.name: span for span in collector.spans}
    assert set(spans) == {"invoke_agent hermes", "execute_tool terminal", "chat scripted/demo"}
    turn, tool = spans["invoke_agent hermes"], spans["execute_tool terminal"]
    assert (tool.trace_id, tool.parent_span_id) == (turn.trace_id, turn.span_id)
    assert turn.parent_span_id == b""
    assert plain(tool.attributes)["gen_ai.tool.name"] == "terminal"
    assert {"gen_ai.client.operation.duration", "gen_ai.client.token.usage", "hermes.tool.duration"} <= set(
        collector.metrics
    )
    (point,) = collector.metrics["gen_ai.client.operation.duration"].histogram.data_points
    assert point.count == 2
    for resource in collector.resources:
        assert resource["service.name"] == "hermes"
        assert resource["deployment.environment.name"] == "test"
    assert {headers["authorization"] for headers in collector.headers} == {"Bearer abc"}


def test_the_end_of_a_session_sends_at_once(run, collector):
    manager = run(endpoint=collector.url)
    collector.wait(lambda seen: len(seen.spans) == 4 and seen.metrics)
    manager.shutdown()


def test_the_standard_variables_count(run, collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=agents")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=ours,host.name=there")
    run().shutdown()
    assert len(collector.spans) == 4
    assert {(one["service.name"], one["host.name"]) for one in collector.resources} == {("ours", "there")}
    assert {headers["x-team"] for headers in collector.headers} == {"agents"}


def test_settings_count_more_than_variables(run, collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "theirs")
    run(endpoint=f"{collector.url}/", service_name="mine").shutdown()
    assert {one["service.name"] for one in collector.resources} == {"mine"}


@pytest.mark.parametrize(
    ("variables", "spans", "metrics"),
    [
        ({"OTEL_TRACES_EXPORTER": "none"}, 0, True),
        ({"OTEL_METRICS_EXPORTER": "none"}, 4, False),
        ({"OTEL_TRACES_SAMPLER": "always_off"}, 0, True),
        ({"OTEL_SDK_DISABLED": "true"}, 0, False),
    ],
)
def test_what_is_switched_off_is_not_sent(run, collector, monkeypatch, variables, spans, metrics):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    run(endpoint=collector.url).shutdown()
    assert len(collector.spans) == spans
    assert bool(collector.metrics) is metrics


def test_the_share_of_traced_turns_can_be_set(run, collector):
    run(turns=3, endpoint=collector.url, sample=0.0).shutdown()
    assert collector.spans == []
    assert collector.metrics


def test_nothing_is_sent_when_it_is_off(run, collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    run(export="off").shutdown()
    assert collector.asked == 0


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_collector_that_refuses_is_said_once(run, collector, caplog, status):
    collector.status = status
    manager = run(turns=2, endpoint=collector.url)
    collector.wait(lambda seen: seen.asked >= 2)
    until(lambda: caplog.text.count("do not reach") == 2)
    agent = Agent(manager, ScriptedModel(STEPS), workdir=manager.home)
    agent.run_turn("go")
    agent.close()
    manager.shutdown()
    said = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert sorted(line.partition(" do not reach ")[0] for line in said) == ["telemetry: metrics", "telemetry: spans"]
    assert all(collector.url in line for line in said)


def test_a_collector_that_comes_back_is_said(run, collector, caplog):
    caplog.set_level(logging.INFO)
    collector.status = 400
    manager = run(endpoint=collector.url)
    collector.wait(lambda seen: seen.asked >= 2)
    until(lambda: caplog.text.count("do not reach") == 2)
    collector.status = 200
    agent = Agent(manager, ScriptedModel(STEPS), workdir=manager.home)
    agent.run_turn("go")
    agent.close()
    manager.shutdown()
    assert len(collector.spans) == 4
    assert f"telemetry: spans reach {collector.url}/v1/traces again" in caplog.messages


def test_a_collector_that_hangs_does_not_hold_up_the_end(run, collector, caplog):
    collector.delay = 3_600  # a turn or an end that waits for it would meet the suite's timeout
    run(turns=3, endpoint=collector.url, flush_seconds=0.2).shutdown()
    assert "telemetry: what could not be sent by the end is dropped" in caplog.text
    collector.delay = 0


def test_a_queue_that_is_full_is_said_once(load, collector, caplog, tmp_path, monkeypatch):
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2")
    collector.delay = 3_600
    manager = load("telemetry", telemetry={"provider": "own", "endpoint": collector.url, "flush_seconds": 0.1})
    agent = Agent(manager, ScriptedModel(STEPS * 20), workdir=tmp_path)
    for _ in range(20):
        agent.run_turn("go")
    agent.close()
    manager.shutdown()
    said = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert said == [
        "telemetry: spans end faster than the collector takes them, some are dropped",
        "telemetry: what could not be sent by the end is dropped",
    ]
    collector.delay = 0


def test_nobody_there_is_said_with_the_address(run, caplog):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        run(endpoint=url).shutdown()
    assert caplog.text.count(f"telemetry: spans do not reach {url}/v1/traces") == 1
    assert "retrying" not in caplog.text


def test_a_process_that_unloads_nothing_sends_at_its_end(collector, tmp_path, builtin_plugins):
    script = tmp_path / "app.py"
    script.write_text(
        f"""
from pathlib import Path
from hermes_sdk import PluginManager
from hermes_sdk.host import Agent
from hermes_sdk.host.models.scripted import ScriptedModel, ScriptStep
entry = {{"telemetry": {{"endpoint": {collector.url!r}}}}}
config = {{"plugins": {{"enabled": ["builtin:telemetry"], "entries": entry}}}}
manager = PluginManager({str(tmp_path / "home")!r}, config=config, builtin_dir=Path({str(builtin_plugins)!r}),
                        entry_points=False)
manager.discover_and_load()
agent = Agent(manager, ScriptedModel([ScriptStep(say="hi")]))
agent.run_turn("go")
"""
    )
    done = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(span.name for span in collector.spans) == ["chat scripted/demo", "invoke_agent hermes"]


def hermes_sdk(home, *arguments):
    command = [sys.executable, "-m", "hermes_sdk", *arguments]
    variables = os.environ | {"HERMES_HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=variables)


def written(home, **entry):
    home.mkdir(exist_ok=True)
    lines = "\n".join(f"      {key}: {value}" for key, value in entry.items())
    (home / "config.yaml").write_text(
        f"plugins:\n  enabled: [builtin:telemetry]\n  entries:\n    telemetry:\n{lines}\n", "utf-8"
    )
    return home


def test_the_check_says_what_a_collector_answers(collector, tmp_path):
    home = written(tmp_path / "home", endpoint=collector.url)
    done = hermes_sdk(home, "telemetry", "check")
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [f"traces: {collector.url}/v1/traces: taken", f"metrics: {collector.url}/v1/metrics: taken"],
    )
    assert [span.name for span in collector.spans] == ["telemetry check"]
    collector.status = 401
    done = hermes_sdk(home, "telemetry", "check")
    assert done.returncode == 1
    assert f"traces: {collector.url}/v1/traces: not taken: " in done.stdout
    assert "401" in done.stdout
    assert done.stderr == ""
    home = written(home, endpoint="http://me:my-own-password@127.0.0.1:9")
    done = hermes_sdk(home, "telemetry", "check")
    assert done.returncode == 1
    assert "refused" in done.stdout
    assert "my-own-password" not in done.stdout + done.stderr


def test_variables_that_are_not_known_here_are_said(load, caplog, monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    load("telemetry", telemetry={"provider": "own"})
    assert "telemetry: OTEL_TRACES_EXPORTER=console is taken for otlp" in caplog.text
    assert "only http/protobuf is spoken here" in caplog.text


def test_the_console_shows_what_the_readme_shows(blocks, tmp_path):
    home = written(tmp_path / "home", export="console")
    session = next(block for block in blocks("telemetry") if block.startswith("# tests.yaml"))
    (tmp_path / "tests.yaml").write_text(session)
    done = hermes_sdk(home, "run", str(tmp_path / "tests.yaml"))
    assert done.returncode == 0

    def shape(text):
        return [
            line.split(" ms")[0].rstrip("0123456789.").rstrip() + line.partition(" ms")[2] for line in text.splitlines()
        ]

    shown = next(block for block in blocks("telemetry") if block.startswith("  invoke_agent"))
    assert shape(done.stderr) == shape(shown)


def test_the_settings_of_the_readme_are_taken(load, configure, monkeypatch):
    configure("telemetry", 1)
    assert list(load("telemetry", configured=True).plugins) == ["telemetry"]


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({"endpoint": "collector:4318"}, "endpoint"),
        ({"endpoint": "http://host/?x=1"}, "endpoint"),
        ({"headers": {"a": "b\nc: d"}}, "headers"),
        ({"headers": {"a": " leading"}}, "headers"),
        ({"headers": {"a:b": "c"}}, "headers"),
        ({"sample": 1.5}, "sample"),
        ({"export": "file"}, "export"),
        ({"exporter": "otlp"}, "exporter"),
    ],
)
def test_a_wrong_setting_is_refused_and_named(load, caplog, entry, named):
    load("telemetry", telemetry=entry)
    assert "settings of plugin 'telemetry' cannot be used" in caplog.text
    assert named in caplog.text


def test_without_the_extra_it_says_how_to_install_it(load, caplog, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("opentelemetry.sdk")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    manager = load("telemetry")
    assert "telemetry" not in manager.plugins
    assert "pip install 'hermes-sdk[otel]'" in caplog.text
