"""The memory file: several processes at once, what a crash or a full disk leaves, and what deleting does."""

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from memory_recall.search import Search
from memory_recall.sqlite_store import SqliteStore
from memory_recall.store import StoreError

BUILTIN = Path(__file__).resolve().parents[2] / "builtin_plugins"
ROOM = "user:local"


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(lambda: tmp_path)
    yield store
    store.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "memories.sqlite3"


@pytest.fixture
def process(tmp_path):
    """Return a function that starts a process with a store in this directory and a script."""
    started = []

    def process(script, *arguments, **options):
        head = f"""
            import pathlib, sys
            sys.path.append({str(BUILTIN)!r})
            from memory_recall.sqlite_store import SqliteStore
            store = SqliteStore(lambda: pathlib.Path({str(tmp_path)!r}))
        """
        code = textwrap.dedent(head) + textwrap.dedent(script)
        made = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True, **options)
        started.append(made)
        return made

    yield process
    for made in started:
        made.kill()
        made.wait()
        made.stdout.close()


def add(store, *texts, room=ROOM, **options):
    return store.add(room, "local", texts, keep=10_000, **options)


def checked(file):
    """Return the texts of a file that SQLite and the full-text index find sound."""
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for index in ("memory_words", "word_parts"):
            database.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
        texts = {text for (text,) in database.execute("SELECT text FROM memories")}
        counted = dict(database.execute("SELECT word, held FROM words"))
        rooms = dict(database.execute("SELECT id, held FROM rooms"))
        for (words,) in database.execute("SELECT words FROM memories"):
            for word in words.split():
                counted[word] -= 1
        for (room,) in database.execute("SELECT room FROM memories"):
            rooms[room] -= 1
    database.close()
    assert set(counted.values()) | set(rooms.values()) <= {0}
    return texts


def test_only_the_owner_may_read_the_file(store, file):
    assert store.select() == []
    assert not file.exists()  # a look makes none
    add(store, "private")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_four_processes_write_and_read_at_once(process, file):
    script = """
        from memory_recall.search import Search
        search = Search(store, 90)
        for number in range(25):
            (own,) = store.add("user:local", "local", [f"process {sys.argv[1]} says number {number}"], keep=1000)
            assert search.find(["user:local"], "process says", 5)
            if number % 5 == 4:
                assert store.forget([own]) == 1
        print("done")
    """
    processes = [process(script, str(number)) for number in range(4)]
    assert [one.communicate()[0] for one in processes] == ["done\n"] * 4
    assert len(checked(file)) == 4 * 20
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_a_process_that_is_killed_while_it_writes_leaves_whole_memories(process, file, store):
    script = """
        number = 0
        while True:
            number += 1
            texts = [f"memory {number} part {part}" for part in range(3)]
            store.add("user:local", "local", texts, keep=10_000)
            print(number, flush=True)
    """
    for killed_after in (1, 5, 9):
        writer = process(script)
        told = 0
        for line in writer.stdout:
            told = int(line)
            if told >= killed_after:
                os.kill(writer.pid, signal.SIGKILL)
                break
        writer.wait()
        texts = checked(file)
        # what was told is there, and of what was not, all parts or none
        assert {f"memory {number} part {part}" for number in range(1, told + 1) for part in range(3)} <= texts
        assert len(texts) % 3 == 0
        store.forget([memory.number for memory in store.select()])
    assert checked(file) == set()


def test_what_is_forgotten_is_gone_from_the_file(store, file):
    add(store, "the xylophone is hidden in Quetzaltenango", "something else")
    held = file.read_bytes()
    assert b"xylophone" in held
    assert b"quetzaltenango" in held
    assert store.forget([1]) == 1
    left = b"".join(path.read_bytes() for path in file.parent.glob("memories.sqlite3*")).lower()
    for trace in (b"xylophone", b"ylophon", b"hidden", b"quetzal", b"zalten"):
        assert trace not in left
    assert checked(file) == {"something else"}


def test_what_is_forgotten_while_another_process_reads_goes_from_the_log_too(store, file, process):
    add(store, "the xylophone is hidden")
    reader = process(
        """
        with store.reading(["user:local"]) as reader:
            reader.held
            print("reads", flush=True)
            sys.stdin.readline()
        """,
        stdin=subprocess.PIPE,
    )
    assert reader.stdout.readline() == "reads\n"
    assert store.forget([1]) == 1
    reader.communicate("\n")
    add(store, "another one")  # a writer empties the log when nobody reads any more
    assert b"xylophone" not in b"".join(path.read_bytes() for path in file.parent.glob("memories.sqlite3*"))


