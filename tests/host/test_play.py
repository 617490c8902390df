"""Playing sessions: scripts with expectations, and transcripts with recorded or live tools."""

import gc
import itertools
import json
import textwrap
import tracemalloc

import pytest

from hermes_sdk.errors import SessionError
from hermes_sdk.host import Progress, load_session, play
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.events import ToolFinished
from hermes_sdk.host.models.scripted import ScriptedModel, ScriptStep


@pytest.fixture
def script(tmp_path):
    """Return a function that reads a script from its text."""

    def script(text):
        path = tmp_path / "session.yaml"
        path.write_text(textwrap.dedent(text))
        return load_session(path)

    return script


def test_a_script_plays_with_files_approvals_children_and_expectations(manager, script, workdir, events):
    result = play(
        manager,
        script("""
            title: everything
            files: {in/a.txt: "alpha"}
            children:
              "count*": [{tools: [{name: search_files, args: {pattern: alpha}}]}, {say: one match}]
            turns:
              - user: read and clean
                approvals: [once, deny]
                model:
                  - tools:
                      - {name: read_file, args: {path: in/a.txt}}
                      - {name: terminal, args: {command: rm -r in}}
                      - {name: terminal, args: {command: sudo true}}
                  - tools: [{name: delegate_task, args: {goal: count alphas}}]
                    sees: [alpha, denied by the user]
                  - {say: all is clean, sees: one match}
                expect: {answer: [clean], tools: [ok, ok, blocked, ok]}
              - user: write
                new_session: true
                model: [{tools: [{name: write_file, args: {path: out.txt, content: "omega\\n"}}]}, {say: written}]
            expect:
              files: {out.txt: omega}
        """),
        workdir=workdir,
        listener=events,
    )
    assert result.problems == []
    assert (result.ok, result.turns, result.completed, result.tool_calls) == (True, 2, 2, 5)
    assert result.statuses == {"ok": 5, "blocked": 1}
    assert result.last_answer == "written"
    assert result.hook_calls > 40
    assert 0 < result.hook_ms_per_tool_call == result.hook_seconds * 1000 / 6
    assert (workdir / "out.txt").read_text() == "omega\n"
    assert not (workdir / "in").exists()


def test_what_does_not_go_as_expected_is_a_problem_with_its_place(manager, script):
    result = play(
        manager,
        script("""\
            turns:
              - user: one
                approvals: [once]
                model: [{say: hello, sees: [milk], not_sees: one}, {say: left over}]
                expect: {answer: bye, not_answer: hello, tools: [ok]}
              - user: two
                model: [{error: {message: down}}]
              - user: three
                model: [{interrupt: true}]
                expect: {reason: iteration_limit}
              - model: [{say: nobody asked}]
              - user: /nowhere
            expect:
              files: {missing.txt: x}
        """),
    )
    assert not result.ok
    found = [problem.partition("session.yaml:")[2] or problem for problem in result.problems]
    assert found == [
        "2: the answer lacks 'bye'",
        "2: the answer contains 'hello'",
        "2: the tool calls ended [], not ['ok']",
        "2: 1 step of the model not asked for",
        "2: 1 approval not asked for",
        "6: the turn was not completed: [HS410] down",
        "8: the turn ended because of 'Ctrl-C', not 'iteration_limit'",
        "11: no plugin put in a message for this turn",
        "12: the turn was not completed: no command /nowhere; /help lists them",
        "4: the model does not see 'milk'",
        "4: the model sees 'one'",
        "the file missing.txt does not exist",
    ]


def test_an_expected_failure_is_none(manager, script):
    result = play(
        manager,
        script("""
            turns:
              - user: one
                model: [{error: {message: down}}]
                expect: {reason: model_error}
              - user: two
                model: [{interrupt: true}]
                expect: {completed: false}
        """),
    )
    assert result.ok
    assert (result.turns, result.completed) == (2, 0)


def test_a_turn_without_a_message_takes_the_one_that_a_plugin_put_in(manager, script, load):
    load("""
        def register(ctx):
            ctx.register_command("remind", lambda args: ctx.inject_message(f"remember {args}") and "noted")
    """)
    result = play(
        manager,
        script("""
            turns:
              - user: /remind the milk
              - model: [{say: I will, sees: remember the milk}]
        """),
    )
    assert result.problems == []
    assert (result.turns, result.last_answer) == (2, "I will")


