"""Answers on each hook whose answers count."""

import json


def judge(tool_name="", args=None, **kwargs):
    if "rm -rf" in str(args):
        return {"action": "block", "message": "not on my watch"}
    if isinstance(args, dict) and "git status" in str(args.get("command")):
        args["command"] = args["command"].replace("git status", "echo clean")
    return None


def recall(user_message="", **kwargs):
    return {"context": "The user likes teal."} if "colour" in str(user_message) else None


def shorten(output="", **kwargs):
    return output.replace("noise", "hush")


def mask(result="", **kwargs):
    return json.dumps({"masked": True}) if "secret" in str(result) else None


def sign(response_text="", **kwargs):
    return f"{response_text} -- signed"


def register(ctx):
    ctx.register_hook("pre_tool_call", judge)
    ctx.register_hook("pre_llm_call", recall)
    ctx.register_hook("transform_terminal_output", shorten)
    ctx.register_hook("transform_tool_result", mask)
    ctx.register_hook("transform_llm_output", sign)
