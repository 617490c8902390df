"""`hermes-sdk gateway hooks`: listed without being run, and tried for real."""

import json
import signal
import subprocess
import time

import pytest


@pytest.fixture
def hook(program):
    """Return a function that writes a gateway hook into the program's home."""

    def write(name, code, declared="events: [agent:end, command:*]\n"):
        directory = program.home / "hooks" / name
        directory.mkdir(parents=True)
        (directory / "HOOK.yaml").write_text(declared)
        (directory / "handler.py").write_text(code)

    return write


def test_the_list_shows_every_hook_and_imports_none(program, hook):
    hook("b", "raise SystemExit(9)\n", "events: agent:end\ndescription: Counts\n")
    hook("c", "", "events: agent:end\nenabled: false\n")
    done = program("gateway", "hooks", "list", "--json")
    rows = json.loads(done.out)["hooks"]
    assert done.code == 0
    assert [(row["name"], row["state"], row["events"]) for row in rows] == [
        ("b", "enabled", ["agent:end"]),
        ("c", "disabled", ["agent:end"]),
    ]
    hook("a", "", "evnts: agent:end\n")
    done = program("gateway", "hooks", "list")
    assert done.code == 1
    assert "refused" in done.out
    assert "did you mean 'events'?" in " ".join(done.err.split())


def test_no_hooks_are_said_to_be_none(program):
    done = program("gateway", "hooks", "list")
    assert (done.code, done.out) == (0, f"no gateway hooks in {program.home}/hooks\n")


def test_an_event_is_handed_over_with_a_sample_and_what_is_given(program, hook, tmp_path):
    hook("a", "async def handle(event_type, context):\n    print('printed')\n    return [event_type, context]\n")
    (tmp_path / "context.json").write_text('{"args": "now", "more": 1}')
    done = program("gateway", "hooks", "emit", "command:reset", "--context", str(tmp_path / "context.json"), "--json")
    context = {"platform": "webchat", "user_id": "user-1", "command": "reset", "args": "now", "more": 1}
    assert json.loads(done.out) == {
        "event": "command:reset",
        "context": context,
        "hooks": [{"hook": "a", "ok": True, "returned": ["command:reset", context], "error": ""}],
    }
    assert (done.code, done.err) == (0, "printed\n")


def test_what_fails_is_shown_and_ends_in_1(program, hook):
    hook("a", "def handle(event_type, context):\n    raise ValueError('no \\x1b[31m red')\n")
    hook("b", "1 / 0\n")
    hook("c", "def handle(event_type, context):\n    return 'fine'\n")
    done = program("gateway", "hooks", "emit", "agent:end", COLUMNS="200")
    assert done.code == 1
    assert [line.split()[:2] for line in done.out.splitlines()[2:]] == [["a", "failed"], ["c", "ok"], ["b", "failed"]]
    assert "ValueError: no \\x1b[31m red" in done.out
    assert "ZeroDivisionError" in done.out


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("agent:ende", "did you mean 'agent:end'?"),
        ("command:*", "did you mean 'command:reset'?"),
        ("agent:start", "no gateway hook handles agent:start"),
    ],
)
def test_events_that_concern_nobody_are_an_error(program, hook, event, said):
    hook("a", "def handle(event_type, context): ...\n")
    done = program("gateway", "hooks", "emit", event)
    assert done.code == 1
    assert said in done.err


def test_a_session_in_the_terminal_loads_no_gateway_hook(program, hook):
    """Seed G1 and G21: only a gateway does."""
    hook("a", f"open({str(program.home / 'loaded')!r}, 'w')\n", "events: ['agent:*', 'session:*']\n")
    (program.workdir / "s.yaml").write_text("turns: [{user: hi, model: [{say: hello}]}]\n")
    assert program("run", "s.yaml").code == 0
    assert program("chat", "--script", "s.yaml", stdin="hi\n").code == 0
    assert not (program.home / "loaded").exists()


def test_a_running_gateway_shows_what_its_hooks_did_and_logs_it(program, hook):
    """Seed G19, G20 and X14: loaded at the start, fired, and to be seen in status and log."""
    code = "import logging\ndef handle(event_type, context):\n"
    code += "    logging.getLogger('hooks.mine').info('up: %s', context)\n"
    hook("mine", code, "events: gateway:startup\n")
    hook("raising", "def handle(event_type, context):\n    raise ValueError('no')\n", "events: gateway:*\n")
    program.config("gateway: {platforms: {webchat: {port: 0}}}\n")
    (program.workdir / "s.yaml").write_text("turns: [{user: hi, model: [{say: hello}]}]\n")
    gateway = subprocess.Popen(
        program.command("gateway", "run", "--script", "s.yaml"),
        cwd=program.workdir,
        env=program.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        rows = {}
        while not rows or not rows["mine"]["handled"] or not rows["raising"]["failed"]:
            assert time.monotonic() < deadline
            assert gateway.poll() is None
            time.sleep(0.2)
            found = json.loads(program("gateway", "status", "--json").out)["gateway"] or {}
            rows = {row["name"]: row for row in found.get("hooks", ())}
        shown = program("gateway", "status", COLUMNS="200").out
        assert "gateway:startup: ValueError: no" in shown
    finally:
        gateway.send_signal(signal.SIGTERM)
        gateway.wait(60)
    log = program("logs", "--level", "info").out
    assert "INFO hooks.mine: up: {'platforms': ['webchat']}" in log
    assert "WARNING hermes_sdk.dispatch.failures: gateway hook 'raising' failed in gateway:startup at" in log
