"""The terminal_digest plugin: what it keeps, what it leaves out and says so, what it leaves alone."""

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from terminal_digest.digest import digest
from terminal_digest.excerpt import is_trouble

from hermes_sdk.host import Agent
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep

RUN = [
    "collected 5000 items",
    *(f"tests/test_app.py::test_case_{n} {'FAILED' if n == 2500 else 'PASSED'}" for n in range(5000)),
    "=========== FAILURES ===========",
    "    def test_case_2500():",
    ">       assert total() == 3",
    "E       assert 4 == 3",
    "",
    "tests/test_app.py:12: AssertionError",
    "=========== short test summary info ===========",
    "FAILED tests/test_app.py::test_case_2500 - assert 4 == 3",
    "=========== 1 failed, 4999 passed in 3.21s ===========",
    "",
]


def shown(load, fire, output, command="make test", **entry):
    return fire(
        load("terminal_digest", terminal_digest=entry), "transform_terminal_output", output=output, command=command
    )


def test_a_test_run_keeps_its_failure_and_its_summary(load, fire, blocks):
    output = "\n".join(RUN)
    lines = shown(load, fire, output).value.splitlines()
    assert set(RUN[5001:]) <= set(lines)
    assert "tests/test_app.py::test_case_2500 FAILED" in lines
    assert sum("PASSED" in line for line in lines) < 40
    example = blocks("terminal_digest")[1].splitlines()
    assert lines[: len(example)] == example


def test_every_line_is_there_or_counted():
    random.seed(7)
    lines = [f"{random.choice('abc')} {'error ' if random.random() < 0.01 else ''}{n}" for n in range(9000)]
    result = digest("\n".join(lines), 3_000).splitlines()[1:]
    gaps = [re.match(r"\[\.\.\. ([\d,]+) lines? left out", line) for line in result]
    left_out = sum(int(gap[1].replace(",", "")) for gap in gaps if gap)
    kept = [line for line, gap in zip(result, gaps, strict=True) if not gap]
    assert len(kept) + left_out == len(lines)
    assert kept == [line for line in lines if line in set(kept)]


def test_a_log_keeps_its_errors_and_says_how_many_more_there_were():
    log = [f"12:00:{n % 60:02d} INFO served {n}" for n in range(4000)]
    log[1000] = "12:00:00 ERROR disk is full"
    log[2000:2500] = [f"12:00:00 ERROR cannot reach peer {n}" for n in range(500)]
    result = digest("\n".join(log), 3_000)
    assert "ERROR disk is full" in result
    assert result.count("ERROR cannot reach peer") < 10
    assert re.search(r"49\d of them with errors or warnings", result)


def test_names_that_sound_like_trouble_are_no_trouble():
    lines = [f"src/errors_{n}.py: checked by reader {n} without a word" for n in range(1000)]
    assert "of them with errors" not in digest("\n".join(lines), 2_000)


def test_paths_are_counted_by_directory():
    paths = [f"./src/app/part{n % 7}/module{n}.py" for n in range(3000)] + [f"./docs/page{n}.md" for n in range(500)]
    result = digest("\n".join([*paths, "find: './private': Permission denied"]), 3_000)
    assert "find: './private': Permission denied" in result
    assert "      500  ./docs/  (.md 500)" in result
    assert "      429  ./src/app/part0/  (.py 429)" in result
    assert len(result) < 1_000


def test_sizes_are_sorted():
    rows = [f"{n}K\t./cache/{n}" for n in range(1, 2000)] + ["3.5G\t./video", "12M\t./photos", "3.6G\t."]
    lines = digest("\n".join(rows), 1_000).splitlines()
    assert lines[1:5] == ["3.6G\t.", "3.5G\t./video", "12M\t./photos", "1999K\t./cache/1999"]
    assert lines[-1].endswith("smaller entries left out ...]")


def test_a_progress_bar_leaves_its_last_state_and_a_long_line_its_ends():
    bar = "\r".join(f"{n}% done" for n in range(101))
    result = digest("\n".join([bar, "\x1b[31mred\x1b[0m", "a" * 50_000, "end\r"]), 3_000)
    assert result.splitlines()[1:3] == ["100% done", "red"]
    assert "[... 49,400 characters ...]" in result
    assert result.endswith("\nend\n")


@pytest.mark.parametrize(
    "command", ["cat big.txt", "cd src && cat big.txt", "make 2>&1 | tail -n 9000", "git diff HEAD"]
)
def test_what_was_asked_for_as_a_whole_is_left_alone(load, fire, command):
    assert shown(load, fire, "\n".join(RUN), command).steps == ()


