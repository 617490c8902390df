"""AC2: awaiting from inside a running loop either raises or deadlocks."""

import asyncio
import contextvars
import threading

from hermes_hookspecs import HOOKS

A = """
import asyncio, contextvars
SPACE = contextvars.ContextVar("space", default="unset")
inside = most = 0
spaces = []
async def g(**k):
    global inside, most
    inside += 1
    most = max(most, inside)
    spaces.append(SPACE.get())
    await asyncio.sleep(0.05)
    inside -= 1
    return {"context":"hi"}
def register(ctx):
    ctx.register_hook("pre_llm_call", g)
"""
SLEEPER = """
import asyncio
async def g(**k):
    await asyncio.sleep(3600)
    return {"context":"too late"}
def register(ctx):
    ctx.register_hook("pre_llm_call", g)
"""
PAYLOAD = HOOKS["pre_llm_call"].sample()


def test_ac2_fifty_concurrent_calls_all_answer_and_overlap(plugin_home):
    plugin_home.plugin("a", A)
    manager = plugin_home.loaded()

    async def gateway():
        return await asyncio.gather(*(manager.ahook.pre_llm_call(**PAYLOAD) for _ in range(50)))

    before = threading.active_count()
    outcomes = asyncio.run(gateway())
    assert [outcome.text for outcome in outcomes] == ["hi"] * 50
    assert manager.plugins["a"].module.most == 50
    assert threading.active_count() == before


def test_ac2_the_synchronous_call_from_a_coroutine_works_sees_the_context_and_leaves_the_loop_only(plugin_home):
    plugin_home.plugin("a", A)
    manager = plugin_home.loaded()
    module = manager.plugins["a"].module

    async def gateway():
        module.SPACE.set("gateway")
        return manager.hook.pre_llm_call(**PAYLOAD)

    before = set(threading.enumerate())
    outcome = contextvars.copy_context().run(asyncio.run, gateway())
    assert outcome.text == "hi"
    assert module.spaces == ["gateway"]
    assert [thread.name for thread in set(threading.enumerate()) - before] == ["hermes-sdk-loop"]
    manager.shutdown()
    assert set(threading.enumerate()) == before


def test_ac2_a_sleeper_is_cancelled_at_its_deadline_and_reported(plugin_home, row_of):
    plugin_home.plugin("a", A)
    plugin_home.plugin("sleeper", SLEEPER)
    plugin_home.config("plugins: {entries: {sleeper: {timeout: 1}}}\n")
    manager = plugin_home.loaded()

    async def gateway():
        return await manager.ahook.pre_llm_call(**PAYLOAD)

    for outcome in (asyncio.run(gateway()), manager.hook.pre_llm_call(**PAYLOAD)):
        assert outcome.text == "hi"
        (failed,) = [step for step in outcome.steps if step.what == "failed"]
        assert (failed.plugin, failed.error) == ("sleeper", "DeadlineMissedError: missed its deadline of 1 s")
    row = row_of(manager, "sleeper")
    assert row["failures"] == 2
    assert "missed its deadline" in row["last_failure"]
