"""A policy of guardrails: what its file may say, and which rule counts."""

from datetime import UTC, datetime

import pytest
from guardrails.acts import DOES
from guardrails.policy import DEFAULT, load_policy, schema
from guardrails.who import Caller
from guardrails_policy import load, run_by, verdict

from hermes_sdk.errors import ConfigError


@pytest.fixture(autouse=True)
def _home(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")


@pytest.fixture
def policy(tmp_path):
    """Return a function that reads a policy's rules."""
    return lambda rules: load(f"rules:\n{rules}", tmp_path / "guardrails.yaml")


def action(loaded, tool, **given):
    return verdict(loaded, tool, **given).action


def call(tool, **args):
    return {"tool": tool, **args}


def shell(command):
    return call("terminal", command=command)


# -- mistakes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("rules: [{name: a, action: blok}]", "1:19", "did you mean 'block'?"),
        ("rules: [{name: a, action: block, tol: x}]", "1:34", "did you mean 'tool'?"),
        ("rules:\n  - action: block\n", "2:5", "add `name`"),
        ("rules:\n  - name: a\n    action: block\n    does: deletes\n", "4:5", "did you mean 'delete'?"),
        ("rules: [{name: a, action: block, path: etc}]", "1:34", "begins nowhere: write /..., ~/..., ./... or **/..."),
        ("rules: [{name: a, action: block, host: 'https://a.example/x'}]", "1:34", "write the host alone"),
        ("rules: [{name: a, action: block, host: 'a*.example'}]", "1:34", "`*` stands alone, or in front"),
        ("rules: [{name: a, action: block, time: 25:00-26:00}]", "1:34", "write days, hours and a zone"),
        ("rules: [{name: a, action: block, time: 9:00-10:00 Mars/Base}]", "1:34", "no time zone 'Mars/Base'"),
        (
            "rules: [{name: a, action: block, args: {command: '('}}]",
            "1:34",
            "for `command`, '(' is no regular expression",
        ),
        ("rules: [{name: a, action: rewrite}]", "1:9", "`rewrite`, which needs one of them"),
        ("rules: [{name: a, action: block, set: {x: 1}}]", "1:9", "belong to the action `rewrite`"),
        ("rules: [{name: a, action: rewrite, set: {x: 1}, does: run}]", "1:9", "a rewrite is about arguments"),
        (
            "rules: [{name: a, action: block}, {name: a, action: allow}]",
            "1:36",
            "the other one is at guardrails.yaml:1:9",
        ),
        ("limits: [{name: a, limit: 3 a minute}]", "1:20", "such as 30/minute"),
        ("limits: [{name: a, limit: 3/minute, per: users}]", "1:37", "did you mean 'user'?"),
        ("fail_closed: maybe", "1:1", "fail_closed"),
        ("rules: [", "2:1", "HS102"),
        ("- rules", "1:1", "a mapping with `rules`"),
    ],
)
def test_a_mistake_is_named_where_it_stands(tmp_path, text, place, said):
    with pytest.raises(ConfigError) as raised:
        load(text, tmp_path / "guardrails.yaml")
    assert f"guardrails.yaml:{place}" in str(raised.value)
    assert said in str(raised.value)


def test_several_mistakes_are_named_at_once(tmp_path):
    with pytest.raises(ConfigError, match=r"has 2 mistakes .*1:19 .*2:34 "):
        load("rules: [{name: a, action: blok},\n        {name: b, action: block, tol: x}]", tmp_path / "p.yaml")


def test_a_policy_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(ConfigError, match="there is no policy"):
        load_policy(tmp_path / "none.yaml")


def test_the_schema_knows_every_key_and_kind_of_act():
    known = schema()
    assert set(known["properties"]) == {"version", "fail_closed", "otherwise", "rules", "limits", "tools"}
    described = known["$defs"]["Rule"]["properties"]
    assert all(kind in described["does"]["description"] for kind in DOES)
    assert all("description" in value for value in described.values())


# -- which rule counts ---------------------------------------------------------------------------------------------


