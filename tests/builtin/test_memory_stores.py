"""What every store of memories does: one suite for all of them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_recall.search import Search
from memory_recall.store import Memory
from memory_stores import KINDS

ALICE, BOB = "user:telegram:alice", "user:telegram:bob"


@pytest.fixture(params=KINDS)
def store(request, tmp_path):
    with KINDS[request.param](tmp_path / "store") as store:
        yield store
        store.close()


@pytest.fixture
def search(store):
    return Search(store, 90)


def add(store, room, *texts, keep=1_000, **options):
    """Store texts as one person's and return the last number, None when there is none."""
    numbers = store.add(room, room.removeprefix("user:"), texts, keep=keep, **options)
    return numbers[-1] if numbers else None


def texts(memories):
    return [memory.text for memory in memories]


def test_an_empty_store_has_nothing(store, search):
    assert search.find([ALICE], "anything at all", 5) == []
    assert store.select() == []
    assert store.rooms() == {}
    assert store.forget([1, 2]) == 0
    store.used([1])


def test_a_memory_comes_back_as_it_was_stored(store):
    number = add(store, ALICE, "likes tea", session="s1", note=True)
    (memory,) = store.select()
    assert (memory.number, memory.room, memory.person, memory.session) == (number, ALICE, "telegram:alice", "s1")
    assert (memory.note, memory.text, memory.uses) == (True, "likes tea", 0)
    assert memory.created > 1_700_000_000


def memory(text, room=ALICE, created=1_700_000_000.0, **more):
    return Memory(
        7, room, room.removeprefix("user:"), more.get("session", ""), more.get("note", False), text, created, 3
    )


def test_memories_are_restored_as_they_were_and_found(store, search):
    add(store, ALICE, "the sea is blue")
    restored = [
        memory("likes tea"),
        memory("likes tea"),
        memory("the sea is blue"),
        memory("likes rum", BOB, note=True),
    ]
    assert store.restore(iter(restored), keep=100) == (2, 2)
    (found,) = search.find([ALICE], "tea", 5)
    assert (found.text, found.created, found.uses, found.person) == ("likes tea", 1_700_000_000.0, 3, "telegram:alice")
    assert texts(search.find([BOB], "rum", 5)) == ["likes rum"]
    assert store.restore(restored, keep=100) == (0, 4)
    assert store.rooms() == {ALICE: 2, BOB: 1}
    assert store.restore([], keep=100) == (0, 0)


def test_of_what_is_restored_the_oldest_go_where_a_room_is_full(store):
    add(store, ALICE, "said today")
    old = [memory(f"said on day {day}", created=1e9 + day) for day in range(5)]
    assert store.restore([*old, memory("a note", created=1.0, note=True)], keep=3) == (6, 0)
    assert sorted(texts(store.select())) == ["a note", "said on day 3", "said on day 4", "said today"]


def test_what_cannot_be_read_to_its_end_is_not_restored_at_all(store):
    def broken():
        yield memory("likes tea")
        raise ValueError("line 2")

    with pytest.raises(ValueError, match="line 2"):
        store.restore(broken(), keep=100)
    assert store.rooms() == {}
    assert add(store, ALICE, "likes tea")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The café in Köln opens at nine", "KOLN cafe?"),
        ("Die Straße ist gesperrt", "STRASSE"),
        ("我的航班星期五起飞", "航班几点"),
        ("サーバーの名前はヘロンです", "サーバーは何ですか"),
        ("서버는 헤론이라고 합니다", "서버 이름"),
        ("база данных называется цапля", "какая БАЗА"),
        ("मेरी किताब नीली है", "किताब"),
        ("see `src/my_parser.py`, line 12", "my_parser.py"),
    ],
)
def test_a_memory_is_found_by_a_word_of_it_in_any_script(store, search, text, question):
    add(store, ALICE, text)
    add(store, ALICE, "something that is quite different")
    assert texts(search.find([ALICE], question, 5)) == [text]


