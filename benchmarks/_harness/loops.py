"""The least that could be written by hand: one function a hook, with the hook's arguments and a plain loop.

It guards nothing, copies nothing and says nothing about who did what; it folds as the hook folds.
"""

# ruff: noqa: ARG001 - the functions take what the hooks send, whoever uses it

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def loop_caller(hook: str, implementations: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Return the hand-written caller of a hook over native implementations."""
    makers = {
        "pre_tool_call": _pre_tool_call,
        "post_tool_call": _post_tool_call,
        "transform_tool_result": _transform_tool_result,
        "pre_llm_call": _pre_llm_call,
    }
    return makers[hook](tuple(implementations))


def _pre_tool_call(implementations: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    def caller(
        *,
        tool_name: str,
        args: dict[str, Any],
        task_id: str = "",
        session_id: str = "",
        tool_call_id: str = "",
        turn_id: str = "",
        api_request_id: str = "",
        middleware_trace: Any = None,
        already_blocked: bool = False,
        judgement: int = 1,
        telemetry_schema_version: str = "",
    ) -> Any:
        verdict = None
        for implementation in implementations:
            answer = implementation(tool_name, args)
            if answer is not None and verdict is None:
                verdict = answer
        return verdict

    return caller


def _post_tool_call(implementations: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    def caller(
        *,
        tool_name: str,
        args: dict[str, Any],
        result: str,
        task_id: str = "",
        session_id: str = "",
        tool_call_id: str = "",
        turn_id: str = "",
        api_request_id: str = "",
        duration_ms: int = 0,
        status: str = "ok",
        error_type: str | None = None,
        error_message: str | None = None,
        middleware_trace: Any = None,
        telemetry_schema_version: str = "",
    ) -> None:
        for implementation in implementations:
            implementation(tool_name, result)

    return caller


def _transform_tool_result(implementations: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    def caller(
        *,
        tool_name: str,
        result: str,
        arguments: Any = None,
        args: Any = None,
        task_id: str = "",
        session_id: str = "",
        tool_call_id: str = "",
        turn_id: str = "",
        api_request_id: str = "",
        duration_ms: int = 0,
        status: str = "ok",
        error_type: str | None = None,
        error_message: str | None = None,
        telemetry_schema_version: str = "",
    ) -> str:
        for implementation in implementations:
            answer = implementation(tool_name, result)
            if answer is not None:
                result = answer
        return result

    return caller


def _pre_llm_call(implementations: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    def caller(
        *,
        session_id: str,
        user_message: str,
        conversation_history: Any,
        is_first_turn: bool,
        model: str,
        platform: str,
        task_id: str = "",
        turn_id: str = "",
        sender_id: str = "",
        telemetry_schema_version: str = "",
    ) -> list[Any]:
        pieces = []
        for implementation in implementations:
            answer = implementation(session_id, user_message)
            if answer is not None:
                pieces.append(answer)
        return pieces

    return caller
