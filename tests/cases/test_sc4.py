"""SC4: one plugin declares an argument that the spec no longer has, and validation aborts the whole host."""

import pytest

from hermes_sdk.errors import StrictError

BAD = """
from hermes_sdk import hookimpl
@hookimpl
def post_tool_call(tool_name, resul): ...
"""
GOOD = """
from hermes_sdk import hookimpl
rows = []
@hookimpl
def post_tool_call(tool_name):
    rows.append(tool_name)
"""


@pytest.mark.parametrize(("bad", "good"), [("a_bad", "b_good"), ("b_bad", "a_good")])
def test_sc4_the_bad_plugin_is_refused_with_the_nearest_name_and_the_good_one_works(plugin_home, row_of, bad, good):
    plugin_home.plugin(bad, BAD)
    plugin_home.plugin(good, GOOD)
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(tool_name="t", args={}, result="", duration_ms=1)
    assert manager.plugins[good].module.rows == ["t"]
    row = row_of(manager, bad)
    assert row["status"] == "refused"
    for part in (bad, "post_tool_call", "'result', not 'resul'"):
        assert part in row["why"]


def test_sc4_strict_mode_turns_it_into_a_hard_failure(plugin_home):
    plugin_home.plugin("bad", BAD)
    with pytest.raises(StrictError, match="resul"):
        plugin_home.loaded(strict=True)
