"""Hooks fired inside of hooks: not delivered to the same plugin again, and never endlessly deep (semantics 1.4)."""

import asyncio
import concurrent.futures
import contextvars
import threading

import pytest

from hermes_hookspecs import HOOKS, Block, hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.errors import HookDepthError

OBSERVERS = [name for name, contract in HOOKS.items() if contract.kind == "observer"]
DEADLINE = PluginPolicy(timeout=30)


def call(manager, hook, **values):
    return getattr(manager.hook, hook)(**HOOKS[hook].sample(**values))


async def acall(manager, hook, **values):
    return await getattr(manager.ahook, hook)(**HOOKS[hook].sample(**values))


@pytest.fixture
def calls():
    return []


WAYS = {}


def way(function):
    WAYS[function.__name__] = function
    return function


@way
def directly(manager, hook):
    """Fire in the callback's own thread."""
    return lambda **_: call(manager, hook) and None


@way
def awaiting(manager, hook):
    """Fire asynchronously from an asynchronous callback."""

    async def callback(**_):
        await acall(manager, hook)

    return callback


@way
def gathering(manager, hook):
    """Fire from tasks that an asynchronous callback starts and waits for."""

    async def callback(**_):
        await asyncio.gather(acall(manager, hook), asyncio.create_task(acall(manager, hook)))

    return callback


@way
def in_the_loops_executor(manager, hook):
    """Fire from a thread that an asynchronous callback waits for."""

    async def callback(**_):
        await asyncio.to_thread(call, manager, hook)

    return callback


@way
def blocking_the_loop(manager, hook):
    """Fire synchronously from an asynchronous callback."""

    async def callback(**_):
        call(manager, hook)

    return callback


@way
def after_a_break(manager, hook):
    """Fire after an asynchronous callback was suspended for a while."""

    async def callback(**_):
        await asyncio.sleep(0)
        await acall(manager, hook)
        await asyncio.sleep(0)
        call(manager, hook)

    return callback


@way
def by_returned_awaitable(manager, hook):
    """Fire in what a synchronous callback returns to be awaited."""
    return lambda **_: acall(manager, hook)


@way
def with_an_extra_argument(manager, hook):
    return lambda **_: call(manager, hook, future="x") and None


@way
def raw(manager, hook):
    return lambda **_: manager.invoke_hook(hook, **HOOKS[hook].sample()) and None


@way
def by_subset(manager, hook):
    return lambda **_: manager.subset_hook_caller(hook, [object()])(**HOOKS[hook].sample()) and None


@way
def with_call_extra(manager, hook):
    return lambda **_: getattr(manager.hook, hook).call_extra([], HOOKS[hook].sample()) and None


ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
surroundings = pytest.mark.parametrize("traced", [False, True], ids=["", "traced"])
policies = pytest.mark.parametrize("policy", [None, DEADLINE], ids=["", "deadline"])
entries = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


def start(manager, hook, *, asynchronous, **values):
    return asyncio.run(acall(manager, hook, **values)) if asynchronous else call(manager, hook, **values)


@ways
@policies
@surroundings
@entries
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_a_hook_is_not_delivered_again_to_the_plugin_that_fires_it(
    manager, plugin, calls, way, policy, traced, asynchronous
):
    """The other plugins still get it."""
    manager.tracing = traced
    fires = way(manager, "post_tool_call")

    def note(**_):
        calls.append("a2")

    plugin("a", policy, post_tool_call=[fires, note])
    plugin("b", post_tool_call=lambda **_: calls.append("b"))
    outcome = start(manager, "post_tool_call", asynchronous=asynchronous)
    assert not [step for step in outcome.steps if step.error]
    assert calls[-2:] == ["a2", "b"]
    assert set(calls[:-2]) == {"b"}
    assert 1 <= len(calls[:-2]) <= 2
    assert manager.failures == {}


@ways
@policies
@entries
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_two_plugins_that_fire_the_same_hook_do_not_play_ping_pong(manager, plugin, calls, way, policy, asynchronous):
    def noting(name):
        def note(**_):
            calls.append(name)

        return note

    fires = way(manager, "post_tool_call")
    plugin("a", policy, post_tool_call=[noting("a"), fires])
    plugin("b", policy, post_tool_call=[noting("b"), fires])
    start(manager, "post_tool_call", asynchronous=asynchronous)
    times = 2 if way.__name__ in ("gathering", "after_a_break") else 1
    assert sorted(calls) == ["a"] * (1 + times) + ["b"] * (1 + times)
    assert manager.failures == {}


