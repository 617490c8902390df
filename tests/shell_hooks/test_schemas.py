"""The exported JSON Schemas: of real payloads and of answers, valid ones and others."""

import json

import pytest
from jsonschema import Draft202012Validator

from hermes_hookspecs import HOOKS
from hermes_sdk import ConfigError
from hermes_sdk.shell_hooks.answer import read_answer
from hermes_sdk.shell_hooks.answer_schema import answer_schema
from hermes_sdk.shell_hooks.payload import encode, payload_of
from hermes_sdk.shell_hooks.process import Run
from hermes_sdk.shell_hooks.schema import payload_schema


def read(event, answer):
    return read_answer(event, Run(0, json.dumps(answer), "", 0.0), "shell:x")


@pytest.mark.parametrize("event", HOOKS)
def test_both_are_valid_schemas_that_take_the_samples(event):
    payload, answer = payload_schema(event), answer_schema(event)
    Draft202012Validator.check_schema(payload)
    Draft202012Validator.check_schema(answer)
    Draft202012Validator(payload).validate(json.loads(encode(payload_of(event, HOOKS[event].sample(), "/x"))))


@pytest.mark.parametrize("event", HOOKS)
def test_a_payload_that_lacks_anything_does_not_fit(event):
    validator = Draft202012Validator(payload_schema(event))
    whole = json.loads(encode(payload_of(event, HOOKS[event].sample(), "/x")))
    for part in (whole, whole["extra"]):
        for key in list(part):
            value = part.pop(key)
            assert not validator.is_valid(whole), key
            part[key] = value
    assert validator.is_valid({**whole, "from_a_newer_host": 1})
    assert not validator.is_valid({**whole, "hook_event_name": "other"})


@pytest.mark.parametrize("event", HOOKS)
def test_each_example_of_an_answer_fits_and_is_understood(event):
    schema = answer_schema(event)
    for number, example in enumerate(schema["examples"]):
        Draft202012Validator(schema).validate(example)
        found = read(event, example)
        assert not found.failure
        assert not found.remark
        assert (found.directive is None) == (number == 0), example


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        ("pre_tool_call", {"action": "bloc", "message": "x"}),
        ("pre_tool_call", {"action": "modify"}),
        ("pre_tool_call", {"action": "modify", "args": "rm"}),
        ("pre_tool_call", {"decision": "refuse"}),
        ("pre_tool_call", {"hookSpecificOutput": {"permissionDecision": "no"}}),
        ("pre_llm_call", {"context": 5}),
        ("pre_llm_call", {"context": " "}),
        ("pre_verify", {"action": "continue"}),
        ("pre_verify", {"decision": "block", "reason": " "}),
        ("pre_gateway_dispatch", {"action": "rewrite"}),
        ("pre_gateway_dispatch", {"action": "drop"}),
        ("transform_tool_result", {"output": 5}),
        ("transform_llm_output", {"response_text": {}}),
    ],
)
def test_an_answer_that_does_not_fit_says_nothing(event, answer):
    assert not Draft202012Validator(answer_schema(event)).is_valid(answer)
    assert read(event, answer).directive is None


def test_an_unknown_event_has_no_schema():
    for schema in (payload_schema, answer_schema):
        with pytest.raises(ConfigError, match="did you mean 'pre_tool_call'"):
            schema("pre_tool_cal")
