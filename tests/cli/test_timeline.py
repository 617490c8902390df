"""One line or short block an event, each naming who acted."""

from __future__ import annotations

import io
from typing import Any

from hermes_sdk.cli.event_rows import describe_arguments, describe_result
from hermes_sdk.cli.screen import console
from hermes_sdk.cli.timeline import Timeline
from hermes_sdk.dispatch.outcomes import AddedContext, Observed, Step, ToolDecision, Transformed
from hermes_sdk.host import events

IDS: dict[str, Any] = {"session_id": "s1", "turn_id": "t1"}


def draw(*shown: events.Event, width: int = 100, **options: Any) -> list[str]:
    stream = io.StringIO()
    timeline = Timeline(console(stream, width=width), **options)
    timeline.align(("transformed",))
    for event in shown:
        timeline(event)
    timeline.close()
    return [" ".join(line.split()) for line in stream.getvalue().splitlines() if line.strip()]


def fired(hook: str, outcome: Any, **about: Any) -> events.HookFired:
    return events.HookFired(**IDS, hook=hook, outcome=outcome, duration_ms=1.0, **about)


def test_each_answer_names_the_plugin_and_what_it_did() -> None:
    steps = (
        Step("guard", "user", "block", "rm -rf / is not permitted"),
        Step("asker", "user", "approve", "touches the network"),
        Step("rtk", "entrypoint", "modify", "command"),
    )
    decision = ToolDecision("block", "rm -rf / is not permitted", None, {"command": "rm -rf /"}, steps)
    assert draw(
        fired("pre_tool_call", decision, tool_name="terminal"),
        fired("pre_llm_call", AddedContext("likes tea", (Step("memory", "builtin", "context", "9 characters"),))),
        fired(
            "transform_tool_result",
            Transformed("v", (Step("redaction", "builtin", "transform", "1 secret"),)),
        ),
    ) == [
        "blocked guard terminal: rm -rf / is not permitted",
        "asks asker terminal: touches the network",
        "modified rtk terminal: command",
        "context memory likes tea",
        "transformed redaction 1 secret",
    ]


def test_context_of_several_plugins_is_shown_joined_under_their_names():
    steps = (Step("a", "user", "context", "3 characters"), Step("b", "user", "context", "3 characters"))
    assert draw(fired("pre_llm_call", AddedContext("one\n\ntwo", steps))) == [
        "context a 3 characters",
        "context b 3 characters",
        "one",
        "two",
    ]


def test_why_a_call_did_not_run_is_said_once():
    call: dict[str, Any] = {"tool_name": "terminal", "args": {"command": "rm x"}, "status": "blocked", "result": "{}"}
    ended = [
        events.ToolFinished(**IDS, **call, call_id=call_id, duration_ms=0, error_message="no") for call_id in ("1", "2")
    ]
    block = ToolDecision("block", "no", None, {}, (Step("guard", "user", "block", "no"),))
    assert draw(fired("pre_tool_call", block, tool_name="terminal", call_id="1"), *ended) == [
        "blocked guard terminal: no",
        "not run terminal rm x",
        "not run terminal rm x",
        "no",
    ]


def test_a_failure_says_hook_and_error_and_a_fail_closed_one_also_its_block() -> None:
    steps = (
        Step("open", "user", "failed", error="KeyError: 'cmd'"),
        Step("gate", "user", "block", "gate failed", error="KeyError: 'cmd'"),
    )
    lines = draw(fired("pre_tool_call", ToolDecision("block", "m", None, {}, steps), tool_name="terminal"))
    assert lines == [
        "failed open pre_tool_call: KeyError: 'cmd'",
        "failed gate pre_tool_call: KeyError: 'cmd'",
        "blocked gate terminal: gate failed",
    ]


def test_observers_are_gathered_before_the_next_thing_that_happens() -> None:
    audit, metrics = Step("audit", "user", "observed"), Step("metrics", "user", "observed")
    shown = (
        fired("pre_tool_call", ToolDecision("run", None, None, {}, (audit,))),
        fired("post_tool_call", Observed((audit, metrics))),
        events.Answer(**IDS, text="done"),
    )
    assert draw(*shown) == [
        "observed audit pre_tool_call, post_tool_call",
        "observed metrics post_tool_call",
        "answer done",
    ]
    assert draw(*shown, observed=False) == ["answer done"]


