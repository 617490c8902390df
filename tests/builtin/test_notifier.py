"""The notifier plugin: what is told, when it is taken back, and what never reaches a program or an address.

`notify-send`, `gdbus` and `osascript` are real processes here: scripts in front of PATH that keep their arguments.
`test_notifier_desktop.py` has the real ones on a real D-Bus.
"""

import json
import logging
import os
import stat
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hermes_sdk.host import Agent
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.shell_hooks.outbound import signature

PROGRAM = """#!{python}
import json, os, sys, time
with open({log!r}, "a") as log:
    log.write(json.dumps([os.path.basename(sys.argv[0]), *sys.argv[1:]]) + "\\n")
{more}
"""
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
QUESTION = {"command": "rm -rf build", "description": "recursive delete", "tool_call_id": "c1", "session_key": "s"}
LONG = {"long_turn": 1e-9}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs a program of a name, and one that gives the calls of all of them."""
    log = tmp_path / "programs.jsonl"
    bin_directory = tmp_path / "bin"
    bin_directory.mkdir()
    monkeypatch.setenv("PATH", f"{bin_directory}{os.pathsep}{os.environ['PATH']}")

    def install(name, more=""):
        path = bin_directory / name
        path.write_text(PROGRAM.format(python=sys.executable, log=str(log), more=more))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def calls():
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    return install, calls


@pytest.fixture
def desktop(install):
    """Return a function that gives what `notify-send` and `gdbus` were called with."""
    programs, calls = install
    programs("notify-send", "print(sum(line.startswith('[\"notify-send') for line in open(log.name)))")
    programs("gdbus")
    return calls


@pytest.fixture
def address():
    """A local address that keeps what is posted to it; `answers` are the status codes that it gives, 200 at the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.posted.append((self.headers, body))
            self.send_response(server.answers.pop(0) if server.answers else 200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.posted, server.answers = [], []
    server.url = f"http://127.0.0.1:{server.server_port}/hooks/s3cr3t"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def turn(manager, *steps, approvals=(), session="s1"):
    agent = Agent(manager, ScriptedModel([*steps]), approver=ScriptedApprover(approvals), session_id=session)
    agent.run_turn("go")
    agent.close()


def asked_for(command):
    return ScriptStep(tools=(ScriptedCall("terminal", {"command": command}),)), ScriptStep(say="done")


def until(condition):
    """Wait for what happens on another thread; only a hang ends it."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_question_is_shown_and_taken_back_with_the_answer(load, desktop, tmp_path):
    manager = load("notifier", notifier={"long_turn": 0})
    turn(manager, *asked_for(f"rm -rf {tmp_path}/build"), approvals=["deny"])
    manager.shutdown()
    shown, closed = desktop()
    assert shown[:5] == ["notify-send", "--app-name=Hermes", "--urgency=critical", "--print-id", "--"]
    assert shown[5] == "Hermes asks for approval"
    assert f"rm -rf {tmp_path}/build" in shown[6]
    assert closed[0] == "gdbus"
    assert closed[-2:] == ["org.freedesktop.Notifications.CloseNotification", "1"]


def test_a_question_of_a_model_and_one_that_is_answered_soon_are_not_told(load, fire, desktop):
    manager = load("notifier", notifier={"approval_after": 600})
    fire(manager, "pre_approval_request", **QUESTION)
    fire(manager, "post_approval_response", **QUESTION, choice="once")
    manager.shutdown()
    assert desktop() == []
    manager = load("notifier")
    fire(manager, "pre_approval_request", **QUESTION, surface="smart")
    manager.shutdown()
    assert desktop() == []


def test_a_question_that_stays_open_is_told_after_a_while(load, fire, desktop):
    manager = load("notifier", notifier={"approval_after": 0.05})
    fire(manager, "pre_approval_request", **QUESTION)
    until(desktop)
    fire(manager, "post_approval_response", **QUESTION, choice="once")
    manager.shutdown()
    assert [call[0] for call in desktop()] == ["notify-send", "gdbus"]


def test_questions_of_two_sessions_are_kept_apart(load, fire, desktop):
    manager = load("notifier")
    for session in ("a", "b"):
        fire(manager, "pre_approval_request", **QUESTION | {"session_key": session})
    fire(manager, "post_approval_response", **QUESTION | {"session_key": "b"}, choice="once")
    until(lambda: len(desktop()) == 3)
    assert desktop()[2][-1] == "2"
    manager.shutdown()  # the other one can't be answered any more
    assert desktop()[3][-1] == "1"


def test_the_end_of_a_long_turn_is_told_with_its_answer(load, desktop):
    manager = load("notifier", notifier=LONG)
    turn(manager, ScriptStep(say=f"the key was {TOKEN}"))
    manager.shutdown()
    ((*_, title, text),) = desktop()
    assert title == "Hermes has finished after 0 s"
    assert text == "the key was [REDACTED]"


def test_a_notice_goes_when_its_reader_writes_again(load, fire, desktop):
    manager = load("notifier", notifier=LONG)
    for _ in range(2):
        fire(manager, "pre_llm_call", session_id="s")
        fire(manager, "on_session_end", session_id="s", completed=True, interrupted=False)
    manager.shutdown()
    assert [call[0] for call in desktop()] == ["notify-send", "gdbus", "notify-send"]


def test_short_turns_interrupted_ones_and_those_of_child_agents_are_not_told(load, fire, desktop):
    manager = load("notifier", notifier={"long_turn": 60})
    turn(manager, ScriptStep(say="quick"))
    manager.shutdown()
    manager = load("notifier", notifier=LONG)
    fire(manager, "pre_llm_call", session_id="s")
    fire(manager, "on_session_end", session_id="s", completed=False, interrupted=True)
    fire(manager, "pre_llm_call", session_id="child", platform="subagent")
    fire(manager, "on_session_end", session_id="child", completed=True, interrupted=False)
    manager.shutdown()
    assert desktop() == []


def test_a_turn_that_fails_says_why(load, fire, desktop):
    manager = load("notifier", notifier=LONG)
    fire(manager, "pre_llm_call", session_id="s")
    fire(manager, "on_session_end", session_id="s", completed=False, interrupted=False, reason="model_error")
    manager.shutdown()
    assert desktop()[0][-2:] == ["Hermes gave up after 0 s", "model error"]


def test_a_long_turn_is_told_while_it_runs_where_that_is_wanted(load, fire, desktop):
    manager = load("notifier", notifier={"long_turn": 0.05, "still_running": True})
    fire(manager, "pre_llm_call", session_id="s")
    until(desktop)
    fire(manager, "on_session_end", session_id="s", completed=True, interrupted=False)
    manager.shutdown()
    assert [call[0] for call in desktop()] == ["notify-send", "gdbus", "notify-send"]
    assert desktop()[0][-2] == "Hermes works since 0 s"


@pytest.mark.parametrize(("quiet", "told"), [(["00:00-24:00"], 0), (["00:00-00:00"], 1)])
def test_quiet_times_are_quiet(load, fire, desktop, quiet, told):
    manager = load("notifier", notifier={"quiet": quiet})
    fire(manager, "pre_approval_request", **QUESTION)
    fire(manager, "post_approval_response", **QUESTION, choice="once")
    manager.shutdown()
    assert [call[0] for call in desktop()] == ["notify-send", "gdbus"] * told


def test_notices_about_turns_keep_their_distance_and_questions_do_not(load, fire, desktop):
    manager = load("notifier", notifier=LONG | {"every": 600})
    for session in ("a", "b"):
        fire(manager, "pre_llm_call", session_id=session)
        fire(manager, "on_session_end", session_id=session, completed=True, interrupted=False)
    fire(manager, "pre_approval_request", **QUESTION)
    until(lambda: len(desktop()) == 2)
    assert [call[-2] for call in desktop()] == ["Hermes has finished after 0 s", "Hermes asks for approval"]
    manager.shutdown()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("--replace-id=7 --help", "--replace-id=7 --help"),
        ('echo "$(touch /tmp/x)" `id` \'; rm x', 'echo "$(touch /tmp/x)" `id` \'; rm x'),
        ("<b>bold</b> & <img src=x>", "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;img src=x&gt;"),
        (r"printf '\n\x41'", r"printf '\\n\\x41'"),
        ("\x1b[31mred\x1b[0m\x07 \u202erm", "red   rm"),
        (f"curl -H 'Authorization: token {TOKEN}'", "curl -H 'Authorization: token [REDACTED]'"),
        ("x" * 5_000, "x" * 281 + "…"),
    ],
)
def test_text_reaches_the_desktop_as_text(load, fire, desktop, command, shown):
    manager = load("notifier")
    fire(manager, "pre_approval_request", **QUESTION | {"command": command, "description": "a look at a text:"})
    until(desktop)
    manager.shutdown()
    dashes = desktop()[0].index("--")
    assert " ".join(desktop()[0][dashes + 2].split()) == " ".join(f"a look at a text: {shown}".split())


def test_details_can_be_left_out(load, fire, desktop):
    manager = load("notifier", notifier={"details": False} | LONG)
    fire(manager, "pre_approval_request", **QUESTION)
    turn(manager, ScriptStep(say="the answer"))
    manager.shutdown()
    assert [call[-1] for call in desktop() if call[0] == "notify-send"] == ["", ""]


def test_osascript_gets_texts_as_arguments_of_a_fixed_script(load, fire, install):
    programs, calls = install
    programs("osascript")
    manager = load("notifier", notifier={"desktop": "osascript"})
    fire(
        manager, "pre_approval_request", **QUESTION | {"command": '" & (do shell script "id") & "', "description": "-e"}
    )
    fire(manager, "post_approval_response", **QUESTION, choice="once")
    manager.shutdown()
    ((*start, marker, title, text),) = calls()
    assert start[:2] == ["osascript", "-e"]
    assert "shell" not in start[2]
    assert (marker, title) == ("notice", "Hermes asks for approval")
    assert text == '-e\n" & (do shell script "id") & "'


def test_a_desktop_that_fails_or_hangs_is_said_once_and_holds_nobody_up(load, fire, install, caplog):
    programs, calls = install
    programs("notify-send", "sys.stderr.write('no bus'); sys.exit(3)")
    manager = load("notifier")
    for number in range(3):
        fire(manager, "pre_approval_request", **QUESTION | {"tool_call_id": str(number)})
    manager.shutdown()
    assert len(calls()) == 3
    said = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert said == ["notifier: desktop (notify-send): notify-send failed with exit code 3: no bus"]


def test_nowhere_to_show_a_notice_is_said_when_the_plugin_loads(load, caplog):
    load("notifier", notifier={"desktop": "off"})
    assert "nowhere to show a notice: install notify-send" in caplog.text


def test_a_webhook_gets_notices_and_their_ends_signed(load, address, monkeypatch):
    monkeypatch.setenv("NOTIFIER_KEY", "sixteen letters.")
    webhook = {"url": address.url, "secret_env": "NOTIFIER_KEY"}
    manager = load("notifier", notifier={"desktop": "off", "webhooks": [webhook], "long_turn": 0})
    turn(manager, *asked_for("rm -rf build"), approvals=["once"])
    manager.shutdown()
    (headers, first), (_, second) = address.posted
    assert headers["X-Hermes-Signature"] == signature(b"sixteen letters.", first)
    asked, closed = json.loads(first), json.loads(second)
    assert set(asked) == {"delivery_id", "timestamp", "payload"}
    assert asked["payload"]["event"] == "approval_requested"
    assert "rm -rf build" in asked["payload"]["text"]
    assert asked["payload"]["session"] == "s1"
    assert closed["payload"] == {"event": "closed", "id": asked["payload"]["id"], "outcome": "once", "session": "s1"}


def test_a_webhook_of_another_form_gets_that_form_each_place_once(load, fire, address):
    webhook = {"url": address.url, "body": {"text": "*{title}* {text}", "channel": "#ops"}}
    manager = load("notifier", notifier={"desktop": "off", "webhooks": [webhook]})
    fire(manager, "pre_approval_request", **QUESTION | {"command": "echo {id} {title}"})
    fire(manager, "post_approval_response", **QUESTION, choice="once")
    manager.shutdown()
    ((_, body),) = address.posted
    text = "*Hermes asks for approval* recursive delete\necho {id} {title}"
    assert json.loads(body) == {"text": text, "channel": "#ops"}


def test_a_webhook_is_tried_twice_then_given_up_without_its_path_in_the_log(load, fire, address, caplog):
    address.answers += [500, 200, 302, 503]
    manager = load("notifier", notifier={"desktop": "off", "webhooks": [{"url": address.url}]})
    for number in range(2):
        fire(manager, "pre_approval_request", **QUESTION | {"tool_call_id": str(number)})
    until(lambda: len(address.posted) == 4)
    manager.shutdown()
    assert "webhook of 127.0.0.1: it answered with status 503" in caplog.text
    assert "s3cr3t" not in caplog.text


def test_a_key_that_is_not_set_is_said_and_nothing_is_posted(load, fire, address, caplog):
    webhook = {"url": address.url, "secret_env": "NO_SUCH_KEY"}
    manager = load("notifier", notifier={"desktop": "off", "webhooks": [webhook]})
    fire(manager, "pre_approval_request", **QUESTION)
    manager.shutdown()
    assert address.posted == []
    assert "the variable NO_SUCH_KEY with the key of the signature is not set" in caplog.text


def test_a_webhook_that_hangs_holds_up_neither_the_agent_nor_the_desktop(load, fire, address, desktop):
    free = threading.Event()
    post = address.RequestHandlerClass.do_POST
    address.RequestHandlerClass.do_POST = lambda self: (free.wait(30), post(self))
    manager = load("notifier", notifier={"webhooks": [{"url": address.url}]})
    fire(manager, "pre_approval_request", **QUESTION)
    fire(manager, "post_approval_response", **QUESTION, choice="once")
    until(lambda: len(desktop()) == 2)
    assert address.posted == []
    free.set()
    manager.shutdown()
    assert len(address.posted) == 2


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"quiet": ["at night"]}, "quiet times are written as 22:00-07:00"),
        ({"webhooks": [{"url": "http://example.com/x"}]}, "needs an address with https"),
        ({"webhooks": [{"url": "https://example.com/x", "body": {"t": "{secret}"}}]}, "a body may name event, id"),
        ({"desktop": "growl"}, "notifier.desktop"),
        ({"long_turn": -1}, "notifier.long_turn"),
    ],
)
def test_settings_that_cannot_be_used_say_why(load, entry, why):
    manager = load("notifier", notifier=entry)
    ((row,),) = [[row for row in manager.list_plugins() if row["key"] == "notifier"]]
    assert row["status"] == "failed"
    assert why in str(row)
    assert "example.com/x" not in str(row)
