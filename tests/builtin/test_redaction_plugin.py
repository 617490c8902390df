"""The redaction plugin in a real manager: its place in the chain, its settings, its failure policy."""

import json

import pytest

from hermes_sdk import hookimpl

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"


class AddsASecret:
    """A plugin that is registered later, and puts a secret into every result."""

    @hookimpl
    def transform_tool_result(self, result):
        return result + f" added {TOKEN}"


def test_tool_results_and_terminal_output_are_masked(load, fire):
    manager = load("redaction")
    result = fire(manager, "transform_tool_result", result=json.dumps({"output": TOKEN}))
    assert json.loads(result.value) == {"output": "[redacted:github-token:1]"}
    assert [(step.plugin, step.source, step.what) for step in result.steps] == [("redaction", "builtin", "transform")]
    output = fire(manager, "transform_terminal_output", output=f"token {TOKEN}\n")
    assert output.value == "token [redacted:github-token:1]\n"


def test_what_a_later_plugin_adds_is_masked_too(load, fire):
    manager = load("redaction")
    manager.register(AddsASecret(), "later")
    masked = fire(manager, "transform_tool_result", result=f"first {TOKEN}")
    assert masked.value == "first [redacted:github-token:1] added [redacted:github-token:1]"
    assert [step.plugin for step in masked.steps] == ["later", "redaction"]


def test_a_clean_result_is_left_as_it_is(load, fire):
    result = fire(load("redaction"), "transform_tool_result", result="nothing secret")
    assert (result.value, result.steps) == ("nothing secret", ())


def test_settings_of_config_yaml_count(load, fire):
    manager = load("redaction", redaction={"patterns": {"employee": "EMP-[0-9]{6}"}, "skip": ["github-token"]})
    masked = fire(manager, "transform_tool_result", result=f"EMP-123456 {TOKEN}")
    assert masked.value == f"[redacted:employee:1] {TOKEN}"


def test_a_wrong_setting_withholds_the_output_and_says_why(load, fire):
    """An enabled fail-closed plugin that is not in force stands in the way (semantics 3.2)."""
    manager = load("redaction", redaction={"patterns": {"broken": "(unclosed"}})
    for hook, value in [("transform_tool_result", "result"), ("transform_terminal_output", "output")]:
        outcome = fire(manager, hook, **{value: f"secret {TOKEN}"})
        assert TOKEN not in outcome.value
        assert "redaction" in outcome.value


def test_an_answer_of_the_model_is_masked(load, fire):
    manager = load("redaction")
    answer = fire(manager, "transform_llm_output", response_text=f"you wrote {TOKEN}")
    assert answer.value == "you wrote [redacted:github-token:1]"
    assert fire(manager, "transform_llm_output", response_text="hello").value == "hello"


def test_it_loads_only_when_it_is_named(load, fire):
    manager = load("memory_recall")
    assert "redaction" not in manager.plugins
    assert fire(manager, "transform_tool_result", result=TOKEN).value == TOKEN


@pytest.mark.parametrize(
    ("hook", "count"), [("transform_tool_result", 1), ("transform_terminal_output", 2), ("transform_llm_output", 1)]
)
def test_no_implementation_is_called_twice(load, hook, count):
    """`@hookimpl` and `register(ctx)` name the same functions: hosts without markers need the second."""
    assert len(load("redaction").calling_order(hook)) == count


def test_what_another_plugin_cuts_was_masked_whole(load, fire):
    """terminal_digest keeps the end of long output and of long lines: half a key is none that anybody recognises."""
    key = (
        "-----BEGIN PRIVATE " + "KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 50
    )
    noise = "".join(f"[{number}] checking out the service {number % 7}\n" for number in range(2_000))
    output = f"{noise}{'x ' * 290}{TOKEN} {'y' * 400}\n{key}-----END PRIVATE " + "KEY-----\n"
    shown = fire(
        load("redaction", "terminal_digest"), "transform_terminal_output", output=output, command="make test"
    ).value
    assert len(shown) < len(output) / 2
    assert "MIIE" not in shown
    assert TOKEN[:12] not in shown
