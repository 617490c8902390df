"""The page's examples for pre_tool_call, post_tool_call and the two transforms."""

import json
import logging

from hermes_hookspecs.contract import HOOKS


def payload(hook, **overrides):
    return HOOKS[hook].sample(**overrides)


def test_x17_every_tool_call_is_logged_and_still_runs(load, caplog):
    """Seed X17 and H1.6: an observer's log line, arguments cut at 200 characters, no effect on the call."""
    manager, module = load("x17")
    args = {"command": "x" * 300}
    with caplog.at_level(logging.INFO, logger=module.__name__):
        decision = manager.hook.pre_tool_call(
            **payload("pre_tool_call", tool_name="terminal", args=args, task_id="task-1")
        )
    assert decision.action == "run"
    assert caplog.messages == [f"TOOL_CALL session=task-1 tool=terminal args={json.dumps(args)[:200]}"]


def test_x18_dangerous_tools_are_announced_and_nothing_is_blocked(load, capsys):
    """Seed X18: prints for terminal, write_file and patch only."""
    manager, _ = load("x18")
    for tool in ("terminal", "read_file", "write_file", "patch", "web_search"):
        assert manager.hook.pre_tool_call(**payload("pre_tool_call", tool_name=tool)).action == "run"
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        f"⚠ Executing potentially dangerous tool: {tool}" for tool in ("terminal", "write_file", "patch")
    ]


def test_x19_calls_latency_and_errors_are_counted(load):
    """Seed X19, H2.4: errors are results that parse to an object with `error`; other text raises nothing."""
    manager, module = load("x19")
    for result, duration in [('{"output": "ok"}', 5), ('{"error": "no"}', 7), ("no json", 9)]:
        outcome = manager.hook.post_tool_call(
            **payload("post_tool_call", tool_name="terminal", result=result, duration_ms=duration)
        )
        assert outcome.steps == ()
    assert module._tool_counts == {"terminal": 3}
    assert module._error_counts == {"terminal": 1}
    assert module._latency_ms == {"terminal": [5, 7, 9]}
    assert manager.failures == {}


def test_x33_secrets_are_replaced_in_the_result_of_any_tool(load):
    """Seed X33, H13.1 and H13.3: a str replaces, None leaves the result as it is."""
    manager, _ = load("x33")
    secret = "sk-" + "a1B2" * 8
    for tool in ("terminal", "read_file", "web_extract"):
        masked = manager.hook.transform_tool_result(
            **payload("transform_tool_result", tool_name=tool, result=f'{{"key": "{secret}"}}')
        )
        assert masked.value == '{"key": "[REDACTED]"}'
        assert [step.plugin for step in masked.steps] == ["x33"]
    clean = manager.hook.transform_tool_result(**payload("transform_tool_result", result="sk-short"))
    assert (clean.value, clean.steps) == ("sk-short", ())


def test_x34_a_huge_find_is_summarised(load):
    """Seed X34, H14.3: only `find`, only over 50,000 characters."""
    manager, _ = load("x34")
    output = "".join(f"./a/rather/long/path/to/some/file/number/{number:05}\n" for number in range(2_000))

    def transform(**overrides):
        return manager.hook.transform_terminal_output(**payload("transform_terminal_output", **overrides)).value

    summary = transform(command="find . -type f", output=output)
    assert summary.splitlines()[:40] == output.splitlines()[:40]
    assert summary.endswith("\n\n[summary: 2000 paths total, showing first 40]")
    assert transform(command="ls -R", output=output) == output
    assert transform(command="find . -type f", output=output[:50_000]) == output[:50_000]
