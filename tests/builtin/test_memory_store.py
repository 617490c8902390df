"""The memory file: who sees what, hostile words, several threads and processes at once."""

import sqlite3
import stat
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_recall.store import MemoryStore
from memory_recall.words import one_line, plain_text, query_of

BUILTIN = Path(__file__).resolve().parents[2] / "builtin_plugins"
ALICE, BOB = "8:telegram:alice", "8:telegram:bob"


@pytest.fixture
def store(tmp_path):
    return MemoryStore(tmp_path / "deep" / "memories.sqlite3")


def add(store, scope, text, *, session="s1", note=False, keep_turns=1_000):
    return store.add(scope, session, text, note=note, keep_turns=keep_turns)


def texts(memories):
    return [memory.text for memory in memories]


def test_a_memory_is_found_by_a_word_of_it_whatever_its_case_and_accents(store):
    add(store, ALICE, "The café in Köln opens at nine")
    assert texts(store.search(ALICE, query_of("KOLN cafe?"), limit=5)) == ["The café in Köln opens at nine"]


def test_nothing_of_another_user_is_found_listed_or_forgotten(store):
    number = add(store, BOB, "Bob's flight leaves on Friday")
    assert store.search(ALICE, query_of("flight Friday"), limit=5) == []
    assert store.newest(ALICE, limit=5) == []
    assert store.forget(ALICE, number) == 0
    assert store.forget(ALICE, None) == 0
    assert texts(store.newest(BOB, limit=5)) == ["Bob's flight leaves on Friday"]


def test_the_best_match_comes_first_then_the_newest(store):
    add(store, ALICE, "the deploy runs on the blue server")
    add(store, ALICE, "the deploy of the shop runs at night")
    add(store, ALICE, "the deploy of the shop needs a tag and a tag needs a review of the shop")
    found = texts(store.search(ALICE, query_of("deploy shop tag"), limit=2))
    assert found[0].startswith("the deploy of the shop needs a tag")
    assert len(found) == 2


def test_the_same_text_is_kept_once_for_each_user(store):
    assert add(store, ALICE, "likes tea") is not None
    assert add(store, ALICE, "likes tea") is None
    assert add(store, BOB, "likes tea") is not None


def test_turns_of_the_running_session_are_left_out_but_notes_are_not(store):
    add(store, ALICE, "talked about boats", session="now")
    add(store, ALICE, "note about boats", session="now", note=True)
    add(store, ALICE, "earlier talk about boats", session="before")
    found = store.search(ALICE, query_of("boats"), limit=5, outside_session="now")
    assert sorted(texts(found)) == ["earlier talk about boats", "note about boats"]


def test_the_oldest_turns_go_and_notes_stay(store):
    add(store, ALICE, "a note to keep", note=True)
    for number in range(8):
        add(store, ALICE, f"turn {number}", keep_turns=3)
    add(store, BOB, "bob's turn", keep_turns=3)
    assert texts(store.newest(ALICE, limit=20)) == ["turn 7", "turn 6", "turn 5", "a note to keep"]


def test_what_is_forgotten_is_gone_from_the_file(store, tmp_path):
    number = add(store, ALICE, "the xylophone is hidden")
    add(store, ALICE, "something else")
    assert store.forget(ALICE, number) == 1
    with sqlite3.connect(tmp_path / "deep" / "memories.sqlite3") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert b"xylophone" not in (tmp_path / "deep" / "memories.sqlite3").read_bytes()
    assert store.search(ALICE, query_of("xylophone"), limit=5) == []


def test_only_the_owner_may_read_the_file(store, tmp_path):
    add(store, ALICE, "private")
    file = tmp_path / "deep" / "memories.sqlite3"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_several_threads_write_and_read_at_once(store):
    def work(number):
        add(store, ALICE, f"memory number {number}")
        return len(store.search(ALICE, query_of("memory number"), limit=50))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(40)))
    assert min(found) >= 1
    assert len(store.newest(ALICE, limit=100)) == 40


def test_several_processes_make_the_file_at_the_same_moment(tmp_path):
    file = tmp_path / "new" / "memories.sqlite3"
    script = textwrap.dedent(
        f"""
        import pathlib, sys
        sys.path.append({str(BUILTIN)!r})
        from memory_recall.store import MemoryStore
        store = MemoryStore(pathlib.Path({str(file)!r}))
        for number in range(10):
            store.add("scope", "s", f"process {{sys.argv[1]}} says {{number}}", note=False, keep_turns=1000)
        """
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(number)]) for number in range(6)]
    assert [writer.wait() for writer in writers] == [0] * 6
    assert len(MemoryStore(file).newest("scope", limit=100)) == 60
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


@pytest.mark.parametrize(
    "words",
    [
        '"; DROP TABLE memories; --',
        "NEAR(boats, 5) AND NOT text:boats",
        'boats" OR "x',
        "boats*",
        "{text} : boats ^boats",
        "(((((",
        "_ __ boats",
        "boats\x00tail",
        "boats \ud800",
        "'boats'",
    ],
)
def test_query_syntax_in_a_message_is_only_words(store, words):
    add(store, ALICE, "all about boats")
    query = query_of(words)
    found = store.search(ALICE, query, limit=5) if query else []
    assert texts(found) == (["all about boats"] if "boats" in words else [])


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=120))
def test_whatever_is_written_can_be_stored_and_asked(tmp_path_factory, text):
    store = MemoryStore(tmp_path_factory.getbasetemp() / "any.sqlite3")
    add(store, ALICE, text)
    query = query_of(text)
    if query is not None:
        store.search(ALICE, query, limit=3)


def test_words_that_everybody_uses_do_not_make_a_query():
    assert query_of("what is the and of it?") is None
    assert query_of("") is None
    assert query_of("What about the Zeppelin? the zeppelin!") == '"zeppelin"'


def test_a_long_message_makes_a_short_query():
    assert query_of(" ".join(f"word{number}" for number in range(500))).count(" OR ") == 23


def test_the_text_parts_of_a_multimodal_message_are_read():
    parts = [
        {"type": "text", "text": "look at"},
        {"type": "image_url", "image_url": {}},
        {"text": "this"},
        "x",
    ]
    assert plain_text(parts) == "look at\nthis"
    assert plain_text("plain") == "plain"
    assert plain_text(None) == ""


def test_a_line_has_no_line_breaks_and_a_limit():
    assert one_line("a\n\n b\tc", 10) == "a b c"
    assert one_line("x" * 20, 10) == "x" * 9 + "…"
