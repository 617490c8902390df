"""The example distribution: found by its entry point, it answers with each of the three directives."""

import pytest

from hermes_sdk import PluginManager


@pytest.fixture
def judge(installed_guard, tmp_path, monkeypatch):
    """Return a function that asks the installed plugin about a command."""
    monkeypatch.syspath_prepend(str(installed_guard))
    manager = PluginManager(tmp_path)
    manager.discover_and_load()
    assert manager.plugins["workspace-guard"].source == "entrypoint"

    def judge(command, tool_name="terminal"):
        return manager.hook.pre_tool_call(tool_name=tool_name, args={"command": command})

    yield judge
    manager.shutdown()


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "rm -fr ~/projects",
        "rm --recursive $HOME",
        "rm -r ../other",
        "cd build && rm -rf /etc",
        "ls | xargs echo; rm -Rf /usr",
        "rm -r -f 'a b' /var",
    ],
)
def test_a_recursive_delete_outside_of_the_workspace_is_blocked(judge, command):
    decision = judge(command)
    assert decision.blocked_by("workspace-guard")
    assert decision.message.startswith("recursive delete outside of the workspace: ")


@pytest.mark.parametrize("command", ["git push", "git push origin main", "make && git push --tags"])
def test_a_push_needs_a_person(judge, command):
    decision = judge(command)
    assert (decision.action, decision.message) == ("approve", "git push publishes commits")
    assert decision.rule_key == "git-push"


@pytest.mark.parametrize("what", ["log -3", "diff", "show HEAD", "branch"])
def test_git_runs_without_a_pager(judge, what):
    decision = judge(f"git {what}")
    assert decision.action == "run"
    assert decision.args == {"command": f"git --no-pager {what}"}
    assert [(step.plugin, step.what) for step in decision.steps] == [("workspace-guard", "modify")]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "rm -rf build",
        "rm /tmp/file",
        "git status",
        "git --no-pager log",
        "echo 'unclosed",
        "",
        "log git",
    ],
)
def test_other_commands_are_none_of_its_business(judge, command):
    decision = judge(command)
    assert (decision.action, decision.args, decision.steps) == ("run", {"command": command}, ())


def test_other_tools_are_none_of_its_business(judge):
    assert judge("rm -rf /", tool_name="write_file").action == "run"