def test_other_hooks_reach_the_plugin_that_fires_them(manager, plugin, calls):
    plugin("a", post_tool_call=lambda: call(manager, "on_session_end"), on_session_end=lambda: calls.append("end"))
    call(manager, "post_tool_call")
    assert calls == ["end"]


def test_a_plugin_is_left_out_however_far_out_it_stands(manager, plugin, calls):
    plugin(
        "a",
        post_tool_call=lambda: (calls.append("a"), call(manager, "on_session_start")),
    )
    plugin("b", on_session_start=lambda: call(manager, "post_tool_call"))
    plugin("c", post_tool_call=lambda: calls.append("c"))
    call(manager, "post_tool_call")
    assert calls == ["a", "c", "c"]


def test_the_plugin_gets_the_next_call_again(manager, plugin, calls):
    plugin("a", post_tool_call=lambda: (calls.append("a"), call(manager, "post_tool_call")))
    for _ in range(3):
        call(manager, "post_tool_call")
    assert calls == ["a"] * 3


def test_an_aborted_call_leaves_nothing_behind(manager, plugin, calls):
    def interrupts():
        if not calls:
            calls.append("interrupted")
            raise KeyboardInterrupt
        calls.append("again")

    plugin("a", post_tool_call=interrupts)
    with pytest.raises(KeyboardInterrupt):
        call(manager, "post_tool_call")
    call(manager, "post_tool_call")
    assert calls == ["interrupted", "again"]


def test_an_implementation_of_another_thread_is_not_inside_of_this_call(manager, plugin, calls):
    """What runs at the same time elsewhere is no reason to leave anybody out."""
    inside, go_on = threading.Event(), threading.Event()

    def waits(tool_name):
        calls.append(tool_name)
        if tool_name == "first":
            inside.set()
            go_on.wait(30)

    plugin("a", post_tool_call=waits)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        first = pool.submit(call, manager, "post_tool_call", tool_name="first")
        inside.wait(30)
        call(manager, "post_tool_call", tool_name="second")
        go_on.set()
        first.result()
    assert calls == ["first", "second"]


def test_overlapping_tasks_of_one_loop_do_not_leave_each_other_out(manager, plugin, calls):
    async def callback(tool_name):
        await asyncio.sleep(0)
        calls.append(tool_name)

    plugin("a", post_tool_call=callback)

    async def host():
        await asyncio.gather(*(acall(manager, "post_tool_call", tool_name=str(number)) for number in range(5)))

    asyncio.run(host())
    assert sorted(calls) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("traced", [False, True])
def test_a_failing_nested_call_is_attributed_to_its_own_plugin(manager, plugin, traced):
    manager.tracing = traced
    plugin("a", post_tool_call=lambda: call(manager, "on_session_end"), on_session_end=lambda: 1 / 0)
    plugin("b", on_session_end=lambda: {}["b"])
    outcome = call(manager, "post_tool_call")
    assert not [step for step in outcome.steps if step.error]
    assert {name: failures.count for name, failures in manager.failures.items()} == {"a": 1, "b": 1}


# -- the depth -------------------------------------------------------------------------------------------------


def deep_plugins(manager, plugin, count, seen, way, policy=None):
    """Let a plugin for each of `count` hooks fire the next hook."""
    for number in range(count):
        hook, following = OBSERVERS[number], OBSERVERS[number + 1]
        fires = way(manager, following)

        def note(number=number):
            seen.append(number + 1)

        plugin(f"p{number:02}", policy, **{hook: [note, fires]})
    plugin("last", **{OBSERVERS[count]: lambda: seen.append(count + 1)})


one_call_ways = pytest.mark.parametrize(
    "way",
    [way for name, way in WAYS.items() if name not in ("gathering", "after_a_break")],
    ids=lambda way: way.__name__,
)


