"""`hermes-sdk chat` at a real terminal: turns, commands, approvals, Ctrl-C."""

import signal

import pytest

from hermes_sdk.trace.recording import read_recording

SCRIPT = """
model: scripted/demo
turns:
  - user: first
    model:
      - say: the first answer
  - user: second
    model:
      - tools: [{name: terminal, args: {command: "rm -rf ./build"}}]
      - say: the second answer
  - user: third
    model:
      - tools: [{name: terminal, args: {command: "rm -rf ./build"}}]
      - say: the third answer
"""
SLOW = """
turns:
  - user: work
    model:
      - tools: [{name: terminal, args: {command: "echo started; sleep 60"}}]
      - say: never said
  - user: again
    model:
      - say: still here
"""
TALKATIVE = """
def register(ctx):
    ctx.register_hook("pre_llm_call", lambda **kw: print("in a callback"))
    ctx.register_command("ping", lambda text: f"pong {text}", "answers", "<text>")
    ctx.register_command("say", lambda text: ctx.inject_message(text) and None, "puts a message in")
    ctx.register_command("break", lambda text: 1 / 0, "fails")
"""
GUARD = """
def ask(tool_name="", args=None, **kw):
    if tool_name == "terminal":
        return {"action": "approve", "message": "the guard wants to know", "rule_key": "net"}
def register(ctx):
    ctx.register_hook("pre_tool_call", ask)
"""


@pytest.fixture
def chat(program, terminal):
    """Return a function that starts a chat with a script and waits for its first prompt."""

    def start(script=SCRIPT, *options, columns=80):
        path = program.workdir / "script.yaml"
        path.write_text(script, encoding="utf-8")
        screen = terminal("chat", "--script", str(path), *options, columns=columns)
        screen.wait_for("you> ")
        return screen

    return start


def test_a_turn_is_answered_and_exit_leaves(chat):
    screen = chat()
    screen.type("hello")
    assert "the first answer" in screen.wait_for("you> ")
    screen.type("/exit")
    assert screen.end() == 0


def test_a_chat_is_recorded(chat, program):
    program.plugin("guard", GUARD)
    path = program.workdir / "chat.jsonl"
    screen = chat(SCRIPT, "--record", str(path))
    screen.type("hello")
    screen.wait_for("you> ")
    screen.type("/exit")
    assert screen.end() == 0
    recording = read_recording(path)
    assert recording.header["title"] == "chat with scripted/demo"
    assert [plugin["key"] for plugin in recording.header["plugins"]] == ["guard"]
    assert {"pre_llm_call", "TurnEnded", "on_session_finalize", "SessionEnded"} <= {e.name for e in recording.entries}


def test_the_end_of_input_leaves(chat):
    screen = chat()
    screen.press("D")
    assert screen.end() == 0


def test_what_a_callback_prints_is_attributed_and_not_in_the_way(chat, program):
    program.plugin("talkative", TALKATIVE)
    screen = chat()
    screen.type("hello")
    shown = screen.wait_for("you> ")
    assert [line.split() for line in shown.splitlines() if "in a callback" in line] == [
        ["printed", "talkative", "in", "a", "callback"]
    ]


def test_commands_of_the_host_and_of_plugins(chat, program):
    program.plugin("talkative", TALKATIVE)
    screen = chat()
    for line, shown in (
        ("/help", "/ping <text>  answers (talkative)"),
        ("/ping you", "pong you"),
        ("/break", "/break of plugin talkative failed: ZeroDivisionError"),
        ("/pong", "no command /pong; did you mean 'ping'?"),
        ("/new", "new session"),
        ("/say from the plugin", "the first answer"),
    ):
        screen.type(line)
        assert shown in screen.wait_for("you> "), line


@pytest.mark.parametrize(
    ("answer", "word", "ran"), [("o", "approved", True), ("always", "approved", True), ("deny", "denied", False)]
)
def test_an_approval_is_asked_in_the_terminal(chat, program, answer, word, ran):
    (program.workdir / "build").mkdir()
    screen = chat()
    screen.type("one")
    screen.wait_for("you> ")
    screen.type("two")
    asked = screen.wait_for("allow terminal: [o]nce, [s]ession, [a]lways, [d]eny? ")
    assert "rm -rf ./build" in asked
    assert "recursive delete" in asked
    screen.type(answer)
    screen.wait_for(word)
    screen.wait_for("the second answer")
    assert (program.workdir / "build").exists() is not ran


