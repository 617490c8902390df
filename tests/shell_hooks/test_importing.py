"""Settings of Claude Code as a `hooks:` block: what comes over, what does not, and what is written."""

import json
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_sdk import ConfigError
from hermes_sdk.config import Config
from hermes_sdk.shell_hooks.entries import read_entries
from hermes_sdk.shell_hooks.importing import import_settings, write_block


@pytest.fixture
def imported(tmp_path):
    """Return a function that imports the hooks of a project's settings."""
    (tmp_path / "app/.claude").mkdir(parents=True)
    (tmp_path / "home").mkdir()

    def imported(hooks, **more):
        path = tmp_path / "app/.claude/settings.json"
        path.write_text(json.dumps({"hooks": hooks, **more}))
        return import_settings(path, tmp_path / "home")

    return imported


def command(text, **more):
    return {"type": "command", "command": text, **more}


def group(*handlers, matcher=None):
    return [{"hooks": list(handlers)} | ({} if matcher is None else {"matcher": matcher})]


def remarks(found, kind):
    return [(remark.where, remark.text) for remark in found.remarks if remark.kind == kind]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("PreToolUse", "pre_tool_call"),
        ("PostToolUse", "post_tool_call"),
        ("UserPromptSubmit", "pre_llm_call"),
        ("SessionStart", "on_session_start"),
        ("SessionEnd", "on_session_finalize"),
        ("SubagentStop", "subagent_stop"),
        ("Stop", "pre_verify"),
    ],
)
def test_events_get_our_names(imported, theirs, ours):
    assert imported({theirs: group(command("true"))}).block == {ours: [{"command": "true", "dialect": "claude"}]}


def test_an_entry_has_matcher_condition_command_and_timeout(imported, tmp_path):
    found = imported(
        {"PreToolUse": group(command("./check.sh", timeout=5, **{"if": "Bash(rm *)"}), matcher="Bash|Edit")}
    )
    (entry,) = found.block["pre_tool_call"]
    assert entry == {
        "matcher": "terminal",
        "when": {"args.command": r"(?:.*[\s;&|(`])?rm(?:[\s;&|)`].*)?"},
        "command": f"{tmp_path}/app/check.sh",
        "timeout": 5,
        "dialect": "claude",
    }
    assert read_entries(Config.of(tmp_path, {"hooks": found.block})).problems == []


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("PreCompact", "does not compress"),
        ("PermissionRequest", "pre_tool_call can ask"),
        ("PostToolUseFailure", "import it as PostToolUse"),
        ("Notification", "pre_approval_request"),
        ("Nonsense", "no event of Claude Code that is known here"),
    ],
)
def test_events_without_an_equivalent_are_named_with_the_reason(imported, event, reason):
    found = imported({event: group(command("true"))})
    assert found.block == {}
    ((where, text),) = remarks(found, "left out")
    assert where == event
    assert reason in text


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        ({"type": "prompt", "prompt": "is it fine?"}, "asks a model"),
        ({"type": "agent", "prompt": "look"}, "starts an agent"),
        ({"type": "mcp_tool", "server": "x"}, "calls a tool"),
        ({"type": "new"}, "is unknown here"),
        ({"type": "command"}, "has no command"),
        (command("x", shell="powershell"), "written for powershell"),
        (command("${CLAUDE_PLUGIN_ROOT}/x"), "only Claude Code sets"),
        ({"type": "http", "url": "http://x/", "headers": {"A": "Bearer $KEY"}}, "from the environment"),
        ({"type": "http"}, "url"),
        ("text", "no object"),
        (command("x", **{"if": "WebFetch(domain:x)"}), "no tool here is WebFetch"),
        (command("x", **{"if": ["Bash"]}), "its if is no text"),
        (command("unclosed 'quote"), None),
    ],
)
def test_handlers_without_an_equivalent_are_named_with_the_reason(imported, handler, reason):
    found = imported({"PreToolUse": group(handler)})
    if reason is None:  # a shell would complain about it there too
        assert found.block["pre_tool_call"][0]["command"] == ["bash", "-c", "unclosed 'quote"]
        return
    assert found.block == {}
    ((where, text),) = remarks(found, "left out")
    assert where == "PreToolUse[0].hooks[0]"
    assert reason in text


def test_a_matcher_that_is_no_text_never_becomes_one_for_everything(imported):
    found = imported({"PreToolUse": group(command("true"), matcher=["Bash"])})
    assert found.block == {}
    assert remarks(found, "left out") == [("PreToolUse[0].hooks[0]", "its matcher is no text")]


def test_a_bad_group_does_not_hide_the_others(imported):
    found = imported({"PreToolUse": [5, {"hooks": 5}, *group(command("true"))], "Stop": 5})
    assert found.count == 1
    assert [where for where, _ in remarks(found, "left out")] == ["PreToolUse[0]", "PreToolUse[1]", "Stop"]


@pytest.mark.parametrize(
    ("timeout", "ours", "said"),
    [
        (10, 10, None),
        (2.5, 2.5, None),
        (300, 300, None),
        (600, 300, "the longest there is"),
        (30000, 30, "looks like milliseconds"),
        (1500, 1.5, "looks like milliseconds"),
        (900000, 300, "the longest there is"),
        (10**400, 300, "the longest there is"),
        (0, None, "no number of seconds"),
        (float("nan"), None, "no number of seconds"),
        (float("inf"), None, "no number of seconds"),
        ("10", None, "no number of seconds"),
        (True, None, "no number of seconds"),
    ],
)
def test_timeouts_are_seconds_of_a_length_that_is_there(imported, timeout, ours, said):
    found = imported({"PreToolUse": group(command("true", timeout=timeout))})
    assert found.block["pre_tool_call"][0].get("timeout") == ours
    texts = [text for where, text in remarks(found, "changed") if where.startswith("PreToolUse")]
    assert bool(texts) is bool(said)
    if said:
        assert said in texts[-1]


