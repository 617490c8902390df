"""Every fixture of the test kit, as an author uses it."""

import json
import textwrap
import time
import types
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import hookimpl
from hermes_sdk.errors import PluginError

GUARD = """
from pydantic import BaseModel

class Settings(BaseModel):
    word: str = "push"

def register(ctx):
    word = ctx.settings(Settings).word
    ctx.register_hook("pre_tool_call", lambda args, **kw:
        {"action": "block", "message": f"no {word}"} if word in str(args) else None)
"""


@pytest.fixture
def guard(tmp_path):
    directory = tmp_path / "guard"
    directory.mkdir()
    (directory / "plugin.yaml").write_text("name: guard\n")
    (directory / "__init__.py").write_text(GUARD)
    return directory


def test_the_home_is_empty_and_active(hermes_home, monkeypatch):
    from hermes_sdk.home import hermes_home as active

    assert active() == hermes_home
    assert list(hermes_home.iterdir()) == []


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_fired_with_a_realistic_payload(fire, manager, hook):
    seen = {}
    manager.register(types.SimpleNamespace(), "nothing")

    class Watcher:
        pass

    def watch(self, **payload):
        seen.update(payload)

    names = ", ".join(f"{name}=None" for name in sorted(HOOKS[hook].argument_names))
    space = {"watch": watch}
    exec(f"def {hook}(self, {names}):\n    watch(self, **{{k: v for k, v in locals().items() if k != 'self'}})", space)
    setattr(Watcher, hook, hookimpl(space[hook]))
    manager.register(Watcher(), "watcher")
    outcome = fire(hook)
    assert seen.keys() == HOOKS[hook].argument_names
    assert [step.plugin for step in outcome.steps] == ["watcher"]


def test_a_slip_in_a_hooks_or_an_arguments_name_is_said(fire):
    with pytest.raises(PluginError, match="did you mean 'pre_tool_call'"):
        fire("pre_tool_cal")
    with pytest.raises(PluginError, match="pre_tool_call does not send 'tool'; did you mean 'tool_name'"):
        fire("pre_tool_call", tool="terminal")


def test_a_directory_is_loaded_with_settings_and_loaded_again_with_others(guard, load_plugin, fire):
    load_plugin(guard)
    assert fire("pre_tool_call", args={"command": "git push"}).blocked_by("guard")
    load_plugin(guard, settings={"word": "pull"})
    assert not fire("pre_tool_call", args={"command": "git push"}).blocked_by("guard")
    assert fire("pre_tool_call", args={"command": "git pull"}).blocked_by("guard")


@pytest.mark.parametrize("target", ["sample_of_the_kit", "sample_of_the_kit:register", "the module"])
def test_a_module_is_loaded_as_an_entry_point_would_be(tmp_path, monkeypatch, load_plugin, fire, target):
    (tmp_path / "sample_of_the_kit.py").write_text(GUARD)
    monkeypatch.syspath_prepend(tmp_path)
    if target == "the module":
        import sample_of_the_kit as target
    load_plugin(target, settings={"word": "pull"})
    assert fire("pre_tool_call", args={"command": "git pull"}).blocked_by("sample_of_the_kit")


def test_an_instance_is_registered_with_the_manager(manager, fire):
    class Guard:
        @hookimpl
        def pre_tool_call(self, tool_name):
            return {"action": "approve", "message": "sure?"}

    manager.register(Guard(), "mine")
    outcome = fire("pre_tool_call")
    assert outcome.asked_by("mine")
    assert outcome.action == "approve"
    assert [step.what for step in outcome.steps_of("mine")] == ["approve"]


def test_what_plugins_do_is_asked_by_name(manager, fire):
    class All:
        @hookimpl
        def transform_tool_result(self, result):
            return result.upper()

        @hookimpl
        def pre_llm_call(self, user_message):
            return "more"

        @hookimpl
        def post_tool_call(self, tool_name):
            raise ValueError("no")

        @hookimpl
        def pre_gateway_dispatch(self, event):
            return {"action": "skip"}

    manager.register(All(), "all")
    changed = fire("transform_tool_result", result="a")
    assert changed.changed_by("all")
    assert changed.value == "A"
    assert fire("pre_llm_call").added_by("all")
    assert fire("post_tool_call").failed_in("all")
    assert fire("pre_gateway_dispatch").blocked_by("all")
    assert not changed.added_by("all")
    assert not changed.changed_by("other")


