"""Commands of Claude Code's hooks: the same program is found, with a shell only where one is needed."""

import shlex
from pathlib import Path

import pytest

from hermes_sdk.shell_hooks.imported_command import Origin, rewrite_command, rewrite_words
from hermes_sdk.shell_hooks.imported_matcher import NotImportableError

PROJECT = Origin(project=Path("/p/app"))
PLUGIN = Origin(plugin=Path("/p/plugin"))
USER = Origin()


@pytest.mark.parametrize(
    ("command", "origin", "expected"),
    [
        ("~/.claude/hooks/a.sh --x", USER, "~/.claude/hooks/a.sh --x"),
        ("jq .", PROJECT, "jq ."),
        ('"$CLAUDE_PROJECT_DIR"/.claude/a.sh', PROJECT, "/p/app/.claude/a.sh"),
        ("${CLAUDE_PROJECT_DIR}/.claude/a.sh x", PROJECT, "/p/app/.claude/a.sh x"),
        ("python3 $CLAUDE_PROJECT_DIR/a.py", PROJECT, "python3 /p/app/a.py"),
        ("./scripts/a.sh", PROJECT, "/p/app/scripts/a.sh"),
        (".claude/hooks/a.sh 'two words'", PROJECT, "/p/app/.claude/hooks/a.sh 'two words'"),
        ("python3 .claude/a.py --file ./b", PROJECT, "python3 /p/app/.claude/a.py --file ./b"),
        ("$HOME/.claude/a.sh", USER, "~/.claude/a.sh"),
        ('"$HOME/.claude/a.sh" x', USER, "~/.claude/a.sh x"),
        ("${CLAUDE_PLUGIN_ROOT}/hooks/a.sh", PLUGIN, "/p/plugin/hooks/a.sh"),
        # what needs a shell gets the one it had
        ("jq . | tee x", PROJECT, ["bash", "-c", "jq . | tee x"]),
        ("echo $CLAUDE_PROJECT_DIR", USER, ["bash", "-c", "echo $CLAUDE_PROJECT_DIR"]),
        ("a.sh && $HOME/b.sh", USER, ["bash", "-c", "a.sh && $HOME/b.sh"]),
        ("cd $CLAUDE_PROJECT_DIR && make", PROJECT, ["bash", "-c", "cd /p/app && make"]),
        ("echo '$CLAUDE_PROJECT_DIR' > x", PROJECT, ["bash", "-c", "echo '$CLAUDE_PROJECT_DIR' > x"]),
        ('notify "$CLAUDE_PROJECT_DIR"', USER, ["bash", "-c", 'notify "$CLAUDE_PROJECT_DIR"']),
        ("black *.py", PROJECT, ["bash", "-c", "black *.py"]),
        ("black '*.py' \\*", PROJECT, "black '*.py' \\*"),
        ("FOO=1 check", PROJECT, ["bash", "-c", "FOO=1 check"]),
        ("exit 0", PROJECT, ["bash", "-c", "exit 0"]),
        ("check  # all", PROJECT, ["bash", "-c", "check  # all"]),
        ("check\nlog", PROJECT, ["bash", "-c", "check\nlog"]),
        # a user's own settings count in every project, so a relative path means the one that the session is in
        ("./a.sh", USER, ["bash", "-c", "./a.sh"]),
        ("python3 .claude/a.py", USER, ["bash", "-c", "python3 .claude/a.py"]),
    ],
)
def test_a_command_is_rewritten(command, origin, expected):
    assert rewrite_command(command, origin) == expected


def test_a_project_whose_path_needs_quoting_is_left_to_the_shell():
    origin = Origin(project=Path("/p/my app"))
    assert rewrite_command('"$CLAUDE_PROJECT_DIR"/a.sh', origin) == ["bash", "-c", '"$CLAUDE_PROJECT_DIR"/a.sh']
    assert shlex.split(rewrite_command("./a.sh", origin)) == ["/p/my app/a.sh"]


@pytest.mark.parametrize("command", ["${CLAUDE_PLUGIN_ROOT}/a.sh", "${CLAUDE_PLUGIN_DATA}/x", "${user_config.key}"])
def test_what_only_claude_code_sets_has_no_equivalent(command):
    with pytest.raises(NotImportableError, match="only Claude Code sets"):
        rewrite_command(command, PROJECT)
    with pytest.raises(NotImportableError):
        rewrite_words([command], PROJECT)


def test_words_that_no_shell_reads_stay_words():
    words = ["./a.sh", "${CLAUDE_PROJECT_DIR}/x", "a b"]
    assert rewrite_words(words, PROJECT) == ["/p/app/a.sh", "/p/app/x", "a b"]
    with pytest.raises(NotImportableError, match="relative to no project"):
        rewrite_words(["./a.sh"], USER)
    with pytest.raises(NotImportableError, match="known in sessions only"):
        rewrite_words(["a", "${CLAUDE_PROJECT_DIR}/x"], USER)


def test_the_place_of_a_file_says_where_it_is_from(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "me")
    assert Origin.of(tmp_path / "app/.claude/settings.local.json") == Origin(project=tmp_path / "app")
    assert Origin.of(tmp_path / "me/.claude/settings.json") == Origin()
    assert Origin.of(tmp_path / "plugin/hooks/hooks.json") == Origin(plugin=tmp_path / "plugin")
    assert Origin.of(tmp_path / "settings.json") == Origin()
