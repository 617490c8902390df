"""`plugins list` as data: no plugin is imported, and not pluggy either."""

import json
import subprocess
import sys

from hermes_sdk.plugins.listing import list_installed
from hermes_sdk.plugins.survey import Sources


def test_rows_without_a_manager_have_the_keys_of_those_with_one(plugin_home):
    plugin_home.plugin("a", manifest="provides_hooks: [pre_tool_call]\nprovides_tools: [t]\nfail_closed: true\n")
    plugin_home.plugin("b", manifest="name: [\n")
    rows, problems = list_installed(plugin_home.path, Sources(plugin_home.builtin, None, entry_points=False))
    managed = plugin_home.loaded().list_plugins()
    assert set(rows[0]) <= set(managed[0])
    assert [(row["key"], row["status"], row["order"]) for row in rows] == [
        ("a", "enabled", 1),
        ("b", "broken manifest", None),
    ]
    assert (rows[0]["hooks"], rows[0]["tools"], rows[0]["fail_closed"]) == (["pre_tool_call"], ["t"], ["pre_tool_call"])
    assert problems == []


def test_listing_imports_neither_plugins_nor_anything_slow(plugin_home):
    plugin_home.plugin("a", "raise SystemExit('imported')\n")
    code = (
        "import json, pathlib, sys\n"
        "from hermes_sdk.plugins.listing import list_installed\n"
        f"rows, _ = list_installed(pathlib.Path({str(plugin_home.path)!r}))\n"
        "slow = ('pluggy', 'pydantic', 'asyncio', 'rich', 'typer', 'difflib')\n"
        "keys = [row['key'] for row in rows if row['source'] == 'user']\n"
        "print(json.dumps([keys, [name for name in slow if name in sys.modules]]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [["a"], []]