@pytest.mark.parametrize("command", ["git log", "catalog --all", "cat list | xargs make", ""])
def test_other_commands_are_not(load, fire, command):
    assert shown(load, fire, "\n".join(RUN), command).steps != ()


def test_the_model_sees_the_digest_of_a_real_command(load, tmp_path):
    command = "seq 1 9000; echo 'make: *** error 2'; seq 1 9000"
    steps = [ScriptStep(tools=(ScriptedCall("terminal", {"command": command}),)), ScriptStep(say="done")]
    agent = Agent(load("terminal_digest"), ScriptedModel(steps), workdir=tmp_path)
    agent.run_turn("build it")
    (result,) = [message["content"] for message in agent.history if message["role"] == "tool"]
    agent.close()
    output = json.loads(result)["output"]
    assert output.startswith("[shortened from 18,001 lines, ")
    assert "\nmake: *** error 2\n" in output
    assert len(output) < 8_000


def test_a_short_output_is_left_alone(load, fire):
    output = "\n".join(RUN)
    assert shown(load, fire, output, over=len(output)).steps == ()
    assert digest("\n".join(str(n) * 3 for n in range(300)), 8_000) is None


def test_the_settings_of_the_readme_are_taken(load, fire, configure):
    configure("terminal_digest")
    manager = load("terminal_digest", configured=True)
    assert fire(manager, "transform_terminal_output", output="\n".join(RUN), command="tail x").steps != ()
    assert fire(manager, "transform_terminal_output", output="\n".join(RUN), command="cat x").steps == ()


@pytest.mark.parametrize("entry", [{"to": 20_000}, {"over": 10}, {"lines": 5}])
def test_a_wrong_setting_is_refused_and_named(load, caplog, entry):
    load("terminal_digest", terminal_digest=entry)
    assert "settings of plugin 'terminal_digest' cannot be used" in caplog.text
    assert next(iter(entry)) in caplog.text


@pytest.mark.parametrize(
    "piece", ["a", "\n", "\r", "\x1b[", "\x1b]", "error ", "a/", "1\t", "> ", "\x1b[31m", "0x", "./a\n"]
)
def test_hostile_repetition_costs_linear_work(piece):
    """Quadratic work would need minutes for 2,000,000 characters: the suite's timeout would end the test."""
    digest(piece * (2_000_000 // len(piece)), 8_000)


@settings(deadline=None)
@given(
    st.text(st.sampled_from("ab/.:\t\r\n\x1b[m 019E>é\ud800"), max_size=400).map(lambda text: text * 9),
    st.integers(0, 300),
)
def test_any_output_becomes_shorter_or_stays(text, size):
    result = digest(text * 9, size)
    assert result is None or len(result) <= 0.8 * len(text * 9) + 1


@pytest.mark.parametrize(
    "line",
    [
        "TypeError: you must pass a string",
        "AssertionError: test did not pass",
        "\u2716 12 problems (12 errors, 0 warnings)",
        "12 examples, 3 failures, 0 errors",
        "npm ERR! code ELIFECYCLE",
        "not ok 17 - the parser",
        "CONFLICT (content): Merge conflict in a.py",
        "E: Unable to locate package x",
    ],
)
def test_trouble_in_the_middle_is_kept(line):
    lines = [f"{number} {'abcdefgh'[number % 8] * (number % 40 + 1)}" for number in range(3_000)]
    lines[1_500] = line
    assert line in digest("\n".join(lines), 4_000).splitlines()


@pytest.mark.parametrize("line", ["0 errors, 0 warnings", "tests/a.py::test_error_page PASSED", "test_failure ... ok"])
def test_what_went_well_is_no_trouble(line):
    assert not is_trouble(line)


def test_numbers_in_front_of_sentences_are_no_output_of_du():
    lines = [f"{number}\tthe service answered well" for number in range(1_700_000_000, 1_700_003_000)]
    lines[1_500] = "1700001500\tFATAL out of disk"
    assert lines[1_500] in digest("\n".join(lines), 4_000).splitlines()


def test_a_word_among_paths_that_says_trouble_is_kept():
    lines = [f"./src/pkg{number % 9}/module{number}.py" for number in range(3_000)]
    lines[1_500] = "Killed"
    assert "Killed" in digest("\n".join(lines), 4_000).splitlines()
