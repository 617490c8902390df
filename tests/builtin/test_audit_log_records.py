"""What the audit_log plugin records: every decision, by whom, and no secret."""

import json
from types import SimpleNamespace

import pytest

from hermes_hookspecs import AddContext, Approve, Block, Modify, hookimpl
from hermes_sdk.host import Agent
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.testing.desk import GatewayDesk

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"


@pytest.fixture
def records(tmp_path):
    """Return a function that reads the log; of one kind, if one is named."""

    def records(kind=None):
        files = sorted((tmp_path / "home" / "plugin-data" / "audit_log").glob("audit-*.jsonl"))
        found = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
        return [record for record in found if kind in (None, record["kind"])]

    return records


class Gate:
    """A plugin that does what it is told to."""

    def __init__(self, **answers):
        self.answers = answers

    @hookimpl
    def pre_tool_call(self, tool_name, args):
        return self.answers.get(tool_name)


def test_a_block_says_who_and_why(load, fire, records):
    manager = load("audit_log")
    manager.register(Gate(terminal=Block("not on a Friday")), "friday")
    manager.register(Gate(terminal=Approve("looks odd", rule_key="odd")), "odd")
    fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "make deploy"}, tool_call_id="c7")
    (record,) = records("pre_tool_call")
    assert (record["decision"], record["by"], record["why"]) == ("block", "friday", "not on a Friday")
    assert (record["tool"], record["call"], record["asked"]) == ("terminal", "c7", {"command": "make deploy"})
    assert [(step["plugin"], step["what"], step.get("rule_key")) for step in record["steps"]] == [
        ("friday", "block", None),
        ("odd", "approve", "odd"),
    ]


def test_an_approval_and_a_change_say_who_asked_which_rule_and_what_runs(load, fire, records):
    manager = load("audit_log")
    manager.register(Gate(terminal=Approve("touches production", rule_key="production")), "careful")
    manager.register(Gate(terminal=Modify({"command": "make deploy --dry-run"})), "dry")
    fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "make deploy"})
    (record,) = records("pre_tool_call")
    assert (record["decision"], record["by"], record["rule_key"]) == ("approve", "careful", "production")
    assert record["asked"] == {"command": "make deploy"}
    assert record["args"] == {"command": "make deploy --dry-run"}
    assert ("dry", "modify", "command") in [(s["plugin"], s["what"], s["detail"]) for s in record["steps"]]


def test_arguments_that_were_changed_in_place_are_recorded_as_they_were_asked_for(load, fire, records):
    class InPlace:
        @hookimpl(tryfirst=True)
        def pre_tool_call(self, args):
            args["command"] = "true"

    manager = load("audit_log")
    manager.register(InPlace(), "in-place")
    fire(manager, "pre_tool_call", tool_name="terminal", args={"command": "false"})
    (record,) = records("pre_tool_call")
    assert (record["asked"], record["args"]) == ({"command": "false"}, {"command": "true"})


def test_a_failed_plugin_is_named_with_its_error(load, fire, records):
    class Broken:
        @hookimpl
        def post_tool_call(self):
            raise RuntimeError(f"no connection with {TOKEN}")

    manager = load("audit_log")
    manager.register(Broken(), "broken")
    fire(manager, "post_tool_call")
    (record,) = records("post_tool_call")
    assert record["steps"] == [
        {
            "plugin": "broken",
            "source": "direct",
            "what": "failed",
            "error": "RuntimeError: no connection with [REDACTED]",
        }
    ]


def test_recalled_context_is_recorded_with_the_plugin_that_recalled_it(load, fire, records):
    class Recall:
        @hookimpl
        def pre_llm_call(self):
            return AddContext("staging runs on heron")

    manager = load("audit_log")
    manager.register(Recall(), "recall")
    fire(manager, "pre_llm_call", user_message="which database?", sender_id="ada")
    (record,) = records("pre_llm_call")
    assert (record["user_message"], record["sender"]) == ("which database?", "ada")
    (step,) = record["steps"]
    assert (step["plugin"], step["what"], step["added"]) == ("recall", "context", "staging runs on heron")


def test_a_transform_is_recorded_if_somebody_did_something(load, fire, records):
    class Shout:
        @hookimpl
        def transform_tool_result(self, result):
            return result.upper() if result.islower() else None

    manager = load("audit_log")
    manager.register(Shout(), "shout")
    fire(manager, "transform_tool_result", result="Quiet")
    assert records("transform_tool_result") == []
    fire(manager, "transform_tool_result", result="quiet")
    (record,) = records("transform_tool_result")
    assert record["value"] == "QUIET"
    assert [(step["plugin"], step["what"], step["chars"]) for step in record["steps"]] == [("shout", "transform", 5)]