def test_the_first_rule_that_fits_counts(policy):
    loaded = policy(
        "  - {name: builds, action: allow, does: delete, path: ./build/**}\n"
        "  - {name: deletes, action: block, does: delete}\n"
        "  - {name: late, action: allow, does: delete}\n"
    )
    assert run_by("rm -rf build", loaded).action == "allow"
    assert [each.rule for each in run_by("rm -rf src", loaded).reasons] == ["deletes"]


def test_of_all_that_a_call_does_the_strictest_verdict_counts(policy):
    loaded = policy(
        "  - {name: asks, action: approve, does: connect}\n"
        "  - {name: deletes, action: block, does: delete, path: ./src/**}\n"
    )
    judged = run_by("curl https://a.example; rm -r src/x", loaded)
    assert (judged.action, [each.rule for each in judged.reasons]) == ("block", ["deletes"])
    assert "guardrails.yaml:3:5" in judged.message


def test_what_no_rule_is_about_gets_the_default(tmp_path):
    loaded = load("otherwise: block\nrules: [{name: look, action: allow, does: [run, read]}]", tmp_path / "p.yaml")
    assert run_by("cat README.md", loaded).action == "allow"
    assert "no rule allows it" in run_by("touch x", loaded).message


def test_an_allowing_rule_must_fit_for_certain_and_a_blocking_one_may(policy):
    allows = policy(
        "  - {name: a, action: allow, does: delete, path: ./tmp/**}\n  - {name: b, action: block, does: delete}\n"
    )
    assert run_by("rm -r tmp/x", allows).action == "allow"
    assert run_by("rm -r tmp/$x", allows).action == "block"
    blocks = policy("  - {name: a, action: block, does: delete, path: ./keep/**}\n")
    assert run_by("rm -r */x", blocks).action == "block"
    assert run_by("rm -r other/*", blocks).action == "allow"


@pytest.mark.parametrize(
    ("condition", "fits", "other"),
    [
        ("tool: 'web_*'", call("web_extract"), call("web")),
        ("args: {command: 'deploy\\b'}", shell("x deploy"), shell("x")),
        ("args: {command: 'glob:make *'}", shell("make x"), shell("a make x")),
        ("args: {headers.X-Key: .}", call("t", headers={"X-Key": "1"}), call("t", headers={"Y": "1"})),
        ("args: {'headers.*': secret}", call("t", headers={"X": ["a", "secret"]}), call("t", secret="secret")),
        ("args: {force: 'true'}", call("t", force=True), call("t", force=False)),
        ("program: git", shell("ls; git log"), shell("echo git")),
        ("program: git push*", shell("git  'push' x"), shell("git pull")),
        ("path: '**/*.pem'", call("read_file", path="a/b.pem"), call("read_file", path="a/b.txt")),
        ("path: [./**, '!./src/**']", call("write_file", path="x"), call("write_file", path="src/x")),
        ("path: ~/x", call("read_file", path="~/x"), call("read_file", path="x")),
        ("path: $HERMES_HOME/x", call("read_file", path="/home/me/.hermes/x"), call("read_file", path="x")),
        ("host: '*.b.example'", call("t", url="http://A.B.example./"), call("t", url="http://b.example")),
        ("host: private", call("t", url="http://192.168.0.7"), call("t", url="http://93.184.215.14")),
        ("host: 10.0.0.0/8", call("t", url="http://0xa.1"), call("t", url="http://11.0.0.1")),
        ("host: 'localhost:8080'", call("t", url="http://localhost:8080"), call("t", url="http://localhost")),
        ("host: ['*', '!a.example']", call("t", url="http://b.example"), call("t", url="http://a.example")),
        ("does: connect", call("web_extract", urls=["http://a.example"]), call("web_extract", urls=[])),
    ],
)
def test_a_condition_fits_what_it_is_about(policy, condition, fits, other):
    loaded = policy(f"  - {{name: a, action: block, {condition}}}\n")
    assert action(loaded, **fits) == "block"
    assert action(loaded, **other) == "allow"


ANNA = Caller("telegram:7", ("telegram",))
CHILD = Caller("telegram:7", ("subagent", "telegram"))
LOCAL = Caller("local", ("cli",))


