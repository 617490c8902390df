"""Reading an audit log: show, tail, export, and what they are asked for."""

import csv
import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from audit_log.chain import Chain
from audit_log.reading import Filter, records_of
from audit_log.writer import Writer

RECORDS = [
    {"kind": "subagent_start", "session": "s1", "child": "s1-a", "goal": "look"},
    {
        "kind": "pre_tool_call",
        "session": "s1-a",
        "tool": "terminal",
        "decision": "block",
        "by": "friday",
        "why": "Friday",
    },
    {"kind": "subagent_start", "session": "s1-a", "child": "s1-b"},
    {"kind": "post_tool_call", "session": "s1-b", "tool": "read_file", "status": "error", "error": "=HYPERLINK(1)"},
    {"kind": "post_approval_response", "session": "s2", "choice": "deny", "decided_by": "ada", "command": "=1+1"},
    {"kind": "transform_tool_result", "session": "s2", "steps": [{"plugin": "shout", "what": "transform"}]},
    {"kind": "post_llm_call", "session": "s2", "answer": {"chars": 9_000, "digest": "ab", "text": "long"}},
    {
        "kind": "post_llm_call",
        "session": ["s1"],
        "answer": "\x1b[2J\u202e\n",
        "steps": [1, {"plugin": ["x"]}],
        "by": {},
    },
]


@pytest.fixture
def log(tmp_path):
    directory = tmp_path / "log"
    directory.mkdir()
    writer = Writer(lambda: directory, Chain(None), started={}, max_bytes=4_096)
    for record in RECORDS:
        writer.append(record)
    writer.close()
    return directory


def asked_for(log, **wanted):
    wanted = Filter(**wanted)
    return [record.seq - 3 for record in records_of(log) if wanted(record)]  # in front are two others


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"session": "s1"}, [0, 1, 2, 3]),  # child agents, and their child agents
        ({"session": "s1-b"}, [3]),
        ({"tool": "terminal"}, [1]),
        ({"kind": "post_llm_call"}, [6, 7]),
        ({"plugin": "friday"}, [1]),
        ({"plugin": "shout"}, [5]),
        ({"decision": "block"}, [1]),
        ({"decision": "deny"}, [4]),
        ({"decision": "error", "session": "s1"}, [3]),
        ({"decision": "error", "session": "s2"}, []),
        ({"since": datetime.now(UTC) + timedelta(days=1)}, []),
        ({"kind": "post_tool_call", "since": datetime(2026, 1, 1, tzinfo=UTC)}, [3]),
        ({"until": datetime(2020, 1, 1, tzinfo=UTC)}, []),
    ],
)
def test_records_are_found_by_what_they_say(log, wanted, found):
    assert asked_for(log, **wanted) == found


def command(home, *arguments):
    return [sys.executable, "-m", "hermes_sdk", "audit", *map(str, arguments)], {
        "HERMES_HOME": str(home),
        "PATH": "/bin",
    }


def audit(home, *arguments):
    line, variables = command(home, *arguments)
    return subprocess.run(line, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture
def home(tmp_path):
    (tmp_path / "config.yaml").write_text("plugins: {enabled: ['builtin:audit_log']}\n")
    return tmp_path


def test_records_are_shown_on_one_line_that_moves_no_cursor(home, log):
    lines = audit(home, "show", "--directory", log).stdout.splitlines()
    assert len(lines) == len(RECORDS) + 3
    assert "pre_tool_call           terminal  block by friday  Friday" in lines[3]
    assert lines[6].endswith("post_approval_response  deny by ada  =1+1")
    assert lines[7].endswith("transform by shout")
    assert lines[9].endswith(r"\x1b[2J\u202e")


def test_whole_records_are_json_lines(home, log):
    done = audit(home, "show", "--directory", log, "--tool", "terminal", "--json")
    record = json.loads(done.stdout)
    assert (record["by"], len(record["hash"])) == ("friday", 64)


def test_a_table_has_no_formulas(home, log):
    rows = list(csv.DictReader(audit(home, "export", "--directory", log).stdout.splitlines()))
    assert len(rows) == len(RECORDS) + 3
    assert (rows[3]["decision"], rows[3]["by"], rows[3]["why"]) == ("block", "friday", "Friday")
    assert rows[6]["command"] == "'=1+1"


def test_the_last_records_are_shown_and_then_those_that_come(home, log):
    assert audit(home, "tail", "--directory", log, "-n", 2).stdout.count("\n") == 2
    assert audit(home, "tail", "--directory", log, "-n", 0).stdout == ""
    line, variables = command(home, "tail", "--directory", log, "-n", 1, "--follow", "--session", "s1")
    with subprocess.Popen(line, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "read_file" in process.stdout.readline()
        writer = Writer(lambda: log, Chain(None), started={}, max_bytes=4_096)
        for number in range(30):  # into further files
            writer.append({"kind": "post_tool_call", "session": "s1-b", "tool": f"t{number}", "error": "x" * 300})
            writer.append({"kind": "post_tool_call", "session": "other"})
        shown = [process.stdout.readline().split()[4] for _ in range(30)]
        process.send_signal(signal.SIGINT)
        process.communicate()
    writer.close()
    assert shown == [f"t{number}" for number in range(30)]


def test_a_reader_that_has_enough_is_no_error(home, log):
    writer = Writer(lambda: log, Chain(None), started={}, max_bytes=1 << 20)
    for _ in range(2_000):
        writer.append({"kind": "test", "why": "x" * 100})
    writer.close()
    line, variables = command(home, "show", "--directory", log)
    with subprocess.Popen(line, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("time", ["yesterday", "2026-13-01", "5x", ""])
def test_a_time_that_is_none_is_refused(home, time):
    done = audit(home, "show", "--since", time)
    assert done.returncode == 2
    assert "is no time: write 2026-05-01T12:00, or 2h for 2 hours ago" in done.stderr


def test_times_are_local_or_how_long_ago(home, log):
    soon = (datetime.now().astimezone() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M")
    assert audit(home, "show", "--directory", log, "--since", "2h").stdout.count("\n") == len(RECORDS) + 3
    assert audit(home, "show", "--directory", log, "--until", "2h").stdout == ""
    assert audit(home, "show", "--directory", log, "--since", soon).stdout == ""


def test_something_that_is_no_file_is_no_log(home, log):
    os.mkfifo(log / "audit-000099.jsonl")
    assert audit(home, "verify", "--directory", log).returncode == 0


def test_an_emptied_log_is_not_called_unchanged(home, tmp_path):
    (tmp_path / "emptied").mkdir()
    (tmp_path / "emptied" / "audit-000001.jsonl").touch()
    done = audit(home, "verify", "--directory", tmp_path / "emptied")
    assert done.returncode == 1
    assert done.stdout == "audit-000001.jsonl: 0 records: it was emptied, or its first record was never written\n"