def test_what_a_slash_command_says_can_be_expected_like_an_answer(manager, script, load):
    load("""
        def register(ctx):
            ctx.register_command("sum", lambda args: str(sum(map(int, args.split()))))
    """)
    result = play(
        manager,
        script("""\
            turns:
              - user: /sum 1 2
                expect: {answer: "3", not_answer: "4"}
              - user: /sum 1 2
                model: [{say: nobody asks}]
                approvals: [once]
                expect: {answer: "4", tools: [ok]}
              - user: /sum one
                expect: {completed: false}
              - user: /exit
              - user: anybody there?
                model: [{say: nobody}]
        """),
    )
    assert (result.turns, result.completed) == (4, 3)
    assert [problem.partition("session.yaml:")[2] for problem in result.problems] == [
        "4: the answer lacks '4'",
        "4: the tool calls ended [], not ['ok']",
        "4: 1 step of the model not asked for",
        "4: 1 approval not asked for",
        "10: 1 turn behind /exit not played",
    ]


def test_a_call_id_may_come_again_in_a_later_turn(manager, script):
    turn = "{user: read, model: [{tools: [{name: read_file, args: {path: a}, id: call_1}]}, {say: done}]"
    result = play(
        manager, script(f"turns: [{turn}, expect: {{tools: [error]}}}}, {turn}, expect: {{tools: [error]}}}}]")
    )
    assert result.problems == []


def test_nobody_can_have_recorded_results_of_a_script(manager, script, workdir):
    with pytest.raises(SessionError, match="a script has no recorded results"):
        play(manager, script("turns: [{user: x, model: [{say: y}]}]"), workdir=workdir, mode="recorded")


def test_somebody_is_asked_when_the_answers_are_used_up(manager, script):
    person = ScriptedApprover(["deny"])
    result = play(
        manager,
        script("""
            approvals: [once]
            turns:
              - user: go
                model:
                  - tools: [{name: terminal, args: {command: rm -r a || true}}]
                  - tools: [{name: terminal, args: {command: sudo -n true || true}}]
                  - say: done
                expect: {tools: [ok, blocked]}
        """),
        approver=person,
    )
    assert result.problems == []
    assert len(person.prompts) == 1


def test_another_model_may_answer_the_user_messages_of_a_script(manager, script):
    model = ScriptedModel([ScriptStep(say="from elsewhere")])
    result = play(manager, script("turns: [{user: hello, model: [{say: scripted}]}]"), model=model)
    assert (result.ok, result.last_answer) == (True, "from elsewhere")


def test_plugins_that_ask_the_model_get_the_answers_of_the_script(manager, script, load):
    load("""
        def register(ctx):
            def recall(user_message, **_):
                return ctx.llm.complete([{"role": "user", "content": "summarise: " + user_message}]).text
            ctx.register_hook("pre_llm_call", recall)
    """)
    result = play(
        manager,
        script("""
            llm: [in short]
            turns: [{user: a long story, model: [{say: ok, sees: in short}]}]
        """),
    )
    assert result.problems == []


# -- transcripts ----------------------------------------------------------------------------------------------


def conversation(count, result="result"):
    """Return a stored conversation with `count` tool calls, ten a turn, two at a time."""
    messages = []
    for number in range(0, count, 2):
        if number % 10 == 0:
            messages.append({"role": "user", "content": f"message {number}"})
        pair = [f"call_{number}", f"call_{number + 1}"]
        call = {"name": "terminal", "arguments": json.dumps({"command": f"touch ran-{number}"})}
        tool_calls = [{"id": call_id, "type": "function", "function": call} for call_id in pair]
        messages.append({"role": "assistant", "content": None, "tool_calls": tool_calls})
        messages += [{"role": "tool", "tool_call_id": call_id, "content": f"{result} {call_id}"} for call_id in pair]
        if number % 10 == 8:
            messages.append({"role": "assistant", "content": f"answer {number}"})
    return messages


@pytest.fixture
def transcript(tmp_path):
    """Return a function that reads a stored conversation."""

    def transcript(messages):
        path = tmp_path / "stored.jsonl"
        path.write_text("".join(json.dumps(message) + "\n" for message in messages))
        return load_session(path)

    return transcript


def test_recorded_results_are_replayed_and_nothing_runs(manager, transcript, ledger, workdir):
    result = play(manager, transcript(conversation(10)), workdir=workdir)
    assert result.problems == []
    assert (result.turns, result.completed, result.statuses) == (1, 1, {"ok": 10})
    assert list(workdir.iterdir()) == []
    rows = ledger.payloads("post_tool_call")
    assert [row["result"] for row in rows] == [f"result call_{number}" for number in range(10)]
    assert [row["tool_call_id"] for row in rows] == [f"call_{number}" for number in range(10)]


