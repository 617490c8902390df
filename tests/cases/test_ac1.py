"""AC1: async def callbacks return a coroutine that nobody awaits, and their verdict is lost."""

import gc
import threading

ASYNC = """
async def g(**k):
    return {"action":"block","message":"async no"}
def register(ctx):
    ctx.register_hook("pre_tool_call", g)
"""
ASYNC_REGISTER = """
async def register(ctx):
    ctx.register_hook("pre_tool_call", lambda **k: {"action": "block", "message": "registered"})
"""
CALL = {"tool_name": "terminal", "args": {"command": "ls"}}


def test_ac1_an_async_callback_blocks_from_a_plain_thread(plugin_home):
    plugin_home.plugin("a", ASYNC)
    manager = plugin_home.loaded()
    decisions = []
    host = threading.Thread(target=lambda: decisions.append(manager.hook.pre_tool_call(**CALL)))
    host.start()
    host.join()
    assert (decisions[0].action, decisions[0].message) == ("block", "async no")
    assert not manager.failures
    gc.collect()  # a coroutine that was never awaited would warn, and warnings are errors


def test_ac1_an_async_register_is_awaited_or_refused_with_an_error(plugin_home, row_of):
    plugin_home.plugin("a", ASYNC_REGISTER)
    manager = plugin_home.loaded()
    row = row_of(manager, "a")
    if row["status"] == "loaded":
        assert manager.hook.pre_tool_call(**CALL).message == "registered"
    else:
        assert row["why"]
        assert not manager.has_hook("pre_tool_call")
    gc.collect()
