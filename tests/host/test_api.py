"""One request to the model: middleware, attempts, and what observers are told about them."""

import json

import pytest

from hermes_sdk.host.api import RetrySettings
from hermes_sdk.host.api_payload import reason_of, usage_of
from hermes_sdk.host.events import MiddlewareApplied, ModelAnswered, ModelFailed, ModelRequested
from hermes_sdk.host.models.base import ModelError, ModelReply, ToolCall, Usage, as_reply
from hermes_sdk.host.models.scripted import ScriptedFailure, ScriptedModel, ScriptStep
from hermes_sdk.host.sanitise import MASK, sanitised
from hermes_sdk.host.settings import HostSettings

PATIENT = HostSettings(retry=RetrySettings(max_retries=2, first_delay=0.0))
BUSY = ScriptStep(error=ScriptedFailure("overloaded", 529, retryable=True))


def test_a_request_is_told_before_and_its_answer_after(start, ledger, calls, say):
    agent = start(calls(("terminal", {"command": "true"})), say("done"))
    result = agent.run_turn("hello")
    before, after = ledger.payloads("pre_api_request"), ledger.payloads("post_api_request")
    assert [row["api_request_id"] for row in before] == [row["api_request_id"] for row in after]
    assert [row["api_call_count"] for row in before] == [1, 2]
    first, second = before
    assert (first["user_message"], first["message_count"], first["model"]) == ("hello", 2, "scripted/demo")
    assert [message["role"] for message in second["request_messages"]] == ["system", "user", "assistant", "tool"]
    assert first["tool_count"] == len(first["request"]["body"]["tools"]) > 0
    assert second["request_char_count"] > first["request_char_count"] > 0
    assert (after[0]["finish_reason"], after[0]["assistant_tool_call_count"]) == ("tool_calls", 1)
    assert (after[1]["assistant_content_chars"], after[1]["assistant_message"]["content"]) == (4, "done")
    assert all(row["turn_id"] == result.turn_id and row["session_id"] == agent.session_id for row in before + after)


def test_the_tool_calls_of_an_answer_carry_its_request_id(start, ledger, calls, say):
    start(calls(("terminal", {"command": "true"})), say()).run_turn("go")
    first = ledger.payloads("pre_api_request")[0]["api_request_id"]
    assert ledger.payloads("pre_tool_call")[0]["api_request_id"] == first
    assert ledger.payloads("post_tool_call")[0]["api_request_id"] == first


def test_a_retryable_failure_is_told_and_tried_again(start, ledger, events, say):
    assert start(BUSY, BUSY, say("at last"), settings=PATIENT).run_turn("hello").answer == "at last"
    names = ledger.names("pre_api_request", "post_api_request", "api_request_error")
    assert names == ["pre_api_request", "api_request_error"] * 2 + ["pre_api_request", "post_api_request"]
    errors = ledger.payloads("api_request_error")
    assert [(row["retry_count"], row["max_retries"], row["retryable"]) for row in errors] == [
        (0, 2, True),
        (1, 2, True),
    ]
    assert (errors[0]["status_code"], errors[0]["reason"], errors[0]["error"]["code"]) == (529, "overloaded", "HS410")
    assert [event.will_retry for event in events.events if isinstance(event, ModelFailed)] == [True, True]
    kinds = [type(event) for event in events.events]
    assert (kinds.count(ModelRequested), kinds.count(ModelAnswered)) == (3, 1)


def test_attempts_end_at_the_limit(start, ledger):
    result = start(BUSY, BUSY, BUSY, settings=PATIENT).run_turn("hello")
    assert result.error.status_code == 529
    assert [row["retry_count"] for row in ledger.payloads("api_request_error")] == [0, 1, 2]


def test_a_final_failure_is_not_tried_again(start, ledger, say):
    start(ScriptStep(error=ScriptedFailure("bad request", 400)), say(), settings=PATIENT).run_turn("hello")
    assert len(ledger.payloads("api_request_error")) == 1


