"""Deadlines: who has one, what happens when it passes, and what a late callback can still do (semantics 3.4)."""

import asyncio
import contextlib
import contextvars
import gc
import threading
import time

import pytest

from hermes_hookspecs import hookimpl
from hermes_sdk.dispatch.implementation import CALLERS_THREAD
from hermes_sdk.dispatch.policy import PluginPolicy

SHORT = 0.05
LONG = 60.0
SPACE = contextvars.ContextVar("space", default="unset")


def soon(condition):
    """Wait until a condition holds; the test's own timeout ends what never does."""
    while not condition():
        time.sleep(0.005)


@pytest.fixture
def released():
    """Return an event on which late callbacks wait, so that none outlives its test."""
    released = threading.Event()
    yield released
    released.set()
    soon(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("hermes-hook-")])


def waits_on(event):
    def hangs(**_):
        event.wait()

    return hangs


# -- synchronous callbacks ---------------------------------------------------------------------------------


def test_without_a_deadline_a_callback_runs_in_the_callers_thread(plugin, fire):
    threads = []
    plugin("p", post_tool_call=lambda **_: threads.append(threading.current_thread()))
    fire("post_tool_call")
    assert threads == [threading.current_thread()]


def test_a_late_callback_is_a_failure_and_the_others_run(manager, plugin, fire, released, logged):
    seen = []
    plugin("a", PluginPolicy(timeout=SHORT), post_tool_call=waits_on(released))
    plugin("b", PluginPolicy(timeout=LONG), post_tool_call=lambda **_: seen.append("b"))
    outcome = fire("post_tool_call")
    assert seen == ["b"]
    (step,) = outcome.steps
    assert (step.plugin, step.what, step.error) == ("a", "failed", "DeadlineMissedError: missed its deadline of 0.05 s")
    assert manager.failures["a"].count == 1
    assert manager.failures["a"].late == 1
    (text,) = logged()
    assert "'a'" in text
    assert f"{__file__}:" in text
    released.set()
    soon(lambda: manager.failures["a"].late == 0)


def test_a_callback_with_a_deadline_sees_the_callers_context_in_a_daemon_thread(plugin, fire):
    seen = []

    def callback(**_):
        thread = threading.current_thread()
        seen.append((SPACE.get(), thread.daemon, thread is threading.main_thread()))
        SPACE.set("changed in the worker")

    plugin("p", PluginPolicy(timeout=LONG), post_tool_call=callback)
    contextvars.copy_context().run(lambda: (SPACE.set("host"), fire("post_tool_call")))
    assert seen == [("host", True, False)]
    assert SPACE.get() == "unset"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_changes_of_a_callback_in_time_are_its_modify(manager, plugin, fire, afire, asynchronous):
    def edits(args, **_):
        args["command"] = "ls -l"
        args["nested"]["deep"].append(2)
        del args["gone"]

    plugin("p", PluginPolicy(timeout=LONG), pre_tool_call=edits)
    args = {"command": "ls", "nested": {"deep": [1]}, "gone": 1}
    outcome = asyncio.run(afire("pre_tool_call", args=args)) if asynchronous else fire("pre_tool_call", args=args)
    assert outcome.args is args
    assert args == {"command": "ls -l", "nested": {"deep": [1, 2]}}
    assert [(step.what, step.detail) for step in outcome.steps] == [("modify", "command, gone, nested")]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_changes_of_a_late_callback_reach_nobody(plugin, fire, afire, released, asynchronous):
    edited = threading.Event()
    seen = []

    def edits(args, **_):
        args["before"] = "the deadline"
        args["nested"]["before"] = "the deadline"
        released.wait()
        args["after"] = "the deadline"
        args["nested"]["after"] = "the deadline"
        edited.set()

    plugin("a", PluginPolicy(timeout=SHORT), pre_tool_call=edits)
    plugin("b", pre_tool_call=lambda args: seen.append(repr(args)))
    args = {"command": "ls", "nested": {}}
    outcome = asyncio.run(afire("pre_tool_call", args=args)) if asynchronous else fire("pre_tool_call", args=args)
    released.set()
    edited.wait()
    assert outcome.args is args
    assert args == {"command": "ls", "nested": {}}
    assert seen == [repr(args)]


