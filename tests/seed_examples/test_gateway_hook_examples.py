"""The page's gateway hooks, as printed, in a home below the user's directory, and the whole BOOT.md tutorial."""

import asyncio
import json
import logging
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hermes_sdk import PluginManager
from hermes_sdk.gateway_hooks import HookRegistry
from hermes_sdk.host.gateway.messages import SendResult
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

EXAMPLES = Path(__file__).resolve().parents[1] / "data" / "seed" / "gateway"
CHECKLIST = (EXAMPLES / "BOOT.md").read_text("utf-8")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """``~/.hermes`` of a user of their own: the examples write below `Path.home()`."""
    home = tmp_path / ".hermes"
    home.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


@pytest.fixture
def fire(home):
    """Return a function that loads one example and hands it events; keywords replace text of its handler."""

    def fire(example, *events, **replaced):
        shutil.copytree(EXAMPLES / example, home / "hooks" / example)
        handler = home / "hooks" / example / "handler.py"
        for old, new in replaced.values():
            assert handler.read_text("utf-8").count(old) == 1
            handler.write_text(handler.read_text("utf-8").replace(old, new), "utf-8")

        async def run():
            registry = HookRegistry(home)
            registry.discover_and_load()
            for event, context in events:
                await registry.emit(event, context)
            await registry.close(30)
            return registry.status()

        [status] = asyncio.run(run())
        assert (status.state, status.failed, status.last_error) == ("loaded", 0, "")
        return status

    return fire


class Endpoint:
    """A service on loopback that remembers what is posted to it."""

    def __init__(self):
        self.requests = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append((self.path, body))
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def endpoint():
    service = Endpoint()
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield service
    service.server.shutdown()
    service.server.server_close()
    thread.join()


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_x1_each_declared_event_is_one_line_of_the_activity_log(home, fire):
    """Seed X1: three events, all context keys; other events add nothing."""
    step = {"platform": "webchat", "user_id": "u", "session_id": "s", "iteration": 1, "tool_names": ["terminal"]}
    fire("my-hook", ("agent:start", {"message": "hi"}), ("agent:step", step), ("agent:end", {}), ("session:start", {}))
    start, stepped, end = lines_of(home / "hooks" / "my-hook" / "activity.log")
    assert [start["event"], stepped["event"], end["event"]] == ["agent:start", "agent:step", "agent:end"]
    assert start["message"] == "hi"
    assert step.items() <= stepped.items()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", end["timestamp"])


@pytest.mark.parametrize("configured", [True, False])
def test_x2_the_tenth_step_is_one_alert(fire, endpoint, monkeypatch, configured):
    """Seed X2: exactly iteration 10, and only with both variables set."""
    if configured:
        monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "t0ken")
        monkeypatch.setenv("TELEGRAM_HOME_CHANNEL", "-100")
    else:
        monkeypatch.delenv("TELEGRAM_BOT_TOKEN", raising=False)
    steps = [("agent:step", {"iteration": number, "tool_names": ["terminal", "patch"]}) for number in range(8, 13)]
    fire("long-task-alert", *steps, url=("https://api.telegram.org", endpoint.url))
    text = "⚠️ Agent has been running for 10 steps. Last tools: terminal, patch"
    wanted = [("/bott0ken/sendMessage", {"chat_id": "-100", "text": text})]
    assert endpoint.requests == (wanted if configured else [])


def test_x3_every_slash_command_is_logged(home, fire):
    """Seed X3 and G18: a plain function, subscribed to the whole family."""
    who = {"platform": "webchat", "user_id": "u-7"}
    commands = [("model", "gpt"), ("reset", "")]
    fire("command-logger", *((f"command:{name}", {**who, "command": name, "args": args}) for name, args in commands))
    logged = lines_of(home / "logs" / "command_usage.jsonl")
    assert [set(entry) for entry in logged] == [{"ts", "command", "args", "platform", "user"}] * 2
    assert [(entry["command"], entry["args"], entry["platform"], entry["user"]) for entry in logged] == [
        ("model", "gpt", "webchat", "u-7"),
        ("reset", "", "webchat", "u-7"),
    ]


def test_x4_new_and_reset_sessions_are_posted(fire, endpoint):
    """Seed X4: event and context as one JSON object."""
    start = {"platform": "webchat", "user_id": "u", "session_id": "s", "session_key": "k"}
    reset = {"platform": "webchat", "user_id": "u", "session_key": "k"}
    fire(
        "session-webhook",
        ("session:start", start),
        ("session:end", reset),
        ("session:reset", reset),
        url=("https://your-service.example.com", endpoint.url),
    )
    assert endpoint.requests == [
        ("/hermes-events", {"event": "session:start", **start}),
        ("/hermes-events", {"event": "session:reset", **reset}),
    ]


def wait_for_boot_agent():
    """Wait for the thread that the tutorial's handler starts, and that nobody waits for otherwise."""
    for thread in threading.enumerate():
        if thread.name == "boot-md":
            thread.join(30)