def test_what_runs_beside_the_agent_there_does_so_here_where_nobody_waits_for_an_answer(imported):
    found = imported(
        {
            "PostToolUse": group(command("true", **{"async": True})),
            "PreToolUse": group(command("true", **{"async": True})),
        }
    )
    assert found.block["post_tool_call"][0]["background"] is True
    assert "background" not in found.block["pre_tool_call"][0]
    assert any("its answer counts" in text for _, text in remarks(found, "changed"))


def test_http_handlers_and_words_come_over(imported):
    found = imported(
        {
            "PreToolUse": group(
                {"type": "http", "url": "http://localhost:1/x", "headers": {"A": "b"}, "timeout": 3},
                command("node", args=["./x.js", "a b"]),
            )
        }
    )
    http, words = found.block["pre_tool_call"]
    assert http == {
        "type": "http",
        "url": "http://localhost:1/x",
        "headers": {"A": "b"},
        "timeout": 3,
        "dialect": "claude",
    }
    assert words["command"][0] == "node"
    assert words["command"][1].endswith("/app/x.js")
    assert words["command"][2] == "a b"


def test_what_is_different_is_said_once(imported, tmp_path):
    found = imported(
        {
            "UserPromptSubmit": group(command("true"), command("false", statusMessage="...", once=True)),
            "SessionStart": group(command("true"), matcher="startup"),
        },
        disableAllHooks=True,
    )
    changed = dict(remarks(found, "changed"))
    assert "cannot block" in changed["UserPromptSubmit"]
    assert changed["UserPromptSubmit[0].hooks[1]"] == "statusMessage, once: nothing here does that"
    assert "not told apart" in changed["SessionStart[0].hooks[0]"]
    assert str(tmp_path / "app") in changed["hooks"]
    assert "60 s here, and 600 s there" in changed["timeout"]
    assert remarks(found, "left out") == [("disableAllHooks", "it switches all of these hooks off there")]


@pytest.mark.parametrize("text", ["", "[]", '{"permissions": {}}', '{"hooks": []}', "{"])
def test_a_file_without_hooks_is_an_error(tmp_path, text):
    path = tmp_path / "settings.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"HS132.*settings\.json"):
        import_settings(path, tmp_path)


_text = st.text(alphabet="abE|.*^$()[]{}+?\\ \"'`$&;<>~/-_#\n=:1mcp", max_size=25)
_handler = st.fixed_dictionaries(
    {"type": st.sampled_from(["command", "http", "prompt", 1]), "command": _text, "url": _text},
    optional={
        "timeout": st.one_of(st.integers(), st.floats(), _text),
        "if": _text,
        "args": st.lists(_text, max_size=3),
        "async": st.booleans(),
        "headers": st.dictionaries(_text, _text, max_size=2),
    },
)
_group = st.fixed_dictionaries(
    {"hooks": st.lists(st.one_of(_handler, _text), max_size=3)},
    optional={"matcher": st.one_of(_text, st.none(), st.integers())},
)
_events = st.sampled_from(["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "Nope"])


@given(st.dictionaries(_events, st.lists(_group, max_size=3), max_size=3), st.sampled_from([".claude", "hooks", "x"]))
@settings(max_examples=200, deadline=None)
def test_whatever_is_imported_can_be_written_and_read(hooks, place):
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory, "home")
        path = Path(directory, place, "settings.json")
        home.mkdir()
        path.parent.mkdir()
        path.write_text(json.dumps({"hooks": hooks}))
        found = import_settings(path, home)
        write_block(found.block, home)
        read = read_entries(Config.load(home))
        assert len(read.entries) == found.count
        assert [problem for problem in read.problems if problem.severity == "error"] == []


# -- writing -----------------------------------------------------------------------------------------------------------


def test_a_block_is_written_once(imported, tmp_path):
    home = tmp_path / "home"
    (home / "config.yaml").write_text("# mine\nhooks:\n  pre_tool_call:\n    - command: own\n")
    block = imported({"PreToolUse": group(command("true")), "Stop": group(command("true"))}).block
    assert write_block(block, home) == (home / "config.yaml", 2)
    text = (home / "config.yaml").read_text()
    assert text.startswith("# mine\nhooks:\n  pre_tool_call:\n    - command: own\n    - command:")
    entries = yaml.safe_load(text)["hooks"]
    assert [entry["command"] for entry in entries["pre_tool_call"]] == ["own", "true"]
    assert write_block(block, home) == (home / "config.yaml", 0)
    assert (home / "config.yaml").read_text() == text


def test_a_block_goes_where_the_hooks_are_read_from(imported, tmp_path):
    home = tmp_path / "home"
    (home / "cli-config.yaml").write_text("hooks:\n  pre_tool_call:\n    - command: own\n")
    block = imported({"PreToolUse": group(command("true"))}).block
    assert write_block(block, home) == (home / "cli-config.yaml", 1)
    assert [entry.command for entry in read_entries(Config.load(home)).entries] == ["own", "true"]


def test_a_configuration_that_cannot_be_edited_safely_is_refused(imported, tmp_path):
    home = tmp_path / "home"
    (home / "config.yaml").write_text("hooks: {pre_tool_call: [{command: own}]}\n")
    with pytest.raises(ConfigError, match="HS109"):
        write_block(imported({"PreToolUse": group(command("true"))}).block, home)
    assert (home / "config.yaml").read_text() == "hooks: {pre_tool_call: [{command: own}]}\n"
