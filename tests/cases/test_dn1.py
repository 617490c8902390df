"""DN1: the loader knows pip entry points, the list and enable commands do not (or the reverse)."""

import sys

import pytest

from hermes_sdk.plugins.enabling import disable, enable
from hermes_sdk.plugins.listing import list_installed
from hermes_sdk.plugins.survey import Sources


@pytest.fixture
def demo(plugin_home, installed):
    """A home beside an installed distribution ``hermes-demo`` 1.2 with the entry point ``demo``."""
    installed("hermes-demo", "1.2", {"hermes_demo": "def register(ctx): ...\n"},
              {"hermes_agent.plugins": {"demo": "hermes_demo"}})  # fmt: skip
    plugin_home.config("plugins: {enabled: []}\n")
    return plugin_home


def listed(home):
    rows, _ = list_installed(home.path, Sources(home.builtin))
    (row,) = (row for row in rows if row["key"] == "demo")
    return row


def test_dn1_it_is_listed_with_source_distribution_and_version(demo):
    row = listed(demo)
    assert (row["source"], row["distribution"], row["version"]) == ("entrypoint", "hermes-demo", "1.2")
    assert row["status"] == "not enabled"
    assert "hermes_demo" not in sys.modules


def test_dn1_enable_and_disable_work_by_its_name_and_it_is_imported_only_when_loaded(demo):
    candidates = demo.manager(entry_points=True).discover()
    enable(demo.path, "demo", candidates)
    assert listed(demo)["status"] == "enabled"
    assert "hermes_demo" not in sys.modules
    disable(demo.path, "demo", candidates)
    assert listed(demo)["status"] == "disabled"
    assert demo.loaded(entry_points=True).plugins == {}
    assert "hermes_demo" not in sys.modules
    enable(demo.path, "demo", candidates)
    assert list(demo.loaded(entry_points=True).plugins) == ["demo"]
    assert "hermes_demo" in sys.modules
