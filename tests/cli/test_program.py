"""The program as a whole: entry points, global options, errors and exit codes."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from hermes_sdk.cli import main

SCRIPT = Path(sys.executable).parent / "hermes-sdk"


def test_the_script_and_the_module_are_the_same_program(program):
    expected = f"hermes-sdk {version('hermes-sdk')}\n"
    assert program("--version").out == expected
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, env=program.env, check=True)
    assert done.stdout == expected


def test_config_path_prints_the_active_homes_file(program):
    """Seed K3: the file of the active home, whichever that is."""
    assert program("config", "path").out == f"{program.home}/config.yaml\n"
    assert program("config", "path", "--home", "elsewhere").out == f"{program.workdir}/elsewhere/config.yaml\n"
    assert program("--home", "elsewhere", "config", "path").out == f"{program.workdir}/elsewhere/config.yaml\n"
    assert program("config", "path", HERMES_HOME="~/x").out == f"{Path.home()}/x/config.yaml\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run"], "Missing argument 'SESSION'"),
        (["run", "missing.yaml"], "missing.yaml"),
        (["run", "--nonsense", "x"], "--nonsense"),
        (["chat"], "--model"),
        (["plugins", "enable"], "Missing argument 'NAME'"),
        (["rnu"], "No such command 'rnu'. Did you mean 'run'?"),
        (["run", "here.yaml", "--record-raw"], "--record-raw needs --record FILE"),
        (["chat", "--script", "here.yaml", "--record-raw"], "--record-raw needs --record FILE"),
        (["chat", "--script", "here.yaml", "--base-url", "http://x"], "--base-url is for --model"),
        (["gateway", "run", "--script", "here.yaml", "--base-url", "http://x"], "--base-url is for --model"),
        (["explain", "here.yaml", "--turn", "0"], "--turn"),
        (["explain", "here.yaml", "--number", "0"], "--number"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_names_what_is_wrong(program, arguments, complaint):
    (program.workdir / "here.yaml").write_text("turns: [{user: hi, model: [{say: hello}]}]\n")
    done = program(*arguments)
    assert done.code == 2
    assert complaint in done.err
    assert done.out == ""


def test_an_error_is_one_block_that_says_what_where_why_and_how_to_fix_it(program):
    broken = program.workdir / "s.yaml"
    broken.write_text("turns:\n  - user: hi\n    modle: []\n")
    done = program("run", str(broken))
    assert done.code == 1
    assert re.match(r"error \[HS\d{3}\]: ", done.err)
    assert "where: " in done.err
    assert "\n  why:   [HS104] turns[0].modle" in done.err
    assert "s.yaml:3" in done.err
    assert "Traceback" not in done.err


def test_debug_puts_the_traceback_above_the_block(program):
    done = program("--debug", "plugins", "info", "nobody")
    assert done.code == 1
    assert done.err.startswith("Traceback")
    assert "error [HS203]" in done.err


def test_an_unexpected_error_is_a_block_too(program, monkeypatch, capsys):
    monkeypatch.setattr("hermes_sdk.cli.quick.hermes_home", lambda: 1 / 0)
    assert main(["config", "path"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "error: ZeroDivisionError: division by zero",
        "  fix: run `hermes-sdk --debug ...` for the traceback",
    ]


def test_errors_of_the_system_name_the_file(program):
    (program.home / "approvals.json").mkdir()
    done = program("approvals", "list")
    assert done.code == 1
    assert str(program.home / "approvals.json") in done.err.replace("\n       ", "")


def test_a_closed_pipe_is_no_traceback(program):
    done = subprocess.run(
        ["sh", "-c", f"{SCRIPT} plugins list --json | true"],
        capture_output=True,
        text=True,
        env=program.env,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_accept_hooks_stands_before_or_after_the_command(program):
    """Seed S32: the flag may stand before the subcommand, and counts for the process and what it starts."""
    session = program.workdir / "s.yaml"
    session.write_text("turns:\n  - user: hi\n    model:\n      - say: done\n")
    program.plugin(
        "look",
        "import os\n"
        "def look(**kw): return 'accepted' if os.environ.get('HERMES_ACCEPT_HOOKS') == '1' else 'not'\n"
        "def register(ctx): ctx.register_hook('pre_llm_call', look)\n",
    )
    for before, after, shown in (
        (["--accept-hooks"], [], "accepted"),
        ([], ["--accept-hooks"], "accepted"),
        ([], [], "not"),
    ):
        done = program(*before, "run", *after, str(session))
        assert done.code == 0, done.err
        assert re.search(rf"context +look +{shown}$", done.out, re.MULTILINE), done.out


def test_help_lists_commands_and_exit_codes_within_80_columns(program):
    done = program("--help")
    assert done.code == 0
    assert all(len(line) <= 80 for line in done.out.splitlines())
    for word in ("run", "chat", "plugins", "approvals", "config", "Exit codes"):
        assert word in done.out


def test_starting_the_program_needs_no_home(program):
    env = {**program.env, "HERMES_HOME": str(program.home / "not" / "there")}
    done = subprocess.run([SCRIPT, "approvals", "list"], capture_output=True, text=True, env=env, check=True)
    assert "nothing is approved for good" in done.stdout
    assert not Path(env["HERMES_HOME"]).exists()


def test_a_home_that_does_not_exist_is_pointed_out(program, tmp_path):
    for arguments in (["--home", str(tmp_path / "hom"), "plugins", "list"], ["plugins", "list", "--home", "hom"]):
        done = program(*arguments)
        assert done.code == 0
        assert "warning: there is no home" in done.err
        assert "hom: no plugins, hooks or settings are in force" in " ".join(done.err.split())


EARLY = """
import sys
class CtrlC:
    def find_spec(self, name, *rest):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
from hermes_sdk.cli import main
sys.exit(main(["plugins"]))
"""


def test_ctrl_c_while_the_program_is_still_loading_is_no_traceback():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
