"""Shell hooks in force: beside plugins, in each session's directory, in every mode of a start (semantics 8.6)."""

import json
import subprocess
import sys

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk import shell_hooks
from hermes_sdk.errors import StrictError
from hermes_sdk.plugins.current import get_plugin_manager
from hermes_sdk.shell_hooks.register import register_from_config, registered

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
BLOCK = '{"action": "block", "message": "no"}'


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# -- order and composition -------------------------------------------------------------------------------------------


def test_python_plugins_are_asked_first_and_their_block_prevails(shell_home, tmp_path):
    """Seed S43 to S45, K21."""
    shell_home.plugin(
        "py",
        """
        def register(ctx):
            ctx.register_hook("pre_tool_call", lambda **k: {"action": "block", "message": "python"})
        """,
    )
    shell_home.hooks(
        {"pre_tool_call": [{"command": shell_home.script("s.sh", f"cat > {tmp_path}/read; echo '{BLOCK}'")}]}
    )
    manager, _ = shell_home.start()
    assert manager.hook.pre_tool_call(**CALL).message == "python"
    assert lines(tmp_path / "read")[0]["extra"]["already_blocked"] is True


def test_it_makes_no_difference_which_is_registered_first(shell_home):
    """Seed S44."""
    shell_home.plugin("py", 'def register(ctx):\n    ctx.register_hook("pre_tool_call", lambda **k: None)\n')
    script = shell_home.answering("s.sh", "{}")
    shell_home.hooks({"pre_tool_call": [{"command": script}]})
    manager = shell_home.manager()
    register_from_config(manager=manager, accept_hooks=True)
    manager.discover_and_load()
    assert [name for name, _, _ in manager.calling_order("pre_tool_call")] == ["py", f"shell:{script}"]
    assert manager.calling_order("pre_tool_call")[1][2].endswith("config.yaml:1:30")


def test_every_event_of_the_contract_can_have_a_script(shell_home, tmp_path):
    """Seed S1, S6, S7, S12."""
    script = shell_home.script("s.sh", f"cat >> {tmp_path}/read; echo $HERMES_HOOK_EVENT >> {tmp_path}/events")
    manager = shell_home.started({event: [{"command": script}] for event in HOOKS})
    for event in HOOKS:
        getattr(manager.hook, event)(**HOOKS[event].sample())
    assert [each["hook_event_name"] for each in lines(tmp_path / "read")] == list(HOOKS)
    assert (tmp_path / "events").read_text().split() == list(HOOKS)


def test_registering_again_replaces_what_was_registered(shell_home):
    script = shell_home.answering("s.sh", BLOCK)
    shell_home.hooks({"pre_tool_call": [{"command": script}]})
    manager, in_force = shell_home.start()
    assert register_from_config(manager=manager) is in_force
    assert len(manager.calling_order("pre_tool_call")) == 1
    register_from_config({"hooks": {}}, manager=manager)
    assert not manager.has_hook("pre_tool_call")
    assert registered(manager) is in_force


def test_without_a_manager_it_is_the_active_homes(shell_home, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(shell_home.path))
    shell_home.hooks({"pre_tool_call": [{"command": shell_home.answering("s.sh", BLOCK)}]})
    register_from_config(accept_hooks=True)
    manager = get_plugin_manager()
    assert manager.hook.pre_tool_call(**CALL).blocked
    manager.shutdown()


def test_the_package_has_the_hosts_one_call_and_is_light_without_it():
    """Seed S5."""
    light = "import sys, hermes_sdk.shell_hooks.script as s; assert 'pluggy' not in sys.modules, sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", light], check=True)
    assert shell_hooks.register_from_config is register_from_config
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        shell_hooks.nothing  # noqa: B018


def test_a_mapping_can_stand_for_the_configuration(shell_home):
    manager = shell_home.loaded()
    script = shell_home.answering("s.sh", BLOCK)
    register_from_config({"hooks": {"pre_tool_call": [{"command": script}]}}, True, manager=manager)
    assert manager.hook.pre_tool_call(**CALL).blocked


def test_hooks_of_cli_config_count_where_config_yaml_has_none(shell_home):
    """Seed S2."""
    script = shell_home.answering("s.sh", BLOCK)
    text = f"hooks_auto_accept: true\nhooks:\n  pre_tool_call:\n    - command: {script}\n"
    (shell_home.path / "cli-config.yaml").write_text(text)
    manager, in_force = shell_home.start(accept=False)
    assert manager.hook.pre_tool_call(**CALL).blocked
    assert in_force.entries[0].where.endswith("cli-config.yaml:4:7")


# -- where scripts run, and with what --------------------------------------------------------------------------------