def test_raw_results_are_seen_in_front_of_redaction_and_masked_before_they_are_written(load, fire, records):
    manager = load("audit_log", "redaction")
    fire(manager, "post_tool_call", result=f"token {TOKEN}")
    fire(manager, "transform_tool_result", result=f"token {TOKEN}")
    (post,) = records("post_tool_call")
    (transformed,) = records("transform_tool_result")
    assert post["result"] == "token [REDACTED]"
    assert transformed["steps"][0]["plugin"] == "redaction"
    assert transformed["value"] == "token [redacted:github-token:1]"


SECRETS = {
    "pre_tool_call": {"args": {"command": f"curl -H 'Authorization: Bearer {TOKEN}' x", "password": "hunter2hunter2"}},
    "post_tool_call": {"result": f"x{TOKEN}", "error_message": f"401 for {TOKEN}", "status": "error"},
    "pre_llm_call": {"user_message": [{"type": "text", "text": f"my key is {TOKEN}"}]},
    "post_llm_call": {"assistant_response": f"it is {TOKEN}"},
    "pre_approval_request": {"command": f"curl -u ada:{TOKEN} x", "description": f"sends {TOKEN}"},
    "post_approval_response": {"command": f"curl {TOKEN}", "description": TOKEN, "pattern_keys": [f"k-{TOKEN}"]},
    "subagent_start": {"child_goal": f"use {TOKEN}"},
    "subagent_stop": {"child_summary": f"used {TOKEN}"},
    "api_request_error": {
        "error": {"message": f"bad key {TOKEN}"},
        "reason": TOKEN,
        "base_url": f"https://x/?k={TOKEN}",
    },
    "pre_gateway_dispatch": {
        "event": SimpleNamespace(text=f"/login {TOKEN}", message_id="m1", source=SimpleNamespace(platform="web"))
    },
    "on_session_end": {"reason": f"failed with {TOKEN}"},
    "kanban_task_blocked": {"reason": f"needs {TOKEN}"},
}


@pytest.mark.parametrize("hook", SECRETS)
def test_no_secret_reaches_the_file(load, fire, records, hook):
    manager = load("audit_log")
    fire(manager, hook, **SECRETS[hook])
    written = json.dumps(records())
    assert "[REDACTED]" in written
    assert TOKEN[4:] not in written
    assert "hunter2" not in written


