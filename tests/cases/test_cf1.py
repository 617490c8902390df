"""CF1: some ways into the host never register the shell hooks, so a policy is bypassed there.

One tool call along every way that this host has ends blocked by the same script; a new way that starts an agent has to
be added here.
"""

import ast
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

import hermes_sdk
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.commands import run_command
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.host.session_file import load_session, play
from hermes_sdk.plugins.manager import PluginManager

DENY = """#!/bin/sh\necho '{"action": "block", "message": "denied by the policy"}'\n"""
PLUGIN = """
def register(ctx):
    def touch(text):
        return ctx.dispatch_tool("terminal", {"command": "touch ran"})
    ctx.register_command("touch", touch)
    ctx.register_hook("on_session_start", lambda **k: touch(""))
"""
TOUCH = ScriptedCall("terminal", {"command": "touch ran"})
DONE = ScriptStep(say="done")
SCRIPT = """\
turns:
  - user: go
    model:
      - tools:
          - {name: terminal, args: {command: touch ran}}
      - say: done
"""
TRANSCRIPT = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "touch ran"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "{}"},
    {"role": "assistant", "content": "done"},
]
STARTS_AGENTS = {
    "hermes_sdk/host/agent.py": "child agent",
    "hermes_sdk/host/player.py": "hermes-sdk run",
    "hermes_sdk/host/gateway/conversation.py": "gateway turn",
    "hermes_sdk/host/gateway/link.py": "agent of a gateway hook",
    "hermes_sdk/cli/chat_session.py": "hermes-sdk chat",
}
"""Modules that make an agent, and the way below that goes through each."""


