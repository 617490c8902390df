"""Handlers that sleep, hang, block their event loop, or drown in events: nobody else notices."""

import asyncio
import builtins
import textwrap
import threading
import time

import pytest


@pytest.fixture
def gate():
    """Give a module-level event that hung handlers wait for, opened when the test is over."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def hung(home, gate):
    """Return a function that writes a hook whose handler hangs at contexts with `hang`, until `gate` is opened."""
    builtins.hermes_test_gate = gate

    def write(name, body="hermes_test_gate.wait()", prefix="", **options):
        code = f"{home.note}{prefix}def handle(event_type, context):\n    if context.get('hang'):\n        {body}\n"
        home.hook(name, code + f"    note(f'{name} {{context.get(\"n\")}}')\n", **options)

    yield write
    del builtins.hermes_test_gate


def wait_for(what, seconds=20):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.005)


def test_emit_returns_while_a_handler_hangs(home, registry, hung, gate):
    """Seed G3: the main pipeline goes on."""
    hung("a")
    hung("b", prefix="import time\n", body="time.sleep(0.05)")
    made = registry()

    async def run():
        for number in range(20):
            await made.emit("agent:start", {"hang": True, "n": number})
        assert home.lines() == [], "no handler has ended before emit was done"
        wait_for(lambda: len(home.lines()) == 20)
        gate.set()
        assert await made.flush(20)

    asyncio.run(run())
    for name in "ab":
        assert [line for line in home.lines() if line.startswith(name)] == [f"{name} {n}" for n in range(20)]


def test_the_oldest_events_are_dropped_from_a_full_queue_and_counted(home, registry, hung, gate, caplog):
    hung("a")
    made = registry(queue_limit=10)
    made.emit_nowait("agent:start", {"hang": True, "n": "first"})
    wait_for(lambda: made.status()[0].queued == 0)
    for number in range(25):
        made.emit_nowait("agent:start", {"n": number})
    [status] = made.status()
    assert (status.queued, status.dropped) == (10, 15)
    gate.set()
    assert asyncio.run(made.flush(20))
    assert home.lines() == ["a first", *(f"a {number}" for number in range(15, 25))]
    dropped = [text for text in caplog.messages if "dropped" in text]
    assert dropped == ["gateway hook 'a': events are dropped, 10 wait already"], "said once"


def test_a_late_synchronous_call_is_counted_and_its_queue_moves_on(home, registry, hung, gate):
    hung("a")
    made = registry(handler_timeout=0.1)
    made.emit_nowait("agent:start", {"hang": True, "n": 0})
    made.emit_nowait("agent:start", {"n": 1})
    wait_for(lambda: home.lines() == ["a 1"] and made.status()[0].failed == 1)
    [status] = made.status()
    assert (status.state, status.late) == ("loaded", 1)
    assert status.last_error == "agent:start: DeadlineMissedError: missed its deadline of 0.1 s"
    gate.set()
    wait_for(lambda: made.status()[0].late == 0)
    assert home.lines() == ["a 1", "a 0"], "nobody can stop it"


def test_waiting_for_the_queues_ends_when_a_call_is_given_up(home, registry, hung, gate):
    hung("a")
    made = registry(handler_timeout=0.1)
    made.emit_nowait("agent:start", {"hang": True})
    assert asyncio.run(made.flush(60))
    assert made.status()[0].late == 1


def test_four_late_calls_suspend_a_handler_until_one_ends(home, registry, hung, gate, caplog):
    hung("a")
    made = registry(handler_timeout=0.05)
    for number in range(6):
        made.emit_nowait("agent:start", {"hang": True, "n": number})
    wait_for(lambda: made.status()[0].state == "suspended")
    made.emit_nowait("agent:start", {"n": "while suspended"})
    [status] = made.status()
    assert (status.late, status.queued, status.dropped) == (4, 0, 3)
    assert status.why == "4 of its calls do not return"
    assert [text for text in caplog.messages if "suspended until" in text] == [
        "gateway hook 'a' is suspended until one of its calls ends: 4 of them did not return in 0.05 s"
    ]
    gate.set()
    wait_for(lambda: made.status()[0].state == "loaded")
    made.emit_nowait("agent:start", {"n": "after"})
    wait_for(lambda: "a after" in home.lines())
    assert "a while suspended" not in home.lines()


def test_an_async_handler_is_cancelled_at_its_deadline(home, registry):
    code = """
    import asyncio
    async def handle(event_type, context):
        try:
            await asyncio.sleep(context["seconds"])
        except asyncio.CancelledError:
            note("cancelled")
            raise
        note("done")
    """
    home.hook("a", home.note + "\n" + textwrap.dedent(code))
    made = registry(handler_timeout=0.1)
    made.emit_nowait("agent:start", {"seconds": 1000})
    made.emit_nowait("agent:start", {"seconds": 0})
    wait_for(lambda: made.status()[0].handled == 2)
    assert home.lines() == ["cancelled", "done"]
    [status] = made.status()
    assert (status.failed, status.late) == (1, 0)


def test_an_async_handler_that_blocks_its_loop_is_left_to_itself(home, registry, hung, gate):
    code = "async def handle(event_type, context):\n    if context['hang']: hermes_test_gate.wait()\n    note('done')\n"
    home.hook("a", home.note + code)
    made = registry(handler_timeout=0.1)
    made.emit_nowait("agent:start", {"hang": True})
    made.emit_nowait("agent:start", {"hang": False})
    wait_for(lambda: home.lines() == ["done"])
    assert made.status()[0].late == 1
    gate.set()
    wait_for(lambda: made.status()[0].late == 0)


def test_tasks_that_an_async_handler_starts_go_on_between_events(home, registry, fire):
    code = """
    import asyncio
    tasks = set()
    async def later():
        await asyncio.sleep(0.01)
        note("later")
    async def handle(event_type, context):
        tasks.add(asyncio.create_task(later()))
        note("handled")
    """
    home.hook("a", home.note + "\n" + textwrap.dedent(code))
    assert fire(registry(), ("agent:start", {}))
    wait_for(lambda: home.lines() == ["handled", "later"])


def test_collecting_waits_a_limited_time_and_not_at_all_for_who_is_busy_longer(home, registry, hung, gate):
    hung("a", events=["command:x"])
    home.hook("b", "def handle(e, c):\n    return 'b'\n", ["command:x"])
    made = registry(hook_timeout=1)

    async def run(context):
        return await made.ask("command:x", context)

    slow, quick = asyncio.run(run({"hang": True}))
    assert (slow.error, quick.value) == ("did not answer within 1 s", "b")
    wait_for(lambda: made.status()[0].busy_for > 1.01)
    slow, quick = asyncio.run(run({"n": "second"}))
    assert slow.error == "not waited for: busy with an earlier event for more than 1 s"
    assert quick.value == "b"
    gate.set()
    wait_for(lambda: "a second" in home.lines())


def test_events_of_many_sessions_stay_in_order_under_load(home, registry, fire):
    home.hook("plain", f"{home.note}def handle(e, c):\n    note(f\"p {{c['session_id']}} {{c['n']}}\")\n")
    home.hook("waiting", f"{home.note}async def handle(e, c):\n    note(f\"w {{c['session_id']}} {{c['n']}}\")\n")
    home.hook("raising", "def handle(e, c):\n    raise KeyError(e)\n")
    made = registry(queue_limit=10_000)
    threads = [
        threading.Thread(
            target=lambda s=session: [
                made.emit_nowait("agent:start", {"session_id": s, "n": number}) for number in range(50)
            ]
        )
        for session in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asyncio.run(made.flush(60))
    lines = home.lines()
    assert len(lines) == 2 * 8 * 50
    for kind in "pw":
        for session in range(8):
            of_one = [line for line in lines if line.startswith(f"{kind} {session} ")]
            assert of_one == [f"{kind} {session} {number}" for number in range(50)]


def test_closing_does_not_wait_for_what_hangs(home, registry, hung, gate):
    hung("a")
    home.hook("b", "import asyncio\nasync def handle(e, c):\n    await asyncio.sleep(1000)\n")
    made = registry()
    for _ in range(3):
        made.emit_nowait("agent:start", {"hang": True})
    began = time.monotonic()
    asyncio.run(made.close(0.2))
    assert time.monotonic() - began < 30
    assert [(status.queued, status.dropped) for status in made.status()] == [(0, 2), (0, 2)]


def test_no_thread_stays_when_there_is_nothing_to_do(home, registry, fire):
    home.hook("a", "def handle(e, c):\n    pass\n")
    made = registry()
    fire(made, ("agent:start", {}))
    wait_for(lambda: not any(thread.name.endswith("hook-a") for thread in threading.enumerate()))
    asyncio.run(made.close())
    wait_for(lambda: not any("gateway-hook" in thread.name for thread in threading.enumerate()))
