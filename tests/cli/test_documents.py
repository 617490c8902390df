"""Values of any kind as JSON, and a document that is whole whenever it is closed."""

import io
import json

from hermes_sdk.cli.documents import RunDocument, as_data
from hermes_sdk.dispatch.outcomes import Step, ToolDecision
from hermes_sdk.host.events import Answer, HookFired


class Stubborn:
    def __str__(self):
        raise RuntimeError("no")


def test_values_without_a_json_form_become_text():
    cycle = {}
    cycle["self"] = cycle
    value = {"nan": float("nan"), "bytes": b"x", 3: {"a"}, "odd": Stubborn(), "cycle": cycle}
    data = as_data(value)
    assert data["nan"] == "nan"
    assert data["bytes"] == "b'x'"
    assert data["3"] == ["a"]
    assert data["odd"] == "<Stubborn>"
    json.dumps(data, allow_nan=False)


def test_outcomes_keep_their_names():
    step = Step("guard", "user", "block", "no")
    data = as_data(ToolDecision("block", "no", None, {"command": "ls"}, (step,)))
    assert data["action"] == "block"
    assert data["steps"][0]["plugin"] == "guard"


def test_the_document_is_whole_with_and_without_events():
    for events in (0, 1, 3):
        stream = io.StringIO()
        document = RunDocument(stream)
        for number in range(events):
            document(Answer(session_id="s", text=f"\ud800 {number}"))
        document.close(ok=True)
        read = json.loads(stream.getvalue())
        assert [event["type"] for event in read["events"]] == ["Answer"] * events
        assert read["ok"] is True


def test_each_event_stands_on_a_line_of_its_own_as_it_happens():
    stream = io.StringIO()
    document = RunDocument(stream)
    decision = ToolDecision("run", None, None, {})
    document(HookFired(session_id="s", hook="pre_tool_call", outcome=decision, duration_ms=1.0))
    document.printed("chatty", "two\nlines")
    first, second = stream.getvalue().splitlines()[1:]
    assert json.loads(first.rstrip(","))["hook"] == "pre_tool_call"
    assert json.loads(second) == {"type": "Printed", "plugin": "chatty", "text": "two\nlines"}


def test_nothing_is_written_after_the_end():
    stream = io.StringIO()
    document = RunDocument(stream)
    document.close(ok=True)
    document.printed("late", "too late")
    assert json.loads(stream.getvalue()) == {"events": [], "ok": True}