@pytest.mark.parametrize("at", [0, 940, 990, 999, 1_000, 3_000, 3_020, 3_047])
def test_a_secret_on_the_edge_of_what_is_kept_is_masked(load, fire, records, at):
    manager = load("audit_log", audit_log={"text": 1_000})
    fire(manager, "post_tool_call", result="x " * (at // 2) + TOKEN + " y" * 5_000)
    (record,) = records("post_tool_call")
    assert TOKEN[:12] not in json.dumps(record)
    assert len(record["result"]["text"]) <= 1_000


def test_nothing_but_secrets_leaves_no_half_of_one(load, fire, records):
    manager = load("audit_log", audit_log={"text": 1_000})
    fire(manager, "post_tool_call", result=" ".join([TOKEN] * 2_000))
    (record,) = records("post_tool_call")
    assert "ghp_" not in json.dumps(record)


@pytest.mark.parametrize(
    "secret",
    [
        "eyJhbGciOiJIUzI1NiJ9." + "eyJjbGFpbXMiOiJ0aGVzZSJ9" * 300 + ".c2lnbmF0dXJl" + "a" * 30,
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n"
        + "lQOYBF4kZ2sBCADF0qv6\n" * 400
        + "-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEA\n" * 400 + "-----END OPENSSH PRIVATE KEY-----",
    ],
    ids=["jwt", "pgp", "ssh"],
)
def test_nothing_is_kept_of_a_secret_that_is_longer_than_what_is_kept(load, fire, records, secret):
    manager = load("audit_log")
    fire(manager, "post_tool_call", result=f"found: {secret} and more" + " y" * 9_000)
    fire(manager, "pre_tool_call", args={"text": f"found: {secret}", "nested": [{"text": secret}]})
    assert secret[60:80] not in json.dumps(records())


def test_long_texts_are_cut_and_told_apart_by_their_digest(load, fire, records):
    manager = load("audit_log", audit_log={"text": 100})
    for last in "aab":
        fire(manager, "post_tool_call", result="x " * 2_500 + last)
    first, same, other = [record["result"] for record in records("post_tool_call")]
    assert (first["chars"], first["text"]) == (5_001, "x " * 50)
    assert first == same
    assert first["digest"] != other["digest"]


@pytest.mark.parametrize(
    "args",
    [
        {str(n): "y" * 5_000 for n in range(5_000)},
        {"deep": json.loads("[" * 500 + "]" * 500)},
        {"list": [[["z" * 100] * 50] * 50] * 50},
        {"k" * 100_000: "v"},
        {"text": "\ud800 \x00 \u2028"},
        {"number": 10**3_000, "nan": float("nan"), "bytes": b"\xff" * 5_000, "object": object()},
    ],
    ids=["many", "deep", "nested", "key", "surrogate", "odd"],
)
def test_any_arguments_make_a_bounded_record(load, fire, records, tmp_path, args):
    manager = load("audit_log")
    fire(manager, "pre_tool_call", args=args)
    (record,) = records("pre_tool_call")
    assert len(json.dumps(record)) < 60_000


def test_an_object_that_contains_itself_is_recorded(load, fire, records):
    args = {"a": 1}
    args["self"] = args
    fire(load("audit_log"), "pre_tool_call", args=args)
    assert records("pre_tool_call")[0]["asked"] == {"a": 1, "self": "<cycle>"}


def test_messages_can_be_left_out(load, fire, records):
    manager = load("audit_log", audit_log={"messages": "digest"})
    fire(manager, "pre_llm_call", user_message="I am ill")
    fire(manager, "post_llm_call", assistant_response="I am sorry")
    assert records("pre_llm_call")[0]["user_message"]["chars"] == 8
    assert "ill" not in json.dumps(records()).replace("hermes", "")
    assert "sorry" not in json.dumps(records())


def test_requests_to_the_model_can_be_left_out(load, fire, records):
    for wanted, number in [(True, 1), (False, 1)]:
        manager = load("audit_log", audit_log={"api": wanted})
        fire(manager, "post_api_request", provider="openai", usage={"total_tokens": 12})
        assert [record["provider"] for record in records("post_api_request")] == ["openai"] * number
    assert records("post_api_request")[0]["usage"] == {"total_tokens": 12}


def test_a_message_that_is_dropped_or_rewritten_says_by_whom(load, fire, records):
    class Filter:
        @hookimpl
        def pre_gateway_dispatch(self, event):
            return {"action": "skip", "reason": "spam"} if "win" in event.text else None

    source = SimpleNamespace(platform=SimpleNamespace(value="telegram"), chat_id="42", user_id="ada", thread_id=None)
    manager = load("audit_log")
    manager.register(Filter(), "filter")
    fire(manager, "pre_gateway_dispatch", event=SimpleNamespace(text="win!", message_id="m1", source=source))
    (record,) = records("pre_gateway_dispatch")
    assert (record["decision"], record["why"], record["steps"][0]["plugin"]) == ("skip", "spam", "filter")
    assert (record["platform"], record["chat"], record["sender"], record["text"]) == ("telegram", "42", "ada", "win!")


def test_a_session_with_a_child_and_an_approval_leaves_its_whole_way(load, records, tmp_path):
    manager = load("audit_log")
    manager.register(Gate(write_file=Approve("writes", rule_key="writes")), "careful")
    steps = [
        ScriptStep(
            tools=(
                ScriptedCall("write_file", {"path": "a.txt", "content": "a"}),
                ScriptedCall("delegate_task", {"goal": "look around", "role": "scout"}),
            )
        ),
        ScriptStep(say="done"),
    ]
    look = ScriptStep(tools=(ScriptedCall("terminal", {"command": "ls"}),))
    children = {"look around": [look, ScriptStep(say="a.txt")]}
    model, approver = ScriptedModel(steps, children=children), ScriptedApprover(["once"])
    agent = Agent(manager, model, workdir=tmp_path, approver=approver)
    agent.run_turn("write a file and have somebody look")
    agent.close()
    kinds = [record["kind"] for record in records()]
    assert kinds[:4] == ["log_opened", "process_started", "on_session_start", "pre_llm_call"]
    (asked,) = records("pre_approval_request")
    (answer,) = records("post_approval_response")
    assert "writes" in asked["description"]
    assert (answer["call"], answer["choice"], answer["decided_by"]) == (asked["call"], "once", "script")
    assert answer["session"] == asked["session"] == agent.session_id
    (start,) = records("subagent_start")
    (stop,) = records("subagent_stop")
    assert (start["goal"], start["role"]) == ("look around", "scout")
    assert (stop["status"], stop["summary"]) == ("completed", "a.txt")
    in_child = [record for record in records("pre_tool_call") if record["session"] == start["child"]]
    assert [record["asked"] for record in in_child] == [{"command": "ls"}]
    judged, over = ({record["call"] for record in records(kind)} for kind in ("pre_tool_call", "post_tool_call"))
    assert judged == over


def test_a_gateway_leaves_messages_commands_and_who_answered(load, records, tmp_path):
    desk = GatewayDesk(load("audit_log"), tmp_path)
    desk.answers([{"terminal": {"command": "git clean -fdx"}}, "not cleaned"])
    assert "git clean" in desk.ask("clean up", user="ada")
    desk.ask("/deny", user="ada")
    desk.ask(f"/login {TOKEN}", user="ada")
    desk.close()
    assert [record["text"] for record in records("pre_gateway_dispatch")] == ["clean up", "/deny", "/login [REDACTED]"]
    assert {record["sender"] for record in records("pre_gateway_dispatch")} == {"ada"}
    (answer,) = records("post_approval_response")
    (call,) = records("pre_tool_call")
    assert (answer["surface"], answer["choice"], answer["decided_by"]) == ("gateway", "deny", "ada")
    assert (answer["session"], answer["call"]) == (call["session"], call["call"])
    assert records("on_session_finalize")