@pytest.mark.parametrize("word", ["herron", "herons", "heon"])
def test_a_word_that_nobody_used_finds_what_is_spelled_alike(store, search, word):
    add(store, ALICE, "the database is called heron")
    add(store, ALICE, "the other one is called sparrow")
    assert texts(search.find([ALICE], f"tell me about {word}", 5)) == ["the database is called heron"]


def test_a_word_that_is_known_finds_itself_only(store, search):
    add(store, ALICE, "the herons fly south")
    add(store, ALICE, "the heron is a database")
    assert texts(search.find([ALICE], "heron", 5)) == ["the heron is a database"]


def test_nothing_of_another_room_is_found_listed_or_spelled_alike(store, search):
    add(store, BOB, "my flight leaves on friday")
    add(store, ALICE, "the train leaves at noon")
    assert search.find([ALICE], "flight friday", 5) == []
    assert search.find([ALICE], "flights fridays", 5) == []
    assert texts(store.select(rooms=[ALICE])) == ["the train leaves at noon"]
    assert texts(search.find([BOB], "flight", 5)) == ["my flight leaves on friday"]
    assert texts(search.find([ALICE, BOB], "leaves", 5)) == ["the train leaves at noon", "my flight leaves on friday"]


def test_what_shares_more_and_rarer_words_comes_first(store, search):
    add(store, ALICE, "the deploy of the shop needs a tag and a tag needs a review of the shop")
    add(store, ALICE, *(f"the deploy runs on the blue server {number}" for number in range(20)))
    add(store, ALICE, "the deploy of the shop runs at night")
    found = texts(search.find([ALICE], "deploy shop tag", 2))
    assert found == [
        "the deploy of the shop needs a tag and a tag needs a review of the shop",
        "the deploy of the shop runs at night",
    ]


def test_of_what_fits_as_well_the_newer_comes_first(store, search, clock):
    add(store, ALICE, "the harbour report is blue")
    clock.advance(days=200)
    add(store, ALICE, "the harbour report is red")
    assert texts(search.find([ALICE], "harbour report", 5)) == [
        "the harbour report is red",
        "the harbour report is blue",
    ]


def test_of_what_fits_as_well_the_used_comes_first(store, search):
    used = add(store, ALICE, "the harbour report is blue")
    add(store, ALICE, "the harbour report is red")
    for _ in range(3):
        store.used([used])
    found = search.find([ALICE], "harbour report", 5)
    assert texts(found)[0] == "the harbour report is blue"
    assert found[0].uses == 3


def test_a_word_among_many_is_too_little(store, search):
    add(store, ALICE, *(f"topic{number} has a colour" for number in range(30)))
    add(store, ALICE, "the colour of the sea")
    question = " ".join(f"topic{number}" for number in range(20)) + " colour"
    assert "the colour of the sea" not in texts(search.find([ALICE], question, 50))


def test_common_words_find_what_has_both_among_many(store, search):
    add(store, ALICE, "report on the harbour, kept in the tower")
    add(store, ALICE, *(f"{word} number {number}" for number in range(300) for word in ("report", "harbour")))
    assert texts(search.find([ALICE], "harbour report", 1)) == ["report on the harbour, kept in the tower"]


def test_the_same_text_is_kept_once_in_each_room_and_recalled_once(store, search):
    assert add(store, ALICE, "likes tea") is not None
    assert add(store, ALICE, "likes tea") is None
    assert add(store, BOB, "likes tea") is not None
    assert texts(search.find([ALICE, BOB], "tea", 5)) == ["likes tea"]


def test_statements_of_the_running_session_are_left_out_but_notes_are_not(store, search):
    add(store, ALICE, "talked about boats", session="now")
    add(store, ALICE, "note about boats", session="now", note=True)
    add(store, ALICE, "earlier talk about boats", session="before")
    found = search.find([ALICE], "boats", 5, outside="now")
    assert sorted(texts(found)) == ["earlier talk about boats", "note about boats"]


