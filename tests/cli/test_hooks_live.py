"""What `hooks list` and `hooks doctor` say of running hosts and of scripts that changed, as real processes."""

import json

import pytest

CHECK = """#!/bin/sh\nif grep -q wrong; then echo broken >&2; exit 3; fi\necho '{}'\n"""
SESSION = """\
turns:
  - user: hi
    model:
      - tools:
          - {name: terminal, args: {command: echo fine}}
      - say: first
  - user: again
    model:
      - tools:
          - {name: terminal, args: {command: echo wrong}}
      - say: second
"""


@pytest.fixture
def hooks(program):
    """A home with one approved script."""
    script = program.home / "check.sh"
    script.write_text(CHECK)
    script.chmod(0o755)
    program.config("hooks:\n  pre_tool_call:\n    - {command: ./check.sh, matcher: terminal}\n")
    assert program("hooks", "approve", "--yes").code == 0
    return program


def listed(program):
    return json.loads(program("hooks", "list", "--json").out)["hooks"][0]


def test_figures_of_a_running_session_are_shown(hooks, terminal):
    """Semantics 3.6: runs and p95 of an entry, from the run file of the host."""
    script = hooks.workdir / "s.yaml"
    script.write_text(SESSION)
    chat = terminal("chat", "--script", str(script))
    for line, answer in (("hi", "first"), ("again", "second")):
        chat.wait_for("you> ")
        chat.type(line)
        chat.wait_for(answer)
    chat.wait_for("you> ")
    while listed(hooks)["live"][0]["failures"] == 0:  # the run file is written at most once a second
        pass
    (live,) = listed(hooks)["live"]
    assert live["pid"] == chat.process.pid
    assert live["runs"] == 2
    assert live["p95_ms"] > 0
    assert live["last_failure"] == "exit status 3: broken"
    shown = hooks("hooks", "list", COLUMNS="1000").out
    assert f"live in pid {chat.process.pid} since 20" in shown
    assert ": 2 runs, p95 " in shown
    assert "ms, 1 failure, the last one: exit status 3: broken" in shown
    doctor = hooks("hooks", "doctor", "--no-run", COLUMNS="1000").out
    assert "the last failure there: exit status 3: broken" in doctor
    assert doctor.splitlines()[-1].startswith(f"the configuration is fine, and live in pid {chat.process.pid} since 20")
    chat.type("/exit")
    assert chat.end() == 0
    assert listed(hooks)["live"] == []


@pytest.mark.parametrize("trust", ["command", "content"])
def test_a_changed_script_is_shown_until_one_command_approves_it_again(hooks, trust):
    """Seed S34 and K21: the edit keeps consent by default, and doctor shows it."""
    hooks.config((hooks.home / "config.yaml").read_text() + f"hooks_trust: {trust}\n")
    (hooks.home / "check.sh").write_text('#!/bin/sh\necho \'{"action": "block", "message": "changed"}\'\n')
    shown = hooks("hooks", "list", COLUMNS="1000").out
    assert "changed since approval  ./check.sh" in shown
    assert ("suspended by hooks_trust: content" in shown) == (trust == "content")
    doctor = hooks("hooks", "doctor", COLUMNS="1000")
    assert doctor.code == 1
    assert "it changed since 20" in doctor.out
    assert ("not run: it is suspended" in doctor.out) == (trust == "content")
    assert hooks("hooks", "approve", "./check.sh").code == 0
    assert listed(hooks)["consent"] == "approved"
    assert hooks("hooks", "doctor").code == 0


def test_doctor_says_that_scripts_run_before_they_do_and_fits_the_screen(hooks):
    """Seed K13, and S38 as people see it."""
    done = hooks("hooks", "doctor")
    assert done.code == 0
    assert done.out.startswith("Scripts run for real: as ")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    only_looked = hooks("hooks", "doctor", "--no-run")
    assert only_looked.code == 0
    assert "for real" not in only_looked.out


def test_doctor_as_json_is_one_document(hooks):
    done = hooks("hooks", "doctor", "--json")
    assert done.err.startswith("Scripts run for real")
    document = json.loads(done.out)
    assert document["healthy"] is True
    assert [check["level"] for check in document["hooks"][0]["checks"]] == ["ok"] * 5
    assert document["outbound"] == []


def test_doctor_runs_scripts_where_cwd_says(hooks, tmp_path):
    (tmp_path / "disposable").mkdir()
    (hooks.home / "check.sh").write_text("#!/bin/sh\ncat > /dev/null\npwd > where\n")
    hooks("hooks", "approve", "./check.sh")
    assert hooks("hooks", "doctor", "--cwd", str(tmp_path / "disposable")).code == 0
    assert (tmp_path / "disposable/where").read_text().strip() == str(tmp_path / "disposable")