def test_session_is_remembered_and_always_is_listed_for_good(chat, program):
    program.plugin("guard", GUARD)
    screen = chat()
    screen.type("one")
    screen.wait_for("you> ")
    screen.type("two")
    assert "the guard wants to know" in screen.wait_for("[d]eny? ")
    screen.type("always")
    screen.wait_for("you> ")
    screen.type("three")
    assert "allow terminal" not in screen.wait_for("the third answer")
    listed = program("approvals", "list").out
    assert "guard" in listed
    assert "net" in listed
    assert program("approvals", "revoke", "guard").code == 0


def test_ctrl_c_interrupts_a_turn_and_the_chat_goes_on(chat):
    screen = chat(SLOW)
    screen.type("work")
    screen.wait_for("sleep 60")
    screen.press("C")
    assert "turn interrupted" in screen.wait_for("you> ")
    screen.type("again")
    screen.wait_for("still here")
    screen.wait_for("you> ")
    screen.type("/exit")
    assert screen.end() == 0


def test_ctrl_c_at_a_question_is_a_refusal(chat):
    screen = chat()
    screen.type("one")
    screen.wait_for("you> ")
    screen.type("two")
    screen.wait_for("[d]eny? ")
    screen.press("C")
    assert "denied" in screen.wait_for("you> ")


def test_ctrl_c_twice_ends(chat):
    screen = chat()
    screen.interrupt_until(lambda seconds: screen.wait_for("press Ctrl-C again to leave", seconds=seconds))
    screen.wait_for("you> ")
    screen.interrupt_until(lambda seconds: screen.end(seconds=seconds))
    assert screen.process.returncode == 130


@pytest.mark.parametrize(
    ("line", "shown"), [("hello", "the first answer"), ("work", "sleep 60")], ids=["at the prompt", "during a turn"]
)
def test_a_signal_that_ends_the_process_ends_the_session(chat, program, line, shown):
    program.plugin(
        "ends",
        "import pathlib, os\n"
        "def end(**kw): pathlib.Path(os.environ['HERMES_HOME'], 'ended').touch()\n"
        "def register(ctx): ctx.register_hook('on_session_finalize', end)\n",
    )
    screen = chat(SLOW if line == "work" else SCRIPT)
    screen.type(line)
    screen.wait_for(shown)
    screen.interrupt_until(lambda seconds: screen.end(seconds=seconds), signal.SIGTERM)
    assert screen.process.returncode == 143
    assert (program.home / "ended").exists()


def test_plugins_are_told_that_the_session_ends(chat, program):
    program.plugin(
        "ends",
        "def end(reason=None, **kw):\n"
        "    import pathlib, os\n"
        "    pathlib.Path(os.environ['HERMES_HOME'], 'ended').write_text(str(reason))\n"
        "def register(ctx): ctx.register_hook('on_session_finalize', end)\n",
    )
    screen = chat()
    screen.type("hello")
    screen.wait_for("the first answer")
    screen.wait_for("you> ")
    screen.type("/exit")
    assert screen.end() == 0
    assert (program.home / "ended").read_text() == "exit"


def test_a_script_that_is_used_up_is_said_and_no_traceback(chat):
    screen = chat("turns:\n  - user: hi\n    model:\n      - say: only this\n")
    for _ in range(2):
        screen.type("hello")
        shown = screen.wait_for("you> ")
    assert "the script has no step for this request" in " ".join(shown.split())
    assert "Traceback" not in screen.shown


def test_without_a_terminal_messages_come_from_stdin_and_approvals_are_refused(program):
    script = program.workdir / "s.yaml"
    script.write_text(SCRIPT, encoding="utf-8")
    done = program("chat", "--script", str(script), stdin="one\n\n/help\ntwo\n")
    assert done.code == 0
    assert "the first answer" in done.out
    assert "nobody is there to ask" in " ".join(done.out.split())
    assert "you> " not in done.out


def test_trace_shows_the_plugins_that_only_looked_on(chat, program):
    program.plugin("looker", "def register(ctx): ctx.register_hook('post_llm_call', lambda **kw: None)\n")
    plain = chat()
    plain.type("hello")
    assert "observed" not in plain.wait_for("the first answer")
    traced = chat(SCRIPT, "--trace")
    traced.type("hello")
    traced.wait_for("the first answer")
    traced.wait_for("you> ")
    traced.type("/exit")
    assert traced.end() == 0
    assert "observed    looker" in traced.shown


def test_a_model_needs_the_key_and_says_so(program):
    done = program("chat", "--model", "some-model")
    assert done.code == 1
    assert "OPENAI_API_KEY" in done.err
    assert "Traceback" not in done.err
