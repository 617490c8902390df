"""Asynchronous callbacks work everywhere, from synchronous and asynchronous hosts (semantics 4.4)."""

import asyncio
import contextvars
import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import pytest

from hermes_hookspecs import HOOKS, hookimpl
from hermes_sdk.dispatch.manager import DispatchManager

SPACE = contextvars.ContextVar("space", default="unset")


def soon(condition):
    """Wait until a condition holds; the test's own timeout ends what never does."""
    while not condition():
        time.sleep(0.005)


@pytest.fixture
def our_threads():
    """Return a function that gives the names of our threads that this test started."""
    before = set(threading.enumerate())

    def our_threads():
        new = set(threading.enumerate()) - before
        return sorted(thread.name for thread in new if thread.name.startswith("hermes-"))

    return our_threads


class AsyncObject:
    async def __call__(self, session_id, **_):
        await asyncio.sleep(0)
        return f"object {session_id}"

    async def method(self, session_id):
        await asyncio.sleep(0)
        return f"method {session_id}"


class Awaitable:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return self.value


async def coroutine(session_id):
    await asyncio.sleep(0)
    return f"coroutine {session_id}"


async def positional_only(session_id, /):
    return f"positional {session_id}"


STYLES = {
    "async def": coroutine,
    "async positional-only": positional_only,
    "async callable object": AsyncObject(),
    "async method": AsyncObject().method,
    "lambda that returns a coroutine": lambda session_id: coroutine(session_id),  # noqa: PLW0108 - no coroutine function
    "returned awaitable object": lambda session_id: Awaitable(f"awaitable {session_id}"),
}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync host", "async host"])
@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_asynchronous_callback_is_awaited(manager, plugin, fire, afire, style, asynchronous):
    plugin("p", pre_llm_call=STYLES[style])
    outcome = (
        asyncio.run(afire("pre_llm_call", session_id="S")) if asynchronous else fire("pre_llm_call", session_id="S")
    )
    assert outcome.text.endswith(" S")
    assert not manager.failures


def test_a_task_that_a_callback_returns_is_awaited_in_the_loop_it_was_made_in(plugin, afire):
    plugin("p", pre_llm_call=lambda session_id: asyncio.create_task(coroutine(session_id)))
    assert asyncio.run(afire("pre_llm_call", session_id="S")).text == "coroutine S"