def test_changes_of_a_failing_callback_with_a_deadline_are_undone(plugin, fire):
    def edits(args, **_):
        args["command"] = "rm"
        args["nested"]["x"] = 1
        raise ValueError("no")

    plugin("a", PluginPolicy(timeout=LONG), pre_tool_call=edits)
    assert fire("pre_tool_call", args={"command": "ls", "nested": {}}).args == {"command": "ls", "nested": {}}


def test_a_payload_that_contains_itself_can_be_copied_for_a_worker(manager, plugin, fire):
    args = {"command": "ls"}
    args["self"] = args
    seen = []
    plugin("p", PluginPolicy(timeout=LONG), post_tool_call=lambda args, **_: seen.append(args["command"]))
    fire("post_tool_call", args=args)
    assert seen == ["ls"]
    assert not manager.failures


def test_two_names_of_one_argument_stay_one_object_in_the_private_copy(plugin, fire):
    seen = []

    def edits(args, arguments, **_):
        seen.append(args is arguments)
        args["edited"] = True

    plugin("a", PluginPolicy(timeout=LONG), transform_tool_result=edits)
    plugin("b", transform_tool_result=lambda arguments, **_: seen.append(arguments))
    fire("transform_tool_result", args={"path": "x"})
    assert seen == [True, {"path": "x", "edited": True}]


def test_four_late_callbacks_suspend_their_plugin_visibly(manager, plugin, fire, released, logged):
    seen = []
    plugin(
        "slow",
        PluginPolicy(timeout=SHORT, suspend_seconds=LONG),
        post_tool_call=waits_on(released),
        pre_llm_call=lambda **_: seen.append("pre_llm_call"),
        subagent_stop=lambda **_: seen.append("subagent_stop"),
    )
    plugin("fine", PluginPolicy(timeout=LONG), post_tool_call=lambda **_: seen.append("fine"))
    for _ in range(4):
        assert not manager.failures or not manager.failures["slow"].suspended
        fire("post_tool_call")
    record = manager.failures["slow"]
    assert (record.late, record.count, record.suspended) == (4, 4, True)
    assert record.suspended_until > time.monotonic()
    assert any("'slow' is suspended for 60 s: 4 of its callbacks did not return" in text for text in logged())

    seen.clear()
    for _ in range(20):
        (step,) = fire("post_tool_call").steps
        assert (step.plugin, step.what) == ("slow", "failed")
        assert "suspended" in step.error
    fire("pre_llm_call")
    fire("subagent_stop")
    assert seen == ["fine"] * 20  # the whole plugin is left out, and nobody else
    assert (record.late, record.count) == (4, 4)  # a call that is left out is no failure of its own
    assert logged() == []
    assert len([thread for thread in threading.enumerate() if thread.name == "hermes-hook-slow"]) == 4


def test_the_wrappers_of_a_suspended_plugin_are_left_out_too(manager, fire, released):
    seen = []

    class Slow:
        @hookimpl
        def post_tool_call(self):
            released.wait()

        @hookimpl(wrapper=True)
        def pre_tool_call(self):
            seen.append("wrapped")
            return (yield)

    manager.register(Slow(), "slow", policy=PluginPolicy(timeout=SHORT, suspend_seconds=LONG))
    for _ in range(4):
        fire("post_tool_call")
    assert fire("pre_tool_call").action == "run"
    assert seen == []


def test_a_suspended_plugin_is_called_again_after_its_time(manager, plugin, fire, released):
    behaves = threading.Event()
    seen = []

    def callback(**_):
        seen.append("called")
        if not behaves.is_set():
            released.wait()

    plugin("slow", PluginPolicy(timeout=SHORT, suspend_seconds=1.0), post_tool_call=callback)
    for _ in range(4):
        fire("post_tool_call")
    assert manager.failures["slow"].suspended
    behaves.set()
    released.set()
    soon(lambda: not manager.failures["slow"].suspended)
    assert fire("post_tool_call").steps == ()
    assert fire("post_tool_call").steps == ()
    assert seen == ["called"] * 6


