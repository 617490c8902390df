"""Long runs and crowds: flat memory, nothing lost between threads, nothing imported that is not used."""

import gc
import subprocess
import sys
import threading
import time

import pytest

from hermes_hookspecs import HOOKS, hookimpl
from hermes_sdk.dispatch.policy import PluginPolicy

CALLS = 100_000


def test_a_hundred_thousand_calls_leave_memory_flat(manager, plugin):
    def fails(tool_name, **_):
        raise ValueError(tool_name)

    def says(**_):
        return {"action": "modify", "args": {"checked": True}}

    plugin("observes", post_tool_call=lambda **_: None)
    plugin("fails", post_tool_call=fails, pre_tool_call=fails)
    plugin("says", pre_tool_call=says)
    post, pre = (HOOKS[hook].sample() for hook in ("post_tool_call", "pre_tool_call"))

    def fire(calls):
        for _ in range(calls // 2):
            manager.hook.post_tool_call(**post)
            manager.hook.pre_tool_call(**{**pre, "args": {"command": "ls"}})

    fire(2_000)
    gc.collect()
    before = sys.getallocatedblocks()
    fire(CALLS)
    gc.collect()
    assert sys.getallocatedblocks() - before < 1_000
    assert manager.failures["fails"].count == (CALLS + 2_000) // 2 * 3  # once a call, and in the second judgement
    assert len(manager.failures["fails"].by_place) == 2


class Seen:
    def __init__(self):
        self.ids = []

    @hookimpl
    def post_tool_call(self, tool_call_id, **_):
        self.ids.append(tool_call_id)


@pytest.mark.parametrize("timeout", [None, 60.0], ids=["in place", "with a deadline"])
def test_ac5_eight_threads_register_while_eight_fire_and_no_call_is_lost_or_doubled(manager, plugin, timeout):
    first, last = Seen(), Seen()
    manager.register(first, "a first")
    manager.register(last, "z last")
    temporary, errors, fired = [], [], [0] * 8
    end = time.monotonic() + (2.0 if timeout is None else 1.0)

    def come_and_go(number):
        while time.monotonic() < end:
            seen = Seen()
            temporary.append(seen)
            manager.register(seen, f"m {number}", policy=PluginPolicy(timeout=timeout))
            manager.set_policy(f"m {number}", PluginPolicy(rejudge=False))
            manager.unregister(seen)

    def fire(number):
        hook = manager.hook.post_tool_call if number % 2 else None  # a host may hold on to the function
        while time.monotonic() < end:
            fired[number] += 1
            call = HOOKS["post_tool_call"].sample(tool_call_id=(number, fired[number]))
            (hook or manager.hook.post_tool_call)(**call)

    def contained(work, number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=contained, args=(work, n)) for n in range(8) for work in (come_and_go, fire)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert not manager.failures
    expected = sorted((number, count + 1) for number in range(8) for count in range(fired[number]))
    assert sorted(first.ids) == expected
    assert sorted(last.ids) == expected
    assert all(len(seen.ids) == len(set(seen.ids)) for seen in temporary)
    assert manager.list_name_plugin() == [("a first", first), ("z last", last)]


def test_a_host_that_holds_the_function_of_a_hook_calls_what_is_registered_now(manager):
    held = manager.hook.post_tool_call
    payload = HOOKS["post_tool_call"].sample(tool_call_id="one")
    held(**payload)
    seen = Seen()
    manager.register(seen, "p")
    held(**payload)
    manager.unregister(seen)
    held(**payload)
    assert seen.ids == ["one"]


def test_a_plugin_may_register_and_unregister_from_inside_a_call(manager):
    late = Seen()

    class Manages:
        @hookimpl
        def post_tool_call(self, tool_call_id):
            if tool_call_id == "on":
                manager.register(late, "late")
            elif tool_call_id == "off":
                manager.unregister(late)

    manager.register(Manages(), "a")
    for call_id in ("on", "seen", "off", "unseen"):
        manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample(tool_call_id=call_id))
    assert late.ids == ["seen", "off"]  # a call under way goes on as it began


_IMPORTS = """
import sys
import hermes_sdk.dispatch.manager
heavy = {"asyncio", "pydantic", "yaml", "concurrent.futures", "importlib_metadata", "rich", "typer", "difflib"}
print(sorted(heavy & set(sys.modules)))
manager = hermes_sdk.dispatch.manager.DispatchManager()
manager.hook.on_session_start(session_id="S", model="m", platform="cli")
print(sorted(heavy & set(sys.modules)))
"""


def test_importing_and_calling_loads_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]