@pytest.mark.parametrize("hook", [*HOOKS, "an_unknown_hook"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync host", "async host"])
def test_an_observer_that_is_asynchronous_is_awaited_on_every_hook(manager, plugin, hook, asynchronous):
    seen = []

    async def observes(**given):
        await asyncio.sleep(0)
        seen.append(len(given))

    plugin("p", **{hook: [observes, lambda **given: observes(**given)]})  # noqa: PLW0108 - no coroutine function
    payload = HOOKS[hook].sample() if hook in HOOKS else {"a": 1}
    if asynchronous:
        asyncio.run(getattr(manager.ahook, hook)(**payload))
    else:
        getattr(manager.hook, hook)(**payload)
    assert seen == [len(payload)] * 2


def test_a_synchronous_host_runs_them_on_one_daemon_loop_with_its_context(manager, plugin, fire, our_threads):
    seen = []

    async def callback(**_):
        thread = threading.current_thread()
        seen.append((thread.name, thread.daemon, SPACE.get()))
        SPACE.set("changed on the loop")

    plugin("p", post_tool_call=[callback, lambda **_: callback()])
    contextvars.copy_context().run(lambda: (SPACE.set("host"), fire("post_tool_call"), fire("post_tool_call")))
    assert seen == [("hermes-sdk-loop", True, "host")] * 4
    assert SPACE.get() == "unset"
    assert our_threads() == ["hermes-sdk-loop"]
    manager.shutdown()
    assert our_threads() == []


def test_the_loop_starts_again_after_a_shutdown(manager, plugin, fire, our_threads):
    async def callback(**_):
        return "hi"

    plugin("p", pre_llm_call=callback)
    for _ in range(3):
        assert fire("pre_llm_call").text == "hi"
        manager.shutdown()
        manager.shutdown()
    assert "hermes-sdk-loop" not in our_threads()


def test_no_loop_is_started_where_no_callback_is_asynchronous(plugin, fire, our_threads):
    plugin("p", post_tool_call=lambda **_: None)
    fire("post_tool_call")
    assert "hermes-sdk-loop" not in our_threads()


def test_a_shutdown_cancels_what_runs_and_its_caller_goes_on(manager, plugin, fire):
    entered = threading.Event()
    outcomes = []

    async def sleeps(**_):
        entered.set()
        await asyncio.sleep(3600)

    plugin("p", post_tool_call=sleeps)
    host = threading.Thread(target=lambda: outcomes.append(fire("post_tool_call")))
    host.start()
    entered.wait()
    manager.shutdown()
    host.join()
    assert outcomes[0].steps[0].what == "failed"


def test_shutdowns_while_calls_come_in_leave_no_caller_waiting(manager, plugin, fire):
    async def callback(**_):
        await asyncio.sleep(0)

    plugin("p", post_tool_call=callback)
    ends = time.monotonic() + 1.0

    def host():
        while time.monotonic() < ends:
            fire("post_tool_call")

    hosts = [threading.Thread(target=host) for _ in range(4)]
    for each in hosts:
        each.start()
    while time.monotonic() < ends:
        manager.shutdown()
    for each in hosts:
        each.join()
    gc.collect()


def test_an_asynchronous_host_awaits_in_place_and_runs_synchronous_callbacks_in_its_thread(
    manager, plugin, afire, our_threads
):
    seen = []

    async def asynchronous(**_):
        seen.append(("async", asyncio.current_task(), threading.current_thread(), SPACE.get()))
        SPACE.set("changed in place")

    def synchronous(**_):
        seen.append(("sync", asyncio.current_task(), threading.current_thread(), SPACE.get()))

    plugin("p", post_tool_call=[asynchronous, synchronous])

    async def host():
        SPACE.set("host")
        await afire("post_tool_call")
        return asyncio.current_task()

    task = asyncio.run(host())
    here = threading.current_thread()
    assert seen == [("async", task, here, "host"), ("sync", task, here, "changed in place")]
    assert our_threads() == []


def test_a_synchronous_hook_call_from_an_asynchronous_callback_does_not_deadlock(manager, plugin, fire, our_threads):
    seen = []

    async def inner(**_):
        await asyncio.sleep(0)
        seen.append("inner")
        return "inner"

    async def outer(**_):
        await asyncio.sleep(0)
        return fire("pre_llm_call").text

    plugin("inner", pre_llm_call=inner)
    plugin("outer", on_session_start=outer)
    fire("on_session_start")
    assert seen == ["inner"]
    soon(lambda: our_threads() == ["hermes-sdk-loop"])
    assert not manager.failures


@pytest.mark.parametrize("through", ["directly", "a worker", "a second manager"])
def test_hook_calls_nested_on_the_loop_do_not_deadlock_however_deep(manager, plugin, fire, through):
    from hermes_sdk.dispatch.holder import PluginHolder
    from hermes_sdk.dispatch.policy import PluginPolicy

    hooks = ["on_session_start", "pre_llm_call", "post_llm_call", "on_session_end", "post_tool_call"]
    seen = []
    second = DispatchManager()

    def fires(next_hook):
        async def asynchronous(**_):
            await asyncio.sleep(0)
            seen.append(next_hook)
            if next_hook:
                (second if through == "a second manager" and len(seen) % 2 else manager).invoke_hook(
                    next_hook, **HOOKS[next_hook].sample()
                )

        def in_a_worker(**given):
            return manager.invoke_hook(next_hook, **HOOKS[next_hook].sample()) if next_hook else None

        return in_a_worker if through == "a worker" and hooks.index(next_hook or hooks[-1]) % 2 else asynchronous

    for target in (manager, second):
        for index, hook in enumerate(hooks):
            holder = PluginHolder(f"p{index}")
            following = hooks[index + 1] if index + 1 < len(hooks) else None
            holder.add_callback(hook, fires(following))
            policy = PluginPolicy(timeout=60.0) if through == "a worker" else None
            target.register(holder, holder.name, policy=policy)
    fire("on_session_start")
    second.shutdown()
    assert not manager.failures
    assert not second.failures
    assert len(seen) >= 3


def test_a_synchronous_call_from_a_coroutine_works_and_is_warned_about_once(manager, plugin, fire, logged):
    async def callback(**_):
        await asyncio.sleep(0)
        return "hi"

    plugin("p", pre_llm_call=callback)

    async def host():
        return [fire("pre_llm_call").text for _ in range(3)]

    assert asyncio.run(host()) == ["hi"] * 3
    (warning,) = logged()
    assert "await manager.ahook" in warning


def test_fifty_concurrent_calls_overlap(manager, plugin, afire, our_threads):
    async def host():
        together = asyncio.Barrier(50)

        async def callback(**_):
            await together.wait()
            return {"context": "hi"}

        plugin("p", pre_llm_call=callback)
        return await asyncio.gather(*(afire("pre_llm_call") for _ in range(50)))

    outcomes = asyncio.run(host())
    assert [outcome.text for outcome in outcomes] == ["hi"] * 50
    assert our_threads() == []


def test_concurrent_calls_keep_their_arguments_and_context_apart(manager, plugin, afire):
    async def echoes(session_id, **_):
        await asyncio.sleep(0.001)
        return f"{session_id} {SPACE.get()}"

    plugin("p", pre_llm_call=[echoes, lambda session_id, **_: f"sync {session_id}"])

    async def one(number):
        SPACE.set(f"space {number}")
        return (await afire("pre_llm_call", session_id=f"S{number}")).text

    async def host():
        return await asyncio.gather(*(asyncio.create_task(one(number)) for number in range(20)))

    assert asyncio.run(host()) == [f"S{n} space {n}\n\nsync S{n}" for n in range(20)]


def test_concurrent_calls_of_threads_share_the_loop(manager, plugin, fire):
    together = asyncio.Barrier(8)
    gate = threading.Barrier(8)
    threads = set()

    async def callback(session_id, **_):
        threads.add(threading.current_thread())
        await together.wait()
        return session_id

    plugin("p", pre_llm_call=callback)
    answers = []

    def host(number):
        gate.wait()
        answers.append((number, fire("pre_llm_call", session_id=f"S{number}").text))

    hosts = [threading.Thread(target=host, args=(number,)) for number in range(8)]
    for each in hosts:
        each.start()
    for each in hosts:
        each.join()
    assert sorted(answers) == [(number, f"S{number}") for number in range(8)]
    assert {thread.name for thread in threads} == {"hermes-sdk-loop"}
    assert len(threads) == 1


@pytest.mark.parametrize("how", ["in the callback", "in a task of its own", "in a callback of the loop"])
def test_sys_exit_on_the_loop_does_not_end_it(manager, plugin, fire, how, our_threads):
    async def exits_now(**_):
        sys.exit(3)

    async def exits(**_):
        if how == "in the callback":
            sys.exit(3)
        elif how == "in a task of its own":
            tasks.append(asyncio.create_task(exits_now()))
        else:
            asyncio.get_running_loop().call_soon(sys.exit, 3)
        await asyncio.sleep(0.01)

    tasks = []

    async def fine(**_):
        await asyncio.sleep(0)
        return "still served"

    plugin("exits", post_tool_call=exits)
    plugin("fine", pre_llm_call=fine)
    for _ in range(3):
        fire("post_tool_call")
        assert fire("pre_llm_call").text == "still served"
    assert our_threads() == ["hermes-sdk-loop"]
    for task in tasks:
        task.exception()


def test_a_callback_that_stops_the_loop_does_not_end_it(manager, plugin, fire):
    async def stops(**_):
        asyncio.get_running_loop().stop()

    plugin("stops", post_tool_call=stops)
    for _ in range(3):
        assert fire("post_tool_call").steps == ()


def test_a_task_that_a_callback_leaves_running_goes_on_until_shutdown(manager, plugin, fire):
    ticks = []
    kept = []

    async def ticks_on():
        try:
            while True:
                ticks.append(1)
                await asyncio.sleep(0.001)
        finally:
            ticks.append("ended")

    async def starts(**_):
        kept.append(asyncio.create_task(ticks_on()))

    plugin("p", on_session_start=starts)
    fire("on_session_start")
    soon(lambda: len(ticks) > 3)
    manager.shutdown()
    assert ticks[-1] == "ended"


def test_an_asynchronous_wrapper_callback_and_hookimpl_method_work(manager, fire):
    class Plugin:
        @hookimpl(tryfirst=True)
        async def pre_llm_call(self, session_id):
            await asyncio.sleep(0)
            return f"first {session_id}"

    manager.register(Plugin(), "p")
    assert fire("pre_llm_call", session_id="S").text == "first S"


def test_verdicts_of_asynchronous_gates_count(manager, plugin, fire, afire):
    async def gate(tool_name, args):
        await asyncio.sleep(0)
        if "rm" in args["command"]:
            return {"action": "block", "message": "async no"}
        return {"action": "modify", "args": {"checked": True}}

    plugin("gate", pre_tool_call=gate)
    for call in (
        lambda **args: fire("pre_tool_call", args=args),
        lambda **args: asyncio.run(afire("pre_tool_call", args=args)),
    ):
        assert call(command="rm -rf /").message == "async no"
        assert call(command="ls").args == {"command": "ls", "checked": True}


def test_a_plugin_whose_task_fires_the_hook_again_is_not_called_again(manager, plugin, afire):
    calls = []

    async def gathers(**_):
        calls.append("called")
        await asyncio.gather(asyncio.create_task(afire("post_tool_call")))

    plugin("p", post_tool_call=[gathers, lambda **_: gathers()])
    asyncio.run(afire("post_tool_call"))
    assert calls == ["called"] * 2


def test_nothing_of_a_call_is_kept_by_the_loop(manager, plugin, fire):
    class Payload:
        pass

    async def callback(result, **_):
        await asyncio.sleep(0)

    plugin("p", post_tool_call=callback)
    payload = Payload()
    alive = weakref.ref(payload)
    fire("post_tool_call", result=payload)
    del payload
    fire("post_tool_call")
    gc.collect()
    assert alive() is None


def test_isolated_code_awaits_on_the_loop(manager):
    async def where():
        await asyncio.sleep(0)
        return threading.current_thread().name

    assert manager.call_isolated("p", "tool", where) == ("hermes-sdk-loop", None)
    assert manager.call_isolated("p", "tool", lambda: where()) == ("hermes-sdk-loop", None)  # noqa: PLW0108


_AT_EXIT = """
import asyncio, atexit, sys, threading
from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.policy import PluginPolicy

async def later(**given):
    await asyncio.sleep(0)
    print("async", len(given), flush=True)
def worker(**given):
    print("worker", len(given), flush=True)
manager = DispatchManager()
holder = PluginHolder("p")
holder.add_callback("on_session_end", later)
holder.add_callback("on_session_end", worker)
manager.register(holder, "p", policy=PluginPolicy(timeout=30.0 if "deadline" in sys.argv else None))
def last():
    outcome = manager.hook.on_session_end(**HOOKS["on_session_end"].sample())
    print(outcome.steps, flush=True)
    manager.shutdown()
if "before" in sys.argv:
    manager.hook.on_session_end(**HOOKS["on_session_end"].sample())
atexit.register(last)
"""


@pytest.mark.parametrize("arguments", [[], ["deadline"], ["before"], ["before", "deadline"]], ids=" ".join)
def test_a_hook_that_is_fired_while_the_interpreter_ends_reaches_every_callback(tmp_path, arguments):
    """Seed H6.2: on_session_end also fires from the atexit handler of the command line."""
    script = tmp_path / "at_exit.py"
    script.write_text(_AT_EXIT)
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False, timeout=60)
    given = len(HOOKS["on_session_end"].arguments)
    expected = [f"async {given}", f"worker {given}"]
    assert done.stdout.splitlines() == expected * ("before" in arguments) + [*expected, "()"]
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_starts_a_loop_of_its_own(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text(
        _AT_EXIT.partition("def last")[0]
        + """
import os
manager.hook.on_session_end(**HOOKS["on_session_end"].sample())
pid = os.fork()
manager.hook.on_session_end(**HOOKS["on_session_end"].sample())
if pid:
    os.waitpid(pid, 0)
"""
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.count("async") == 3
    assert done.stderr == ""
