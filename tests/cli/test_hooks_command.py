"""`hermes-sdk hooks`: list, approve, revoke, test and schema, as real processes with real scripts and a terminal."""

import json

import pytest
from jsonschema import Draft202012Validator

BLOCK = """\
#!/usr/bin/env bash
command=$(jq -r '.tool_input.command // empty')
if [[ $command == *"rm -rf"* ]]; then
  echo '{"decision": "block", "reason": "blocked: rm -rf is not permitted"}'
else
  echo '{}'
fi
"""
WITNESS = """\
#!/bin/sh
cat > "$HERMES_HOME/read.json"
pwd > "$HERMES_HOME/where"
"""


@pytest.fixture
def hooks(program):
    """A home with two scripts on three events, none of them approved."""
    scripts = program.home / "agent-hooks"
    scripts.mkdir()
    for name, text in (("block.sh", BLOCK), ("witness.sh", WITNESS)):
        (scripts / name).write_text(text)
        (scripts / name).chmod(0o755)
    program.config(
        "hooks:\n"
        "  pre_tool_call:\n"
        "    - {matcher: terminal, command: agent-hooks/block.sh, timeout: 5, fail_closed: true}\n"
        "  post_tool_call:\n"
        "    - {matcher: 'write_file|patch', command: agent-hooks/witness.sh}\n"
        "  subagent_stop:\n"
        "    - {command: agent-hooks/witness.sh}\n"
    )
    return program


def wide(program, *arguments, **env):
    """Run a command on a screen where nothing is folded."""
    return program(*arguments, COLUMNS="1000", **env)


def approvals(program):
    document = json.loads((program.home / "shell-hooks-allowlist.json").read_text())
    return [(item["event"], item["command"]) for item in document["approvals"]]


# -- list --------------------------------------------------------------------------------------------------------------


def test_list_shows_event_matcher_timeout_and_consent(hooks):
    """Seed S35 and K11."""
    done = hooks("hooks", "list")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "pre_tool_call"
    assert lines[1].split() == ["not", "approved", "agent-hooks/block.sh"]
    assert "matcher terminal, timeout 5 s, fail-closed: it blocks" in lines[2]
    assert "matcher write_file|patch, timeout 60 s, answer ignored" in done.out
    assert "read the scripts, then: hermes-sdk hooks approve" in done.out
    assert "no host runs for this home" in done.out
    assert all(len(line) <= 80 for line in lines)


def test_list_as_json_has_every_entry(hooks):
    document = json.loads(wide(hooks, "hooks", "list", "--json").out)
    gate, formatter, child = document["hooks"]
    assert (gate["event"], gate["matcher"], gate["timeout"], gate["fail_closed"]) == (
        "pre_tool_call",
        "terminal",
        5,
        True,
    )
    assert gate["consent"] == "not approved"
    assert not gate["answer_ignored"]
    assert formatter["answer_ignored"]
    assert child["where"].endswith("config.yaml:7:7")
    assert document["hosts"] == document["problems"] == []


def test_nothing_configured_is_said_only_when_it_is_true(program):
    assert "no shell hooks are configured" in wide(program, "hooks", "list").out
    program.config("hooks: {pre_tool_cal: [{command: x}]}\n")
    wrong = wide(program, "hooks", "list")
    assert wrong.code == 1
    assert "no shell hooks" not in wrong.out
    assert "did you mean 'pre_tool_call'" in wrong.out
    program.config("hooks: {pre_tool_call: [{command: x, enabled: false}]}\n")
    off = wide(program, "hooks", "list")
    assert off.code == 0
    assert "no shell hooks" not in off.out
    assert "1 switched off" in off.out
    program.config("hooks: [\n")
    broken = wide(program, "hooks", "list")
    assert broken.code == 1
    assert "no shell hooks" not in broken.out


def test_a_damaged_allowlist_approves_nothing_and_is_named(hooks):
    allowlist = hooks.home / "shell-hooks-allowlist.json"
    allowlist.write_text('{"approvals": [{"event":"pre_tool_call","comm')
    for command in (["list"], ["doctor", "--no-run"], ["approve", "--yes"], ["revoke", "x"]):
        done = wide(hooks, "hooks", *command)
        assert done.code == 1, command
        assert "shell-hooks-allowlist.json" in (done.out + done.err).replace("\n", ""), command
    assert allowlist.read_text() == '{"approvals": [{"event":"pre_tool_call","comm'


# -- approve and revoke ------------------------------------------------------------------------------------------------