def test_a_script_runs_in_the_sessions_directory_with_its_environment(shell_home, tmp_path, monkeypatch):
    """Seed S39: with the user's full environment."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("MY_TOKEN", "secret")
    command = shell_home.script("s.sh", f"pwd > {tmp_path}/pwd; env > {tmp_path}/env; cat > {tmp_path}/read")
    shell_home.hooks({"on_session_start": [{"command": command}]})
    manager, _ = shell_home.start(cwd=work)
    manager.hook.on_session_start(session_id="s", model="m", platform="cli")
    variables = dict(line.partition("=")[::2] for line in (tmp_path / "env").read_text().splitlines())
    assert (tmp_path / "pwd").read_text().strip() == str(work)
    assert lines(tmp_path / "read")[0]["cwd"] == str(work)
    assert variables["HERMES_HOME"] == str(shell_home.path)
    assert variables["HERMES_HOOK_EVENT"] == "on_session_start"
    assert variables["HERMES_HOOK_DEPTH"] == "1"
    assert variables["MY_TOKEN"] == "secret"


def test_env_narrows_what_a_script_inherits(shell_home, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    monkeypatch.setenv("MY_MODE", "strict")
    command = shell_home.script("s.sh", f"env > {tmp_path}/env")
    manager = shell_home.started({"on_session_start": [{"command": command, "env": ["MY_MODE", "ABSENT"]}]})
    manager.hook.on_session_start(session_id="s", model="m", platform="cli")
    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    made_by_sh = {"PWD", "OLDPWD", "SHLVL", "_"}
    assert names - made_by_sh == {"PATH", "MY_MODE", "HERMES_HOME", "HERMES_HOOK_EVENT", "HERMES_HOOK_DEPTH"}


def test_a_hermes_that_a_hook_starts_runs_no_shell_hooks(shell_home, tmp_path):
    nested = tmp_path / "nested.py"
    nested.write_text(
        "from hermes_sdk import PluginManager\n"
        "from hermes_sdk.shell_hooks.register import register_from_config\n"
        "manager = PluginManager(entry_points=False)\n"
        "manager.discover_and_load()\n"
        "found = register_from_config(manager=manager, accept_hooks=True)\n"
        "manager.hook.on_session_start(session_id='nested', model='m', platform='cli')\n"
        "print(found.entries)\n"
    )
    command = shell_home.script("s.sh", f"cat >> {tmp_path}/read; {sys.executable} {nested} > {tmp_path}/out 2>&1")
    manager = shell_home.started({"on_session_start": [{"command": command}]})
    manager.hook.on_session_start(session_id="outer", model="m", platform="cli")
    assert (tmp_path / "out").read_text() == "[]\n"
    assert [each["session_id"] for each in lines(tmp_path / "read")] == ["outer"]


def test_a_script_in_the_dialect_of_claude_code_runs_unchanged(shell_home, tmp_path):
    command = shell_home.script(
        "claude.sh",
        f"""
        cat > {tmp_path}/read
        test -d "$CLAUDE_PROJECT_DIR" || exit 1
        echo '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "allow",'
        echo '  "updatedInput": {{"file_path": "safe.txt", "content": "x"}}}}}}'
        """,
    )
    manager = shell_home.started({"pre_tool_call": [{"command": command, "dialect": "claude", "fail_closed": True}]})
    decision = manager.hook.pre_tool_call(
        tool_name="write_file", args={"path": "/etc/passwd", "content": "x", "mode": 1}
    )
    assert decision.action == "run"
    assert decision.args == {"path": "safe.txt", "content": "x"}
    (payload,) = lines(tmp_path / "read")
    assert payload["tool_name"] == "Write"
    assert payload["tool_input"]["file_path"] == "/etc/passwd"


@pytest.mark.parametrize(
    ("event", "text", "expected"),
    [
        ("pre_tool_call", """echo '{"continue": false, "stopReason": "enough"}'""", "enough"),
        ("pre_tool_call", "echo 'not here' >&2; exit 2", "not here"),
        ("pre_llm_call", "echo plain text is context", "plain text is context"),
        ("pre_verify", "echo 'run the tests' >&2; exit 2", "run the tests"),
    ],
)
def test_other_answers_in_that_dialect_are_understood(shell_home, event, text, expected):
    command = shell_home.script("claude.sh", f"cat >/dev/null\n{text}")
    manager = shell_home.started({event: [{"command": command, "dialect": "claude"}]})
    outcome = getattr(manager.hook, event)(**HOOKS[event].sample())
    assert (outcome.text if event == "pre_llm_call" else outcome.message) == expected


# -- modes of a start ------------------------------------------------------------------------------------------------


def test_safe_mode_registers_nothing_and_says_which_gates_are_off(shell_home, monkeypatch, tmp_path):
    command = shell_home.script("s.sh", f"touch {tmp_path}/ran")
    entries = {
        "pre_tool_call": [{"command": command, "fail_closed": True}, {"command": command}],
        "outbound": [{"url": "http://localhost:1", "events": ["pre_tool_call"], "secret_env": "PATH"}],
    }
    shell_home.hooks(entries, hooks_auto_accept=True)
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    manager, in_force = shell_home.start()
    assert in_force.entries == []
    assert not manager.has_hook("pre_tool_call")
    assert manager.gates_off == [f"shell:{command} (pre_tool_call)"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("hooks", "text"),
    [
        ({"pre_tool_cal": [{"command": "x"}]}, "did you mean 'pre_tool_call'?"),
        ({"post_tool_call": [{"command": "x", "matchr": "y"}]}, "did you mean 'matcher'?"),
        ({"post_tool_call": [{"command": "x"}]}, "is not registered: nobody approved it"),
        ({"pre_tool_call": [{"command": "x", "fail_closed": True}]}, "is a gate, so it blocks"),
    ],
)
@pytest.mark.parametrize("first", ["hooks", "plugins"])
def test_strict_mode_does_not_start_with_what_is_not_in_order(shell_home, hooks, text, first):
    shell_home.hooks(hooks, plugins={"enabled": ["gone"]})
    manager = shell_home.manager(strict=True)
    if first == "plugins":
        manager._strict = False
        manager.discover_and_load()
        manager._strict = True
        with pytest.raises(StrictError) as raised:
            register_from_config(manager=manager)
    else:
        register_from_config(manager=manager)
        with pytest.raises(StrictError) as raised:
            manager.discover_and_load()
    assert text in str(raised.value)
    assert "gone" in str(raised.value)  # one block names everything


def test_strict_mode_starts_when_everything_is_in_order(shell_home):
    shell_home.hooks({"pre_tool_call": [{"command": shell_home.answering("s.sh", "{}"), "fail_closed": True}]})
    manager, in_force = shell_home.start(strict=True)
    assert in_force.not_in_order() == []
    assert manager.hook.pre_tool_call(**CALL).action == "run"
