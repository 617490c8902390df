"""Claude Code's matchers and permission rules as `matcher` and `when`: the same calls are chosen."""

import re

import pytest

from hermes_sdk.shell_hooks.conditions import read_conditions
from hermes_sdk.shell_hooks.imported_matcher import (
    OURS,
    NotImportableError,
    narrowed,
    read_matcher,
    read_rule,
)

OUR_TOOLS = ("terminal", "process", "read_file", "write_file", "patch", "search_files", "delegate_task")


def chosen(choice, names=OUR_TOOLS):
    """Return which names an entry with this matcher is for."""
    return {name for name in names if not choice.matcher or re.fullmatch(choice.matcher, name)}


@pytest.mark.parametrize(
    ("matcher", "expected"),
    [
        ("Bash", {"terminal"}),
        ("Edit|Write", {"patch", "write_file"}),
        ("Edit, MultiEdit,Write", {"patch", "write_file"}),
        ("Task|Agent", {"delegate_task"}),
        ("^(Edit|MultiEdit|Write)$", {"patch", "write_file"}),
        ("Edit.*", {"patch"}),
        ("(Edit)", {"patch"}),
        ("^Read$|Glob.?", {"read_file", "search_files"}),
        ("[EW][dr]it", {"patch", "write_file"}),
        ("^Bash", {"terminal", "process"}),
        ("Grep|NotebookEdit", {"search_files"}),
    ],
)
def test_a_matcher_chooses_our_tools_for_theirs(matcher, expected):
    assert chosen(read_matcher(matcher)) == expected


@pytest.mark.parametrize("matcher", ["", "*", ".*", "(.*)", ".+", "^.*$"])
def test_a_matcher_for_everything_is_left_away(matcher):
    assert read_matcher(matcher).matcher == ""


@pytest.mark.parametrize(
    ("matcher", "name", "expected"),
    [
        ("mcp__memory__.*", "mcp__memory__create", True),
        ("mcp__memory__.*", "mcp__other__create", False),
        ("mcp__.*__write.*", "mcp__files__write_all", True),
        ("mcp__.*__write", "mcp__files__write_all", True),
        ("mcp__.*__write$", "mcp__files__write_all", False),
        ("mcp__*", "mcp__files__read", True),
        ("Edit|mcp__files__.*", "mcp__files__read", True),
        ("Edit|mcp__files__.*", "patch", True),
        ("Edit|mcp__files__.*", "Edit", False),
        ("mcp__files__read", "mcp__files__read", True),
        ("mcp__files__read", "mcp__files__read_all", False),
        (".*secret.*", "get_secret_value", True),
        ("[wW]rite", "mcp__files__write_all", True),
        ("[wW]rite", "write_file", True),
        ("Edit|Wri.e", "mcp__files__Write", True),
        ("^(Edit|Write)$", "mcp__files__Write", False),
        ("secret\\.", "my_secret.x", True),
    ],
)
def test_names_that_are_the_same_here_are_matched_anywhere_or_wholly_as_there(matcher, name, expected):
    assert bool(re.fullmatch(read_matcher(matcher).matcher, name)) is expected


@pytest.mark.parametrize("matcher", ["WebFetch", "WebFetch|WebSearch", "^Notebook", "Notebook.*", "WebFetch(domain:x)"])
def test_a_matcher_for_tools_that_are_not_here_has_no_equivalent(matcher):
    with pytest.raises(NotImportableError, match="no tool here is"):
        read_matcher(matcher)


def test_a_matcher_that_python_cannot_read_has_no_equivalent():
    with pytest.raises(NotImportableError, match="no regular expression here"):
        read_matcher("(?<name>Bash)")


def test_a_matcher_that_cannot_be_put_together_anew_has_no_equivalent():
    with pytest.raises(NotImportableError, match="cannot be rewritten"):
        read_matcher("(?i)write")


def test_what_is_dropped_is_said():
    assert read_matcher("Edit|NotebookEdit|WebFetch").remarks == ("no tool here is NotebookEdit or WebFetch",)
    assert read_matcher("Edit|Notebook.*").remarks == ("no tool here is NotebookEdit or NotebookRead",)


