"""LI4: registering an object evaluates its properties and descriptors, with side effects or errors."""

import pytest

from hermes_sdk.errors import PluginError

CODE = """
from hermes_sdk import hookimpl
rows = []
class P:
    @property
    def db(self):
        rows.append("connected")
        raise RuntimeError("connected too early")
    @hookimpl
    def post_tool_call(self, tool_name):
        rows.append(tool_name)
class Assigned(P):
    def __init__(self):
        @hookimpl
        def on_session_end(session_id):
            rows.append(session_id)
        self.on_session_end = on_session_end
plugin = P()
assigned = Assigned()
def register(ctx): ...
"""
TOOL = {"tool_name": "t", "args": {}, "result": "", "duration_ms": 1}
END = {"session_id": "s", "completed": True, "interrupted": False, "model": "m", "platform": "cli"}


@pytest.fixture
def module(plugin_home):
    """The code of the report, as a module."""
    plugin_home.plugin("p", CODE)
    return plugin_home.loaded().plugins["p"].module


def test_li4_an_instance_registers_and_its_property_is_not_evaluated(module, plugin_home):
    manager = plugin_home.manager()
    manager.register(module.plugin)
    manager.hook.post_tool_call(**TOOL)
    assert module.rows == ["t"]


def test_li4_a_class_is_refused_at_registration_with_the_way_out(module, plugin_home):
    with pytest.raises(PluginError, match="pass an instance"):
        plugin_home.manager().register(module.P)


def test_li4_a_hookimpl_assigned_in_init_counts(module, plugin_home):
    manager = plugin_home.manager()
    manager.register(module.assigned)
    manager.hook.on_session_end(**END)
    manager.hook.post_tool_call(**TOOL)
    assert module.rows == ["s", "t"]


@pytest.mark.parametrize(("target", "status"), [("p_ep:plugin", "loaded"), ("p_ep:P", "refused")])
def test_li4_the_same_holds_for_what_an_entry_point_names(plugin_home, installed, row_of, target, status):
    installed("p-dist", "1", {"p_ep": CODE}, {"hermes_agent.plugins": {"p": target}})
    plugin_home.config("plugins: {enabled: [p]}\n")
    row = row_of(plugin_home.loaded(entry_points=True), "p")
    assert row["status"] == status
    assert status == "loaded" or "pass an instance" in row["why"]