def test_a_session_is_played_from_a_file_a_text_or_a_script(guard, load_plugin, run_session, tmp_path):
    text = """
        turns:
          - user: go
            model:
              - tools: [{name: terminal, args: {command: git push}}]
              - say: done
            expect: {tools: [blocked]}
    """
    load_plugin(guard)
    assert run_session(text).ok
    file = tmp_path / "s.yaml"
    file.write_text(textwrap.dedent(text))
    assert run_session(file).statuses == {"blocked": 1}
    from hermes_sdk.host.session_file import load_session

    assert run_session(load_session(file)).ok
    assert not run_session(file.read_text().replace("blocked", "ok")).ok


def test_a_recording_is_replayed_at_what_is_loaded(guard, load_plugin, replay, tmp_path):
    call = {
        "type": "hook",
        "hook": "pre_tool_call",
        "payload": {"tool_name": "terminal", "args": {"command": "git push"}},
        "outcome": {"action": "block", "message": "no push", "args": {"command": "git push"}, "rule_key": None},
        "steps": [],
    }
    recording = tmp_path / "r.jsonl"
    recording.write_text(json.dumps({"format": "hermes-sdk-recording", "version": 1}) + "\n" + json.dumps(call))
    load_plugin(guard)
    assert replay(recording)
    load_plugin(guard, settings={"word": "pull"})
    report = replay(recording)
    assert not report
    assert 'action was "block", is "run"' in repr(report)


def test_scripts_are_in_force_at_once(shell_hook, fire, tmp_path):
    shell_hook("pre_tool_call", 'cat >/dev/null\necho \'{"action": "block", "message": "no"}\'\n', matcher="patch")
    assert fire("pre_tool_call", tool_name="patch").action == "block"
    assert fire("pre_tool_call", tool_name="terminal").action == "run"
    plain = tmp_path / "more.sh"
    plain.write_text('cat >/dev/null; echo \'{"context": "from a script"}\'\n')
    command = shell_hook("pre_llm_call", plain)
    assert command == f"sh {plain}"
    assert fire("pre_llm_call").text == "from a script"
    assert fire("pre_tool_call", tool_name="patch").action == "block"


def test_a_gateway_answers_without_any_event_loop_in_the_test(gateway, guard, load_plugin, hermes_home):
    hook = hermes_home / "hooks" / "log"
    hook.mkdir(parents=True)
    (hook / "HOOK.yaml").write_text("events: [agent:end]\n")
    (hook / "handler.py").write_text(
        "from pathlib import Path\n"
        "def handle(event_type, context):\n"
        f"    with Path({str(hermes_home / 'seen')!r}).open('a') as file:\n        file.write(context['response'])\n"
    )
    load_plugin(guard)
    gateway.answers([{"terminal": {"command": "git push"}}, "I may not"], "two")
    assert gateway.ask("go") == "I may not"
    assert gateway.ask("again") == "two"
    assert gateway.ask("more", "c2") == "fine"
    assert "list the commands" in gateway.ask("/help")
    gateway.flush_hooks()
    assert Path(hermes_home / "seen").read_text() == "I may nottwofine"
    assert gateway.runner.session_store.count() == 2


def test_strangers_meet_the_gateway_as_they_do_elsewhere(gateway):
    gateway.strangers = True
    assert "pair approve" in gateway.ask("hi")


def test_the_clock_stands_until_it_is_moved(clock):
    assert time.time() == datetime(2026, 1, 15, 12, tzinfo=UTC).timestamp()
    clock.advance(90, hours=1)
    assert clock.now == datetime(2026, 1, 15, 13, 1, 30, tzinfo=UTC)
    clock.set(datetime(2027, 1, 1, tzinfo=UTC))
    assert time.time() == clock()
    with pytest.raises(ValueError, match="time zone"):
        clock.set(datetime(2027, 1, 1))  # noqa: DTZ001 - that is what is refused


def test_every_fixture_is_on_the_reference_page_and_no_other():
    import re

    from hermes_sdk.testing import plugin

    page = (Path(__file__).parents[2] / "docs/reference/testing.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)", page.partition("## Outcomes")[0], re.MULTILINE)) == set(plugin.__all__)
