"""LI2: SystemExit from plugin code ends the host; stray files such as setup.py get executed (plugins)."""

import pytest

CALL = {"tool_name": "t", "args": {}}


@pytest.fixture
def home(plugin_home):
    plugin_home.plugin("x", "def register(ctx): ...\n", "name: x\n", setup="import sys; sys.exit(1)\n")
    return plugin_home


@pytest.mark.parametrize("manifest", ["name: y\n", ""], ids=["with manifest", "as in the report"])
def test_li2_an_exit_at_import_is_a_failure_of_that_plugin(home, row_of, manifest):
    home.plugin("y", "import sys; sys.exit(3)\n", manifest)
    manager = home.loaded()
    assert list(manager.plugins) == ["x"]
    row = row_of(manager, "y")
    if manifest:
        assert row["status"] == "failed"
        assert "SystemExit: 3" in row["why"]
    else:
        assert (row["enabled"], row["status"]) == (False, "broken manifest")


def test_li2_an_exit_in_register_is_a_failure_of_that_plugin(home, row_of):
    home.plugin("y", "import sys\ndef register(ctx): sys.exit(3)\n")
    assert row_of(home.loaded(), "y")["status"] == "failed"


@pytest.mark.parametrize("declared", [True, False])
def test_li2_an_exit_in_a_callback_is_contained_and_a_gate_blocks(home, declared):
    code = "import sys\ndef register(ctx): ctx.register_hook('pre_tool_call', lambda **kw: sys.exit(5))\n"
    home.plugin("y", code, f"fail_closed: {str(declared).lower()}\n")
    assert home.loaded().hook.pre_tool_call(**CALL).blocked is declared


def test_li2_ctrl_c_in_a_callback_is_the_user_s(home):
    home.plugin("y", "def f(**kw): raise KeyboardInterrupt\ndef register(ctx): ctx.register_hook('pre_tool_call', f)\n")
    manager = home.loaded()
    with pytest.raises(KeyboardInterrupt):
        manager.hook.pre_tool_call(**CALL)