def test_approve_takes_the_command_as_it_is_written(hooks):
    done = wide(hooks, "hooks", "approve", "agent-hooks/witness.sh")
    assert done.code == 0
    assert done.out.splitlines() == [
        "approved agent-hooks/witness.sh on post_tool_call",
        "approved agent-hooks/witness.sh on subagent_stop",
    ]
    assert approvals(hooks) == [
        ("post_tool_call", "agent-hooks/witness.sh"),
        ("subagent_stop", "agent-hooks/witness.sh"),
    ]


def test_an_unknown_command_is_an_error_with_the_nearest(hooks):
    done = wide(hooks, "hooks", "approve", "agent-hooks/blok.sh")
    assert done.code == 1
    assert done.err.startswith("error [HS130]: no shell hook with the command 'agent-hooks/blok.sh' is configured")
    assert "did you mean 'agent-hooks/block.sh'?" in done.err
    assert not (hooks.home / "shell-hooks-allowlist.json").exists()


def test_approving_everything_asks_a_person_or_needs_yes(hooks):
    refused = wide(hooks, "hooks", "approve")
    assert refused.code == 1
    assert refused.err.startswith("error [HS131]: 3 shell hooks are not approved")
    assert wide(hooks, "hooks", "approve", "--yes").code == 0
    assert len(approvals(hooks)) == 3
    assert wide(hooks, "hooks", "approve").out == "nothing waits for approval\n"
    assert {hook["consent"] for hook in json.loads(wide(hooks, "hooks", "list", "--json").out)["hooks"]} == {"approved"}


def test_a_person_is_shown_each_entry_and_asked(hooks, terminal):
    screen = terminal("hooks", "approve", columns=200)
    shown = screen.wait_for("approve it [y]es, [n]o?")
    assert "pre_tool_call  agent-hooks/block.sh" in shown
    assert "config.yaml:3:7" in shown
    assert f"runs    {hooks.home}/agent-hooks/block.sh" in shown
    assert "with    matcher terminal, timeout 5 s, fail-closed" in shown
    screen.type("y")
    screen.wait_for("approve it [y]es, [n]o?")
    screen.type("n")
    screen.wait_for("approve it [y]es, [n]o?")
    screen.press("D")
    assert screen.end() == 1
    assert approvals(hooks) == [("pre_tool_call", "agent-hooks/block.sh")]


def test_revoke_takes_all_entries_of_a_command_and_says_when(hooks):
    """Seed S37 and K14."""
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "revoke", "agent-hooks/witness.sh")
    assert done.code == 0
    assert "revoked agent-hooks/witness.sh on post_tool_call, from the next start on" in done.out
    assert "a host that is already running keeps its hooks until it ends" in done.out
    assert approvals(hooks) == [("pre_tool_call", "agent-hooks/block.sh")]


def test_revoke_wants_the_tilde_as_it_is_written(program):
    """Seed K14: the command string is compared as written, a tilde unexpanded."""
    program.config("hooks: {subagent_stop: [{command: ~/hook.sh}]}\n")
    home = str(program.workdir)
    assert wide(program, "hooks", "approve", "--yes", HOME=home).code == 0
    done = wide(program, "hooks", "revoke", f"{home}/hook.sh", HOME=home)
    assert done.code == 1
    assert "'~/hook.sh'" in done.err
    assert wide(program, "hooks", "revoke", "~/hook.sh", HOME=home).code == 0
    assert approvals(program) == []


def test_approve_and_revoke_as_json(hooks):
    done = wide(hooks, "hooks", "approve", "--yes", "--json")
    assert len(json.loads(done.out)["approved"]) == 3
    done = wide(hooks, "hooks", "revoke", "agent-hooks/block.sh", "--json")
    assert json.loads(done.out) == {
        "revoked": [{"event": "pre_tool_call", "command": "agent-hooks/block.sh"}],
        "still_live": [],
    }


# -- test --------------------------------------------------------------------------------------------------------------


def test_test_runs_the_script_and_says_what_its_answer_means(hooks):
    """Seed S36 and K11: the verdict on a made-up call, and on a given one."""
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "test", "pre_tool_call", "--for-tool", "terminal")
    assert done.code == 0
    assert "means   no opinion" in done.out
    given = hooks.workdir / "call.json"
    given.write_text('{"args": {"command": "rm -rf /"}}')
    done = hooks("hooks", "test", "pre_tool_call", "--payload-file", str(given))
    assert done.code == 0
    assert 'means   blocks the call with message "blocked: rm -rf is not permitted"' in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_test_warns_before_it_runs_anything(hooks):
    """Seed K13: this is no sandbox, and whoever tries a script is told before it starts."""
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "test", "subagent_stop")
    notice = done.out.splitlines()[0]
    assert notice.startswith("Scripts run for real: as ")
    assert f"in {hooks.workdir}, with your environment. This is no sandbox" in notice
    as_json = wide(hooks, "hooks", "test", "subagent_stop", "--json")
    assert as_json.err.startswith("Scripts run for real")
    assert json.loads(as_json.out)["hooks"][0]["outcome"] == "no opinion"


