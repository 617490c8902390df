{%- set kind = cookiecutter.kind -%}
{%- if cookiecutter.__is_plugin == "True" -%}
"""The plugin as a host runs it. The fixtures come with hermes-sdk."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT{{ ' / "src" / "' ~ cookiecutter.__module ~ '"' if cookiecutter.__packaging == "pip" }}
NAME = "{{ cookiecutter.name }}"


@pytest.fixture
def plugin(load_plugin):
    """Load the plugin with its default settings."""
    return load_plugin(PLUGIN)

{% if kind == "guard" %}
def test_what_is_forbidden_is_blocked(plugin, fire):
    outcome = fire("pre_tool_call", tool_name="terminal", args={"command": "git push --force"})
    assert outcome.blocked_by(NAME)


@pytest.mark.parametrize(
    ("tool", "args"), [("terminal", {"command": "git push"}), ("write_file", {"content": "git push --force"})]
)
def test_everything_else_runs(plugin, fire, tool, args):
    assert fire("pre_tool_call", tool_name=tool, args=args).action == "run"


def test_the_settings_say_what_is_forbidden(load_plugin, fire):
    load_plugin(PLUGIN, settings={"forbidden": ["reboot"]})
    assert fire("pre_tool_call", tool_name="terminal", args={"command": "reboot now"}).blocked_by(NAME)
    assert fire("pre_tool_call", tool_name="terminal", args={"command": "git push --force"}).action == "run"
{% elif kind == "observer" %}
def test_a_slow_tool_is_said(plugin, fire, caplog):
    fire("post_tool_call", tool_name="terminal", duration_ms=1500)
    assert "terminal took 1500 ms" in caplog.text


def test_a_quick_tool_is_not(plugin, fire, caplog):
    fire("post_tool_call", tool_name="terminal", duration_ms=15)
    assert "took" not in caplog.text


def test_the_settings_say_what_is_slow(load_plugin, fire, caplog):
    load_plugin(PLUGIN, settings={"slow_ms": 10})
    fire("post_tool_call", tool_name="terminal", duration_ms=15)
    assert "terminal took 15 ms" in caplog.text
{% elif kind == "redaction" %}
@pytest.mark.parametrize("hook", ["transform_tool_result", "transform_terminal_output"])
def test_what_matches_is_masked(plugin, fire, hook):
    key = "result" if hook == "transform_tool_result" else "output"
    assert fire(hook, **{key: "see ticket-12345 today"}).value == "see [masked] today"


def test_everything_else_stays_as_it_is(plugin, fire):
    outcome = fire("transform_tool_result", result="see ticket-1")
    assert outcome.value == "see ticket-1"
    assert not outcome.changed_by(NAME)


def test_the_settings_say_what_is_masked(load_plugin, fire):
    load_plugin(PLUGIN, settings={"patterns": ["heron", "plover"]})
    assert fire("transform_tool_result", result="a heron and a plover").value == "a [masked] and a [masked]"
{% elif kind == "memory-recall" %}
def told(fire, text, session="s1", user="ann"):
    """Play the hooks of one turn, and return what was added to it."""
    added = fire("pre_llm_call", session_id=session, user_message=text, sender_id=user).text
    fire("post_llm_call", session_id=session, user_message=text)
    return added


def test_what_is_to_be_remembered_comes_back_in_another_session(plugin, fire):
    assert told(fire, "Please remember that staging runs on heron") is None
    assert "staging runs on heron" in told(fire, "Where does staging run?", session="s2")


def test_nobody_hears_what_somebody_else_said(plugin, fire):
    told(fire, "Please remember that staging runs on heron")
    assert told(fire, "Where does staging run?", session="s2", user="bob") is None


def test_what_was_only_said_is_not_kept(plugin, fire):
    told(fire, "The staging machine is slow today")
    assert told(fire, "Is the staging machine slow?", session="s2") is None


def test_the_settings_say_how_much_is_recalled(load_plugin, fire):
    load_plugin(PLUGIN, settings={"most": 1})
    for machine in ("heron", "plover"):
        told(fire, f"remember that {machine} is a machine")
    assert told(fire, "which machine?", session="s2").count("- ") == 1
{% elif kind == "tool" %}
def test_the_tool_counts_words(plugin, manager):
    tool = manager.registrations.tools["{{ cookiecutter.__module }}"]
    assert tool.handler({"text": "one two three"}) == '{"words": 3}'


def test_a_call_without_text_gets_an_error_that_the_model_understands(plugin, manager):
    tool = manager.registrations.tools["{{ cookiecutter.__module }}"]
    assert tool.handler({}) == '{"error": "text is missing"}'


def test_the_settings_say_how_much_is_read(load_plugin, manager):
    load_plugin(PLUGIN, settings={"longest": 3})
    assert manager.registrations.tools["{{ cookiecutter.__module }}"].handler({"text": "one two"}) == '{"words": 1}'
{% endif %}

def test_a_session_goes_as_it_should(plugin, run_session):
    assert run_session(ROOT / "session.yaml").ok
{% elif kind == "gateway-hook" -%}
"""The hook as a gateway runs it."""

import asyncio
import json
import shutil
from pathlib import Path

from hermes_sdk.gateway_hooks import HookRegistry

ROOT = Path(__file__).parents[1]


def test_events_are_logged(hermes_home):
    shutil.copytree(ROOT, hermes_home / "hooks" / "{{ cookiecutter.name }}")

    async def fire():
        registry = HookRegistry(hermes_home)
        registry.discover_and_load()
        assert [status.state for status in registry.status()] == ["loaded"]
        await registry.emit("command:help", {"platform": "desk", "user_id": "ann", "command": "help", "args": "me"})
        await registry.emit("session:start", {"platform": "desk", "user_id": "ann"})
        await registry.close()

    asyncio.run(fire())
    lines = (hermes_home / "logs" / "{{ cookiecutter.name }}.jsonl").read_text().splitlines()
    assert [(line["event"], line["user"], line["args"]) for line in map(json.loads, lines)] == [
        ("command:help", "ann", "me")
    ]
{% elif kind == "shell-hook" -%}
"""The script as a host runs it: a process of its own, JSON on stdin and stdout."""

import json
import subprocess
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[1] / "hook.sh"


def run(command):
    """Return what the script answers to a command."""
    payload = {"hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": command}}
    done = subprocess.run(["sh", HOOK], input=json.dumps(payload), capture_output=True, text=True, check=True)  # noqa: S603, S607
    return json.loads(done.stdout) if done.stdout else None


def test_a_forced_push_is_blocked():
    assert run("git push --force")["action"] == "block"


@pytest.mark.parametrize("command", ["git push", "echo force"])
def test_everything_else_is_no_opinion(command):
    assert run(command) is None


def test_a_host_takes_the_answer(shell_hook, fire):
    shell_hook("pre_tool_call", HOOK, matcher="terminal")
    blocked = fire("pre_tool_call", tool_name="terminal", args={"command": "git push --force"})
    assert blocked.action == "block"
    assert fire("pre_tool_call", tool_name="terminal", args={"command": "git push"}).action == "run"
{% endif -%}
