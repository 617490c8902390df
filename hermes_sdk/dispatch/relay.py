"""The attributes behind ``manager.hook`` and ``manager.ahook``, and what type checkers know about them.

A call is checked against the spec's own parameters, and its outcome has the type of the hook's kind. A test holds the
two lists and the contract together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import ParamSpec, Protocol, TypeVar

    import pluggy

    from hermes_hookspecs import api, approval, gateway, kanban, llm, session, subagent, tool
    from hermes_sdk.dispatch.outcomes import (
        AddedContext,
        DispatchDecision,
        Observed,
        ToolDecision,
        Transformed,
        VerifyDecision,
    )

    P = ParamSpec("P")
    R = TypeVar("R")
    R_co = TypeVar("R_co", covariant=True)

    class Caller(Protocol[P, R_co]):
        """What stands on ``manager.hook``: a function with the public attributes of pluggy's caller."""

        name: str
        spec: Any

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
            """Fire the hook; every argument goes by keyword."""
            ...

        def get_hookimpls(self) -> list[pluggy.HookImpl]:
            """Return the registered implementations."""
            ...

        def call_extra(self, methods: Sequence[Callable[..., Any]], kwargs: Mapping[str, Any]) -> R_co:
            """Fire the hook with methods that take part in this call only."""
            ...

    class AsyncCaller(Protocol[P, R_co]):
        """What stands on ``manager.ahook``."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Awaitable[R_co]:
            """Fire the hook; every argument goes by keyword."""
            ...

    def caller(spec: Callable[P, Any], outcome: type[R]) -> Caller[P, R]:
        """Type a hook by its spec and outcome."""
        ...

    def async_caller(spec: Callable[P, Any], outcome: type[R]) -> AsyncCaller[P, R]:
        """Type a hook for asynchronous hosts."""
        ...

    class SyncRelay:
        """``manager.hook`` for type checkers."""

        pre_tool_call = caller(tool.pre_tool_call, ToolDecision)
        post_tool_call = caller(tool.post_tool_call, Observed)
        transform_tool_result = caller(tool.transform_tool_result, Transformed)
        transform_terminal_output = caller(tool.transform_terminal_output, Transformed)
        pre_llm_call = caller(llm.pre_llm_call, AddedContext)
        post_llm_call = caller(llm.post_llm_call, Observed)
        transform_llm_output = caller(llm.transform_llm_output, Transformed)
        pre_verify = caller(llm.pre_verify, VerifyDecision)
        pre_api_request = caller(api.pre_api_request, Observed)
        post_api_request = caller(api.post_api_request, Observed)
        api_request_error = caller(api.api_request_error, Observed)
        on_session_start = caller(session.on_session_start, Observed)
        on_session_end = caller(session.on_session_end, Observed)
        on_session_finalize = caller(session.on_session_finalize, Observed)
        on_session_reset = caller(session.on_session_reset, Observed)
        subagent_start = caller(subagent.subagent_start, Observed)
        subagent_stop = caller(subagent.subagent_stop, Observed)
        pre_gateway_dispatch = caller(gateway.pre_gateway_dispatch, DispatchDecision)
        pre_approval_request = caller(approval.pre_approval_request, Observed)
        post_approval_response = caller(approval.post_approval_response, Observed)
        kanban_task_claimed = caller(kanban.kanban_task_claimed, Observed)
        kanban_task_completed = caller(kanban.kanban_task_completed, Observed)
        kanban_task_blocked = caller(kanban.kanban_task_blocked, Observed)

        def __getattr__(self, name: str) -> Caller[..., Any]:
            """Return a hook outside of the contract, which gives what its own spec says."""
            ...


class AsyncRelay:
    """``manager.ahook``: each attribute is the asynchronous caller of the hook of that name."""

    def __init__(self, find: Callable[[str], Callable[..., Any]]) -> None:
        self._find = find

    if TYPE_CHECKING:
        pre_tool_call = async_caller(tool.pre_tool_call, ToolDecision)
        post_tool_call = async_caller(tool.post_tool_call, Observed)
        transform_tool_result = async_caller(tool.transform_tool_result, Transformed)
        transform_terminal_output = async_caller(tool.transform_terminal_output, Transformed)
        pre_llm_call = async_caller(llm.pre_llm_call, AddedContext)
        post_llm_call = async_caller(llm.post_llm_call, Observed)
        transform_llm_output = async_caller(llm.transform_llm_output, Transformed)
        pre_verify = async_caller(llm.pre_verify, VerifyDecision)
        pre_api_request = async_caller(api.pre_api_request, Observed)
        post_api_request = async_caller(api.post_api_request, Observed)
        api_request_error = async_caller(api.api_request_error, Observed)
        on_session_start = async_caller(session.on_session_start, Observed)
        on_session_end = async_caller(session.on_session_end, Observed)
        on_session_finalize = async_caller(session.on_session_finalize, Observed)
        on_session_reset = async_caller(session.on_session_reset, Observed)
        subagent_start = async_caller(subagent.subagent_start, Observed)
        subagent_stop = async_caller(subagent.subagent_stop, Observed)
        pre_gateway_dispatch = async_caller(gateway.pre_gateway_dispatch, DispatchDecision)
        pre_approval_request = async_caller(approval.pre_approval_request, Observed)
        post_approval_response = async_caller(approval.post_approval_response, Observed)
        kanban_task_claimed = async_caller(kanban.kanban_task_claimed, Observed)
        kanban_task_completed = async_caller(kanban.kanban_task_completed, Observed)
        kanban_task_blocked = async_caller(kanban.kanban_task_blocked, Observed)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._find(name)