@one_call_ways
@policies
@entries
def test_eight_calls_deep_is_fine(manager, plugin, way, policy, asynchronous):
    seen = []
    deep_plugins(manager, plugin, 7, seen, way, policy)
    start(manager, OBSERVERS[0], asynchronous=asynchronous)
    assert seen == [1, 2, 3, 4, 5, 6, 7, 8]
    assert manager.failures == {}


@one_call_ways
@policies
@entries
def test_nine_calls_deep_is_an_error_of_the_callback_that_fires(manager, plugin, way, policy, asynchronous):
    seen = []
    deep_plugins(manager, plugin, 8, seen, way, policy)
    outcome = start(manager, OBSERVERS[0], asynchronous=asynchronous)
    assert seen == [1, 2, 3, 4, 5, 6, 7, 8]
    assert not outcome.steps
    (name,) = manager.failures
    assert name == "p07"
    assert "HookDepthError" in manager.failures[name].last
    assert "9 calls deep" in manager.failures[name].last


def test_the_error_names_the_way_down(manager, plugin):
    caught = []

    def fires(hook):
        def callback():
            try:
                call(manager, hook)
            except HookDepthError as error:
                caught.append(error)
                raise

        return callback

    for number in range(9):
        plugin(f"p{number}", **{OBSERVERS[number]: fires(OBSERVERS[number + 1])})
    call(manager, OBSERVERS[0])
    (error,) = caught
    assert isinstance(error, RecursionError)
    assert error.code == "HS300"
    assert error.where == " > ".join(f"p{number}:{OBSERVERS[number]}" for number in range(8))


def test_a_callback_may_catch_the_error(manager, plugin, calls):
    def fires(hook):
        def callback():
            try:
                call(manager, hook)
            except HookDepthError:
                calls.append(hook)

        return callback

    for number in range(9):
        plugin(f"p{number}", **{OBSERVERS[number]: fires(OBSERVERS[number + 1])})
    call(manager, OBSERVERS[0])
    assert calls == [OBSERVERS[8]]
    assert manager.failures == {}


def test_the_same_hook_in_many_plugins_ends_at_the_depth_too(manager, plugin):
    depths = []

    def callback():
        depths.append(1)
        call(manager, "post_tool_call")
        depths.pop()

    for number in range(3):
        plugin(f"p{number}", post_tool_call=callback)
    call(manager, "post_tool_call")
    assert depths == []
    assert manager.failures == {}


def test_two_managers_do_not_disturb_each_other(manager, plugin, calls):
    other = DispatchManager()
    holder = PluginHolder("a")
    holder.add_callback("post_tool_call", lambda: calls.append("other") or call(manager, "on_session_end"))
    other.register(holder, "a")
    plugin("a", post_tool_call=lambda: call(other, "post_tool_call"), on_session_end=lambda: calls.append("ours"))
    call(manager, "post_tool_call")
    assert calls == ["other", "ours"]
    other.shutdown()


def test_depth_is_counted_for_each_manager(manager, plugin):
    seen = []
    other = DispatchManager()
    for number in range(14):
        hook, following = OBSERVERS[number], OBSERVERS[number + 1]
        one, two = (manager, other) if number % 2 == 0 else (other, manager)
        holder = PluginHolder("p")
        holder.add_callback(hook, lambda two=two, following=following: seen.append(1) or call(two, following))
        one.register(holder, f"p{number}")
    call(manager, OBSERVERS[0])
    assert len(seen) == 14
    assert manager.failures == other.failures == {}
    other.shutdown()


# -- what no generated caller calls ----------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("old_style", [False, True])
@entries
def test_a_hook_fired_in_a_wrapper_is_not_delivered_to_its_plugin(
    manager, plugin, calls, when, old_style, asynchronous
):
    options = {"hookwrapper": True} if old_style else {"wrapper": True}

    class Wrapper:
        @hookimpl(**options)
        def post_tool_call(self):
            calls.append("wrapper")
            if when == "before":
                call(manager, "post_tool_call")
            yield
            if when == "after":
                call(manager, "post_tool_call")

        @hookimpl(specname="post_tool_call")
        def observes(self):
            calls.append("own")

    manager.register(Wrapper(), "w")
    plugin("z", post_tool_call=lambda: calls.append("z"))
    start(manager, "post_tool_call", asynchronous=asynchronous)
    assert calls == (["wrapper", "z", "own", "z"] if when == "before" else ["wrapper", "own", "z", "z"])
    assert manager.failures == {}


