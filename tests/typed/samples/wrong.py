"""Each marked line is wrong, and every type checker says so there."""

from __future__ import annotations

from typing import Any

from hermes_hookspecs import Block, hookimpl, typed


@typed.pre_tool_call  # error: a parameter that is not sent
def misnamed(tool: str, **kwargs: Any) -> Block | None:
    return Block(tool)


@typed.pre_tool_call  # error: a parameter of another type
def mistyped(tool_name: int, **kwargs: Any) -> Block | None:
    return None


@typed.pre_tool_call  # error: an answer that means nothing
def answers(tool_name: str, **kwargs: Any) -> str:
    return tool_name


@typed.pre_tool_call  # error: no room for more arguments
def narrow(tool_name: str) -> Block | None:
    return Block(tool_name)


@typed.transform_tool_result(trylast=True)  # error: an answer of another type
def counts(result: str, **kwargs: Any) -> int:
    return len(result)


@typed.post_tool_call  # error: an observer that answers
def observes(result: str, **kwargs: Any) -> str:
    return result


typed.pre_tool_cal  # error: no such hook


class Plugin(typed.Hooks):
    @hookimpl
    def pre_tool_call(self, *, tool: str, **kwargs: Any) -> Block | None:  # error: a parameter that is not sent
        return None

    @hookimpl
    def transform_tool_result(self, *, result: str, **kwargs: Any) -> int:  # error: an answer of another type
        return len(result)

    @hookimpl
    def pre_llm_call(self, *, user_message: object) -> str | None:  # error: no room for more arguments
        return None


def register(ctx: typed.Context) -> None:
    def pre(tool: str, **kwargs: Any) -> None: ...

    ctx.register_hook("pre_tool_call", pre)  # error: a parameter that is not sent
    ctx.register_hook("pre_tool_cal", lambda **kwargs: None)  # error: no such hook