class Place:
    """A home with the policy, and a directory to work in."""

    def __init__(self, path):
        self.home, self.work = path / "home", path / "work"
        self.home.mkdir()
        self.work.mkdir()
        (self.home / "deny.sh").write_text(DENY)
        (self.home / "deny.sh").chmod(0o755)
        (self.home / "config.yaml").write_text(
            "hooks_auto_accept: true\nhooks:\n  pre_tool_call:\n    - {command: ./deny.sh, matcher: terminal}\n"
        )

    def plugin(self):
        directory = self.home / "plugins" / "toucher"
        directory.mkdir(parents=True)
        (directory / "plugin.yaml").write_text("name: toucher\n")
        (directory / "__init__.py").write_text(PLUGIN)

    def file(self, name, text):
        (self.work.parent / name).write_text(text)
        return self.work.parent / name

    def program(self, *arguments, stdin=""):
        """Run the command line and return what it printed."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HERMES_")}
        done = subprocess.run(
            [sys.executable, "-m", "hermes_sdk", *arguments, "--home", str(self.home), "--workdir", str(self.work)],
            input=stdin,
            capture_output=True,
            text=True,
            env=kept | {"COLUMNS": "1000"},
            check=False,
        )
        return done.stdout + done.stderr


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def with_agent(place, model, act):
    """Start an agent as an embedding host does, let it act, and return what the model was told."""
    manager = PluginManager(place.home, entry_points=False)
    try:
        manager.discover_and_load()
        agent = Agent(manager, model, workdir=place.work)
        said = act(agent)
        agent.close()
        return f"{said} {json.dumps(agent.history)}"
    finally:
        manager.shutdown()


def sequential(place):
    return with_agent(place, ScriptedModel([ScriptStep(tools=(TOUCH,)), DONE]), lambda agent: agent.run_turn("go"))


def parallel(place):
    model = ScriptedModel([ScriptStep(tools=(TOUCH, ScriptedCall("read_file", {"path": "x"}), TOUCH)), DONE])
    return with_agent(place, model, lambda agent: agent.run_turn("go"))


def child(place):
    seen = []
    model = ScriptedModel(
        [ScriptStep(tools=(ScriptedCall("delegate_task", {"goal": "child"}),)), DONE],
        children={"child": [ScriptStep(tools=(TOUCH,)), ScriptStep(say="found", sees=("denied by the policy",))]},
    )
    said = with_agent(place, model, lambda agent: seen.append(agent.run_turn("go")))
    assert model.mismatches == [], "the child's model was told"
    return f"{said} denied by the policy"


def dispatch_tool(place):
    return with_agent(place, ScriptedModel(), lambda agent: agent.dispatch_tool("terminal", dict(TOUCH.args)))


def dispatch_tool_of_a_hook(place):
    place.plugin()
    said = with_agent(place, ScriptedModel([DONE]), lambda agent: agent.run_turn("go"))
    return f"{said} denied by the policy"


def slash_command(place):
    place.plugin()
    return with_agent(place, ScriptedModel(), lambda agent: run_command(agent, "/touch").text)


class Adapter:
    """A platform that knows its users and keeps what it is to say."""

    name = "desk"
    enforces_own_access_policy = True

    def __init__(self):
        self.said = asyncio.Queue()

    async def start(self, gateway):
        self.gateway = gateway

    async def stop(self):
        pass

    async def send(self, chat_id, text, **more):
        self.said.put_nowait(text)
        return SendResult(ok=True)


def with_gateway(place, act):
    """Start a gateway, let `act` use it, and return what its model was told."""
    seen = ScriptStep(say="done", sees=("denied by the policy",))
    model = ScriptedModel([ScriptStep(tools=(TOUCH,)), seen])
    manager = PluginManager(place.home, entry_points=False)

    async def run():
        manager.discover_and_load()
        adapter = Adapter()
        runner = GatewayRunner(manager, lambda: model, adapters=[adapter], workdir=place.work)
        await runner.start()
        said = await act(runner, adapter)
        await runner.stop()
        return said

    try:
        with patch.dict(os.environ, HERMES_HOME=str(place.home)):
            said = asyncio.run(run())
    finally:
        manager.shutdown()
    assert said == "done"
    return "; ".join(model.mismatches) or "denied by the policy"


def gateway_turn(place):
    async def act(runner, adapter):
        await runner.receive(MessageEvent("go", Source("desk", "c1", user_id="u1")))
        return await asyncio.wait_for(adapter.said.get(), 60)

    return with_gateway(place, act)


def agent_of_a_gateway_hook(place):
    directory = place.home / "hooks" / "boot"
    directory.mkdir(parents=True)
    (directory / "HOOK.yaml").write_text("events: command:go\n")
    (directory / "handler.py").write_text(
        "from run_agent import AIAgent\ndef handle(e, c):\n    return AIAgent().chat('go')\n"
    )

    async def act(runner, adapter):
        [answer] = await runner.hooks.ask("command:go", patience=60)
        return answer.value

    return with_gateway(place, act)


def played_script(place):
    manager = PluginManager(place.home, entry_points=False)
    try:
        result = play(manager, load_session(place.file("s.yaml", SCRIPT)), workdir=place.work)
    finally:
        manager.shutdown()
    return f"{result.statuses} denied by the policy" if result.statuses == {"blocked": 1} else str(result.statuses)


def command_run(place):
    return place.program("run", str(place.file("s.yaml", SCRIPT)))


def command_run_live(place):
    return place.program("run", str(place.file("s.json", json.dumps(TRANSCRIPT))), "--live")


def command_chat(place):
    return place.program("chat", "--script", str(place.file("s.yaml", SCRIPT)), stdin="go\n/exit\n")


WAYS = {
    "sequential": sequential,
    "parallel": parallel,
    "child agent": child,
    "dispatch_tool": dispatch_tool,
    "dispatch_tool of a hook": dispatch_tool_of_a_hook,
    "slash command": slash_command,
    "gateway turn": gateway_turn,
    "agent of a gateway hook": agent_of_a_gateway_hook,
    "played script": played_script,
    "hermes-sdk run": command_run,
    "hermes-sdk run --live": command_run_live,
    "hermes-sdk chat": command_chat,
}


@pytest.mark.parametrize("way", WAYS)
def test_cf1_the_script_blocks_on_every_way(place, way):
    assert "denied by the policy" in WAYS[way](place)
    assert not (place.work / "ran").exists()


@pytest.mark.parametrize("way", ["sequential", "slash command", "hermes-sdk run"])
def test_cf1_without_the_policy_the_tool_runs(place, way):
    (place.home / "config.yaml").write_text("{}\n")
    WAYS[way](place)
    assert (place.work / "ran").exists()


def test_cf1_every_module_that_makes_an_agent_is_in_the_table():
    root = Path(hermes_sdk.__file__).parents[1]
    found = set()
    for path in (root / "hermes_sdk").rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
        if any(isinstance(call.func, ast.Name) and call.func.id == "Agent" for call in calls):
            found.add(path.relative_to(root).as_posix())
    assert found == set(STARTS_AGENTS)
    assert set(STARTS_AGENTS.values()) <= set(WAYS)