def test_test_respects_the_matcher(hooks):
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "test", "post_tool_call", "--for-tool", "terminal")
    assert done.code == 0
    assert "not concerned: its matcher 'write_file|patch' does not match" in done.out
    assert not (hooks.home / "read.json").exists()


def test_scripts_run_where_cwd_says_in_the_home_that_home_says(hooks, tmp_path):
    wide(hooks, "hooks", "approve", "--yes")
    elsewhere = tmp_path / "disposable"
    elsewhere.mkdir()
    env = {"HERMES_HOME": str(tmp_path / "other")}
    done = wide(hooks, "hooks", "test", "subagent_stop", "--home", str(hooks.home), "--cwd", str(elsewhere), **env)
    assert done.code == 0
    assert (hooks.home / "where").read_text().strip() == str(elsewhere)
    assert json.loads((hooks.home / "read.json").read_text())["cwd"] == str(elsewhere)


def test_an_unapproved_script_runs_only_after_a_yes(hooks, terminal):
    refused = wide(hooks, "hooks", "test", "subagent_stop")
    assert refused.code == 1
    assert refused.err.startswith("error [HS131]: 1 shell hook is not approved")
    assert not (hooks.home / "read.json").exists()
    screen = terminal("hooks", "test", "subagent_stop")
    shown = screen.wait_for("not approved; run it now, this once [y]es, [n]o?")
    assert "agent-hooks/witness.sh" in shown
    screen.type("n")
    assert screen.end() == 1
    assert "not run: it is not approved" in screen.shown
    assert not (hooks.home / "read.json").exists()
    screen = terminal("hooks", "test", "subagent_stop")
    screen.wait_for("[n]o?")
    screen.type("y")
    assert screen.end() == 0
    assert (hooks.home / "read.json").exists()
    assert wide(hooks, "hooks", "test", "subagent_stop", "--yes").code == 0
    assert not (hooks.home / "shell-hooks-allowlist.json").exists(), "a trial approves nothing"


def test_a_script_that_changed_under_content_trust_is_asked_about_again(hooks):
    hooks.config((hooks.home / "config.yaml").read_text() + "hooks_trust: content\n")
    wide(hooks, "hooks", "approve", "--yes")
    assert wide(hooks, "hooks", "test", "subagent_stop").code == 0
    (hooks.home / "agent-hooks/witness.sh").write_text(WITNESS + "# more\n")
    assert wide(hooks, "hooks", "test", "subagent_stop").err.startswith("error [HS131]")


def test_a_failing_script_is_exit_code_1(hooks):
    (hooks.home / "agent-hooks/block.sh").write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "test", "pre_tool_call")
    assert done.code == 1
    assert "means   fails: exit status 3: broken; the entry is fail-closed, so it" in done.out


def test_an_event_without_hooks_is_an_error(hooks):
    assert "no shell hook is configured for pre_llm_call" in wide(hooks, "hooks", "test", "pre_llm_call").err
    unknown = wide(hooks, "hooks", "test", "pre_tool_cal")
    assert unknown.code == 1
    assert "did you mean 'pre_tool_call'?" in unknown.err


def test_foreign_text_cannot_write_to_the_terminal(hooks):
    (hooks.home / "agent-hooks/witness.sh").write_text(
        "#!/bin/sh\nprintf '{\"x\": \"[red]\"}'\nprintf '\\033]0;title\\007' >&2\n"
    )
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "test", "subagent_stop")
    assert "\x1b" not in done.out
    assert "[red]" in done.out


# -- schema ------------------------------------------------------------------------------------------------------------


def test_schema_prints_both_and_takes_what_a_script_read(hooks):
    wide(hooks, "hooks", "approve", "--yes")
    done = wide(hooks, "hooks", "schema", "subagent_stop")
    assert done.code == 0
    assert done.out == wide(hooks, "hooks", "schema", "subagent_stop", "--json").out
    schemas = json.loads(done.out)
    assert set(schemas) == {"payload", "answer"}
    wide(hooks, "hooks", "test", "subagent_stop")
    read = json.loads((hooks.home / "read.json").read_text())
    Draft202012Validator(schemas["payload"]).validate(read)
    assert wide(hooks, "hooks", "schema", "subagent_stopp").code == 1


