"""Writes down every hook that is fired, and registers a tool, commands and middleware."""

import json

from hermes_hookspecs import HOOKS

NOTED = ("tool_name", "session_id", "child_session_id", "platform", "status", "status_code", "args", "completed")


def register(ctx):
    file = ctx.paths.data / "seen.jsonl"

    def note(hook):
        def observe(**payload):
            seen = {name: payload[name] for name in NOTED if name in payload}
            with file.open("a") as stream:
                stream.write(json.dumps({"hook": hook} | seen, default=repr) + "\n")

        return observe

    for hook, contract in HOOKS.items():
        if contract.kind == "observer":
            ctx.register_hook(hook, note(hook))
    schema = {"name": "echo", "description": "Echo.", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("echo", "recorder", schema, lambda args, **kwargs: json.dumps(args))
    ctx.register_command("seen", lambda text: f"seen {text}", "Say what was seen", "<what>")
    ctx.register_cli_command("seen", "what was seen", lambda parser: None, lambda parsed: None)
    ctx.register_middleware("tool_request", lambda args, **kwargs: {"args": args | {"noted": True}})