@pytest.mark.parametrize("damage", [b"no database " * 1_000, b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_damaged_file_is_named_and_left_as_it_is(store, file, damage):
    add(store, "something")
    store.close()
    file.write_bytes(damage)
    for use in (
        store.select,
        lambda: add(store, "more"),
        lambda: store.forget([1]),
        lambda: store.used([1]),
        lambda: Search(store, 90).find([ROOM], "something", 5),
    ):
        with pytest.raises(StoreError, match="damaged; move it away") as caught:
            use()
        assert str(file) in str(caught.value)
    assert file.read_bytes() == damage


def test_a_file_with_a_damaged_middle_does_no_harm(store, file):
    add(store, *(f"memory number {number} on the harbour" for number in range(2_000)))
    store.close()
    held = bytearray(file.read_bytes())
    held[8_192:-4_096] = os.urandom(len(held) - 12_288)
    file.write_bytes(held)
    with pytest.raises(StoreError, match=r"memories\.sqlite3"):
        Search(store, 90).find([ROOM], "harbour memory", 5)
    with pytest.raises(StoreError, match=r"memories\.sqlite3"):
        store.forget(range(2_000))


def test_a_full_disk_is_said_and_what_is_there_stays(process, file, store):
    add(store, *(f"memory number {number}" for number in range(50)))
    script = """
        import resource
        from memory_recall.store import StoreError
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
        try:
            store.add("user:local", "local", [f"more {n} " + "long " * 300 for n in range(500)], keep=10_000)
        except StoreError as error:
            print(error)
        assert len(store.select()) == 50
    """
    said = process(script, str(file.stat().st_size)).communicate()[0]
    assert str(file) in said
    assert "disk" in said
    assert len(checked(file)) == 50
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_directory_that_cannot_be_made_or_written_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")

    def made():
        (tmp_path / "file" / "below").mkdir(parents=True)

    for directory in (made, lambda: Path("/proc/nowhere"), lambda: tmp_path / "not-there"):
        with pytest.raises(StoreError, match="the memory file"):
            add(SqliteStore(directory), "something")


FIRST_VERSION = """
CREATE TABLE memories (
    id INTEGER PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, note INTEGER NOT NULL, text TEXT NOT NULL,
    digest BLOB NOT NULL, created REAL NOT NULL, UNIQUE (scope, digest)
);
CREATE INDEX memories_by_age ON memories (scope, note, id);
CREATE VIRTUAL TABLE memory_words USING fts5 (
    text, content='memories', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
);
CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN
    INSERT INTO memory_words (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memories BEGIN
    INSERT INTO memory_words (memory_words, rowid, text) VALUES ('delete', old.id, old.text);
END;
INSERT INTO memories (scope, session, note, text, digest, created) VALUES
    ('5:local:', 's1', 1, 'staging is called heron', x'01', 1764000000),
    ('5:local:', 's2', 0, 'asked: which tea? | answered: green', x'02', 1764000001),
    ('8:telegram:alice:7', 's3', 0, 'asked: my flight? | answered: friday', x'03', 1764000002),
    ('7:session:s4', 's4', 0, 'asked: nobody knows who | answered: yes', x'04', 1764000003);
PRAGMA user_version = 1;
"""


def test_the_file_of_the_first_version_is_taken_over(store, file):
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(FIRST_VERSION)
    database.close()
    (memory,) = Search(store, 90).find([ROOM], "staging", 5)
    assert (memory.text, memory.note, memory.session) == ("staging is called heron", True, "s1")
    assert memory.created == 1764000000
    assert [one.text for one in Search(store, 90).find([ROOM], "tea", 5)] == ["asked: which tea? | answered: green"]
    assert store.rooms() == {ROOM: 2, "user:telegram:alice%3A7": 1}
    assert len(checked(file)) == 3
    add(store, "and it goes on")
    assert len(checked(file)) == 4


def test_several_processes_take_over_the_file_of_the_first_version_at_once(process, file):
    with sqlite3.connect(file) as database:
        database.executescript(FIRST_VERSION)
    database.close()
    processes = [process("print(len(store.select()))") for _ in range(4)]
    assert [one.communicate()[0] for one in processes] == ["3\n"] * 4
    assert len(checked(file)) == 3


def test_a_file_of_a_later_version_is_not_touched(store, file):
    add(store, "something")
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="a later version"):
        add(store, "more")


def test_a_file_that_is_moved_away_while_it_is_open_is_made_anew(store, file):
    add(store, "the tea is green")
    file.rename(file.with_name("away"))
    assert store.select() == []
    add(store, "the tea is black")
    assert checked(file) == {"the tea is black"}
    assert checked(file.with_name("away")) == {"the tea is green"}


def test_a_process_that_forks_leaves_its_connections_to_the_parent(process, file):
    script = """
        import os
        store.add("user:local", "local", ["from the parent"], keep=10)
        child = os.fork()
        if not child:
            store.add("user:local", "local", ["from the child"], keep=10)
            os._exit(0)
        os.waitpid(child, 0)
        store.add("user:local", "local", ["from the parent again"], keep=10)
        print(len(store.select()))
    """
    assert process(script).communicate()[0] == "3\n"
    assert len(checked(file)) == 3
