"""AC5: two threads create the manager at once; the populated one is dropped and hooks silently do not fire."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from hermes_sdk import hookimpl

RACE = """
import threading
from concurrent.futures import ThreadPoolExecutor
from hermes_sdk.plugins.current import discover_plugins, get_plugin_manager
discovery = threading.Thread(target=discover_plugins)
discovery.start()
with ThreadPoolExecutor(32) as p:
    ms = set(map(id, p.map(lambda _: get_plugin_manager(), range(500))))
discovery.join()
manager = get_plugin_manager()
manager.discover_and_load()
calls = [plugin.module.calls for plugin in manager.plugins.values()]
print(len(ms), calls, len(manager.calling_order("post_tool_call")))
"""
PLUGIN = """
calls = 0
def register(ctx):
    global calls
    calls += 1
    ctx.register_hook("post_tool_call", lambda **kw: None)
"""


def test_ac5_there_is_one_manager_and_every_plugin_registers_once(plugin_home):
    for name in ("a", "b"):
        plugin_home.plugin(name, PLUGIN)

    def race(_):
        env = {"HERMES_HOME": str(plugin_home.path)}
        return subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, check=False, env=env)

    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(race, range(50)))
    assert {(run.returncode, run.stdout) for run in runs} == {(0, "1 [1, 1] 2\n")}, runs[0].stderr


class Seen:
    """Counts each call by its id."""

    def __init__(self):
        self.ids = []

    @hookimpl
    def post_tool_call(self, tool_call_id):
        self.ids.append(tool_call_id)


def test_ac5_registering_while_dispatching_loses_and_doubles_no_call(plugin_home):
    manager = plugin_home.loaded()
    permanent, temporary, errors = Seen(), [], []
    manager.register(permanent, "permanent")
    end = time.monotonic() + 2.0
    fired = [0] * 8

    def come_and_go(number):
        while time.monotonic() < end:
            seen = Seen()
            temporary.append(seen)
            manager.register(seen, f"temporary-{number}")
            manager.unregister(name=f"temporary-{number}")

    def dispatch(number):
        while time.monotonic() < end:
            fired[number] += 1
            call_id = f"{number}-{fired[number]}"
            manager.hook.post_tool_call(tool_name="t", args={}, result="", duration_ms=1, tool_call_id=call_id)

    def contained(work, number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=contained, args=(work, n)) for n in range(8) for work in (come_and_go, dispatch)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(permanent.ids) == sorted(f"{n}-{count + 1}" for n in range(8) for count in range(fired[n]))
    assert all(len(seen.ids) == len(set(seen.ids)) for seen in temporary)