def test_a_suspension_can_be_ended_by_hand(manager, plugin, fire, released):
    plugin("slow", PluginPolicy(timeout=SHORT, suspend_seconds=LONG), post_tool_call=waits_on(released))
    for _ in range(4):
        fire("post_tool_call")
    manager.reset_failures("slow")
    assert "slow" not in manager.failures
    released.set()
    assert fire("post_tool_call").steps == ()


def test_a_plugin_that_is_unregistered_while_it_hangs_comes_back_afresh(manager, plugin, fire, released):
    plugin("slow", PluginPolicy(timeout=SHORT, suspend_seconds=LONG), post_tool_call=waits_on(released))
    for _ in range(4):
        fire("post_tool_call")
    manager.unregister(name="slow")
    seen = []
    plugin("slow", PluginPolicy(timeout=LONG), post_tool_call=lambda **_: seen.append("new"))
    fire("post_tool_call")
    assert seen == ["new"]


def test_overlapping_calls_of_a_healthy_callback_are_never_taken_for_hung(manager, plugin, fire):
    together = threading.Barrier(8)

    def meets(**_):
        together.wait(LONG)

    plugin("p", PluginPolicy(timeout=LONG), post_tool_call=meets)
    hosts = [threading.Thread(target=fire, args=("post_tool_call",)) for _ in range(8)]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join()
    assert not manager.failures


def test_a_coroutine_that_comes_too_late_is_not_left_unawaited(manager, plugin, fire, released):
    async def never_awaited():
        raise AssertionError("awaited")

    def late(**_):
        released.wait()
        return never_awaited()

    plugin("late", PluginPolicy(timeout=SHORT), post_tool_call=late)
    fire("post_tool_call")
    released.set()
    soon(lambda: manager.failures["late"].late == 0)
    gc.collect()  # a warning would be an error


# -- asynchronous callbacks --------------------------------------------------------------------------------


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("returned", [False, True], ids=["async def", "returned awaitable"])
def test_an_asynchronous_callback_is_cancelled_at_its_deadline(manager, plugin, fire, afire, asynchronous, returned):
    ended = []

    async def sleeps(**_):
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("cancelled")

    callback = (lambda **_: sleeps()) if returned else sleeps
    plugin("a", PluginPolicy(timeout=SHORT), pre_tool_call=callback)
    plugin("b", pre_tool_call=lambda **_: {"action": "block", "message": "still judged"})
    outcome = asyncio.run(afire("pre_tool_call")) if asynchronous else fire("pre_tool_call")
    assert outcome.message == "still judged"
    assert outcome.steps[0].error == "DeadlineMissedError: missed its deadline of 0.05 s"
    assert ended == ["cancelled"]
    assert manager.failures["a"].late == 0


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_callback_that_swallows_its_cancellation_is_left_to_itself(manager, plugin, fire, afire, asynchronous):
    done = threading.Event()

    async def stubborn(args, **_):
        while not done.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                args["after"] = "the deadline"
        return {"action": "block", "message": "too late"}

    plugin("stubborn", PluginPolicy(timeout=SHORT), pre_tool_call=stubborn)

    async def host():
        try:
            outcome = await afire("pre_tool_call")
            assert manager.failures["stubborn"].late == 1
            return outcome
        finally:
            done.set()

    if asynchronous:
        outcome = asyncio.run(host())
    else:
        outcome = fire("pre_tool_call")
        assert manager.failures["stubborn"].late == 1
        done.set()
    assert outcome.action == "run"
    assert "DeadlineMissedError" in outcome.steps[0].error
    soon(lambda: manager.failures["stubborn"].late == 0)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_a_callback_answers_to_its_cancellation_does_not_count(plugin, fire, afire, asynchronous):
    async def answers_late(**_):
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return {"action": "block", "message": "too late"}

    plugin("p", PluginPolicy(timeout=SHORT), pre_tool_call=answers_late)
    outcome = asyncio.run(afire("pre_tool_call")) if asynchronous else fire("pre_tool_call")
    assert outcome.action == "run"


