"""``hermes-sdk memories``: list, export, delete and stats, as real commands."""

import json
import os
import stat
import subprocess
import sys

import pytest
from memory_recall.sqlite_store import SqliteStore

CONFIG = "plugins:\n  enabled: [builtin:memory_recall]\n"


@pytest.fixture
def home(tmp_path):
    """A home with memories of two persons, one of them in a group too."""
    home = tmp_path / "home"
    directory = home / "plugin-data" / "memory_recall"
    directory.mkdir(parents=True)
    (home / "config.yaml").write_text(CONFIG)
    store = SqliteStore(lambda: directory)
    store.add("user:telegram:alice", "telegram:alice", ["my flight leaves on friday"], session="s1", keep=9)
    store.add("chat:telegram:-100", "telegram:alice", ["our picnic is on sunday"], keep=9)
    store.add("chat:telegram:-100", "telegram:bob", ["Bob bringt Käse mit"], note=True, keep=9)
    store.add("user:local", "local", ["staging is called heron"], note=True, keep=9)
    store.close()
    return home


@pytest.fixture
def memories(home):
    """Return a function that runs the command; gives code, stdout and stderr."""

    def run(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "hermes_sdk", "memories", *arguments],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"HERMES_HOME": str(home), "PYTHONUTF8": "1"},
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


def test_list_shows_the_newest_first_and_whose_they_are(memories):
    lines = memories("list").splitlines()
    assert [line.split("  ")[0] for line in lines] == ["4", "3", "2", "1"]
    assert lines[1].endswith("telegram:bob in chat:telegram:-100: Bob bringt Käse mit")
    assert len(memories("list", "--most", "1").splitlines()) == 1
    assert memories("list", "--person", "local").count("\n") == 1
    assert memories("list", "--room", "chat:telegram:-100").count("\n") == 2


def test_a_name_that_has_nothing_points_to_the_names_that_have(memories):
    assert memories("list", "--person", "telegram:alcie") == (
        "nothing is remembered of telegram:alcie; `hermes-sdk memories stats` lists persons and rooms\n"
    )


def test_export_writes_all_of_a_person_as_json_lines(memories, tmp_path):
    exported = [json.loads(line) for line in memories("export", "--person", "telegram:alice").splitlines()]
    assert [one["text"] for one in exported] == ["my flight leaves on friday", "our picnic is on sunday"]
    assert exported[0] == {
        "number": 1,
        "person": "telegram:alice",
        "room": "user:telegram:alice",
        "note": False,
        "text": "my flight leaves on friday",
        "created": exported[0]["created"],
        "uses": 0,
        "session": "s1",
    }
    file = tmp_path / "all.jsonl"
    file.touch(mode=0o644)
    assert memories("export", "--output", str(file)) == f"exported 4 memories to {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Käse" in file.read_text("utf-8")
    assert "cannot be written" in memories("export", "--output", str(tmp_path), code=1)


def test_delete_removes_all_of_a_person_and_nothing_else(memories, home):
    assert memories("delete", "--person", "telegram:alice", "--yes") == "deleted 2 memories\n"
    assert memories("export", "--person", "telegram:alice") == ""
    assert memories("list").count("\n") == 2
    left = b"".join(path.read_bytes() for path in home.rglob("memories.sqlite3*"))
    assert b"flight" not in left
    assert b"alice" not in left


def test_delete_asks_and_must_be_told_whose(memories):
    assert memories("delete", "--person", "local", code=2) == "this would delete 1 memory: say --yes\n"
    assert "say whose" in memories("delete", code=2)
    assert "say whose" in memories("delete", "--everybody", "--person", "local", code=2)
    assert memories("list").count("\n") == 4
    assert memories("delete", "--everybody", "--yes") == "deleted 4 memories\n"
    assert memories("list") == "nothing is remembered\n"


def test_stats_name_the_store_the_rooms_and_the_persons(memories, home):
    lines = memories("stats").splitlines()
    assert lines[:2] == ["store: SQLite", f"where: {home}/plugin-data/memory_recall/memories.sqlite3"]
    assert lines[3:] == [
        "memories: 4",
        "  2  chat:telegram:-100",
        "  1  user:local",
        "  1  user:telegram:alice",
        "persons:",
        "  1  local",
        "  2  telegram:alice",
        "  1  telegram:bob",
    ]


def test_a_damaged_file_is_an_error_that_says_what_to_do(memories, home):
    (file,) = home.rglob("memories.sqlite3")
    file.write_bytes(b"no database " * 1_000)
    said = memories("stats", code=1)
    assert "damaged; move it away" in said
    assert "Traceback" not in said


def test_an_action_is_needed(memories):
    assert "ACTION" in memories(code=2)


def test_no_id_of_a_platform_steers_the_terminal(memories, home):
    store = SqliteStore(lambda: home / "plugin-data" / "memory_recall")
    store.add("user:irc:\x1b[2Jmallory", "irc:\x1b[2Jmallory", ["the tea is \x9bgreen"], keep=9)
    store.close()
    for shown in (memories("list"), memories("stats")):
        assert "mallory" in shown
        assert "\x1b" not in shown
        assert "\x9b" not in shown
    (line,) = memories("export", "--person", "irc:\x1b[2Jmallory").splitlines()
    assert "\x1b" not in line
    assert json.loads(line)["person"] == "irc:\x1b[2Jmallory"
