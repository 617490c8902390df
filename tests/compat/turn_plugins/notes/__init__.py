"""Writes down every hook that fires, with its arguments."""

import json
import os
from pathlib import Path

HOOKS = (
    "on_session_start",
    "pre_llm_call",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "pre_tool_call",
    "post_tool_call",
    "transform_terminal_output",
    "transform_tool_result",
    "transform_llm_output",
    "post_llm_call",
    "pre_verify",
    "on_session_end",
    "on_session_finalize",
)


def note(hook):
    def callback(**arguments):
        with Path(os.environ["HERMES_HOME"], "noted.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"hook": hook, "arguments": arguments}, default=repr) + "\n")

    return callback


def register(ctx):
    for hook in HOOKS:
        ctx.register_hook(hook, note(hook))