# -- import ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def settings(hooks):
    directory = hooks.workdir / ".claude"
    directory.mkdir()
    path = directory / "settings.json"
    path.write_text(
        json.dumps(
            {
                "hooks": {
                    "PreToolUse": [
                        {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 9}]}
                    ],
                    "Notification": [{"hooks": [{"type": "command", "command": "say"}]}],
                }
            }
        )
    )
    return path


def test_import_shows_the_block_and_writes_only_when_asked(hooks, settings):
    before = (hooks.home / "config.yaml").read_text()
    done = wide(hooks, "hooks", "import", str(settings))
    assert done.code == 0
    assert done.out == (
        "hooks:\n"
        "  pre_tool_call:\n"
        "    - matcher: patch|write_file\n"
        f"      command: {hooks.workdir}/check.sh\n"
        "      timeout: 9\n"
        "      dialect: claude\n"
    )
    assert "left out Notification: pre_approval_request" in done.err
    assert "nothing is written" in done.err
    assert (hooks.home / "config.yaml").read_text() == before
    done = wide(hooks, "hooks", "import", str(settings), "--write")
    assert done.code == 0
    assert "1 added to" in done.err
    listed = json.loads(wide(hooks, "hooks", "list", "--json").out)["hooks"]
    assert [(hook["event"], hook["dialect"], hook["consent"]) for hook in listed][1] == (
        "pre_tool_call",
        "claude",
        "not approved",
    )
    assert "0 added" in wide(hooks, "hooks", "import", str(settings), "--write").err


def test_import_as_json(hooks, settings):
    document = json.loads(wide(hooks, "hooks", "import", str(settings), "--json").out)
    assert document["hooks"]["pre_tool_call"][0]["matcher"] == "patch|write_file"
    assert document["written_to"] is None
    assert {remark["where"] for remark in document["remarks"]} == {"Notification", "hooks"}


def test_a_file_that_gives_nothing_is_exit_code_1(hooks):
    path = hooks.workdir / "settings.json"
    path.write_text('{"hooks": {"Notification": []}}')
    done = wide(hooks, "hooks", "import", str(path), "--write")
    assert done.code == 1
    assert done.out == ""
    path.write_text("{}")
    assert "nothing to import" in wide(hooks, "hooks", "import", str(path)).err


# -- the article -------------------------------------------------------------------------------------------------------

CHECK_TERMINAL = """\
#!/usr/bin/env python3
import json, sys
payload = json.load(sys.stdin)
if "/etc" in payload["tool_input"].get("command", ""):
    print('{"action":"block","message":"이 경로에서는 해당 명령을 실행할 수 없습니다."}')
else:
    print("{}")
"""


def test_the_command_line_of_the_article(program, terminal):
    """Seed X41, K11 and K14: list, test, doctor and a quoted revoke, after which a start asks again."""
    program.env["HOME"] = str(program.workdir)
    scripts = program.workdir / ".hermes/agent-hooks"
    scripts.mkdir(parents=True)
    (scripts / "check-terminal.py").write_text(CHECK_TERMINAL, encoding="utf-8")
    (scripts / "check-terminal.py").chmod(0o755)
    written = "~/.hermes/agent-hooks/check-terminal.py"
    program.config(
        f'hooks:\n  pre_tool_call:\n    - matcher: "terminal"\n      command: "{written}"\n      timeout: 5\n'
    )
    assert program("hooks", "approve", written).code == 0
    shown = wide(program, "hooks", "list").out
    assert f"approved                {written}" in shown
    assert "matcher terminal, timeout 5 s" in shown
    assert "means   no opinion" in wide(program, "hooks", "test", "pre_tool_call", "--for-tool", "terminal").out
    call = program.workdir / "call.json"
    call.write_text('{"args": {"command": "ls /etc"}}')
    tried = wide(program, "hooks", "test", "pre_tool_call", "--for-tool", "terminal", "--payload-file", str(call))
    assert 'blocks the call with message "이 경로에서는 해당 명령을 실행할 수 없습니다."' in tried.out
    assert program("hooks", "doctor").code == 0
    assert program("hooks", "revoke", written).code == 0
    assert approvals(program) == []
    script = program.workdir / "s.yaml"
    script.write_text("turns:\n  - user: hi\n    model:\n      - say: hello\n")
    chat = terminal("chat", "--script", str(script), columns=200)
    assert written in chat.wait_for("let it run from now on? [y]es, [n]o?")
    chat.type("n")
    chat.wait_for("you> ")
    chat.type("/exit")
    assert chat.end() == 0
    assert approvals(program) == []
