"""A turn: which hooks fire, in which order, and what the model and the stored conversation see."""

import threading

import pytest

from hermes_sdk.errors import SessionError
from hermes_sdk.host.events import Answer, ContextSpilled, Notice, VerifyAsked
from hermes_sdk.host.models.base import ModelReply
from hermes_sdk.host.models.scripted import ScriptedFailure, ScriptedModel, ScriptStep
from hermes_sdk.host.settings import HostSettings
from hermes_sdk.host.spill import SpillSettings
from hermes_sdk.host.tool_path import CANCELLED


class ListeningModel(ScriptedModel):
    """Keeps the messages of each request as they were."""

    def __init__(self, *steps):
        super().__init__(steps)
        self.requests = []

    def complete(self, request):
        self.requests.append([dict(message) for message in request["messages"]])
        return super().complete(request)


def test_the_hooks_of_a_first_turn_fire_in_the_documented_order(start, ledger, calls, say):
    agent = start(calls(("terminal", {"command": "echo hi"})), say("hello"))
    result = agent.run_turn("greet me")
    assert (result.answer, result.completed, result.interrupted, result.reason) == ("hello", True, False, None)
    assert ledger.names() == [
        "on_session_start",
        "pre_llm_call",
        "pre_api_request",
        "post_api_request",
        "pre_tool_call",
        "transform_terminal_output",
        "post_tool_call",
        "transform_tool_result",
        "pre_api_request",
        "post_api_request",
        "transform_llm_output",
        "post_llm_call",
        "on_session_end",
    ]


def test_a_session_starts_once_and_every_turn_ends(start, ledger, say):  # seed H5.1, H5.2, H6.1
    agent = start(say("one"), say("two"))
    agent.run_turn("first")
    agent.run_turn("second")
    assert ledger.names("on_session_start", "on_session_end") == ["on_session_start", *["on_session_end"] * 2]
    assert [payload["is_first_turn"] for payload in ledger.payloads("pre_llm_call")] == [True, False]
    (started,) = ledger.payloads("on_session_start")
    assert (started["session_id"], started["model"], started["platform"]) == (agent.session_id, "scripted/demo", "cli")


def test_the_system_prompt_is_built_before_the_session_starts(start, watch, say):  # seed H5.2
    seen = []
    watch(on_session_start=lambda **_: seen.append(agent.system_prompt))
    agent = start(say())
    agent.run_turn("hello")
    assert seen == [agent.system_prompt]
    assert seen[0]


def test_context_reaches_every_request_of_its_turn_and_is_never_stored(start, watch, calls, say):  # seed H3.5 to H3.7
    watch("a", pre_llm_call=lambda **_: {"context": "from a"})
    watch("b", pre_llm_call=lambda is_first_turn, **_: "from b" if is_first_turn else None)
    model = ListeningModel(calls(("terminal", {"command": "true"})), say("one"), say("two"))
    agent = start(model=model)
    agent.run_turn("first")
    agent.run_turn("second")
    users = [[m["content"] for m in request if m["role"] == "user"] for request in model.requests]
    assert users == [["first\n\nfrom a\n\nfrom b"]] * 2 + [["first", "second\n\nfrom a"]]
    assert [m["content"] for m in agent.history if m["role"] == "user"] == ["first", "second"]
    systems = {request[0]["content"] for request in model.requests}
    assert systems == {agent.system_prompt}


