"""Everything here is right: no type checker says anything."""

from __future__ import annotations

from typing import Any

from hermes_hookspecs import AddContext, Approve, Block, Modify, hookimpl, registrar, typed


@typed.pre_tool_call
def guard(tool_name: str, args: dict[str, Any], **kwargs: Any) -> Block | None:
    return Block("no") if tool_name in args else None


@typed.pre_tool_call(tryfirst=True, fail_closed=True)
def other(*, judgement: int, **_: object) -> Approve | Modify | dict[str, Any] | None:
    return Approve("sure?") if judgement == 1 else Modify({})


@typed.pre_llm_call
async def recall(user_message: object, sender_id: str, **kwargs: Any) -> AddContext | str | None:
    return str(user_message) + sender_id


@typed.transform_tool_result(trylast=True)
def mask(result: str, **kwargs: Any) -> str | None:
    return result.replace("a", "b")


@typed.post_tool_call
def watch(duration_ms: float, status: str, **kwargs: Any) -> None:
    print(duration_ms, status)


class Plugin(typed.Hooks):
    @hookimpl
    def pre_tool_call(self, *, tool_name: str, **kwargs: Any) -> Block | None:
        return Block(tool_name)

    @hookimpl(trylast=True)
    async def transform_llm_output(self, *, response_text: str, **kwargs: Any) -> str | None:
        return response_text

    def something_else(self) -> int:
        return 1


def register(ctx: typed.Context) -> None:
    def pre(tool_name: str, **kwargs: Any) -> dict[str, str] | None:
        return {"action": "block", "message": tool_name}

    ctx.register_hook("pre_tool_call", pre)
    ctx.register_hook("post_tool_call", lambda **kwargs: None)
    ctx.register_command("x", print)
    registrar(Plugin())(ctx)
