"""Memories in PostgreSQL: a schema that makes itself, several processes, a server that is away or restarts."""

import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import psycopg
import pytest
from memory_recall.postgres_store import PostgresStore
from memory_recall.search import Search
from memory_recall.store import StoreError
from memory_stores import reachable_postgres
from psycopg import sql

BUILTIN = Path(__file__).resolve().parents[2] / "builtin_plugins"
ROOM = "user:telegram:42"


@pytest.fixture
def address():
    return reachable_postgres()


@pytest.fixture
def schema(address):
    name = f"memory_{uuid.uuid4().hex[:12]}"
    yield name
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


@pytest.fixture
def store(address, schema):
    store = PostgresStore(address, schema)
    yield store
    store.close()


@pytest.fixture
def asked(address, schema):
    """Return a function that asks the tables themselves."""

    def asked(query):
        with psycopg.connect(address, options=f"-c search_path={schema},public") as server:
            return server.execute(query).fetchall()

    return asked


def sound(asked):
    """Whether what is counted is what there is."""
    counted = dict(asked("SELECT room || '_' || word, held FROM words"))
    for (word,) in asked("SELECT unnest(tsvector_to_array(words)) FROM memories"):
        counted[word] -= 1
    rooms = dict(asked("SELECT id, held FROM rooms"))
    for (room,) in asked("SELECT room FROM memories"):
        rooms[room] -= 1
    return set(counted.values()) | set(rooms.values()) <= {0}


def test_two_gateways_share_one_memory(load, fire, address, schema):
    entry = {"postgres": address, "postgres_schema": schema, "local_name": "dora"}
    first, second = load("memory_recall", memory_recall=entry), load("memory_recall", memory_recall=entry)
    assert first.registrations.commands["remember"].handler("staging is called heron").startswith("remembered as 1")
    assert "heron" in fire(second, "pre_llm_call", session_id="s", user_message="staging?", platform="cli").text
    stranger = load("memory_recall", memory_recall=entry | {"local_name": "otto"})
    assert not fire(stranger, "pre_llm_call", session_id="s", user_message="staging?", platform="cli").text
    by_default = load("memory_recall", memory_recall={**entry, "local_name": ""})
    assert not fire(by_default, "pre_llm_call", session_id="s", user_message="staging?", platform="cli").text
    assert first.failures == second.failures == {}


def test_four_processes_make_the_schema_write_and_forget_at_once(address, schema, asked):
    script = textwrap.dedent(
        f"""
        import sys
        sys.path.append({str(BUILTIN)!r})
        from memory_recall.postgres_store import PostgresStore
        from memory_recall.search import Search
        store = PostgresStore({address!r}, {schema!r})
        search = Search(store, 90)
        for number in range(25):
            room = f"user:telegram:{{number % 3}}"
            texts = [f"process {{sys.argv[1]}} says number {{number}}", f"process {{sys.argv[1]}} is awake {{number}}"]
            own = store.add(room, "p", texts, keep=1000)
            found = search.find([room], "process says number", 5)
            assert found
            store.used([memory.number for memory in found])
            if number % 5 == 4:
                assert store.forget(own) == 2
        print("done")
        """
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(4)
    ]
    assert [process.communicate()[0] for process in processes] == ["done\n"] * 4
    assert asked("SELECT count(*) FROM memories") == [(4 * 40,)]
    assert sound(asked)


def test_what_is_forgotten_leaves_no_word(store, asked):
    numbers = store.add(ROOM, "telegram:42", ["the xylophone is hidden", "the tea is green"], keep=10)
    assert store.forget(numbers[:1]) == 1
    assert asked("SELECT word FROM words ORDER BY word") == [("green",), ("tea",)]
    assert sound(asked)
    store.forget(numbers)
    for table in ("memories", "words", "rooms"):
        assert asked(f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_transaction_that_fails_leaves_nothing(store, asked):
    store.add(ROOM, "telegram:42", ["the tea is green"], keep=10)
    with pytest.raises(StoreError, match="PostgreSQL at 127"):
        store.add(ROOM, "telegram:42", ["the tea is black", "nul \0"], keep=10)
    assert asked("SELECT text FROM memories") == [("the tea is green",)]
    assert sound(asked)
    assert store.add(ROOM, "telegram:42", ["the tea is black"], keep=10)


def test_a_connection_that_the_server_ended_is_made_anew(store, asked):
    store.add(ROOM, "telegram:42", ["the tea is green"], keep=10)
    asked(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'hermes-sdk memory_recall' AND datname = current_database()"
    )
    assert [memory.text for memory in Search(store, 90).find([ROOM], "tea", 5)] == ["the tea is green"]


def test_a_server_that_is_away_is_said_without_its_password_and_costs_no_turn(load, fire):
    away = "postgresql://agent:s3cr3t-word@127.0.0.1:1/memory"
    manager = load("memory_recall", memory_recall={"postgres": away})
    assert not fire(manager, "pre_llm_call", session_id="s", user_message="staging?", platform="cli").text
    fire(manager, "post_llm_call", session_id="s", user_message="staging is called heron", platform="cli")
    said = manager.failures["memory_recall"].last
    assert "PostgreSQL at 127.0.0.1:1, database memory cannot be reached" in said
    assert "s3cr3t" not in said + str(manager.list_plugins())


@pytest.mark.parametrize(
    "address",
    [
        "s3cr3t-word",
        "postgresql://u:s3cr3t@[half/db",
        "host=x s3cr3t",
        "postgres://x:a@s3cr3t@z",
        "postgres://x:s3cr3t/p@z",
    ],
)
def test_an_address_that_is_none_is_refused_without_showing_it(load, address):
    manager = load("memory_recall", memory_recall={"postgres": address})
    (row,) = [row for row in manager.list_plugins() if row["key"] == "memory_recall"]
    assert "memory_recall" not in manager.plugins
    assert "postgresql" in str(row)
    assert "s3cr3t" not in str(row)


def test_without_psycopg_the_plugin_says_what_to_install(tmp_path):
    (tmp_path / "config.yaml").write_text(
        "plugins:\n  enabled: [builtin:memory_recall]\n  entries:\n    memory_recall: {postgres: 'postgresql://x@y/z'}\n"
    )
    script = f"""
import sys
sys.modules["psycopg"] = None
from hermes_sdk import PluginManager
manager = PluginManager({str(tmp_path)!r}, entry_points=False)
manager.discover_and_load()
print([row for row in manager.list_plugins() if row["key"] == "memory_recall"])
manager.shutdown()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'hermes-sdk[postgres]'" in done.stdout


def test_a_schema_of_another_version_is_not_touched(store, address, schema):
    store.add(ROOM, "telegram:42", ["the tea is green"], keep=10)
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(sql.SQL("UPDATE {}.about SET version = 99").format(sql.Identifier(schema)))
    other = PostgresStore(address, schema)
    with pytest.raises(StoreError, match="another version of the plugin"):
        other.select()


def test_common_words_are_found_without_reading_everything(store):
    texts = [f"report on harbour number {number}" for number in range(3_000)]
    store.add(ROOM, "telegram:42", texts, keep=10_000)
    found = Search(store, 90).find([ROOM], "harbour report", 3)
    assert [memory.text for memory in found] == texts[:-4:-1]
