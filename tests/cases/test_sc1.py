"""SC1: pluggy passes neither parameters with defaults nor **kwargs, so Hermes-style callbacks run and see nothing."""

import pytest

LOG = """
seen = []
def cb(tool_name="", args=None, result=None, **kw):
    seen.append((tool_name, args, result, sorted(kw)))
def register(ctx):
    ctx.register_hook("post_tool_call", cb)
"""
MARKED = """
from hermes_sdk import hookimpl
seen = []
@hookimpl
def post_tool_call(tool_name="", args=None, result=None, **kw):
    seen.append((tool_name, args, result, sorted(kw)))
"""


@pytest.mark.parametrize("code", [LOG, MARKED], ids=["register_hook", "hookimpl"])
def test_sc1_defaulted_parameters_and_kwargs_are_filled(plugin_home, code):
    """Seed P4 and P5."""
    plugin_home.plugin("log", code)
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(
        tool_name="terminal", args={"command": "ls"}, result="ok", session_id="S", duration_ms=1
    )
    ((tool_name, args, result, rest),) = manager.plugins["log"].module.seen
    assert (tool_name, args, result) == ("terminal", {"command": "ls"}, "ok")
    assert {"session_id", "duration_ms", "tool_call_id", "status"} <= set(rest)
    assert not {"tool_name", "args", "result"} & set(rest)