def test_a_multimodal_message_gets_the_context_as_one_more_text_part(start, watch, say):
    watch(pre_llm_call=lambda **_: "look at the corner")
    model = ListeningModel(say())
    agent = start(model=model)
    parts = [{"type": "text", "text": "what is this"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    agent.run_turn(list(parts))
    assert model.requests[0][1]["content"] == [*parts, {"type": "text", "text": "look at the corner"}]
    assert agent.history[0]["content"] == parts


def test_the_history_that_pre_llm_call_gets_is_a_copy_with_the_message_in_it(start, watch, say):  # seed H3.4
    def spoil(user_message, conversation_history, **_):
        assert user_message == "hello"
        assert conversation_history == [{"role": "user", "content": "hello"}]
        conversation_history[0]["content"] = "spoilt"
        conversation_history.clear()

    watch(pre_llm_call=spoil)
    agent = start(say("hi"))
    agent.run_turn("hello")
    assert agent.history == [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]


def test_a_long_contribution_goes_to_a_file_and_its_neighbour_does_not(start, watch, events, home, say):
    watch("long", pre_llm_call=lambda **_: "x" * 300 + "END")
    watch("short", pre_llm_call=lambda **_: "short and sweet")
    model = ListeningModel(say())
    agent = start(
        model=model, settings=HostSettings(spill=SpillSettings(max_chars=200, preview_head=5, preview_tail=3))
    )
    agent.run_turn("hello")
    (spilled,) = [event for event in events.events if isinstance(event, ContextSpilled)]
    assert spilled.characters == 303
    seen = model.requests[0][1]["content"]
    assert spilled.path in seen
    assert "xxxxx\n--- end ---\nEND\n\nshort and sweet" in seen
    assert "x" * 6 not in seen
    (file,) = home.rglob("*.txt")
    assert str(file) == spilled.path
    assert file.read_text() == "x" * 300 + "END"


def test_the_answer_is_transformed_before_it_is_told_and_delivered(start, watch, ledger, events, say):
    watch("mask", transform_llm_output=lambda response_text, **_: response_text.replace("1234", "****"))
    agent = start(say("your pin is 1234"))
    assert agent.run_turn("my pin?").answer == "your pin is ****"
    assert ledger.payloads("post_llm_call")[0]["assistant_response"] == "your pin is ****"
    assert [event.text for event in events.events if isinstance(event, Answer)] == ["your pin is ****"]


def test_at_the_iteration_limit_there_is_no_answer_but_an_end(start, ledger, calls):  # seed H4.2, semantics 6.6
    steps = [calls(("terminal", {"command": "true"}))] * 3
    result = start(*steps, max_iterations=3).run_turn("go on for ever")
    assert (result.answer, result.completed, result.reason) == (None, False, "iteration_limit")
    assert "post_llm_call" not in ledger.names()
    assert "transform_llm_output" not in ledger.names()
    (end,) = ledger.payloads("on_session_end")
    assert (end["completed"], end["interrupted"], end["reason"]) == (False, False, "iteration_limit")


def test_a_turn_ends_properly_when_the_model_fails(start, ledger, say):
    agent = start(ScriptStep(error=ScriptedFailure("no such model", 404)), say("back again"))
    result = agent.run_turn("hello")
    assert (result.completed, result.reason, result.error.status_code) == (False, "model_error", 404)
    assert ledger.payloads("on_session_end")[0]["reason"] == "model_error"
    assert agent.run_turn("again").answer == "back again"


def test_an_empty_answer_is_none(start, ledger, say):
    result = start(say("  ")).run_turn("hello")
    assert (result.completed, result.reason) == (False, "empty_answer")
    assert "post_llm_call" not in ledger.names()


def test_ctrl_c_at_the_model_ends_the_turn_and_only_the_turn(start, ledger, say):  # seed H4.2, H6.4
    agent = start(ScriptStep(interrupt=True), say("still here"))
    result = agent.run_turn("hello")
    assert (result.completed, result.interrupted, result.reason) == (False, True, "Ctrl-C")
    assert "post_llm_call" not in ledger.names()
    (end,) = ledger.payloads("on_session_end")
    assert (end["completed"], end["interrupted"]) == (False, True)
    assert agent.run_turn("are you there").answer == "still here"


def test_a_turn_is_interrupted_from_another_thread(start, watch, calls, say):
    def stop(**_):
        other = threading.Thread(target=agent.interrupt, args=("stop",))
        other.start()
        other.join()

    watch(post_tool_call=stop)
    agent = start(calls(("terminal", {"command": "true"})), say("never said"))
    result = agent.run_turn("hello")
    assert (result.interrupted, result.reason, result.answer) == (True, "stop", None)


def test_every_tool_call_of_an_interrupted_turn_has_a_result_in_the_history(start, watch, calls, say):
    def stop(tool_name, **_):
        if tool_name == "terminal":
            raise KeyboardInterrupt

    watch(pre_tool_call=stop)
    agent = start(calls(("read_file", {"path": "a"}), ("terminal", {"command": "true"})), say("next"))
    assert agent.run_turn("hello").interrupted
    wished = [call["id"] for message in agent.history for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in agent.history if message["role"] == "tool"]
    assert wished == answered
    assert agent.run_turn("go on").answer == "next"


@pytest.mark.parametrize(("hook", "count"), [("pre_tool_call", 2), ("post_tool_call", 1)])
def test_ctrl_c_in_the_hooks_of_every_call_leaves_each_a_result(start, watch, calls, say, hook, count):
    def stop(**_):
        raise KeyboardInterrupt

    watch(**{hook: stop})
    agent = start(calls(*[("read_file", {"path": "a"})] * count), say("next"))
    assert agent.run_turn("hello").interrupted
    results = [message["content"] for message in agent.history if message["role"] == "tool"]
    assert results == [CANCELLED.result] * count
    assert agent.run_turn("go on").answer == "next"


def test_two_turns_at_a_time_are_refused(start, watch, say):
    refused = []

    def nested(**_):
        try:
            agent.run_turn("inside")
        except SessionError as error:
            refused.append(error.code)

    watch(pre_llm_call=nested)
    agent = start(say())
    agent.run_turn("outside")
    assert refused == ["HS420"]


# -- pre_verify -----------------------------------------------------------------------------------------------


def test_a_plugin_keeps_the_agent_going_after_edits(start, watch, ledger, workdir, calls, say):
    def verify(attempt, changed_paths, **_):
        return {"action": "continue", "message": "run the tests"} if attempt == 0 and changed_paths else None

    watch("verifier", pre_verify=verify)
    agent = start(calls(("write_file", {"path": "a.py", "content": "x"})), say("done"), say("tests pass"))
    assert agent.run_turn("write a.py").answer == "tests pass"
    attempts = ledger.payloads("pre_verify")
    assert [(row["attempt"], row["final_response"]) for row in attempts] == [(0, "done"), (1, "tests pass")]
    assert attempts[0]["changed_paths"] == [str(workdir / "a.py")]
    assert {"role": "user", "content": "run the tests"} in agent.history


def test_the_host_asks_three_times_and_says_that_it_stops(start, watch, ledger, events, calls, say):
    watch("nag", pre_verify=lambda **_: {"decision": "block", "reason": "more"})
    steps = [calls(("write_file", {"path": "a.py", "content": "x"}))] + [say(f"try {n}") for n in range(4)]
    assert start(*steps).run_turn("write").answer == "try 3"
    assert [row["attempt"] for row in ledger.payloads("pre_verify")] == [0, 1, 2]
    asked = [event.stopped for event in events.events if isinstance(event, VerifyAsked)]
    assert asked == [False, False, False, True]


def test_without_edits_nobody_is_asked_to_verify(start, ledger, calls, say):
    start(calls(("terminal", {"command": "true"})), say()).run_turn("look")
    assert "pre_verify" not in ledger.names()


# -- sessions -------------------------------------------------------------------------------------------------


def test_a_new_session_finalizes_the_old_one_first(start, ledger, say):  # seed H7.1, H7.3
    agent = start(say("one"), say("two"))
    agent.run_turn("hello")
    old = agent.session_id
    new = agent.new_session()
    agent.run_turn("hello again")
    names = ledger.names("on_session_start", "on_session_finalize", "on_session_reset")
    assert names == ["on_session_start", "on_session_finalize", "on_session_start"]
    (final,) = ledger.payloads("on_session_finalize")
    assert (final["session_id"], final["old_session_id"], final["new_session_id"]) == (old, old, new)
    assert agent.history[0]["content"] == "hello again"
    assert ledger.payloads("on_session_start")[1]["session_id"] == new == agent.session_id


def test_a_session_that_never_began_has_no_id_to_finalize(start, ledger):  # seed H7.3
    agent = start()
    agent.new_session()
    agent.close()
    (final,) = ledger.payloads("on_session_finalize")
    assert (final["session_id"], final["platform"]) == (None, "cli")


def test_closing_finalizes_once(start, ledger, say):
    agent = start(say())
    agent.run_turn("hello")
    agent.close("exit")
    agent.close("exit")
    assert [row["reason"] for row in ledger.payloads("on_session_finalize")] == ["exit"]
    with pytest.raises(SessionError, match="the agent is closed"):
        agent.run_turn("hello?")


def test_an_injected_message_ends_the_running_turn_and_waits_for_its_own(start, watch, calls, say):
    injected = []

    def inject(**_):
        if not injected:
            injected.append(agent.inject_message("stop, look at this"))

    watch(post_tool_call=inject)
    agent = start(calls(("terminal", {"command": "true"})), say("looked"))
    assert agent.run_turn("hello").reason == "new_message"
    assert injected == [True]
    assert agent.run_turn(agent.take_pending()).answer == "looked"
    assert agent.take_pending() is None


def test_a_listener_that_fails_does_not_end_the_session(manager, workdir, caplog, say):
    from hermes_sdk.host.agent import Agent

    def listener(event):
        raise RuntimeError(type(event).__name__)

    agent = Agent(manager, ScriptedModel([say("fine")]), workdir=workdir, listener=listener)
    assert agent.run_turn("hello").answer == "fine"
    assert "the listener failed on TurnStarted" in caplog.text
    agent.close()


def test_a_model_that_breaks_is_a_failed_turn(start, events):
    class Broken(ScriptedModel):
        def complete(self, request) -> ModelReply:
            raise ZeroDivisionError("oops")

    result = start(model=Broken()).run_turn("hello")
    assert result.reason == "model_error"
    assert "ZeroDivisionError: oops" in str(result.error)
    assert any(isinstance(event, Notice) and "oops" in event.text for event in events.events)
