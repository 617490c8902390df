"""HOOK.yaml and handler.py: what is read, what is refused, and what two of them share (nothing)."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.gateway_hooks import EVENTS, HookRegistry
from hermes_sdk.gateway_hooks.events import event_of, is_known, known_patterns, matches
from hermes_sdk.gateway_hooks.hook_file import find_hooks

FINE = "def handle(event_type, context):\n    pass\n"


def written(home, text, name="h"):
    directory = home.hook(name, FINE)
    (directory / "HOOK.yaml").write_text(text, "utf-8")
    [found], _ = find_hooks(home.path)
    return found


def test_every_key_is_read(home):
    """Seed G4, G5 and G23."""
    found = written(home, "name: my-hook\ndescription: Log it\nevents:\n- agent:start\n- command:*\nenabled: true\n")
    assert (found.name, found.description, found.events) == ("my-hook", "Log it", ("agent:start", "command:*"))
    assert (found.enabled, found.problems, found.refused) == (True, (), "")


def test_a_name_is_the_directory_s_and_one_event_needs_no_list(home):
    found = written(home, "events: agent:step\n")
    assert (found.name, found.events, found.problems) == ("h", ("agent:step",), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("evnts: [agent:start]\nevents: agent:end", "HOOK.yaml:1:1): found an unknown key, wanted a known one"),
        ("evnts: [agent:start]\nevents: agent:end", "did you mean 'events'?"),
        ("events: [agent:strat]", "found the unknown event 'agent:strat', wanted an event that a gateway fires"),
        ("events: [agent:strat]", "did you mean 'agent:start'?"),
        ("events: ['*']", "known are gateway:startup, session:start"),
    ],
)
def test_what_is_unknown_is_a_warning_with_the_nearest(home, text, said):
    found = written(home, text)
    [problem] = found.problems
    assert problem.severity == "warning"
    assert said in str(problem)
    assert found.refused == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: x\n", "[HS150] events"),
        ("events: []\n", "[HS103] events"),
        ("events: [1]\n", "[HS103] events"),
        ("events:\n", "[HS103] events"),
        ("events: agent:start\nenabled: 3\n", "[HS103] enabled"),
        ("- agent:start\n", "found a list, wanted a mapping of keys"),
        ("events: [agent:start\n", "[HS102]"),
        ("", "[HS150] events"),
    ],
)
def test_what_cannot_be_used_is_refused_and_says_where(home, text, said):
    found = written(home, text)
    assert said in found.refused
    assert str(home.path / "hooks" / "h" / "HOOK.yaml") in found.refused


def test_half_a_hook_is_refused_and_other_directories_are_left_alone(home, registry):
    home.hook("no-handler", FINE).joinpath("handler.py").unlink()
    home.hook("no-declaration", FINE).joinpath("HOOK.yaml").unlink()
    (home.path / "hooks" / "notes").mkdir()
    (home.path / "hooks" / "auto-format.sh").write_text("#!/bin/sh\n")
    rows = {status.name: (status.state, status.why) for status in registry().status()}
    assert {name: state for name, (state, _) in rows.items()} == {"no-handler": "refused", "no-declaration": "refused"}
    assert "a HOOK.yaml without handler.py" in rows["no-handler"][1]
    assert "a handler.py without HOOK.yaml" in rows["no-declaration"][1]


@pytest.mark.parametrize("name", ["hook.yaml", "HOOK.yml", "Hook.yaml"])
@pytest.mark.parametrize("handled", [True, False])
def test_a_declaration_of_another_name_is_pointed_out(home, name, handled):
    directory = home.hook("h", FINE)
    (directory / "HOOK.yaml").rename(directory / name)
    if not handled:
        (directory / "handler.py").unlink()
    [found], _ = find_hooks(home.path)
    assert f"found a {name}, wanted a HOOK.yaml; rename it to HOOK.yaml" in found.refused


def test_a_disabled_hook_is_not_imported(home, registry):
    home.hook("a", "raise SystemExit\n", more="enabled: false\n")
    [status] = registry().status()
    assert (status.state, status.why) == ("disabled", "its HOOK.yaml says `enabled: false`")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(4)\n", "SystemExit: 4"),
        ("def handel(e, c): ...\n", "it defines no function `handle(event_type, context)`; rename 'handel'?"),
        ("handle = 3\n", "`handle` is not callable; define one"),
        ("def handle(:\n", "SyntaxError"),
    ],
)
def test_a_handler_that_cannot_be_loaded_is_listed_as_failed(home, registry, code, said):
    home.hook("a", code)
    home.hook("b", FINE)
    failed, loaded = registry().status()
    assert (failed.state, loaded.state) == ("failed", "loaded")
    assert said in failed.why


def test_neither_hooks_nor_homes_share_modules(home, registry, tmp_path):
    code = "from . import shared\nfrom .shared import WHO\ndef handle(e, c):\n    shared.seen.append(WHO)\n"
    code += "    return shared.seen\n"
    for name in ("one", "two"):
        home.hook(name, code, "command:x", shared=f"WHO = {name!r}\nseen = []\n", setup="raise SystemExit\n")
    other = type(home)(tmp_path / "other")
    other.hook("one", code, "command:x", shared="WHO = 'other'\nseen = []\n")
    elsewhere = HookRegistry(other.path)
    elsewhere.discover_and_load()

    async def run():
        here = await registry().emit_collect("command:x")
        there = await elsewhere.emit_collect("command:x")
        await elsewhere.close()
        return here, there

    assert asyncio.run(run()) == ([["one"], ["two"]], [["other"]])


def test_ctrl_c_during_an_import_is_the_user_s(home):
    home.hook("a", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        HookRegistry(home.path).discover_and_load()


@pytest.mark.parametrize("config", ["gateway: {handler_timeout: soon, hook_timeout: 0}\n", "gateway: 3\n", "a: [\n"])
def test_timeouts_that_are_none_leave_the_defaults(home, config, caplog):
    (home.path / "config.yaml").write_text(config)
    made = HookRegistry(home.path)
    assert (made.handler_timeout, made.hook_timeout) == (300, 5)
    assert ("soon" in config) == any("gateway.handler_timeout" in text for text in caplog.messages)


def test_timeouts_are_read_from_the_configuration(home):
    (home.path / "config.yaml").write_text("gateway: {handler_timeout: 7, hook_timeout: 0.5}\n")
    made = HookRegistry(home.path)
    assert (made.handler_timeout, made.hook_timeout) == (7, 0.5)


def test_the_events_are_those_of_the_seed():
    """Seed G10 to G17: names and keys of all eight."""
    assert {event.name: [key.name for key in event.keys] for event in EVENTS} == {
        "gateway:startup": ["platforms"],
        "session:start": ["platform", "user_id", "session_id", "session_key"],
        "session:end": ["platform", "user_id", "session_key"],
        "session:reset": ["platform", "user_id", "session_key"],
        "agent:start": ["platform", "user_id", "session_id", "message"],
        "agent:step": ["platform", "user_id", "session_id", "iteration", "tool_names"],
        "agent:end": ["platform", "user_id", "session_id", "message", "response"],
        "command:*": ["platform", "user_id", "command", "args"],
    }
    for event in EVENTS:
        for key in event.keys:
            assert type(key.sample).__name__ == key.type.partition("[")[0]


def test_patterns():
    """Seed G6."""
    assert matches(["agent:*", "command:*"], "agent:start") == "agent:*"
    assert matches(["agent"], "agent:start") is None
    assert matches(["command:*"], "command:a:b") == "command:*"
    assert event_of("command:reset") is event_of("command:*")
    assert all(map(is_known, [*known_patterns(), "command:anything", "session:*"]))
    assert not any(map(is_known, ["agent", "command:", "*", "agent:begin"]))


def test_the_page_of_events_is_the_generated_one():
    generate = Path(__file__).resolve().parents[2] / "docs" / "generate"
    command = [sys.executable, generate, "--check", "gateway-events"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
