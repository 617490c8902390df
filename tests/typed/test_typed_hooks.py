"""What type checkers say of plugins, in both directions; and that nothing of it is there at run time."""

import json
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from hermes_hookspecs import Block, typed
from hermes_hookspecs.contract import HOOKS
from hermes_hookspecs.markers import impl_notes

SAMPLES = Path(__file__).parent / "samples"
WRONG = (SAMPLES / "wrong.py").read_text("utf-8").splitlines()
MARKED = {number for number, line in enumerate(WRONG, start=1) if "# error" in line}


def mypy():
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
        "right.py",
        "wrong.py",
    ]
    out = subprocess.run(command, cwd=SAMPLES, capture_output=True, text=True, check=False).stdout
    return [(file, int(line)) for file, line in re.findall(r"^(\w+\.py):(\d+): error", out, re.MULTILINE)]


def pyright():
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "right.py", "wrong.py"]
    out = subprocess.run(command, cwd=SAMPLES, capture_output=True, text=True, check=False).stdout
    found = json.loads(out)["generalDiagnostics"]
    return [(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in found]


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_what_is_right_passes_and_what_is_wrong_is_an_error_in_its_line(checker):
    found = checker()
    assert {line for file, line in found if file == "right.py"} == set()
    assert {line for file, line in found if file == "wrong.py"} == MARKED


def test_at_run_time_a_marked_function_is_an_implementation_of_its_hook(manager):
    plugin = types.ModuleType("plugin")

    @typed.pre_tool_call(fail_closed=True)
    def guard(tool_name, **kwargs):
        return Block("no") if tool_name == "deploy" else None

    @typed.transform_tool_result
    def mask(result, **kwargs):
        return result.upper()

    plugin.guard, plugin.mask = guard, mask
    assert impl_notes(guard).fail_closed
    manager.register(plugin, "typed")
    assert manager.hook.pre_tool_call(tool_name="deploy", args={}).blocked_by("typed")
    assert manager.hook.transform_tool_result(tool_name="t", arguments={}, result="a").value == "A"


def test_the_base_class_is_empty_at_run_time(manager):
    class Plugin(typed.Hooks):
        """Implements nothing."""

    manager.register(Plugin(), "nothing")
    assert manager.get_hookcallers(manager.get_plugin("nothing")) == []


def test_every_hook_has_a_marker_and_no_other():
    assert set(dir(typed)) == {"Context", "Hooks", *HOOKS}
    assert all(callable(getattr(typed, name)) for name in HOOKS)
    with pytest.raises(AttributeError, match="has no attribute 'pre_tool_cal'"):
        typed.pre_tool_cal  # noqa: B018 - the look is the test
