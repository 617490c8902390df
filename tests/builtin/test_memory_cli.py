"""``hermes-sdk memories``: list, export, delete and stats, as real commands."""

import json
import os
import stat
import subprocess
import sys
import uuid

import memory_stores
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

    def run(*arguments, code=0, stdin=""):
        done = subprocess.run(
            [sys.executable, "-m", "hermes_sdk", "memories", *arguments],
            capture_output=True,
            text=True,
            check=False,
            input=stdin,
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


def test_an_export_is_imported_as_it_was_and_once_only(memories, tmp_path):
    exported = memories("export")
    file = tmp_path / "all.jsonl"
    file.write_text("\ufeff" + exported.replace("\n", "\r\n"), "utf-8")
    assert memories("import", str(file)) == "imported 0 memories; 4 were there already\n"
    memories("delete", "--everybody", "--yes")
    assert memories("import", str(file)) == "imported 4 memories\n"
    (before, after) = ([json.loads(line) for line in text.splitlines()] for text in (exported, memories("export")))
    numbers = [one.pop("number") for one in after]  # those of the deleted ones are not given again
    assert numbers == sorted(numbers)
    assert numbers[0] > before[-1]["number"]
    assert after == [{key: value for key, value in one.items() if key != "number"} for one in before]
    memories("delete", "--everybody", "--yes")
    assert memories("import", "-", stdin=exported) == "imported 4 memories\n"


def test_memories_of_the_file_are_moved_to_a_database(memories, home):
    exported = memories("export")
    address = memory_stores.reachable_postgres()
    schema = f"memory_{uuid.uuid4().hex[:12]}"
    entry = json.dumps({"postgres": address, "postgres_schema": schema, "local_name": "dora"})
    (home / "config.yaml").write_text(f"{CONFIG}  entries: {{memory_recall: {entry}}}\n")
    assert memories("import", "-", stdin=exported) == "imported 4 memories\n"
    assert "  1  user:local:dora" in memories("stats").splitlines()
    assert memories("list", "--person", "local:dora").endswith("staging is called heron\n")
    again = memories("export")
    memories("delete", "--everybody", "--yes")
    assert memories("import", "-", stdin=again) == "imported 4 memories\n"


LINE = {
    "number": 1,
    "person": "local",
    "room": "user:local",
    "note": True,
    "text": "the tea is green",
    "created": "2026-11-30T12:00:00+00:00",
    "uses": 0,
    "session": "",
}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: Invalid JSON"),
        ("[1]", "line 2: "),
        ({"text": None}, "line 2: text: "),
        ({"text": " \u202e ! "}, "line 2: text: there is no word"),
        ({"room": "everybody"}, "line 2: room: "),
        ({"person": "a\0b"}, "line 2: person: "),
        ({"person": "x" * 2_000}, "line 2: person: "),
        ({"created": "yesterday"}, "line 2: created: "),
        ({"created": "2026-11-30T12:00:00"}, "line 2: created: "),
        ({"uses": -1}, "line 2: uses: "),
        ({"uses": 2**31}, "line 2: uses: "),
        ({"note": "yes"}, "line 2: note: "),
        ({"mood": "good"}, "line 2: mood: "),
        (b"\xff\xfe", "after line "),
        (b'{"text": "\\ud800"}', "line 2: "),
        (b"x" * 1_000_001, "line 2: it has more than 1,000,000 characters"),
    ],
)
def test_a_line_that_no_export_has_is_named_and_nothing_is_imported(memories, tmp_path, line, said):
    written = json.dumps(LINE | line).encode() if isinstance(line, dict) else line
    written = written if isinstance(written, bytes) else written.encode()
    file = tmp_path / "some.jsonl"
    file.write_bytes(json.dumps(LINE).encode() + b"\n" + written + b"\n")
    error = memories("import", str(file), code=2)
    assert error.startswith(f"nothing was imported: {file}, ")
    assert said in error
    assert "Traceback" not in error
    assert memories("list").count("\n") == 4


def test_what_is_imported_is_masked_like_all_that_is_stored(memories):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
    memories("import", "-", stdin=json.dumps(LINE | {"text": f"deploy\nwith {token} \x1b[2J"}))
    assert "local in user:local: deploy with [REDACTED] [2J\n" in memories("list", "--most", "1")


def test_a_file_that_cannot_be_read_is_an_error(memories, tmp_path):
    assert "cannot be read" in memories("import", str(tmp_path / "none.jsonl"), code=1)
    assert "cannot be read" in memories("import", str(tmp_path), code=1)
    (tmp_path / "empty").touch()
    assert memories("import", str(tmp_path / "empty")) == "imported 0 memories\n"


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