def test_the_oldest_statements_go_and_notes_stay(store, search):
    add(store, ALICE, "a note to keep", note=True)
    for number in range(8):
        add(store, ALICE, f"turn {number} zebra{number}", keep=3)
    add(store, BOB, "bob's turn", keep=3)
    assert [text[:6] for text in texts(store.select(rooms=[ALICE]))] == ["turn 7", "turn 6", "turn 5", "a note"]
    assert search.find([ALICE], "zebra2", 5) != search.find([ALICE], "zebra7", 5)
    assert store.rooms() == {ALICE: 4, BOB: 1}


def test_what_is_forgotten_is_not_found_any_more(store, search):
    first = add(store, ALICE, "the xylophone is hidden")
    second = add(store, ALICE, "the xylophone is loud")
    assert store.forget([first, 999_999]) == 1
    assert texts(search.find([ALICE], "xylophone hidden", 5)) == ["the xylophone is loud"]
    assert store.forget([first]) == 0
    assert store.forget([second]) == 1
    assert search.find([ALICE], "xylophone", 5) == search.find([ALICE], "xylophones", 5) == []
    assert store.rooms() == {}
    assert add(store, ALICE, "the xylophone is back") > second


def test_memories_are_chosen_by_person_and_room(store):
    store.add("chat:telegram:g", "telegram:alice", ["alice told the group"], keep=10)
    store.add("chat:telegram:g", "telegram:bob", ["bob told the group"], keep=10)
    add(store, ALICE, "alice told the agent")
    assert texts(store.select(person="telegram:alice")) == ["alice told the agent", "alice told the group"]
    assert texts(store.select(person="telegram:alice", rooms=[ALICE])) == ["alice told the agent"]
    assert texts(store.select(rooms=["chat:telegram:g"], most=1)) == ["bob told the group"]
    assert store.select(rooms=[]) == []


def test_several_threads_write_and_read_at_once(store, search):
    start = threading.Barrier(8)

    def work(worker):
        start.wait()
        for number in range(5):
            add(store, ALICE, f"worker {worker} says number {number}")
            assert search.find([ALICE], "worker number", 50)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert store.rooms() == {ALICE: 40}
    assert len(search.find([ALICE], "worker", 50)) == 40


HOSTILE = [
    '"; DROP TABLE memories; --',
    "NEAR(boats, 5) AND NOT words:boats",
    'boats" OR "x',
    "boats*",
    "{words} : boats ^boats",
    "(((((",
    "_ __ boats",
    "1_boats 2_boats",
    "boats\x00tail",
    "boats \ud800",
    "'boats' & !boats | <->",
    "\\boats\\",
    "%s %(x)s ? :boats",
    "boats " * 20_000,
    "b" * 100_000,
]


@pytest.mark.parametrize("words", HOSTILE, ids=lambda words: repr(words[:20]))
def test_query_syntax_in_a_question_is_only_words(store, search, words):
    add(store, ALICE, "all about boats")
    assert texts(search.find([ALICE], words, 5)) == (["all about boats"] if "boats" in words else [])


@pytest.mark.parametrize("room", ['user:"x', "user:%", "user:a'b", "user:日本", "user:" + "x" * 500, "user:a_b"])
def test_no_name_of_a_room_is_anything_but_a_name(store, search, room):
    add(store, room, "all about boats")
    add(store, ALICE, "more about boats")
    assert texts(search.find([room], "boats", 5)) == ["all about boats"]
    assert texts(store.select(rooms=[room], person=room.removeprefix("user:"))) == ["all about boats"]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=120))
def test_whatever_is_written_can_be_stored_and_is_found_by_itself(kind, any_stores, text):
    store = any_stores[kind]
    add(store, ALICE, text)
    for memory in Search(store, 90).find([ALICE], text, 3):
        assert memory.room == ALICE
    (found,) = [memory.number for memory in store.select(rooms=[ALICE]) if memory.text == text]
    assert store.forget([found]) == 1


@pytest.fixture(scope="module")
def any_stores(tmp_path_factory):
    from contextlib import ExitStack

    with ExitStack() as stack:
        made = {
            kind: stack.enter_context(make(tmp_path_factory.mktemp("any") / "store")) for kind, make in KINDS.items()
        }
        yield made
        for store in made.values():
            store.close()