@pytest.mark.parametrize(
    ("condition", "fits", "others"),
    [
        ("user: 'telegram:7'", [ANNA, CHILD], [LOCAL, Caller()]),
        ("user: '7'", [ANNA], [LOCAL]),
        ("user: '!local'", [ANNA, CHILD, Caller()], [LOCAL]),
        ("user: ['*', '!telegram:*']", [LOCAL], [ANNA, Caller()]),
        ("platform: telegram", [ANNA, CHILD], [LOCAL, Caller()]),
        ("platform: subagent", [CHILD], [ANNA, LOCAL]),
        ("platform: '!cli'", [ANNA, Caller()], [LOCAL]),
    ],
)
def test_who_and_where_from(policy, condition, fits, others):
    loaded = policy(f"  - {{name: a, action: block, {condition}}}\n")
    assert {action(loaded, "t", caller=caller) for caller in fits} == {"block"}
    assert {action(loaded, "t", caller=caller) for caller in others} == {"allow"}


@pytest.mark.parametrize(
    ("time", "inside", "outside"),
    [
        ("09:00-18:00 UTC", "2026-01-05T09:00", "2026-01-05T18:00"),
        ("mon-fri", "2026-01-05T12:00", "2026-01-04T12:00"),
        ("fri-mon 22:00-06:00 UTC", "2026-01-06T05:59", "2026-01-07T05:59"),
        ("sat,sun", "2026-01-04T12:00", "2026-01-05T12:00"),
        ("09:00-10:00 Europe/Berlin", "2026-07-01T07:30", "2026-01-05T07:30"),
        ("00:00-24:00 UTC", "2026-01-05T23:59", None),
    ],
)
def test_when(policy, time, inside, outside):
    loaded = policy(f"  - {{name: a, action: block, time: '{time}'}}\n")
    at = {text: datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (inside, outside) if text}
    assert action(loaded, "t", now=at[inside]) == "block"
    assert outside is None or action(loaded, "t", now=at[outside]) == "allow"


def test_tools_of_plugins_say_what_their_arguments_are(tmp_path):
    tools = "tools: {deploy: {shell: script, write: [target.file], connect: to}}\n"
    rules = "rules: [{name: a, action: block, does: [delete, write, connect]}]\n"
    loaded = load(tools + rules, tmp_path / "p.yaml")
    assert action(loaded, "deploy", script="rm x") == "block"
    assert action(loaded, "deploy", target={"file": "x"}) == "block"
    assert action(loaded, "deploy", to="a.example") == "block"
    assert action(loaded, "deploy", name="x") == "allow"


def test_arguments_of_unknown_tools_are_taken_for_the_worst_that_they_may_be():
    loaded = load_policy(DEFAULT)
    assert action(loaded, "mcp_files_write", path="/etc/passwd") == "approve"
    assert action(loaded, "mcp_files_read", path="/etc/passwd") == "allow"
    assert action(loaded, "mcp_shell", cmd="rm -rf ~") == "block"
    assert action(loaded, "mcp_fetch", url="http://169.254.169.254/latest") == "block"
    assert action(loaded, "execute_code", code="1") == "approve"
    assert action(loaded, "search_files", path="~", pattern="KEY") == "approve"
    assert (
        action(loaded, "patch", mode="patch", patch="*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch")
        == "block"
    )


def test_a_command_in_several_arguments_is_one_command():
    loaded = load_policy(DEFAULT)
    assert action(loaded, "mcp_exec", command=["rm", "-rf", "/etc"]) == "block"
    assert action(loaded, "mcp_exec", command="rm", args=["-rf", "/etc"]) == "block"
    assert action(loaded, "mcp_exec", argv=["rm", "-rf", "build"]) == "allow"
    assert action(loaded, "mcp_exec", commands=["cd build", "rm -rf /etc"]) == "block"


def test_an_answer_about_code_is_for_that_very_call():
    codes = [f"python -c '{'x' * 5_000}{end}'" for end in "ab"]
    assert len({run_by(code).rule_key for code in codes}) == 2
    assert len({run_by('python -c "$x"').rule_key, run_by('x=1; python -c "$x"').rule_key}) == 2


def test_the_memory_of_an_approval_is_as_narrow_as_the_question():
    keys = [run_by(command).rule_key for command in ("sudo a", "sudo b", "python -c 1", "python -c 2")]
    assert len(set(keys)) == 4
    assert run_by("sudo a").rule_key == run_by("echo hello; sudo a").rule_key
