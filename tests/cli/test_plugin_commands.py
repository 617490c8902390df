"""`hermes-sdk <name>` runs the command that a plugin registered under that name."""

import pytest

GREET = """
import sys

def setup(parser):
    commands = parser.add_subparsers(dest="what", required=True)
    hello = commands.add_parser("hello", help="say hello")
    hello.add_argument("--times", type=int, default=1)
    commands.add_parser("leave")
    commands.add_parser("fail")
    commands.add_parser("explain")

def run(options):
    if options.what == "leave":
        sys.exit(7)
    if options.what == "fail":
        raise RuntimeError("no [bold]greeting")
    if options.what == "explain":
        from hermes_sdk.errors import ConfigError
        raise ConfigError("no greeting", where="greetings.yaml:3", fix="write one", code="HS101")
    print("hello " * options.times)
    return 0 if options.times < 5 else 4

async def slow(options):
    print("awaited")

def register(ctx):
    ctx.register_cli_command("greet", "says hello", setup, run, description="Greets.")
    ctx.register_cli_command("slow", "awaits", lambda parser: None, slow)
    ctx.register_cli_command("own", "sets its own handler",
                             lambda parser: parser.set_defaults(func=lambda options: print("own")))
    ctx.register_cli_command("bare", "has no handler", lambda parser: None)
"""


@pytest.fixture
def greet(program):
    program.plugin("greeter", GREET)
    return program


def test_the_handler_gets_the_parsed_arguments(greet):
    done = greet("greet", "hello", "--times", "2")
    assert (done.code, done.out, done.err) == (0, "hello hello \n", "")


def test_a_number_that_the_handler_returns_is_the_exit_code(greet):
    assert greet("greet", "hello", "--times", "5").code == 4


def test_sys_exit_in_the_handler_is_the_exit_code(greet):
    assert greet("greet", "leave").code == 7


def test_help_is_the_plugins_own(greet):
    done = greet("greet", "--help")
    assert done.code == 0
    assert done.out.startswith("usage: hermes-sdk greet [-h] {hello,leave,fail,explain} ...")
    assert "Greets." in done.out


def test_wrong_arguments_are_wrong_usage(greet):
    done = greet("greet", "goodbye")
    assert done.code == 2
    assert "invalid choice: 'goodbye'" in done.err


def test_a_failing_handler_is_one_block_naming_plugin_and_command(greet):
    done = greet("greet", "fail")
    assert done.code == 1
    assert "command 'greet' of plugin 'greeter' failed to run" in done.err
    assert "RuntimeError: no [bold]greeting" in done.err
    assert "Traceback" not in done.err


def test_an_error_in_our_own_form_is_shown_as_it_is(greet):
    done = greet("greet", "explain")
    assert (done.code, done.out) == (1, "")
    assert "error [HS101]: no greeting" in done.err
    assert "greetings.yaml:3" in done.err
    assert "greeter" not in done.err


def test_async_handlers_and_handlers_set_by_setup_work(greet):
    assert greet("slow").out == "awaited\n"
    assert greet("own").out == "own\n"
    assert greet("bare").out.startswith("usage: hermes-sdk bare")


def test_global_options_stand_before_the_command(greet):
    other = greet.home.parent / "other"
    other.mkdir()
    assert greet("--home", str(other), "greet", "hello").code == 2
    assert greet("--home", str(greet.home), "greet", "hello").code == 0


def test_an_unknown_command_names_the_nearest_of_all(greet):
    done = greet("gret")
    assert done.code == 2
    assert "No such command 'gret'" in done.err
    assert "'greet'" in done.err
    assert "'plugins'" in greet("plugin").err


def test_no_plugin_is_loaded_for_our_own_commands_and_help(program):
    program.plugin("loud", "print('plugin code ran')\nraise SystemExit(9)\n")
    for arguments in (["--help"], ["--version"], ["plugins", "--help"], ["config", "path"], ["plugins", "list"]):
        done = program(*arguments)
        assert (done.code, "plugin code ran" in done.out) == (0, False)