def test_plugins_judge_a_replay_as_they_would_have_then(manager, transcript, watch):
    watch("guard", pre_tool_call=lambda args, **_: {"action": "block", "message": "no"} if "-4" in str(args) else None)
    assert play(manager, transcript(conversation(10))).statuses == {"ok": 8, "blocked": 2}


def test_a_replay_asks_nobody_about_dangerous_commands(manager, transcript):
    messages = conversation(2)
    messages[1]["tool_calls"][0]["function"]["arguments"] = json.dumps({"command": "rm -rf /"})
    messages.append({"role": "assistant", "content": "gone"})
    assert play(manager, transcript(messages)).statuses == {"ok": 2}


def test_live_tools_run(manager, transcript, workdir):
    result = play(manager, transcript(conversation(10)), workdir=workdir, mode="live")
    assert result.statuses == {"ok": 10}
    assert {path.name for path in workdir.iterdir()} == {f"ran-{number}" for number in range(0, 10, 2)}


def test_tools_that_this_host_does_not_have_are_replayed(manager, transcript):
    messages = conversation(10)
    for message in messages:
        for call in message.get("tool_calls", ()):
            call["function"]["name"] = "browser_navigate"
    assert play(manager, transcript(messages)).statuses == {"ok": 10}
    assert play(manager, transcript(messages), mode="live").statuses == {"error": 10}


def test_a_call_without_a_recorded_result_is_an_error(manager, transcript):
    messages = [message for message in conversation(10) if message.get("tool_call_id") != "call_3"]
    assert play(manager, transcript(messages)).statuses == {"ok": 9, "error": 1}


def test_call_ids_that_come_again_have_their_own_results(manager, transcript, ledger):
    messages = conversation(4)  # two answers of two calls each
    for message in messages:
        for call in message.get("tool_calls", ()):
            call["id"] = f"call_{int(call['id'].removeprefix('call_')) % 2}"
        if "tool_call_id" in message:
            message["tool_call_id"] = f"call_{int(message['tool_call_id'].removeprefix('call_')) % 2}"
    assert play(manager, transcript(messages)).statuses == {"ok": 4}
    results = [row["result"] for row in ledger.payloads("post_tool_call")]
    assert results == [f"result call_{number}" for number in range(4)]


def test_content_in_parts_is_replayed_as_its_text(manager, transcript, ledger):
    messages = conversation(2)
    messages.append({"role": "assistant", "content": "both ran"})
    for message in messages:
        if isinstance(message.get("content"), str) and message["role"] != "user":
            message["content"] = [{"type": "text", "text": message["content"]}]
    assert play(manager, transcript(messages)).last_answer == "both ran"
    assert [row["result"] for row in ledger.payloads("post_tool_call")] == ["result call_0", "result call_1"]


def test_a_conversation_that_ends_within_a_turn_is_no_failure(manager, transcript):
    result = play(manager, transcript(conversation(10)[:-1]))
    assert result.problems == []
    assert (result.turns, result.completed) == (1, 0)


def test_a_thousand_calls_replay_with_progress_in_flat_memory(manager, transcript, watch):  # issue: done when
    seen = []
    watch("counter", pre_tool_call=lambda args, **_: seen.append(1), transform_tool_result=lambda result, **_: result)
    told: list[Progress] = []
    sizes = []

    def progress(state):
        told.append(state)
        if state.tool_calls % 250 == 0 and state.turn and (not sizes or sizes[-1][0] != state.tool_calls):
            gc.collect()
            sizes.append((state.tool_calls, tracemalloc.get_traced_memory()[0]))

    stored = transcript(conversation(1000))
    gc.collect()
    tracemalloc.start()
    try:
        result = play(manager, stored, progress=progress)
    finally:
        tracemalloc.stop()
    assert result.problems == []
    assert (result.turns, result.completed, result.statuses, len(seen)) == (100, 100, {"ok": 1000}, 1000)
    assert told[-1] == Progress(turn=100, turns=100, tool_calls=1000, total_tool_calls=1000)
    assert result.hook_ms_per_tool_call > 0
    growth = [(later[1] - earlier[1]) / 250 for earlier, later in itertools.pairwise(sizes)]
    # the stored conversation itself: a tool message a call, half an assistant message, a fraction of a user message
    assert growth, sizes
    assert max(growth) < 3_000, growth


def test_events_of_a_replay_have_the_calls_in_order(manager, transcript, events):
    play(manager, transcript(conversation(20)), listener=events)
    ids = [event.call_id for event in events.events if isinstance(event, ToolFinished)]
    assert ids == [f"call_{number}" for number in range(20)]
