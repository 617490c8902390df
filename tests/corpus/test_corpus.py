"""Ten published plugins, unmodified, do here what the real host recorded of them (data/corpus/README.md)."""

from pathlib import Path

import pytest
from corpus_pins import PINS, recorded
from corpus_process import run
from corpus_wheels import requirements

REQUIREMENTS = Path(__file__).resolve().parents[2] / "examples" / "corpus" / "requirements.txt"
REGISTERED = ("hooks", "tools", "commands", "cli", "skills", "middleware")


@pytest.fixture(params=PINS)
def pin(request):
    """One plugin of plugins.json."""
    return PINS[request.param]


def _directive(expected):
    """Return the action and message that the real host made of a call, ("run", None) when it had none."""
    action, message = expected.get("directive", ("run", None))
    return [action, message]


@pytest.mark.corpus
def test_registers_what_the_real_host_recorded(pin, sites, tmp_path):
    seen = run(pin, sites[pin["name"]], tmp_path, what="load")

    assert [(row["status"], row["why"]) for row in seen["listed"]] == [("loaded", "")]
    assert {what: seen[what] for what in REGISTERED} == {what: sorted(pin[what]) for what in REGISTERED}


@pytest.mark.corpus
def test_registers_the_default_hooks_in_a_bare_home(pin, sites, tmp_path):
    seen = run(pin, sites[pin["name"]], tmp_path, what="load", scenario=False)

    assert seen["hooks"] == sorted(pin["hooks_default"])


@pytest.mark.corpus
def test_gives_the_results_that_the_real_host_recorded(pin, sites, tmp_path):
    seen = run(pin, sites[pin["name"]], tmp_path, what="raw")

    came_out = {call: recorded(value) for call, value in seen["calls"] if value}
    expected = {
        call: {key: value for key, value in row.items() if key != "directive"}
        for call, row in pin["expected_non_none"].items()
    }
    assert came_out == expected
    assert seen["failures"] == {}


@pytest.mark.corpus
def test_folds_to_what_the_real_host_made_of_it(pin, sites, tmp_path):
    seen = run(pin, sites[pin["name"]], tmp_path, what="folded")

    contexts = {}
    for call, value in seen["calls"]:
        expected = pin["expected_non_none"].get(call, {})
        outcome, results = value["outcome"], expected.get("results", [])
        match call.partition("/")[0]:
            case "pre_tool_call":
                assert recorded([outcome["action"], outcome["message"]]) == _directive(expected), call
                assert outcome["args"] == expected.get("args_after", value["sent"]), call
            case "pre_llm_call" if outcome["text"]:
                contexts[call] = recorded(outcome["text"])
            case "transform_terminal_output" | "transform_tool_result" if results:
                assert recorded(outcome["value"]) == results[0], call
    assert contexts == {
        call: row["results"][0]["context"]
        for call, row in pin["expected_non_none"].items()
        if call.startswith("pre_llm_call/")
    }


def test_the_example_installs_the_same_pins():
    listed = [line for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]

    assert listed == requirements(PINS.values()).splitlines()