def test_an_interrupt_ends_the_wait_for_the_next_attempt(start, watch, say):
    watch("stop", api_request_error=lambda **_: agent.interrupt("stop"))
    patient = HostSettings(retry=RetrySettings(max_retries=1, first_delay=600.0, longest_delay=600.0))
    agent = start(BUSY, say(), settings=patient)
    assert agent.run_turn("hello").reason == "stop"


def test_request_middleware_changes_what_the_model_gets(start, load, ledger, say):
    load("""
        def register(ctx):
            ctx.register_middleware("llm_request", lambda request, **kw:
                {"request": {**request, "temperature": 0, "messages": request["messages"] + [
                    {"role": "user", "content": "be brief"}]}})
    """)
    agent = start(say(sees=("be brief",)))
    agent.run_turn("hello")
    assert agent.model.mismatches == []
    assert ledger.payloads("pre_api_request")[0]["request"]["body"]["temperature"] == 0
    assert "be brief" not in str(agent.history)


def test_execution_middleware_may_answer_itself(start, load, ledger, say):
    load("""
        def register(ctx):
            ctx.register_middleware("llm_execution", lambda request, next_call, **kw:
                {"choices": [{"message": {"content": "from the cache"}, "finish_reason": "stop"}]})
    """)
    agent = start(say("never asked"))
    assert agent.run_turn("hello").answer == "from the cache"
    assert agent.model.remaining == 1


def test_execution_middleware_sees_the_answer_and_may_replace_it(start, load, say):
    load("""
        def register(ctx):
            def loud(request, next_call, **kw):
                reply = next_call()
                return reply.text.upper()
            ctx.register_middleware("llm_execution", loud)
    """)
    assert start(say("quiet")).run_turn("hello").answer == "QUIET"


def test_what_execution_middleware_changes_is_told(start, load, events, say):
    load("""
        def register(ctx):
            ctx.register_middleware("llm_execution", lambda request, next_call, **kw:
                next_call({**request, "temperature": 0}))
    """)
    start(say()).run_turn("hello")
    (applied,) = [event for event in events.events if isinstance(event, MiddlewareApplied)]
    assert (applied.kind, applied.plugins, applied.changed) == ("llm_execution", ("probe",), ("temperature",))


def test_an_answer_that_cannot_be_read_is_a_failed_attempt(start, load, ledger, say):
    load("""
        def register(ctx):
            ctx.register_middleware("llm_execution", lambda request, next_call, **kw: 42)
    """)
    result = start(say()).run_turn("hello")
    assert "a model reply of type int cannot be read" in str(result.error)
    assert len(ledger.payloads("api_request_error")) == 1


def test_what_a_plugin_does_to_the_messages_stays_with_it(start, watch, say):
    def spoil(request_messages, conversation_history, request, **_):
        request_messages.clear()
        conversation_history.clear()
        request.clear()

    watch(pre_api_request=spoil)
    agent = start(say(sees=("hello",)))
    agent.run_turn("hello")
    assert agent.model.mismatches == []
    assert len(agent.history) == 2


# -- sanitised copies -----------------------------------------------------------------------------------------


def test_secrets_by_name_are_masked_and_long_texts_cut():
    copy = sanitised(
        {
            "extra_headers": {"Authorization": "Bearer x", "X-Api-Key": "k", "Cookie": "c", "Accept": "json"},
            "openai_api_key": "sk-1",
            "max_tokens": 5,
            "text": "y" * 9_000,
        }
    )
    headers = {"Authorization": MASK, "X-Api-Key": MASK, "Cookie": MASK, "Accept": "json"}
    assert copy["extra_headers"] == headers
    assert (copy["openai_api_key"], copy["max_tokens"]) == (MASK, 5)
    assert copy["text"] == "y" * 8_000 + "[1000 characters cut]"