class Discord:
    """An adapter that keeps what is sent over it."""

    name = "discord"

    def __init__(self):
        self.sent = []

    async def start(self, gateway):
        pass

    async def stop(self):
        pass

    async def send(self, chat_id, text, *, thread_id=None, reply_to=None):
        self.sent.append((chat_id, text))
        return SendResult(ok=True, message_id="m1")


@pytest.fixture
def boot(home, caplog):
    """Return a function that starts a gateway with the tutorial's hook and gives (log lines, model, adapter)."""
    caplog.set_level(logging.INFO, logger="hooks.boot-md")

    def boot(*steps, checklist=CHECKLIST):
        if not (home / "hooks").exists():
            shutil.copytree(EXAMPLES / "boot-md", home / "hooks" / "boot-md")
        if checklist is not None:
            (home / "BOOT.md").write_text(checklist, "utf-8")
        model, discord = ScriptedModel(steps), Discord()
        manager = PluginManager(home, entry_points=False)

        async def run():
            manager.discover_and_load()
            runner = GatewayRunner(manager, lambda: model, adapters=[discord])
            await runner.start()
            assert await runner.hooks.flush(30)
            await asyncio.to_thread(wait_for_boot_agent)
            await runner.stop()

        caplog.clear()
        try:
            asyncio.run(run())
        finally:
            manager.shutdown()
        return [record.getMessage() for record in caplog.records if record.name == "hooks.boot-md"], model, discord

    return boot


def test_x5_the_checklist_is_carried_out_and_its_message_delivered(boot):
    """Seed X5 to X12: prompt, one-shot agent, `send_message` over the gateway's adapter, the log lines."""
    asked = ("startup boot checklist", "---\n# Startup Checklist", "reply with ONLY: [SILENT]", "send_message tool")
    message = {"platform": "discord", "chat": "ops", "text": "2 jobs failed"}
    said, model, discord = boot(
        ScriptStep(tools=(ScriptedCall("terminal", {"command": "echo 2 failed"}),), sees=asked),
        ScriptStep(tools=(ScriptedCall("send_message", message),), sees=("2 failed",)),
        ScriptStep(say="Told Discord #ops about 2 failed jobs.", sees=('"sent": true',)),
    )
    assert model.mismatches == []
    assert discord.sent == [("ops", "2 jobs failed")]
    assert said == [
        f"Running BOOT.md ({len(CHECKLIST.strip())} chars)",
        "boot-md completed: Told Discord #ops about 2 failed jobs.",
    ]


def test_x11_silence_and_failures_are_logged(boot):
    """Seed X11 and X6: `[SILENT]` means nothing to report; an exception is one error line."""
    said, _, discord = boot(ScriptStep(say="[SILENT]"))
    assert said[1:] == ["boot-md completed (nothing to report)"]
    assert discord.sent == []
    said, *_ = boot()  # the model has nothing to say: it fails
    assert len(said) == 2
    assert said[1].startswith("boot-md agent failed: ")


@pytest.mark.parametrize("checklist", [None, "", " \n\t\n"])
def test_x12_without_a_checklist_nothing_runs(boot, checklist):
    """Seed X12 and X14: absent or blank, the hook is loaded and says nothing."""
    said, model, _ = boot(checklist=checklist)
    assert said == []
    assert model.mismatches == []


def test_x13_outside_of_a_gateway_the_agent_says_what_is_missing(home, fire, caplog):
    """Seed X13: there are no defaults that a bare agent would silently use."""
    (home / "BOOT.md").write_text("Do it", "utf-8")
    fire("boot-md", ("gateway:startup", {"platforms": []}))
    wait_for_boot_agent()
    [failed] = [text for text in caplog.messages if text.startswith("boot-md agent failed")]
    assert "no gateway runs in this process; run the hook in `hermes-sdk gateway run`" in failed


def test_x15_another_checklist_is_another_file_and_a_notice_needs_no_agent(home, fire, endpoint, caplog):
    """Seed X15 and X16: another file name, and a fixed notice over HTTP."""
    (home / "MORNING.md").write_text("Say good morning", "utf-8")
    caplog.set_level(logging.INFO, logger="hooks.boot-md")
    fire("boot-md", ("gateway:startup", {}), file=('"BOOT.md"\n', '"MORNING.md"\n'))
    wait_for_boot_agent()
    assert "Running BOOT.md (16 chars)" in caplog.messages
    shutil.rmtree(home / "hooks")
    body = "async with httpx.AsyncClient() as client:\n        await client.post(NOTICE, json={'text': 'started'})\n"
    notice = home / "hooks" / "notice"
    notice.mkdir(parents=True)
    (notice / "HOOK.yaml").write_text("events: [gateway:startup]\n", "utf-8")
    (notice / "handler.py").write_text(
        f"import httpx\nNOTICE = '{endpoint.url}/notice'\nasync def handle(event_type, context):\n    {body}", "utf-8"
    )

    async def run():
        registry = HookRegistry(home)
        registry.discover_and_load()
        await registry.emit("gateway:startup", {"platforms": []})
        await registry.close(30)

    asyncio.run(run())
    assert endpoint.requests == [("/notice", {"text": "started"})]
