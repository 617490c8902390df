"""The shell examples of the seed documents, as printed, in real sessions with the real bash, jq and git."""

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from hermes_sdk import PluginManager
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.shell_hooks.register import register_from_config

EXAMPLES = Path(__file__).resolve().parents[1] / "data" / "seed" / "shell"
SAY = ScriptStep(say="done")


@pytest.fixture(autouse=True)
def tools():
    """The programs that the examples are written for; a test that misses one says so."""
    for program in ("bash", "jq", "git", "grep"):
        if shutil.which(program) is None:
            pytest.fail(f"{program} is missing: the examples of the seed need it (apt-get install {program})")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """``~/.hermes`` with all four examples."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HERMES_HOME", "HERMES_HOOK_DEPTH", "HERMES_SAFE_MODE"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / ".hermes"
    (home / "agent-hooks").mkdir(parents=True)
    shutil.copy(EXAMPLES / "config.yaml", home)
    for script in EXAMPLES.glob("*.sh"):
        shutil.copy(script, home / "agent-hooks")
        (home / "agent-hooks" / script.name).chmod(0o755)
    return home


@pytest.fixture
def start(home, tmp_path):
    """Return a function that starts an agent in a directory; its model plays these steps."""
    managers = []
    (tmp_path / "work").mkdir()

    def start(*steps, children=None):
        manager = PluginManager(home, entry_points=False)
        managers.append(manager)
        manager.discover_and_load()
        assert register_from_config(manager=manager, accept_hooks=True).not_in_order() == []
        return Agent(manager, ScriptedModel(steps, children=children), workdir=tmp_path / "work")

    yield start
    for manager in managers:
        assert manager.failures == {}
        manager.shutdown()


def call(name, **arguments):
    return ScriptStep(tools=(ScriptedCall(name, arguments),))


def run(agent, text="go"):
    result = agent.run_turn(text)
    agent.close()
    assert result.completed
    return [message["content"] for message in agent.history if message["role"] == "tool"]


def test_a_python_file_is_formatted_after_it_was_written(start, tmp_path, monkeypatch):
    """Seed X35, S4."""
    formatter = tmp_path / "bin" / "black"
    formatter.parent.mkdir()
    formatter.write_text("#!/bin/sh\necho '# formatted' >> \"$1\"\n")
    formatter.chmod(0o755)
    monkeypatch.setenv("PATH", f"{formatter.parent}:/usr/local/bin:/usr/bin:/bin")
    written = [call("write_file", path=name, content="x=1\n") for name in ("a.py", "a.txt")]
    results = run(start(*written, call("read_file", path="a.py"), SAY))
    work = tmp_path / "work"
    assert (work / "a.py").read_text() == "x=1\n# formatted\n"
    assert (work / "a.txt").read_text() == "x=1\n"
    assert "formatted" not in results[0]  # what the agent was told is not changed
    assert "formatted" in results[2]


def test_without_the_formatter_files_stay_as_they_are(start, tmp_path, monkeypatch):
    """Seed X35."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "bash", "cat", "jq", "git", "grep"):
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(programs))
    run(start(call("write_file", path="a.py", content="x=1\n"), SAY))
    assert (tmp_path / "work" / "a.py").read_text() == "x=1\n"


@pytest.mark.parametrize("command", ["rm -rf /", "rm -r /", "cd x && rm  -rf /etc"])
def test_a_destructive_command_is_blocked(start, command):
    """Seed X36, S3."""
    (result,) = run(start(call("terminal", command=command), SAY))
    assert "blocked: rm -rf / is not permitted" in result


@pytest.mark.parametrize("command", ["echo fine", "rm -rf build"])
def test_a_harmless_command_is_not(start, command):
    """Seed X36."""
    (result,) = run(start(call("terminal", command=command), SAY))
    assert "not permitted" not in result


def sent_in(agent):
    """Run a turn and return everything that the model was sent in it."""
    model, requests = agent.model, []
    answer = model.complete
    model.complete = lambda request: requests.append(json.dumps(request["messages"])) or answer(request)
    agent.run_turn("what is going on?")
    return "".join(requests)


def test_uncommitted_changes_are_told_to_the_model(start, tmp_path):
    """Seed X37, S29."""
    subprocess.run(["git", "init", "-q", str(tmp_path / "work")], check=True)
    (tmp_path / "work" / "new.txt").write_text("x")
    agent = start(SAY)
    assert "Uncommitted changes in cwd:\\n?? new.txt" in sent_in(agent)
    assert "Uncommitted" not in json.dumps(agent.history)  # for this turn only
    agent.close()


@pytest.mark.parametrize("repository", [True, False])
def test_a_clean_tree_and_no_repository_add_nothing(start, tmp_path, repository):
    """Seed X37."""
    if repository:
        subprocess.run(["git", "init", "-q", str(tmp_path / "work")], check=True)
    agent = start(SAY)
    assert "Uncommitted" not in sent_in(agent)
    agent.close()


def test_every_child_agent_is_logged(start, home):
    """Seed X38, S4."""
    (home / "logs").mkdir()
    delegate = call("delegate_task", goal="look", role="scout")
    children = {"look": [ScriptStep(say="seen")]}
    agent = start(delegate, SAY, children=children)
    before = time.time()
    run(agent)
    (line,) = (home / "logs" / "orchestration.log").read_text().splitlines()
    logged = json.loads(line)
    assert logged["parent"] == agent.session_id
    assert before - 1 <= logged["ts"] <= time.time() + 1
    assert logged["extra"]["child_role"] == "scout"
    assert logged["extra"]["child_status"] == "completed"
    assert logged["extra"]["child_summary"] == "seen"


CHECK_TERMINAL = """#!/usr/bin/env python3
import json, sys
payload = json.load(sys.stdin)
if "secrets" in payload["tool_input"]["command"]:
    print('{"action":"block","message":"이 경로에서는 해당 명령을 실행할 수 없습니다."}')
else:
    print("{}")
"""


def test_the_korean_example_blocks_with_its_message_intact(home, start, monkeypatch):
    """Seed X39, X40, K5, K7 and S26."""
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    (home / "agent-hooks" / "check-terminal.py").write_text(CHECK_TERMINAL, encoding="utf-8")
    (home / "agent-hooks" / "check-terminal.py").chmod(0o755)
    (home / "config.yaml").write_text(
        """
hooks:
  pre_tool_call:
    - matcher: "terminal"
      command: "~/.hermes/agent-hooks/check-terminal.py"
      timeout: 5
"""
    )
    (refused,) = run(start(call("terminal", command="cat secrets"), SAY))
    assert "이 경로에서는 해당 명령을 실행할 수 없습니다." in json.loads(refused)["error"]
    (allowed,) = run(start(call("terminal", command="echo fine"), SAY))
    assert json.loads(allowed)["output"].strip() == "fine"
