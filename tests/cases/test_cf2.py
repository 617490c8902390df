"""CF2: post_tool_call does not fire for tools that the loop runs itself.

Every kind of call has exactly one pre_tool_call and one post_tool_call with the same id, and the post carries how it
ended; transform_tool_result covers the same set.
"""

import json
from collections import Counter

import pytest

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.plugins.manager import PluginManager

OBSERVER = """
calls = []
HOOKS = ("pre_tool_call", "post_tool_call", "transform_tool_result")
def register(ctx):
    for hook in HOOKS:
        ctx.register_hook(hook, lambda hook=hook, tool_name="", **k:
            calls.append((hook, tool_name, k.get("tool_call_id"), k.get("status"))))
    def guard(tool_name="", args=None, **k):
        if "blocked" in str(args):
            return {"action": "block", "message": "no"}
        if "ctrl-c" in str(args):
            raise KeyboardInterrupt
    ctx.register_hook("pre_tool_call", guard)
    schema = {"name": "plugin_tool", "description": "", "parameters": {}}
    ctx.register_tool("plugin_tool", "obs", schema, lambda args, **k: "{}" if args else str(1 / 0))
    ctx.register_command("rows", lambda args: __import__("json").dumps(calls))
"""

KINDS = {
    "terminal": ("terminal", {"command": "true"}, "ok"),
    "a failing command": ("terminal", {"command": "exit 1"}, "ok"),
    "a timeout": ("terminal", {"command": "sleep 60", "timeout": 0.1}, "timeout"),
    "background": ("terminal", {"command": "true", "background": True}, "ok"),
    "process": ("process", {"action": "list"}, "ok"),
    "read_file": ("read_file", {"path": "a.txt"}, "ok"),
    "a failing read": ("read_file", {"path": "nothing.txt"}, "error"),
    "write_file": ("write_file", {"path": "b.txt", "content": "b"}, "ok"),
    "patch": ("patch", {"path": "a.txt", "old_string": "alpha", "new_string": "beta"}, "ok"),
    "search_files": ("search_files", {"pattern": "alpha"}, "ok"),
    "delegate_task": ("delegate_task", {"goal": "child"}, "ok"),
    "a plugin's tool": ("plugin_tool", {"x": 1}, "ok"),
    "a plugin's failing tool": ("plugin_tool", {}, "error"),
    "a blocked call": ("terminal", {"command": "echo blocked"}, "blocked"),
    "a refused command": ("terminal", {"command": "rm -rf a.txt"}, "blocked"),
    "an unknown tool": ("memory", {}, "error"),
    "unusable arguments": ("terminal", {"command": 3}, "error"),
    "a cancelled call": ("terminal", {"command": "echo ctrl-c"}, "cancelled"),
}
PATHS = ("alone", "in a batch", "by dispatch_tool")


@pytest.fixture
def play(tmp_path):
    """Return a function that takes one kind of call along one path and gives the rows of the observer."""
    home, work = tmp_path / "home", tmp_path / "work"
    plugin = home / "plugins" / "obs"
    plugin.mkdir(parents=True)
    work.mkdir()
    (work / "a.txt").write_text("alpha\n")
    (plugin / "plugin.yaml").write_text("name: obs\n")
    (plugin / "__init__.py").write_text(OBSERVER)
    manager = PluginManager(home, entry_points=False)
    manager.discover_and_load()

    def play(name, args, path):
        calls = [ScriptedCall(name, args)]
        if path == "in a batch":
            calls += [ScriptedCall("read_file", {"path": "a.txt"})] * 2
        model = ScriptedModel(
            [ScriptStep(tools=tuple(calls)), ScriptStep(say="done")], children={"child": [ScriptStep(say="done")]}
        )
        agent = Agent(manager, model, workdir=work)
        try:
            if path == "by dispatch_tool":
                with pytest.raises(KeyboardInterrupt) if "ctrl-c" in str(args) else _nothing():
                    agent.dispatch_tool(name, args)
            else:
                agent.run_turn("go")
        finally:
            agent.close()
        return json.loads(manager.registrations.commands["rows"].handler(""))

    yield play
    manager.shutdown()


class _nothing:  # noqa: N801 - stands where pytest.raises stands
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_cf2_each_call_has_one_of_each_hook_and_says_how_it_ended(play, kind, path):
    name, args, status = KINDS[kind]
    rows = play(name, args, path)
    by_call = {}
    for hook, tool, call_id, ended in rows:
        by_call.setdefault((tool, call_id), []).append((hook, ended))
    assert all(call_id for _, call_id in by_call)
    for (tool, _), hooks in by_call.items():
        counted = Counter(hook for hook, _ in hooks)
        assert counted == {"pre_tool_call": 1, "post_tool_call": 1, "transform_tool_result": 1}, (tool, hooks)
    first = rows[0][2]
    assert {ended for hook, _, call_id, ended in rows if call_id == first and hook != "pre_tool_call"} == {status}
    assert len(by_call) == (3 if path == "in a batch" else 1)
