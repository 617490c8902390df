"""Importing the contract costs pluggy and nothing else."""

import subprocess
import sys

LIST_MODULES = "import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"


def _modules_after(module):
    command = [sys.executable, "-c", LIST_MODULES.format(module=module)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_contract_needs_pluggy_only():
    added = _modules_after("hermes_hookspecs") - _modules_after("sys")
    foreign = added - sys.stdlib_module_names - {"hermes_hookspecs", "pluggy", "_distutils_hack"}
    assert not {name for name in foreign if not name.startswith("__editable__")}


def test_importing_the_contract_loads_nothing_heavy():
    beyond_pluggy = _modules_after("hermes_hookspecs") - _modules_after("pluggy")
    assert not beyond_pluggy & {
        "asyncio",
        "difflib",
        "email",
        "importlib_metadata",
        "json",
        "logging",
        "yaml",
    }