def test_a_copy_is_bounded_and_always_json():
    class Odd:
        def __str__(self):
            return "odd"

    circle = []
    circle.append(circle)
    copy = sanitised({"many": ["z" * 1_000] * 200, "nan": float("nan"), "odd": Odd(), "circle": circle, 3: {1, 2}})
    text = json.dumps(copy, allow_nan=False)
    assert len(text) < 60_000
    assert copy["many"][-1] == "[150 more left out]"


# -- replies --------------------------------------------------------------------------------------------------


def test_replies_are_read_from_dicts_objects_and_text():
    call = {"id": "c1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    completion = {
        "model": "m",
        "choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    wanted_call = ToolCall("terminal", {"command": "ls"}, "c1", None, '{"command": "ls"}')
    assert as_reply(completion) == ModelReply("", (wanted_call,), "tool_calls", Usage(3, 4), "m")
    assert as_reply("text") == ModelReply("text")
    reply = ModelReply("as it is")
    assert as_reply(reply) is reply
    assert Usage(3, 4).total_tokens == 7


@pytest.mark.parametrize("value", [None, {}, {"choices": []}, 3])
def test_what_is_no_reply_is_refused(value):
    with pytest.raises(ModelError, match="cannot be read"):
        as_reply(value)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [("[1]", "must be a JSON object, not list"), ("{", "not valid JSON"), (None, "must be a JSON object")],
)
def test_arguments_that_are_no_object_are_kept_as_a_problem(arguments, problem):
    call = ToolCall.parse("x", arguments)
    assert call.arguments == {}
    assert problem in call.problem


def test_empty_arguments_are_none():
    assert ToolCall.parse("x", "").arguments == {}
    assert ToolCall.parse("x", "").problem is None


def test_calls_with_the_same_id_get_one_each(start, ledger, say):
    class Model(ScriptedModel):
        def complete(self, request):
            super().complete(request)
            if self.remaining:
                return ModelReply(tool_calls=(ToolCall("read_file", {"path": "a"}, "same"),) * 2)
            return ModelReply("done")

    agent = start(model=Model([say(), say()]))
    agent.run_turn("go")
    ids = [row["tool_call_id"] for row in ledger.payloads("post_tool_call")]
    assert len(set(ids)) == 2
    assert sorted(ids) == sorted(message["tool_call_id"] for message in agent.history if message["role"] == "tool")


def test_hooks_are_told_in_the_forms_that_hermes_agent_uses(start, watch, calls, say):
    told = []
    watch(
        pre_api_request=lambda request, **_: told.append(request),
        post_api_request=lambda assistant_message, usage, **_: told.append((assistant_message, usage)),
    )
    start(calls(("terminal", {"command": "true"})), say("done")).run_turn("hello")

    request, (asks, _), _, (answers, _) = told
    assert (request["method"], request["body"]["model"]) == ("POST", "scripted/demo")
    assert (answers.role, answers.content, answers.tool_calls) == ("assistant", "done", None)
    assert answers["content"] == "done"
    assert getattr(answers, "reasoning_content", "absent") == "absent"
    (call,) = asks.tool_calls
    assert (call.function.name, call.name) == ("terminal", "terminal")
    assert json.loads(call.function.arguments) == {"command": "true"}


def test_usage_has_every_name_that_plugins_know():
    usage = usage_of(Usage(7, 3))
    assert (usage["input_tokens"], usage["prompt_tokens"]) == (7, 7)
    assert (usage["output_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (3, 3, 10)
    assert usage_of(None) is None


@pytest.mark.parametrize(
    ("status", "retryable", "reason"),
    [
        (400, False, "format_error"),
        (401, False, "auth"),
        (429, True, "rate_limit"),
        (500, True, "server_error"),
        (529, True, "overloaded"),
        (418, False, "unknown"),
        (None, True, "timeout"),
        (None, False, "unknown"),
    ],
)
def test_the_reason_of_a_failure_is_one_word(status, retryable, reason):
    assert reason_of(ModelError("failed", status_code=status, retryable=retryable)) == reason
