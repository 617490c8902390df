"""`ctx.register_hookimpls` and `registrar`: implementations of an instance, and each function once."""

import pytest

from hermes_sdk.errors import PluginError

GUARD = """
from hermes_sdk import Block, hookimpl, registrar

class Guard:
    @hookimpl(tryfirst=True)
    def pre_tool_call(self, tool_name):
        return Block(f"{tool_name} is guarded")
"""


def test_a_registrar_hands_an_instance_to_pluggy(plugin_home):
    plugin_home.plugin("guard", GUARD + "register = registrar(Guard())\n")
    manager = plugin_home.loaded()

    assert manager.hook.pre_tool_call(tool_name="t", args={}).blocked_by("guard")
    (caller,) = manager.get_hookcallers(manager.get_plugin("guard"))
    assert [impl.tryfirst for impl in caller.get_hookimpls()] == [True]


def test_a_registrar_goes_with_a_register_of_ones_own(plugin_home):
    code = GUARD + (
        "hooks = registrar(Guard())\n"
        "def register(ctx):\n"
        "    hooks(ctx)\n"
        "    ctx.register_command('guard', lambda text: 'on guard')\n"
    )
    plugin_home.plugin("guard", code)
    manager = plugin_home.loaded()

    assert manager.hook.pre_tool_call(tool_name="t", args={}).blocked
    assert list(manager.registrations.commands) == ["guard"]


def test_functions_of_the_module_count_once_wherever_they_come_from(plugin_home):
    hooks = """
        from hermes_sdk import hookimpl, registrar

        SEEN = []

        @hookimpl
        def on_session_start(session_id):
            SEEN.append(session_id)

        register = registrar(__name__)
        """
    plugin_home.plugin("here", hooks)
    plugin_home.plugin("elsewhere", "from .hooks import SEEN, on_session_start, register\n", hooks=hooks)
    manager = plugin_home.loaded()
    manager.hook.on_session_start(session_id="s", model="m", platform="cli")

    assert [manager.plugins[name].module.SEEN for name in ("here", "elsewhere")] == [["s"], ["s"]]


def test_two_that_implement_the_same_are_refused(plugin_home, row_of):
    plugin_home.plugin("guard", GUARD + "register = lambda ctx: [registrar(Guard())(ctx) for _ in range(2)]\n")
    manager = plugin_home.loaded()

    row = row_of(manager, "guard")
    assert row["status"] == "failed"
    assert "implements 'pre_tool_call' twice" in row["why"]


def test_after_register_it_is_too_late(plugin_home):
    plugin_home.plugin("guard")
    context = plugin_home.loaded().plugins["guard"].context

    with pytest.raises(PluginError, match="too late") as raised:
        context.register_hookimpls(object())
    assert raised.value.code == "HS243"
