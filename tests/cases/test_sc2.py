"""SC2: a host upgrade adds a keyword, and callbacks with a fixed signature raise on every call."""

import logging

OLD = """
got = []
def cb(tool_name, args):
    got.append((tool_name, args))
    return {"action":"block","message":"old but valid"}
def register(ctx):
    ctx.register_hook("pre_tool_call", cb)
"""


def test_sc2_a_fixed_signature_gets_what_it_declares_with_one_note_at_load(plugin_home, caplog):
    """Seed H1.4."""
    directory = plugin_home.plugin("old", OLD)
    with caplog.at_level(logging.INFO):
        manager = plugin_home.loaded()
        (note,) = [record.getMessage() for record in caplog.records if "**kwargs" in record.getMessage()]
        assert "'old'" in note
        assert f"pre_tool_call at {directory / '__init__.py'}:3" in note
        caplog.clear()
        for _ in range(3):
            decision = manager.hook.pre_tool_call(
                tool_name="terminal", args={"command": "ls"}, session_id="S", turn_id="T", future_field=1
            )
            assert (decision.action, decision.message) == ("block", "old but valid")
        assert caplog.records == []
    assert manager.plugins["old"].module.got == [("terminal", {"command": "ls"})] * 3
    assert not manager.failures
