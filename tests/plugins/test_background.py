"""`ctx.background`: bounded, contained, emptied before the end, and no thread while idle."""

import sys
import threading

import pytest

from hermes_sdk.plugins.background import BackgroundQueue


@pytest.fixture
def ctx(plugin_home):
    plugin_home.plugin("mine")
    return plugin_home.loaded().plugins["mine"].context


def threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("hermes-sdk-background")]


def test_jobs_run_in_order_off_the_caller_s_thread_and_leave_none_behind(ctx):
    rows = []
    for number in range(5):
        assert ctx.background.submit(lambda number=number: rows.append((number, threading.current_thread().name)))
    assert ctx.background.flush()
    assert [number for number, _ in rows] == list(range(5))
    assert {name for _, name in rows} == {"hermes-sdk-background-mine"}
    assert (ctx.background.pending, threads()) == (0, [])


def test_arguments_and_coroutines_are_taken(ctx):
    rows = []

    async def job(value, *, more):
        rows.append((value, more))

    ctx.background.submit(job, 1, more=2)
    ctx.background.flush()
    assert rows == [(1, 2)]


def test_a_failing_job_is_counted_and_the_next_one_runs(ctx, row_of):
    rows = []
    for job in (
        lambda: 1 / 0,
        lambda: sys.exit(3),
        lambda: (_ for _ in ()).throw(KeyboardInterrupt),
        lambda: rows.append(1),
    ):
        ctx.background.submit(job)
    assert ctx.background.flush()
    assert rows == [1]
    assert row_of(ctx._manager, "mine")["failures"] == 2


def test_a_full_queue_refuses_and_says_so_once(ctx, caplog):
    queue = BackgroundQueue("mine", ctx._manager.call_isolated, limit=2)
    gate = threading.Event()
    queue.submit(gate.wait)
    while queue.pending < 1:
        pass
    accepted = [queue.submit(lambda: None) for _ in range(6)]
    gate.set()
    assert queue.flush()
    assert accepted.count(False) == queue.dropped >= 3
    assert caplog.text.count("background work is dropped") == 1


def test_shutdown_waits_for_what_is_queued(ctx):
    rows = []
    for number in range(20):
        ctx.background.submit(rows.append, number)
    queue = ctx.background
    ctx._manager.shutdown()
    assert rows == list(range(20))
    assert queue.submit(rows.append, 99) is False


def test_what_never_ends_is_given_up(ctx, caplog):
    gate = threading.Event()
    queue = BackgroundQueue("mine", ctx._manager.call_isolated)
    queue.submit(gate.wait)
    queue.submit(print)
    queue.close(timeout=0.05)
    assert "are given up" in caplog.text
    gate.set()
    assert queue.flush()


def test_a_job_that_shuts_its_manager_down_does_not_wait_for_itself(ctx):
    manager, done = ctx._manager, threading.Event()

    def last():
        manager.shutdown()
        done.set()

    ctx.background.submit(last)
    assert done.wait(30)
    assert manager.closed
