"""Who may run: the allowlist, the question at a start, and what approves without one (semantics 8.6)."""

import errno
import json
import logging
import random
import signal
import subprocess
import sys
import time
from datetime import datetime

import pytest

from hermes_sdk.shell_hooks.consent import FILE_NAME, Allowlist
from hermes_sdk.shell_hooks.entries import ShellEntry

CALL = {"tool_name": "terminal", "args": {}}


def entry(command, event="pre_tool_call"):
    return ShellEntry(event, 0, "config.yaml:1:1", command, argv=(command,))


def on_disk(home):
    return json.loads((home / FILE_NAME).read_text("utf-8"))


@pytest.fixture
def blocking(shell_home):
    """A home with one script that blocks, not approved."""
    shell_home.command = shell_home.answering("deny.sh", '{"action": "block", "message": "no"}')
    shell_home.hooks({"pre_tool_call": [{"command": shell_home.command}]})
    return shell_home


# -- the file ----------------------------------------------------------------------------------------------------------


def test_an_approval_is_stored_as_the_seed_describes_it(shell_home, tmp_path):
    """Seed S31, K17."""
    script = shell_home.script("h.sh", "exit 0")
    Allowlist(shell_home.path).approve([entry(script)])
    (item,) = on_disk(shell_home.path)["approvals"]
    assert (item["event"], item["command"]) == ("pre_tool_call", script)
    assert item["approved_at"].endswith("Z")
    datetime.fromisoformat(item["approved_at"])
    stamp = datetime.fromisoformat(item["script_mtime_at_approval"])
    assert stamp.timestamp() == pytest.approx((tmp_path / "h.sh").stat().st_mtime, abs=0.001)
    assert (shell_home.path / FILE_NAME).stat().st_mode & 0o077 == 0


def test_an_entry_written_by_hand_needs_event_and_command_only(blocking):
    """Seed K18."""
    item = {"event": "pre_tool_call", "command": blocking.command}
    (blocking.path / FILE_NAME).write_text(json.dumps({"approvals": [item]}))
    manager, in_force = blocking.start(accept=False)
    assert in_force.unapproved == []
    assert manager.hook.pre_tool_call(**CALL).blocked


def test_consent_is_for_the_exact_pair(blocking):
    """Seed S31: (event, command)."""
    for item in (
        {"event": "post_tool_call", "command": blocking.command},
        {"event": "pre_tool_call", "command": blocking.command + " "},
    ):
        (blocking.path / FILE_NAME).write_text(json.dumps({"approvals": [item]}))
        manager, in_force = blocking.start(accept=False)
        assert [each.command for each in in_force.unapproved] == [blocking.command]
        assert manager.hook.pre_tool_call(**CALL).action == "run"


def test_unknown_keys_are_kept(shell_home):
    item = {"event": "pre_tool_call", "command": "a", "reviewed_by": "me"}
    (shell_home.path / FILE_NAME).write_text(json.dumps({"version": 3, "approvals": [item]}))
    allowlist = Allowlist(shell_home.path)
    allowlist.approve([entry("a"), entry("b")])
    document = on_disk(shell_home.path)
    assert document["version"] == 3
    assert [each["command"] for each in document["approvals"]] == ["a", "b"]
    assert document["approvals"][0]["reviewed_by"] == "me"
    assert document["approvals"][0]["approved_at"]


def test_revoking_takes_every_event_of_exactly_that_command(shell_home):
    """Seed S37, K14."""
    allowlist = Allowlist(shell_home.path)
    allowlist.approve([entry("~/a"), entry("~/a", "post_tool_call"), entry("~/a b")])
    assert {gone.event for gone in allowlist.revoke("~/a")} == {"pre_tool_call", "post_tool_call"}
    assert [known.command for known in allowlist.approvals()] == ["~/a b"]
    assert allowlist.revoke("~/a") == []


def test_a_running_host_keeps_its_hooks_and_the_next_one_has_them_no_more(blocking):
    """Seed S37: effective from the next start."""
    manager, in_force = blocking.start()
    in_force.allowlist.revoke(blocking.command)
    assert manager.hook.pre_tool_call(**CALL).blocked
    assert blocking.start(accept=False)[0].hook.pre_tool_call(**CALL).action == "run"


WRITER = """
import sys
from pathlib import Path
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.entries import ShellEntry

home, number = Path(sys.argv[1]), sys.argv[2]
allowlist = Allowlist(home)
sys.stdin.readline()
for turn in range(4):
    allowlist.approve([ShellEntry("pre_tool_call", 0, "", f"{number}-{turn}") for turn in range(turn + 1)])
    allowlist.revoke(f"{number}-{turn - 1}")
allowlist.revoke(f"kept-{number}")
"""


def test_fifty_processes_that_approve_and_revoke_at_once_lose_nothing(shell_home):
    Allowlist(shell_home.path).approve([entry(f"kept-{number}") for number in range(60)])
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(shell_home.path), str(number)], stdin=subprocess.PIPE)
        for number in range(50)
    ]
    for writer in writers:
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
    assert {writer.returncode for writer in writers} == {0}
    expected = {f"{number}-{turn}" for number in range(50) for turn in (0, 1, 3)} | {
        f"kept-{number}" for number in range(50, 60)
    }
    commands = [item["command"] for item in on_disk(shell_home.path)["approvals"]]
    assert len(commands) == len(set(commands))
    assert set(commands) == expected


