"""A gateway that ends in the middle of a turn, as processes do: nothing that was said is lost."""

import asyncio
import json
import signal
import time

import pytest
from gateway_process import SLEEP, GatewayProcess, Page, is_sleep, texts

from hermes_sdk.host.gateway.database import Database
from hermes_sdk.host.gateway.runner import RESTARTED
from hermes_sdk.host.gateway.sessions import SessionStore

NOTE = (
    "import json, os\n"
    "def end(session_id, completed, interrupted, reason, **kw):\n"
    "    with open(os.environ['HERMES_HOME'] + '/ends.jsonl', 'a') as file:\n"
    "        file.write(json.dumps([completed, interrupted, reason]) + '\\n')\n"
    "def register(ctx):\n    ctx.register_hook('on_session_end', end)\n"
)


@pytest.fixture
def gateway(tmp_path):
    gateway = GatewayProcess(tmp_path)
    gateway.plugin("note", NOTE)
    gateway.configure("  shutdown_grace: 0.3\n  when_busy: queue\n", plugins="[note]")
    yield gateway
    gateway.close()
    pids = gateway.work / "pids"
    deadline = time.monotonic() + 10
    for pid in map(int, pids.read_text().split()) if pids.exists() else ():
        while is_sleep(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not is_sleep(pid)


def running(entries):
    return any(entry.get("status") == "running" for entry in entries)


def stored(gateway):
    database = Database(gateway.home)
    try:
        store = SessionStore(database)
        session = store.find("webchat:dm:main")
        return store.transcript(session.session_id), store.waiting()
    finally:
        database.close()


def ends(gateway):
    path = gateway.home / "ends.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_message_survives_the_end_of_the_gateway_in_the_middle_of_its_turn(gateway, number):
    gateway.play([SLEEP, {"say": "never"}])
    gateway.start()

    async def before():
        async with Page(gateway.base) as page:
            await page.say("a long task", "m1")
            await page.until(running)
            await page.say("and another", "m2")
            await page.until(lambda entries: len(texts(entries, "user")) == 2)
            await asyncio.sleep(0.3)  # accepted, behind the turn that runs

    asyncio.run(before())
    code = gateway.end(number)
    transcript, waiting = stored(gateway)
    assert transcript[0] == {"role": "user", "content": "a long task"}
    assert [(each.event.text, each.begun) for each in waiting] == [("a long task", True), ("and another", False)]
    if number == signal.SIGTERM:
        assert code == 0
        assert ends(gateway) == [[False, True, "shutdown"]]
        assert transcript[-1]["role"] == "tool"  # every call has its result

    gateway.play([{"say": "picked up"}], [{"say": "the other"}])
    gateway.start()

    async def after():
        async with Page(gateway.base) as page:
            entries = await page.until(lambda entries: texts(entries, "agent")[-2:] == ["picked up", "the other"])
            assert not running(entries)
            assert texts(entries, "user") == ["a long task", "and another"]

    asyncio.run(after())
    assert gateway.end() == 0
    transcript, waiting = stored(gateway)
    assert waiting == []
    assert [message["content"] for message in transcript if message["role"] == "user"] == [
        "a long task",
        RESTARTED,
        "and another",
    ]


def test_a_message_that_ends_two_gateways_is_left_to_a_person(gateway):
    gateway.play([SLEEP, {"say": "never"}])
    for start in range(2):
        gateway.start()

        async def begin(first=start == 0):
            async with Page(gateway.base) as page:
                if first:
                    await page.say("a bad one", "m1")
                await page.until(running)

        asyncio.run(begin())
        gateway.end(signal.SIGKILL)
    gateway.start()

    async def after():
        async with Page(gateway.base) as page:
            await page.until(lambda entries: "restarted again before this was done" in "".join(texts(entries, "agent")))

    asyncio.run(after())
    assert gateway.end() == 0


def test_restart_replaces_the_process_in_its_place(gateway):
    gateway.play([{"say": "first"}])
    gateway.start()

    async def talk(text, count):
        async with Page(gateway.base) as page:
            await page.say(text, f"m{count}")
            await page.until(lambda entries: len(texts(entries, "agent")) == count)

    asyncio.run(talk("hi", 1))
    pid = gateway.process.pid
    done = gateway.run("restart")
    assert (done.returncode, done.stdout) == (0, f"the gateway runs again in pid {pid}\n")
    gateway.wait_for_url()
    asyncio.run(talk("hi again", 2))
    status = json.loads(gateway.run("status", "--json").stdout)
    assert (status["running"], status["gateway"]["pid"], status["gateway"]["platforms"]) == (True, pid, ["webchat"])
    refused = gateway.run("run", "--script", str(gateway.script))
    assert refused.returncode == 1
    assert "a gateway of this home runs already" in refused.stderr
    done = gateway.run("stop")
    assert (done.returncode, done.stdout) == (0, "the gateway has ended\n")
    assert gateway.process.wait(10) == 0
    assert gateway.run("status").returncode == 1
    for command in ("restart", "stop"):
        none = gateway.run(command)
        assert none.returncode == 1
        assert "no gateway runs" in none.stderr
