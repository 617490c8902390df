"""Every hook has its page, and every page says what the spec says."""

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_hookspecs import HOOKS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference" / "hooks"


def test_there_is_a_page_for_every_hook_and_no_other():
    assert {path.stem for path in PAGES.glob("*.md")} == {*HOOKS, "index"}


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_a_page_stands_under_the_exact_signature(hook):
    text = (PAGES / f"{hook.name}.md").read_text("utf-8")
    (heading,) = [line for line in text.splitlines() if line.startswith("# ")]
    assert heading == f"# {hook.name}({', '.join(argument.name for argument in hook.arguments)})"
    arguments = "".join(f"    {argument},\n" for argument in hook.arguments).replace("'", '"')
    assert f"\ndef {hook.name}(\n{arguments}) -> {hook.returns}\n" in text


def test_the_committed_pages_are_the_generated_ones():
    command = [sys.executable, ROOT / "docs" / "generate", "--check", "hooks"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_check_names_what_is_out_of_date_and_writes_nothing(checkout, run):
    assert run("hooks").returncode == 0
    assert run("--check", "hooks").returncode == 0
    pages = checkout / "docs" / "reference" / "hooks"
    (pages / "pre_tool_call.md").write_text("changed", "utf-8")
    (pages / "pre_verify.md").unlink()
    (pages / "no_hook_any_more.md").touch()
    done = run("--check", "hooks")
    assert done.returncode == 1
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [
        "docs/reference/hooks/pre_tool_call.md",
        "docs/reference/hooks/pre_verify.md",
        "docs/reference/hooks/no_hook_any_more.md",
    ]
    assert (pages / "pre_tool_call.md").read_text("utf-8") == "changed"


def test_writing_repairs_and_removes(checkout, run):
    run("hooks")
    pages = checkout / "docs" / "reference" / "hooks"
    before = (pages / "pre_tool_call.md").read_text("utf-8")
    (pages / "pre_tool_call.md").write_text("changed", "utf-8")
    (pages / "no_hook_any_more.md").touch()
    assert run("hooks").returncode == 0
    assert (pages / "pre_tool_call.md").read_text("utf-8") == before
    assert not (pages / "no_hook_any_more.md").exists()


def test_unknown_pages_are_refused(run):
    done = run("--check", "hook")
    assert done.returncode == 2
    assert "unknown pages hook; there are hooks, " in done.stderr
