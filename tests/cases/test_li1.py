"""LI1: one entry-point plugin that fails to import makes the host unusable."""

import subprocess
import sys

import pytest

HOST = """
import sys
from hermes_sdk import PluginManager
manager = PluginManager(sys.argv[1], strict=sys.argv[2] == "strict")
manager.discover_and_load()
print(*manager.plugins)
"""


@pytest.fixture
def both(plugin_home, installed, tmp_path):
    """A home with both plugins installed, and where they are installed."""
    group = "hermes_agent.plugins"
    installed(
        "bad-ep", "0.4.2", {"bad_ep": 'raise ImportError("libfoo.so: cannot open")\n'}, {group: {"bad": "bad_ep"}}
    )
    good = 'def register(ctx):\n    ctx.register_hook("post_tool_call", lambda **k: None)\n'
    installed("good-ep", "1.0", {"good_ep": good}, {group: {"good": "good_ep"}})
    plugin_home.config("plugins: {enabled: [bad, good]}\n")
    return plugin_home, str(tmp_path / "site")


def test_li1_the_good_one_works_and_the_bad_one_is_listed_with_its_distribution(both, row_of):
    home, _ = both
    manager = home.loaded(entry_points=True)
    assert [plugin for plugin, _, _ in manager.calling_order("post_tool_call")] == ["good"]
    row = row_of(manager, "bad")
    assert (row["status"], row["distribution"], row["version"]) == ("failed", "bad-ep", "0.4.2")
    assert "ImportError: libfoo.so: cannot open" in row["why"]


@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_li1_the_host_lives_unless_it_is_strict(both, mode):
    home, site = both
    done = subprocess.run(
        [sys.executable, "-c", HOST, str(home.path), mode],
        capture_output=True, text=True, check=False, env={"PYTHONPATH": site},
    )  # fmt: skip
    if mode == "lenient":
        assert (done.returncode, done.stdout) == (0, "good\n")
    else:
        assert done.returncode != 0
        assert "'bad' (bad-ep 0.4.2)" in done.stderr
