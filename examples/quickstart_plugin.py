"""The README's ten-line plugin: keeps the agent away from production, and tells it the weekday."""

from datetime import datetime

from hermes_sdk import AddContext, Block, hookimpl


@hookimpl
def pre_tool_call(tool_name: str, args: dict[str, object]) -> Block | None:
    risky = tool_name == "terminal" and "production" in str(args.get("command"))
    return Block("production is off limits: ask a person to do it") if risky else None


@hookimpl
def pre_llm_call(is_first_turn: bool) -> AddContext | None:
    return AddContext(f"Today is {datetime.now().astimezone():%A}.") if is_first_turn else None