ENDLESS = """
import sys
from pathlib import Path
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.entries import ShellEntry

allowlist = Allowlist(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    allowlist.approve([ShellEntry("pre_tool_call", 0, "", f"{n}" * 2000) for n in range(20)])
    for n in range(20):
        allowlist.revoke(f"{n}" * 2000)
"""


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(shell_home):
    allowlist = Allowlist(shell_home.path)
    allowlist.approve([entry("always")])
    seeded = random.Random(4)
    for _ in range(20):
        writer = subprocess.Popen([sys.executable, "-c", ENDLESS, str(shell_home.path)], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(seeded.uniform(0, 0.02))
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert allowlist.problem() == ""
        commands = [known.command for known in allowlist.approvals()]
        assert commands[0] == "always"
        assert all(command == command[:1] * 2000 or len(command) == 4000 for command in commands[1:])
    allowlist.approve([entry("afterwards")])  # the lock died with its holder
    assert "afterwards" in {known.command for known in allowlist.approvals()}


# -- the question, and what answers it ---------------------------------------------------------------------------------


def test_without_anybody_to_ask_an_entry_stays_out_with_a_warning(blocking, caplog):
    """Seed S33, K18."""
    with caplog.at_level(logging.WARNING):
        manager, in_force = blocking.start(accept=False)
    assert manager.hook.pre_tool_call(**CALL).action == "run"
    assert [each.command for each in in_force.unapproved] == [blocking.command]
    (record,) = caplog.records
    assert "is not registered: nobody approved it; run: hermes-sdk hooks approve" in record.getMessage()
    assert not (blocking.path / FILE_NAME).exists()


def test_a_person_is_asked_once_for_each_pair_and_the_answer_is_kept(shell_home):
    """Seed S31."""
    command = shell_home.answering("deny.sh", '{"action": "block"}')
    shell_home.hooks({"pre_tool_call": [{"command": command}, {"command": command, "matcher": "patch"}]})
    asked = []
    manager, _ = shell_home.start(accept=False, ask=lambda hook: asked.append(hook.command) or True)
    assert asked == [command]
    assert manager.hook.pre_tool_call(**CALL).blocked
    shell_home.start(accept=False, ask=lambda hook: pytest.fail(f"{hook.command} is approved"))


def test_a_person_may_refuse(blocking):
    manager, in_force = blocking.start(accept=False, ask=lambda _: False)
    assert manager.hook.pre_tool_call(**CALL).action == "run"
    assert len(in_force.unapproved) == 1
    assert not (blocking.path / FILE_NAME).exists()


@pytest.mark.parametrize("value", ["1", "true", "YES", "on"])
def test_the_environment_accepts_everything_found_at_this_start(blocking, monkeypatch, caplog, value):
    """Seed S32, K19."""
    monkeypatch.setenv("HERMES_ACCEPT_HOOKS", value)
    with caplog.at_level(logging.INFO):
        manager, _ = blocking.start(accept=False)
    assert manager.hook.pre_tool_call(**CALL).blocked
    assert [item["command"] for item in on_disk(blocking.path)["approvals"]] == [blocking.command]
    assert caplog.text.count("approved from now on") == 1


@pytest.mark.parametrize("value", ["0", "false", "", "maybe"])
def test_other_values_of_the_variable_accept_nothing(blocking, monkeypatch, value):
    monkeypatch.setenv("HERMES_ACCEPT_HOOKS", value)
    assert len(blocking.start(accept=False)[1].unapproved) == 1


def test_the_configuration_can_accept_everything(blocking):
    """Seed S11, S32."""
    blocking.hooks({"pre_tool_call": [{"command": blocking.command}]}, hooks_auto_accept=True)
    manager, _ = blocking.start(accept=False)
    assert manager.hook.pre_tool_call(**CALL).blocked
    assert len(on_disk(blocking.path)["approvals"]) == 1


def test_where_nothing_can_be_written_consent_counts_for_this_start(blocking, monkeypatch, caplog):
    def read_only(*_):  # a mock, since nothing is read-only for root
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("hermes_sdk.shell_hooks.consent.write_atomically", read_only)
    manager, _ = blocking.start()
    assert manager.hook.pre_tool_call(**CALL).blocked
    assert "the approval counts for this start only" in caplog.text


def test_a_script_that_is_approved_by_command_may_change(blocking):
    """Seed S34."""
    manager, _ = blocking.start()
    blocking.answering("deny.sh", "{}")
    assert manager.hook.pre_tool_call(**CALL).action == "run"


def test_http_entries_and_outbound_targets_are_consented_by_their_url(shell_home):
    shell_home.hooks(
        {
            "post_tool_call": [{"type": "http", "url": "http://localhost:1/a"}],
            "outbound": [{"url": "http://localhost:1/b", "events": ["post_tool_call"], "secret_env": "K"}],
        }
    )
    _, in_force = shell_home.start(accept=False)
    assert [(each.event, each.command) for each in in_force.unapproved] == [
        ("post_tool_call", "POST http://localhost:1/a"),
        ("outbound", "POST http://localhost:1/b"),
    ]
    shell_home.start()
    assert {(item["event"], item["command"]) for item in on_disk(shell_home.path)["approvals"]} == {
        ("post_tool_call", "POST http://localhost:1/a"),
        ("outbound", "POST http://localhost:1/b"),
    }
