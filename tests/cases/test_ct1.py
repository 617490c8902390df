"""CT1: consent is bound to the command only; the script behind it can be edited and stays trusted.

That is what the seed says, and the default. With `hooks_trust: content` other content does not run: found by content
right before the start, until somebody approves it.
"""

import logging
import os
import time

import pytest

from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.listing import Consent, list_hooks

OLD = "cat >/dev/null\necho '{}'\n"
NEW = """cat >/dev/null\necho '{"action": "block", "message": "new content ran"}'\n"""


@pytest.fixture
def home(shell_home):
    """A home with one approved script."""

    def home(**config):
        entry = {"command": shell_home.script("h.sh", OLD)} | config.pop("entry", {})
        shell_home.hooks({"pre_tool_call": [entry]}, **config)
        return shell_home

    return home


def verdict(manager):
    return manager.hook.pre_tool_call(tool_name="terminal", args={})[:2]


def consent(home):
    return [listed.consent for listed in list_hooks(home.path).entries]


def test_ct1_by_default_an_edit_stays_trusted_and_the_list_shows_it(home):
    """Seed S34, K21."""
    home = home()
    manager, _ = home.start()
    home.script("h.sh", NEW)
    assert verdict(manager) == ("block", "new content ran")
    assert consent(home) == [Consent.CHANGED]
    again, _ = home.start(accept=False)
    assert verdict(again) == ("block", "new content ran")


def test_ct1_with_content_trust_other_content_does_not_run(home, caplog):
    home = home(hooks_trust="content")
    manager, _ = home.start()
    assert verdict(manager) == ("run", None)
    home.script("h.sh", NEW)
    with caplog.at_level(logging.WARNING):
        assert [verdict(manager) for _ in range(3)] == [("run", None)] * 3
    (record,) = caplog.records
    assert "it changed since it was approved; read it, then run: hermes-sdk hooks approve" in record.getMessage()
    assert consent(home) == [Consent.CHANGED]

    again, in_force = home.start(accept=False)
    assert verdict(again) == ("run", None)
    assert "it changed since it was approved" in in_force.not_in_order()[0]

    Allowlist(home.path).approve(in_force.entries)  # what `hooks approve` does
    assert consent(home) == [Consent.APPROVED]
    assert verdict(again) == ("block", "new content ran")
    assert verdict(manager) == ("block", "new content ran")


def test_ct1_a_suspended_gate_blocks(home):
    home = home(hooks_trust="content", entry={"fail_closed": True})
    manager, _ = home.start()
    assert verdict(manager) == ("run", None)
    home.script("h.sh", NEW)
    action, message = verdict(manager)
    assert action == "block"
    assert "it changed since it was approved" in message


def test_ct1_touching_the_file_changes_nothing(home, tmp_path):
    home = home(hooks_trust="content", entry={"fail_closed": True})
    manager, _ = home.start()
    os.utime(tmp_path / "h.sh", (time.time() + 1000, time.time() + 1000))
    assert verdict(manager) == ("run", None)


def test_ct1_every_argument_that_names_a_file_is_bound(shell_home, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("old")
    script = shell_home.script("h.sh", OLD)
    entries = [{"command": f"sh {script} --rules={rules} {rules}", "fail_closed": True}]
    shell_home.hooks({"pre_tool_call": entries}, hooks_trust="content")
    manager, _ = shell_home.start()
    assert verdict(manager) == ("run", None)
    rules.write_text("new")
    assert verdict(manager)[0] == "block"
    rules.write_text("old")
    assert verdict(manager) == ("run", None)
    shell_home.script("h.sh", NEW)
    assert verdict(manager)[0] == "block"


def test_ct1_a_file_of_the_working_directory_cannot_take_the_place_of_a_script(shell_home, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    shell_home.hooks({"pre_tool_call": [{"command": "sh check.sh", "fail_closed": True}]}, hooks_trust="content")
    manager, _ = shell_home.start(cwd=work)
    (work / "check.sh").write_text(f"touch {tmp_path}/ran\n")
    assert "it changed since it was approved" in verdict(manager)[1]
    assert not (tmp_path / "ran").exists()


def test_ct1_an_approval_by_hand_says_nothing_about_content(home):
    home = home(hooks_trust="content", entry={"fail_closed": True})
    command = list_hooks(home.path).entries[0].entry.command
    Allowlist(home.path).path.write_text(f'{{"approvals": [{{"event": "pre_tool_call", "command": "{command}"}}]}}')
    manager, in_force = home.start(accept=False)
    assert "its approval does not say of which content" in verdict(manager)[1]
    Allowlist(home.path).approve(in_force.entries)
    assert verdict(manager) == ("run", None)
