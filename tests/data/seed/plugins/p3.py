# The page's example P3, as printed but for slips: the indentation of function bodies is lost; the six
# callbacks are only named; they are supplied here and count their calls.
from collections import Counter

calls = Counter()

def my_tool_observer(**kwargs):
    calls["my_tool_observer"] += 1

def my_tool_logger(**kwargs):
    calls["my_tool_logger"] += 1

def my_memory_callback(**kwargs):
    calls["my_memory_callback"] += 1

def my_sync_callback(**kwargs):
    calls["my_sync_callback"] += 1

def my_init_callback(**kwargs):
    calls["my_init_callback"] += 1

def my_cleanup_callback(**kwargs):
    calls["my_cleanup_callback"] += 1

def register(ctx):
    ctx.register_hook("pre_tool_call", my_tool_observer)
    ctx.register_hook("post_tool_call", my_tool_logger)
    ctx.register_hook("pre_llm_call", my_memory_callback)
    ctx.register_hook("post_llm_call", my_sync_callback)
    ctx.register_hook("on_session_start", my_init_callback)
    ctx.register_hook("on_session_end", my_cleanup_callback)
