"""The framework inside of hermes-agent: real turns of its `AIAgent`, with a model on loopback."""

import json
import shutil
from pathlib import Path

import pytest
from _harness.model_server import call, failure, text
from agent_process import run
from versions import UPSTREAM

HERE = Path(__file__).resolve().parent
TOKEN = "ghp_0123456789012345678901234567890123456789"
CONFIG = """
plugins:
  enabled: [hermes-sdk]
  disabled: [switched_off]
  entries:
    hermes-sdk:
      plugins: [guard, mask_names, recorder, slow, switched_off, redaction, memory_recall]
    guard: {most_seconds: 20}
    slow: {timeout: 0.2}
"""
BLOCKED = ["Clean up.", [call("terminal", command="rm -rf build"), text("I may not.")]]
MASKED = ["Show it.", [call("terminal", command=f"echo Ada Lovelace has {TOKEN}"), text("It is Ada Lovelace.")]]
TOLD = ["My cat is called Miro.", [text("Hello Miro.")]]
DELEGATED = ["Ask somebody.", [call("delegate_task", goal="Say hello.", context="none"), text("hello"), text("hello")]]
FAILED = ["Fail.", [failure(400)]]
ASKED = ["What is my cat called?", [text("Miro.")]]
UNANSWERED = ["Publish it.", [call("terminal", command="git push"), text("Nobody agreed.")]]


@pytest.fixture(scope="module")
def played(framework_site, tmp_path_factory):
    """What came of two sessions; `seen` are the hooks that the plugin `recorder` wrote down."""
    directory = tmp_path_factory.mktemp("bridge")
    home = directory / "home"
    shutil.copytree(HERE / "plugins" / "bridged", home / "plugins")
    (home / "config.yaml").write_text(CONFIG, "utf-8")
    bundled = directory / "bundled"
    bundled.mkdir()
    sessions = json.dumps([[BLOCKED, MASKED, TOLD, DELEGATED, FAILED], [ASKED, UNANSWERED]])
    path = [framework_site, HERE.parents[1] / "benchmarks"]
    printed = run(UPSTREAM, HERE / "agent_turns.py", sessions, home=home, path=path, bundled=bundled)
    lines = (home / "plugin-data" / "recorder" / "seen.jsonl").read_text("utf-8").splitlines()
    return json.loads(printed.splitlines()[-1]) | {"seen": [json.loads(line) for line in lines]}


def turn(played, session, number):
    return played["sessions"][session][number]


def tool_result(turn):
    return next(message["content"] for message in reversed(turn["messages"]) if message["role"] == "tool")


def test_a_block_reaches_the_model_as_the_tool_s_error(played):
    blocked = turn(played, 0, 0)

    assert json.loads(tool_result(blocked)) == {"error": "rm -rf is forbidden"}
    assert blocked["requests"][1][-1]["content"] == '{"error": "rm -rf is forbidden"}'
    (seen,) = [each for each in played["seen"] if each.get("status") == "blocked" and each["hook"] == "post_tool_call"][
        :1
    ]
    assert seen["args"]["command"] == "rm -rf build"


def test_two_plugins_mask_one_result_after_the_other(played):
    masked = turn(played, 0, 1)

    assert json.loads(tool_result(masked))["output"] == "[a person] has [redacted:github-token:1]"
    assert TOKEN not in masked["requests"][1][-1]["content"]
    assert masked["answer"] == "It is [a person]."


def test_a_modify_reaches_the_tool_with_the_setting_of_the_plugin(played):
    (args,) = [each["args"] for each in played["seen"] if "Ada" in str(each.get("args"))]
    assert args["timeout"] == 20
    assert args["noted"] is True, "our request middleware ran"


def test_a_memory_is_recalled_in_the_next_session_and_is_no_part_of_the_conversation(played):
    asked = turn(played, 1, 0)

    sent = asked["requests"][0][-1]["content"]
    assert sent.startswith("What is my cat called?")
    assert "My cat is called Miro." in sent
    assert "Miro" not in asked["messages"][0]["content"]


def test_a_child_agent_fires_every_hook_under_its_own_session(played):
    seen = played["seen"]
    (started,) = [each["child_session_id"] for each in seen if each["hook"] == "subagent_start"]
    of_child = [each["hook"] for each in seen if each.get("session_id") == started]

    assert [each["child_session_id"] for each in seen if each["hook"] == "subagent_stop"] == [started]
    assert of_child[0] == "on_session_start"
    assert {"pre_api_request", "post_api_request", "post_llm_call", "on_session_end"} <= set(of_child)
    assert {each["platform"] for each in seen if each.get("session_id") == started and "platform" in each} == {
        "subagent"
    }


def test_an_api_failure_is_observed(played):
    assert turn(played, 0, 4)["completed"] is False
    assert [each["status_code"] for each in played["seen"] if each["hook"] == "api_request_error"] == [400]


def test_a_disabled_plugin_never_runs(played):
    assert played["here"]["switched_off"] == ["disabled", 0]


def test_an_approve_that_nobody_answers_blocks(played):
    result = json.loads(tool_result(turn(played, 1, 1)))
    assert "push" in result["error"]


def test_a_plugin_that_hangs_is_left_behind_at_its_deadline(played):
    status, failures = played["here"]["slow"]
    assert (status, failures > 0) == ("loaded", True)
    assert any("slow" in line and "pre_llm_call" in line for line in played["said"])


def test_hermes_agent_runs_one_plugin_with_one_callback_a_hook(played):
    assert [key for key, enabled in played["there"].items() if enabled] == ["hermes-sdk"]
    assert set(played["hooks"].values()) == {1}
    assert played["run_files"] == 1