def test_a_permission_rule_as_a_matcher_is_taken_for_what_it_looks_like_and_said():
    choice = read_matcher("Bash(git push:*)")
    assert choice.tools == ("terminal",)
    assert "permission rule" in choice.remarks[0]
    assert choice.when


def holds(rule, **args):
    """Whether the conditions of a rule hold for a call with these arguments."""
    return all(condition.holds({"args": args}) for condition in read_conditions(rule.when))


@pytest.mark.parametrize(
    ("rule", "command", "expected"),
    [
        ("Bash(git push *)", "git push origin main", True),
        ("Bash(git push *)", "git push", True),
        ("Bash(git push *)", "git pull", False),
        ("Bash(git push *)", "git pushx", False),
        ("Bash(git push:*)", "git push --force", True),
        ("Bash(ls)", "ls", True),
        ("Bash(ls)", "lsof", False),
        ("Bash(npm run *:prod)", "npm run build:prod", True),
        ("Bash(npm run *:prod)", "npm run build:dev", False),
        ("Bash(git push *)", "cd x && git push", True),
        ("Bash(git push *)", "FOO=1 git push", True),
        ("Bash(git push *)", "true;git push\nls", True),
        ("Bash(git push *)", "echo $(git push)", True),
        ("Bash(rm -rf *)", "rm -rf /tmp/x y", True),
        ("Bash(a.b *)", "axb", False),
        ("Bash(*)", "anything", True),
        ("Bash", "anything", True),
    ],
)
def test_a_rule_for_commands_is_a_condition_that_compound_commands_satisfy_too(rule, command, expected):
    choice = read_rule(rule)
    assert choice.tools == ("terminal",)
    assert holds(choice, command=command) is expected


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("Edit(*.ts)", "a.ts", True),
        ("Edit(*.ts)", "/home/me/src/a.ts", True),
        ("Edit(*.ts)", "a.py", False),
        ("Edit(src/**)", "src/a/b.py", True),
        ("Edit(src/**)", "/home/me/src/a.py", True),
        ("Edit(/src/**)", "lib/a.py", False),
        ("Read(./.env)", "/home/me/.env", True),
        ("Read(//etc/**)", "/etc/passwd", True),
        ("Read(//etc/**)", "/home/etc/passwd", False),
    ],
)
def test_a_rule_for_files_is_a_path_pattern_that_any_directory_may_precede(rule, path, expected):
    assert holds(read_rule(rule), path=path) is expected


def test_a_rule_for_a_server_or_one_of_its_tools_is_a_matcher():
    assert chosen(read_rule("mcp__files"), ("mcp__files__read", "mcp__other__read")) == {"mcp__files__read"}
    assert chosen(read_rule("mcp__files__read"), ("mcp__files__read", "mcp__files__read2")) == {"mcp__files__read"}


@pytest.mark.parametrize("rule", ["WebFetch(domain:x)", "Skill(a)", "Task(Explore)", "nonsense"])
def test_a_rule_without_an_equivalent_is_refused(rule):
    with pytest.raises(NotImportableError):
        read_rule(rule)


def test_matcher_and_rule_choose_what_both_do():
    both = narrowed(read_matcher("Edit|Write"), read_rule("Edit(*.py)"))
    assert both.tools == ("patch",)
    assert both.when == {"args.path": "**/*.py"}
    assert narrowed(read_matcher(""), read_rule("Bash(ls)")).tools == ("terminal",)
    assert narrowed(read_matcher("mcp__.*"), read_rule("mcp__files")).tools == ("mcp__files__.*",)
    with pytest.raises(NotImportableError, match="never runs there"):
        narrowed(read_matcher("Edit"), read_rule("Bash(ls)"))


def test_every_tool_that_theirs_stand_for_is_one_of_ours():
    from hermes_sdk.host.toolbox import BUILTIN_TOOLS

    assert set(OURS.values()) <= set(BUILTIN_TOOLS)