def test_a_tool_call_shows_its_arguments_and_its_result() -> None:
    call: dict[str, Any] = {"call_id": "c1", "tool_name": "terminal", "args": {"command": "ls -la"}}
    assert draw(
        events.ToolStarted(**IDS, **call),
        events.ToolFinished(**IDS, **call, status="ok", result='{"output": "a\\nb"}', duration_ms=12.4),
        events.ToolFinished(**IDS, **call, status="blocked", result='{"error": "no"}', duration_ms=0),
    ) == ["run terminal ls -la", "result terminal ok after 12 ms: a", "b", "not run terminal ls -la"]


def test_a_person_asked_and_answered() -> None:
    asked = events.ApprovalRequested(
        **IDS,
        call_id="c",
        command="sudo ls",
        reasons=("sudo", "from guard"),
        pattern_keys=("sudo",),
        offered=("once",),
    )
    answers = [
        events.ApprovalAnswered(**IDS, call_id="c", command="sudo ls", choice=choice) for choice in ("once", "timeout")
    ]
    assert draw(asked, *answers) == [
        "asked person sudo ls",
        "sudo; from guard",
        "approved person once: sudo ls",
        "denied person timeout: sudo ls",
    ]


def test_child_agents_are_indented_and_their_start_and_end_are_shown() -> None:
    child: dict[str, Any] = {"child_session_id": "s2", "goal": "count files", "role": "leaf"}
    inside: dict[str, Any] = {"session_id": "s2", "turn_id": "t2", "depth": 1}
    assert draw(
        events.ChildStarted(**IDS, **child),
        events.TurnStarted(**inside, number=1, user_message="count files"),
        events.ToolStarted(**inside, call_id="c", tool_name="terminal", args={"command": "ls | wc -l"}),
        events.Answer(**inside, text="3 files"),
        events.ChildFinished(**IDS, **child, status="completed", summary="3 files", duration_ms=1234),
    ) == [
        "child 1 starts (leaf): count files",
        "1│ run terminal ls | wc -l",
        "1│ answer 3 files",
        "child 1 completed after 1.2 s: 3 files",
    ]


def test_a_turn_begins_with_a_line_across_and_the_message() -> None:
    parts = [{"type": "text", "text": "look at"}, {"type": "image_url", "image_url": {}}]
    lines = draw(events.TurnStarted(**IDS, number=2, user_message=parts), width=60)
    assert lines[0].startswith("── turn 2, session s1 ──")
    assert lines[1:] == ["you look at", "[image_url]"]


def test_a_turn_without_an_answer_says_so() -> None:
    ended = events.TurnEnded(
        **IDS, completed=False, interrupted=True, reason="Ctrl-C", duration_ms=1, api_calls=1, tool_calls=0
    )
    assert draw(ended) == ["warning host turn interrupted: Ctrl-C"]


def test_what_a_plugin_prints_is_attributed() -> None:
    stream = io.StringIO()
    timeline = Timeline(console(stream, width=80))
    timeline.printed("chatty", "hello [bold]you[/bold]\x1b[31m")
    timeline.printed("", "from a child process")
    assert [" ".join(line.split()) for line in stream.getvalue().splitlines()] == [
        "printed chatty hello [bold]you[/bold]\\x1b[31m",
        "printed ? from a child process",
    ]


def test_arguments_of_any_shape_fit_one_line() -> None:
    assert describe_arguments({"command": "a\nb"}) == "a b"
    assert describe_arguments({}) == ""
    assert describe_arguments({"path": "x.txt", "content": "y" * 200}) == f"path=x.txt  content={'y' * 79}…"
    assert describe_arguments({"command": "ls", "timeout": 5}) == "command=ls  timeout=5"


def test_a_result_shows_its_error_or_output_first() -> None:
    assert describe_result('{"error": "no", "output": "x"}') == "no"
    assert describe_result('{"output": "x\\n", "exit_code": 0}') == "x"
    assert describe_result('{"output": "", "exit_code": 0}') == "no output, exit code 0"
    assert describe_result('{"ok": true}') == '{"ok": true}'
    assert describe_result("[1, 2]") == "[1, 2]"
    assert describe_result("not json") == "not json"
