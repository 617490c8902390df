"""What the doctor finds about a home: each check on real files and real scripts, and what all of it comes to."""

import os

import pytest

from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.doctor import entry_checks, general_checks, verdict
from hermes_sdk.shell_hooks.listing import list_hooks
from hermes_sdk.shell_hooks.runner import EntryRunner

FINE = "#!/bin/sh\ncat > /dev/null\necho '{}'\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home, and an environment without anything that looks like a secret."""
    for name in list(os.environ):
        if name.startswith("HERMES_") or any(word in name for word in ("KEY", "TOKEN", "SECRET", "PASS")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def configured(home):
    """Return a function that writes config.yaml and scripts, and approves what it is told to."""

    def configured(text, *, approve=True, **scripts):
        (home / "config.yaml").write_text(text)
        for name, content in scripts.items():
            (home / f"{name}.sh").write_text(content)
            (home / f"{name}.sh").chmod(0o755)
        if approve:
            Allowlist(home).approve([listed.entry for listed in list_hooks(home).entries if not listed.entry.refused])

    return configured


@pytest.fixture
def examined(home):
    """Return a function that examines the home: ({check: [(level, text)]}, verdict)."""

    def examined(*, start=True):
        listing = list_hooks(home)
        checks = list(general_checks(listing))
        runner = EntryRunner(home, lambda: str(home))
        try:
            for listed in listing.entries:
                checks += entry_checks(listed, listing, runner, start=start)
        finally:
            runner.close()
        found = {}
        for check in checks:
            found.setdefault(check.name, []).append((check.level, check.text))
        return found, verdict(listing, checks)

    return examined


ONE = "hooks:\n  post_tool_call:\n    - command: ./a.sh\n"
GATE = "hooks:\n  pre_tool_call:\n    - {command: ./a.sh, fail_closed: true}\n"


def test_a_healthy_configuration_is_never_called_live_when_no_host_runs(configured, examined, home):
    """Seed S38: permission, consent, drift, JSON and time of one script."""
    configured(ONE, a=FINE)
    found, end = examined()
    assert end.healthy
    assert end.text == f"the configuration is fine; it is live nowhere: no host runs for {home}"
    assert list(found) == ["executable", "shebang", "consent", "drift", "answer"]
    assert {level for checks in found.values() for level, _ in checks} == {"ok"}
    ((_, answer),) = found["answer"]
    assert answer.startswith("no opinion (exit status 0, valid JSON, ")
    assert answer.endswith(" ms)")


def test_an_empty_home_is_healthy_and_says_why(examined, home):
    _, end = examined()
    assert end.healthy
    assert end.text == f"no shell hooks are configured in {home}/config.yaml"


def test_what_is_not_approved_is_wrong_and_is_not_run(configured, examined, home):
    """Seed S41 and K12: a new entry is seen before it registers, without running it."""
    configured(ONE, approve=False, a="#!/bin/sh\ntouch ran\n")
    found, end = examined()
    assert not end.healthy
    ((level, text),) = found["consent"]
    assert level == "wrong"
    assert "so it does not run" in text
    assert "hermes-sdk hooks approve ./a.sh" in text
    assert found["answer"] == [("note", "not run: nobody approved it")]
    assert not (home / "ran").exists()


def test_an_unapproved_gate_is_said_to_block(configured, examined):
    configured(GATE, approve=False, a=FINE)
    found, _ = examined()
    assert "blocks every call that it is for" in found["consent"][0][1]


def test_an_entry_that_cannot_be_used_is_said_to_block(configured, examined):
    configured("hooks:\n  pre_tool_call:\n    - {command: ./a.sh, fail_closd: true}\n", a=FINE)
    found, end = examined()
    assert not end.healthy
    assert "cannot be used, so it blocks" in found["consent"][0][1]
    assert found["answer"][0][1] == "not run: it cannot be used as it is configured"


def test_nothing_runs_when_asked_only_to_look(configured, examined, home):
    configured(ONE, a="#!/bin/sh\ntouch ran\n")
    found, _ = examined(start=False)
    assert found["answer"] == [("note", "not run")]
    assert not (home / "ran").exists()


def test_a_script_that_could_not_start_is_not_tried(configured, examined, home):
    configured(ONE, a=FINE)
    (home / "a.sh").chmod(0o644)
    found, _ = examined()
    assert found["executable"][0][0] == "wrong"
    assert found["answer"] == [("note", "not run: mend its files first")]


@pytest.mark.parametrize(
    ("script", "level", "said"),
    [
        ("echo text", "wrong", "its output is no JSON object"),
        ("exit 4", "wrong", "exit status 4"),
        ("""echo '{"action": "block", "message": "no"}'""", "note", "answer ignored: post_tool_call takes none"),
        ("true", "ok", "nothing printed"),
    ],
)
def test_what_a_script_answers_is_judged(configured, examined, script, level, said):
    configured(ONE, a=f"#!/bin/sh\n{script}\n")
    found, end = examined()
    assert found["answer"][0][0] == level
    assert said in found["answer"][0][1]
    assert end.healthy == (level != "wrong")


def test_other_output_beside_the_answer_is_pointed_out(configured, examined):
    configured(GATE, a="""#!/bin/sh\necho ready\necho '{"action": "block", "message": "no"}'\n""")
    found, _ = examined()
    assert found["answer"][0][1].startswith('blocks the call with message "no"')
    assert found["output"] == [("note", "other output beside the answer: ready")]


def test_an_entry_is_tried_on_a_call_that_it_is_for(configured, examined, home):
    configured(ONE + "      matcher: write_file|patch\n", a="#!/bin/sh\ncat > read.json\n")
    found, _ = examined()
    assert '"tool_name":"write_file"' in (home / "read.json").read_text()
    assert "payload" not in found
    configured(ONE + "      matcher: mcp__x__y\n", a=FINE)
    found, _ = examined()
    assert "does not match" in found["payload"][0][1]


def test_a_slow_script_is_pointed_out(configured, examined):
    configured(ONE, a="#!/bin/sh\nsleep 1.1\n")
    found, end = examined()
    ((level, text),) = found["time"]
    assert level == "note"
    assert "that the agent waits each time; background: true" in text
    assert end.healthy


# -- drift -------------------------------------------------------------------------------------------------------------


def test_a_changed_script_is_found_and_still_runs_where_commands_are_trusted(configured, examined, home):
    """Seed S34: the edit keeps consent, and the doctor shows it."""
    configured(ONE, a=FINE)
    (home / "a.sh").write_text(FINE + "touch ran\n")
    found, end = examined()
    ((level, text),) = found["drift"]
    assert level == "wrong"
    assert text.startswith("it changed since 20")
    assert "hermes-sdk hooks approve ./a.sh" in text
    assert "suspends" not in text
    assert (home / "ran").exists()
    assert not end.healthy


def test_a_changed_script_is_suspended_where_contents_are_trusted(configured, examined, home):
    configured(GATE + "hooks_trust: content\n", a=FINE)
    (home / "a.sh").write_text(FINE + "touch ran\n")
    found, _ = examined()
    assert "hooks_trust: content suspends it and it blocks" in found["drift"][0][1]
    assert found["answer"] == [("note", "not run: it is suspended")]
    assert not (home / "ran").exists()


def test_a_touched_script_is_in_order(configured, examined, home):
    configured(ONE, a=FINE)
    os.utime(home / "a.sh", (1, 1))
    found, end = examined()
    assert found["drift"][0][0] == "ok"
    assert "with the same content" in found["drift"][0][1]
    assert end.healthy


def test_an_approval_written_by_hand_knows_no_drift(configured, examined, home):
    configured(ONE, approve=False, a=FINE)
    allowlist = home / "shell-hooks-allowlist.json"
    allowlist.write_text('{"approvals": [{"event": "post_tool_call", "command": "./a.sh"}]}')
    found, end = examined()
    assert found["consent"] == [("ok", "approved by hand")]
    assert found["drift"][0][0] == "note"
    assert end.healthy
    configured(ONE + "hooks_trust: content\n", approve=False, a=FINE)
    found, end = examined()
    assert "does not say of which content, so hooks_trust: content suspends it" in found["drift"][0][1]
    assert not end.healthy


# -- the home as a whole -----------------------------------------------------------------------------------------------


def test_problems_of_the_configuration_are_wrong(configured, examined):
    configured("hooks:\n  agent:end:\n    - {command: x}\n  post_tool_call:\n    - {command: 'true', matchr: x}\n")
    found, end = examined()
    assert len(found["config"]) == 2
    assert not end.healthy
    assert end.text == "2 things are wrong"


def test_a_damaged_allowlist_is_wrong(configured, examined, home):
    configured(ONE, a=FINE)
    (home / "shell-hooks-allowlist.json").write_text("{")
    found, end = examined()
    assert "HS125" in found["allowlist"][0][1]
    assert not end.healthy


def test_variables_that_look_like_secrets_are_named_without_their_values(configured, examined, monkeypatch):
    configured(ONE, a=FINE)
    monkeypatch.setenv("SOME_API_KEY", "hunter2")
    found, end = examined()
    ((level, text),) = found["environment"]
    assert level == "note"
    assert "SOME_API_KEY" in text
    assert "hunter2" not in text
    assert end.healthy
    configured(ONE + "      env: [NOT_SET_HERE]\n", a=FINE)
    found, _ = examined()
    assert found["environment"] == [("note", "env names NOT_SET_HERE, which is not set here")]


def test_a_start_that_approves_everything_is_pointed_out(configured, examined):
    configured(ONE + "hooks_auto_accept: true\n", approve=False, a=FINE)
    found, end = examined()
    assert found["consent"][0] == (
        "note",
        "hooks_auto_accept is on: a host that starts approves whatever stands in the configuration",
    )
    assert found["consent"][1] == ("note", "not approved; the next start approves it")
    assert end.healthy


def test_safe_mode_is_pointed_out(configured, examined, monkeypatch):
    configured(ONE, a=FINE)
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    found, _ = examined()
    assert found["safe mode"][0][0] == "note"


def test_an_outbound_target_is_listed_and_never_sent_to(configured, examined, home, monkeypatch):
    from hermes_sdk.shell_hooks.doctor import target_checks

    configured(
        "hooks:\n  outbound:\n    - {url: 'http://127.0.0.1:1/x', events: [post_tool_call], secret_env: SIGNING}\n",
        approve=False,
    )
    (target,) = list_hooks(home).targets
    found = {check.name: check for check in target_checks(target)}
    assert found["consent"].level == found["signature"].level == "wrong"
    assert "hermes-sdk hooks approve 'POST http://127.0.0.1:1/x'" in found["consent"].text
    Allowlist(home).approve([target.entry])
    monkeypatch.setenv("SIGNING", "k")
    (target,) = list_hooks(home).targets
    found = {check.name: check for check in target_checks(target)}
    assert found["consent"].level == "ok"
    assert "signature" not in found
