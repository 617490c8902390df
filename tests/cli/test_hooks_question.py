"""What a start says and asks about shell hooks: at a terminal, without one, in safe mode (seed S31 to S33)."""

import json

import pytest

SESSION = """
turns:
  - user: go
    model:
      - tools: [{name: terminal, args: {command: echo ran}}]
      - say: done
"""


@pytest.fixture
def home(program):
    """A home with a script that blocks every command, and a session that has one."""

    def home(**entry):
        script = program.home / "deny.sh"
        script.write_text("""#!/bin/sh\ncat >/dev/null\necho '{"action": "block", "message": "not today"}'\n""")
        script.chmod(0o755)
        entry = {"command": "./deny.sh", "matcher": "terminal", **entry}
        program.config(json.dumps({"hooks": {"pre_tool_call": [entry]}}))
        (program.workdir / "session.yaml").write_text(SESSION)
        return program

    return home


def approved(program):
    file = program.home / "shell-hooks-allowlist.json"
    return [item["command"] for item in json.loads(file.read_text())["approvals"]] if file.exists() else []


@pytest.mark.parametrize(("answer", "word"), [("yes", "blocked"), ("no", "ran")])
def test_a_person_is_shown_what_would_run_and_asked(home, terminal, answer, word):
    """Seed S31."""
    program = home()
    screen = terminal("run", "session.yaml")
    shown = screen.wait_for("let it run from now on? [y]es, [n]o?")
    assert "config.yaml:1:" in shown
    assert "./deny.sh" in shown
    assert f"runs: {program.home}/deny.sh" in shown.replace("\n", "")
    assert "on every pre_tool_call of terminal, as you" in shown.replace("\n", " ")
    screen.type(answer)
    screen.wait_for(word)
    assert screen.end() == 0
    assert approved(program) == (["./deny.sh"] if answer == "yes" else [])


def test_what_was_approved_is_not_asked_about_again(home, terminal):
    """Seed S31."""
    program = home()
    assert program("run", "session.yaml", "--accept-hooks").code == 0
    screen = terminal("run", "session.yaml")
    screen.wait_for("not today")
    assert screen.end() == 0
    assert "from now on" not in screen.shown


@pytest.mark.parametrize("place", ["before", "after", "variable"])
def test_hooks_can_be_accepted_without_a_question(home, place):
    """Seed S32."""
    program = home()
    words = {
        "before": ("--accept-hooks", "run", "session.yaml"),
        "after": ("run", "session.yaml", "--accept-hooks"),
        "variable": ("run", "session.yaml"),
    }
    done = program(*words[place], **({"HERMES_ACCEPT_HOOKS": "1"} if place == "variable" else {}))
    assert "not today" in done.out
    assert approved(program) == ["./deny.sh"]


def test_without_a_terminal_an_unapproved_hook_is_left_out_with_a_warning(home):
    """Seed S33."""
    program = home()
    done = program("run", "session.yaml")
    assert done.code == 0
    assert "is not registered: nobody approved it" in " ".join((done.out + done.err).split())
    assert approved(program) == []


def test_without_a_terminal_an_unapproved_gate_blocks_and_is_counted(home):
    program = home(fail_closed=True)
    done = program("run", "session.yaml")
    said = " ".join((done.out + done.err).split())
    assert "1 gate is not approved and blocks" in said
    assert "blocked" in done.out
    assert approved(program) == []


def test_safe_mode_does_not_start_without_anybody_to_see_that_a_gate_is_off(home):
    program = home(fail_closed=True)
    done = program("run", "session.yaml", HERMES_SAFE_MODE="1")
    assert done.code == 1
    assert "[HS246]" in done.err
    assert "shell:./deny.sh (pre_tool_call)" in " ".join(done.err.split())
    done = program("run", "session.yaml", HERMES_SAFE_MODE="force")
    assert done.code == 0
    assert "shell:./deny.sh (pre_tool_call)" in " ".join((done.out + done.err).split())


def test_strict_mode_names_everything_in_one_block(home):
    program = home()
    program.config(json.dumps({"plugins": {"enabled": ["gone"]}, "hooks": {"pre_tool_cal": [], "pre_tool_call": [{}]}}))
    done = program("run", "session.yaml", "--strict")
    assert done.code == 3
    said = " ".join(done.err.split())
    assert all(text in said for text in ("gone", "did you mean 'pre_tool_call'?", "it has no command"))


def test_a_document_on_stdout_stays_one(home):
    program = home()
    done = program("run", "session.yaml", "--json", "--accept-hooks")
    assert any("not today" in json.dumps(event) for event in json.loads(done.out)["events"])
