"""`hermes-sdk plugins`: what is listed, what is written, and that looking runs no plugin code."""

import json
import subprocess
import sys

import pytest

LOUD = "raise RuntimeError('imported')\n"


@pytest.fixture
def three(program):
    """A home with an enabled, a disabled and a broken plugin, none of which may be imported by looking."""
    program.plugin("alpha", LOUD, "version: 1.2.3\ndescription: first\nprovides_hooks: [pre_tool_call]\n")
    program.plugin("beta", LOUD)
    program.plugin("gamma", LOUD, "version: [1, 2]\n")
    program.config("plugins:\n  disabled: [beta]\n")
    return program


def listed(program, *options):
    done = program("plugins", "list", "--json", *options)
    assert done.code == 0, done.err
    return {row["key"]: row for row in json.loads(done.out)["plugins"]}


def test_list_says_what_loads_and_why_the_rest_does_not(three):
    done = three("plugins", "list")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["#", "plugin", "version", "source", "status", "hooks"]
    alpha = next(line for line in lines if " alpha " in line)
    assert alpha.split() == ["1", "alpha", "1.2.3", "user", "enabled", "pre_tool_call"]
    assert any(line.startswith("beta: plugins.disabled names 'beta'") for line in lines)
    assert any(line.startswith("gamma: ") and "plugin.yaml" in done.out for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_list_as_json_is_one_document_with_every_row(three):
    rows = listed(three)
    assert rows["alpha"] | {"status": "enabled", "order": 1, "source": "user", "version": "1.2.3"} == rows["alpha"]
    assert rows["beta"]["status"] == "disabled"
    assert rows["gamma"]["status"] == "broken manifest"


def test_the_quick_way_and_the_usual_way_print_the_same(three):
    home = str(three.home)
    for quick in (["plugins", "list"], ["plugins", "list", "--json"], ["config", "path"]):
        assert three(*quick) == three(*quick, "--home", home)


def test_list_loads_neither_typer_nor_pydantic_nor_pluggy(three):
    code = (
        "import sys; from hermes_sdk.cli import main; code = main(['plugins', 'list']);"
        "print(sorted({'typer', 'pydantic', 'pluggy', 'asyncio'} & set(sys.modules)), code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=three.env, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_an_empty_home_is_no_error(program):
    done = program("plugins", "list", HERMES_HOME=str(program.home / "missing"))
    assert done.code == 0
    assert not (program.home / "missing").exists()


def test_load_shows_what_fails_with_its_error(three):
    row = listed(three, "--load")["alpha"]
    assert row["status"] == "failed"
    assert "RuntimeError: imported" in row["why"]


def test_info_shows_everything_about_one_plugin(three):
    done = three("plugins", "info", "ALPHA")
    assert done.code == 0
    assert done.out.splitlines()[0] == "alpha"
    for line in ("status:      enabled", "description: first", "hooks:       pre_tool_call"):
        assert line in done.out
    (row,) = json.loads(three("plugins", "info", "alpha", "--json").out)["plugins"]
    assert row["version"] == "1.2.3"


def test_an_unknown_name_is_one_block_with_the_nearest(three):
    for command in ("info", "enable", "disable"):
        done = three("plugins", command, "alhpa")
        assert done.code == 1
        assert done.out == ""
        assert done.err.startswith("error [HS203]: no plugin 'alhpa' is installed")
        assert "'alpha'" in done.err
        assert "Traceback" not in done.err


def test_enable_and_disable_change_what_loads(three):
    assert three("plugins", "enable", "beta").code == 0
    assert listed(three)["beta"]["status"] == "enabled"
    done = three("plugins", "disable", "beta")
    assert done.code == 0
    assert "beta" in done.out
    assert listed(three)["beta"]["status"] == "disabled"


def test_enable_says_that_it_writes_down_what_loads_now(program):
    program.plugin("alpha", LOUD)
    done = program("plugins", "enable", "redaction")
    assert "alpha" in done.out
    rows = listed(program)
    assert rows["alpha"]["status"] == rows["redaction"]["status"] == "enabled"


def test_foreign_text_cannot_write_to_the_terminal(program):
    program.plugin("evil", LOUD, 'description: "\\e]0;title\\a[red]hi[/red]"\nversion: "\\e[31m1"\n')
    for command in (("plugins", "list"), ("plugins", "info", "evil")):
        done = program(*command)
        assert done.code == 0
        assert "\x1b" not in done.out
    assert "[red]hi[/red]" in done.out


def test_commands_lists_what_plugins_add(program):
    program.plugin(
        "tools",
        """
def register(ctx):
    ctx.register_cli_command("greet", "says hello", lambda parser: None, lambda options: None)
    ctx.register_command("ping", lambda text: "pong", "answers", "<text>")
""",
    )
    done = program("plugins", "commands")
    assert "hermes-sdk greet  tools   says hello" in done.out
    assert "/ping <text>      tools   answers" in done.out
    assert [entry["plugin"] for entry in json.loads(program("plugins", "commands", "--json").out)["commands"]] == [
        "tools",
        "tools",
    ]


def test_live_counters_of_a_running_session_are_shown(program, terminal):
    program.plugin(
        "shaky",
        "def fail(**kw): raise KeyError('x')\ndef register(ctx): ctx.register_hook('pre_llm_call', fail)\n",
    )
    script = program.workdir / "s.yaml"
    script.write_text("turns:\n  - user: hi\n    model:\n      - say: hello\n")
    chat = terminal("chat", "--script", str(script))
    chat.wait_for("you> ")
    chat.type("hi")
    chat.wait_for("hello")
    chat.wait_for("you> ")
    row = listed(program)["shaky"]
    while not row["failures"]:  # the run file is written at most once a second
        row = listed(program)["shaky"]
    assert row["live"]["pid"] == chat.process.pid
    assert row["hooks"] == ["pre_llm_call"]
    assert row["failures"] == 1
    assert "KeyError" in row["last_failure"]
    shown = program("plugins", "list").out
    assert f"live: in pid {chat.process.pid} since " in shown
    assert "1 failure, the last one: pre_llm_call: KeyError" in shown
    chat.type("/exit")
    assert chat.end() == 0
    assert listed(program)["shaky"]["live"] is None


def test_a_config_that_cannot_be_read_is_said_once(program):
    for name in ("a", "b"):
        program.plugin(name, "def register(ctx): ...\n")
    program.config("plugins:\n\tenabled: [a]\n")
    assert program("plugins", "list").out.count("HS102") == 1