def test_four_stubborn_asynchronous_callbacks_suspend_their_plugin(manager, plugin, fire):
    done = threading.Event()

    async def stubborn(**_):
        while not done.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    plugin("stubborn", PluginPolicy(timeout=SHORT), post_tool_call=stubborn)
    for _ in range(4):
        fire("post_tool_call")
    assert manager.failures["stubborn"].suspended
    done.set()


def test_a_callback_that_blocks_the_loop_keeps_it_to_itself(manager, plugin, fire, released, logged):
    seen = []
    before = threading.enumerate()

    async def blocks(**_):
        released.wait()  # not awaited: nothing else runs on this loop

    async def fine(**_):
        await asyncio.sleep(0)
        seen.append(threading.current_thread())

    plugin("blocks", PluginPolicy(timeout=SHORT), post_tool_call=blocks)
    plugin("fine", post_tool_call=fine)
    outcome = fire("post_tool_call")
    assert [(step.plugin, step.what) for step in outcome.steps] == [("blocks", "failed")]
    assert manager.failures["blocks"].late == 1
    assert len(seen) == 1
    assert any("blocks its event loop" in text for text in logged())
    released.set()
    soon(lambda: manager.failures["blocks"].late == 0)
    soon(lambda: {thread for thread in threading.enumerate() if thread not in before} == {*seen})


def test_a_callback_without_a_deadline_that_blocks_the_loop_does_not_stop_healthy_ones(manager, plugin, fire, released):
    entered = threading.Event()
    seen = []

    async def blocks(**_):
        entered.set()
        released.wait()

    async def fine(**_):
        seen.append("fine")

    plugin("blocks", on_session_start=blocks)
    plugin("fine", PluginPolicy(timeout=LONG), post_tool_call=fine)
    host = threading.Thread(target=fire, args=("on_session_start",))
    host.start()
    entered.wait()
    assert fire("post_tool_call").steps == ()
    assert seen == ["fine"]
    released.set()
    host.join()
    assert not manager.failures


def test_the_deadline_counts_from_the_callbacks_start_for_work_and_await_together(manager, plugin, fire):
    async def rest():
        await asyncio.sleep(3600)

    def starts(**_):
        time.sleep(SHORT / 5)
        return rest()

    plugin("p", PluginPolicy(timeout=SHORT), post_tool_call=starts)
    fire("post_tool_call")
    assert "missed its deadline" in manager.failures["p"].last


def test_a_timeout_of_the_callbacks_own_is_an_ordinary_failure(manager, plugin, fire):
    async def gives_up(**_):
        async with asyncio.timeout(0.01):
            await asyncio.sleep(3600)

    def raises(**_):
        raise TimeoutError("mine")

    plugin("p", PluginPolicy(timeout=LONG), post_tool_call=[gives_up, raises])
    outcome = fire("post_tool_call")
    assert [step.error for step in outcome.steps] == ["TimeoutError", "TimeoutError: mine"]
    assert manager.failures["p"].late == 0


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_hook_without_a_spec_keeps_deadlines_too(manager, plugin, asynchronous, released):
    async def sleeps(**_):
        await asyncio.sleep(3600)

    plugin("a", PluginPolicy(timeout=SHORT), something_new=[waits_on(released), sleeps])
    plugin("b", PluginPolicy(timeout=LONG), something_new=lambda **given: given)

    async def host():
        return await manager.ahook.something_new(a=1)

    assert (asyncio.run(host()) if asynchronous else manager.hook.something_new(a=1)) == [{"a": 1}]
    assert manager.failures["a"].count == 2