def test_a_wrapper_goes_round_what_others_fire_inside_of_it(manager, plugin, calls):
    class Wrapper:
        @hookimpl(wrapper=True)
        def post_tool_call(self):
            calls.append("in")
            yield
            calls.append("out")

    manager.register(Wrapper(), "w")
    plugin("z", post_tool_call=lambda: call(manager, "post_tool_call"))
    call(manager, "post_tool_call")
    assert calls == ["in", "in", "out", "out"]


def test_wrappers_that_fire_hooks_end_at_the_depth(manager, plugin, calls):
    for number in range(12):
        following = OBSERVERS[number + 1]

        class Wrapper:
            @hookimpl(wrapper=True, specname=OBSERVERS[number])
            def wraps(self, following=following):
                calls.append(following)
                call(manager, following)
                yield

        manager.register(Wrapper(), f"w{number:02}")
    call(manager, OBSERVERS[0])
    assert len(calls) == 8
    (name,) = manager.failures
    assert name == "w07"
    assert "HookDepthError" in manager.failures[name].last


@pytest.mark.parametrize("policy", [None, DEADLINE], ids=["", "deadline"])
@entries
def test_a_hook_fired_in_the_second_judgement_is_not_delivered_to_its_plugin(
    manager, plugin, calls, policy, asynchronous
):
    def judge(args, judgement):
        calls.append(judgement)
        if judgement == 2:
            assert call(manager, "pre_tool_call", args={}).message == "from c"

    async def judge_later(args, judgement):
        calls.append(judgement)
        if judgement == 2:
            assert (await acall(manager, "pre_tool_call", args={})).message == "from c"

    plugin("a", policy, pre_tool_call=[judge, judge_later])
    plugin("b", pre_tool_call=lambda args: args.update(x=1) if args else None)
    plugin("c", pre_tool_call=lambda **rest: None if rest["args"] else Block("from c"))
    assert start(manager, "pre_tool_call", asynchronous=asynchronous).action == "run"
    assert calls == [1, 1, 2, 2]
    assert manager.failures == {}


def test_a_late_callback_is_still_inside_of_itself(manager, plugin, calls):
    """One that missed its deadline goes on in its worker; what it fires then does not come back to it."""
    started, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def is_late():
        calls.append("a")
        started.set()
        go_on.wait(30)
        call(manager, "post_tool_call")
        ended.set()

    plugin("a", PluginPolicy(timeout=0.05), post_tool_call=is_late)
    plugin("b", post_tool_call=lambda: calls.append("b"))
    call(manager, "post_tool_call")
    assert started.wait(30)
    assert calls == ["a", "b"]
    go_on.set()
    assert ended.wait(30)
    assert calls == ["a", "b", "b"]


def test_a_context_that_was_copied_in_a_callback_remembers_it(manager, plugin, calls):
    """A thread that a plugin starts with its own context is inside of the callback like a task."""

    async def callback():
        calls.append("a")
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(call, manager, "post_tool_call"))
        thread.start()
        thread.join()

    plugin("a", post_tool_call=callback)
    plugin("b", post_tool_call=lambda: calls.append("b"))
    call(manager, "post_tool_call")
    assert calls == ["a", "b", "b"]


def test_monitoring_and_tracing_leave_nesting_as_it_is(manager, plugin, calls):
    undo = manager.add_hookcall_monitoring(lambda *_: None, lambda *_: None)
    plugin("a", post_tool_call=lambda: (calls.append("a"), call(manager, "post_tool_call")))
    plugin("b", post_tool_call=lambda: calls.append("b"))
    call(manager, "post_tool_call")
    undo()
    assert calls == ["a", "b", "b"]


def test_hooks_of_the_host_nest_alike(manager, plugin, calls):
    plugin("a", own_hook=lambda **_: (calls.append("a"), manager.hook.own_hook(x=1)))
    plugin("b", own_hook=lambda **_: calls.append("b"))
    manager.hook.own_hook(x=1)
    assert calls == ["a", "b", "b"]