@pytest.mark.parametrize("swallows", [False, True])
def test_cancelling_the_host_cancels_a_callback_with_a_deadline_and_is_no_failure_of_it(
    manager, plugin, afire, swallows
):
    seen = []

    async def sleeps(**_):
        seen.append(SPACE.get())
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            if not swallows:
                raise

    plugin("p", PluginPolicy(timeout=LONG), post_tool_call=sleeps)

    async def host():
        SPACE.set("host")
        task = asyncio.create_task(afire("post_tool_call"))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(host())
    assert seen == ["host", "cancelled"]
    assert not manager.failures


# -- which deadline counts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "marker", "everybody", "late"),
    [
        (None, None, None, False),
        (None, None, SHORT, True),
        (None, SHORT, LONG, True),
        (None, LONG, SHORT, False),
        (SHORT, LONG, LONG, True),
        (LONG, SHORT, SHORT, False),
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_user_beats_the_marker_and_the_marker_the_setting_for_all(
    manager, fire, user, marker, everybody, late, asynchronous
):
    released = threading.Event()

    class Plugin:
        @hookimpl(timeout=marker)
        def post_tool_call(self):
            released.wait(0.3)

    class AsyncPlugin:
        @hookimpl(timeout=marker)
        async def post_tool_call(self):
            await asyncio.sleep(0.3)

    plugin = AsyncPlugin() if asynchronous else Plugin()
    manager.register(plugin, "p", policy=PluginPolicy(timeout=user, default_timeout=everybody))
    assert bool(fire("post_tool_call").steps) == late
    released.set()


def test_a_new_deadline_counts_from_the_next_call(manager, plugin, fire, released):
    plugin("p", PluginPolicy(timeout=SHORT), post_tool_call=lambda **_: released.wait(0.2))
    assert fire("post_tool_call").steps
    manager.set_policy("p", PluginPolicy(timeout=LONG))
    assert not fire("post_tool_call").steps


@pytest.mark.parametrize("hook", sorted(CALLERS_THREAD))
@pytest.mark.parametrize("asynchronous", [False, True])
def test_some_hooks_stay_in_the_callers_thread_and_limit_asynchronous_callbacks_only(
    manager, plugin, fire, afire, hook, asynchronous
):
    threads = []

    def stays(**_):
        threads.append(threading.current_thread())
        time.sleep(SHORT * 2)

    async def sleeps(**_):
        await asyncio.sleep(3600)

    plugin("stays", PluginPolicy(timeout=SHORT), **{hook: stays})
    plugin("async", PluginPolicy(timeout=SHORT), **{hook: [sleeps, lambda **_: sleeps()]})
    outcome = asyncio.run(afire(hook)) if asynchronous else fire(hook)
    assert threads == [threading.current_thread()]
    assert [(step.plugin, step.what) for step in outcome.steps] == [("async", "failed")] * 2


# -- fail-closed -------------------------------------------------------------------------------------------


def test_a_late_gate_blocks_and_says_why(plugin, fire, released):
    policy = PluginPolicy(timeout=SHORT, suspend_seconds=LONG, fail_closed=frozenset({"pre_tool_call"}))
    plugin("gate", policy, pre_tool_call=waits_on(released))
    for _ in range(4):
        outcome = fire("pre_tool_call")
        assert outcome.action == "block"
        assert "'gate'" in outcome.message
        assert "missed its deadline of 0.05 s" in outcome.message
    outcome = fire("pre_tool_call")
    assert outcome.action == "block"
    assert "'gate'" in outcome.message
    assert "suspended" in outcome.message


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_late_masker_withholds_the_output(plugin, fire, afire, asynchronous):
    async def sleeps(**_):
        await asyncio.sleep(3600)

    policy = PluginPolicy(timeout=SHORT, fail_closed=frozenset({"transform_tool_result"}))
    plugin("masker", policy, transform_tool_result=sleeps)
    call = {"result": "secret"}
    outcome = (
        asyncio.run(afire("transform_tool_result", **call)) if asynchronous else fire("transform_tool_result", **call)
    )
    assert "secret" not in outcome.value
    assert "'masker'" in outcome.value
    assert "missed its deadline" in outcome.value
