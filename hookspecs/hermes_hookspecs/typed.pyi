# Written by python docs/generate from the specs; edit those instead.
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol, TypeVar, overload

from hermes_hookspecs.directives import AddContext, Allow, Approve, Block, Continue, Modify, Rewrite, Skip
from hermes_hookspecs.gateway import GatewayRunner, MessageEvent, SessionStore

class PreToolCall(Protocol):
    def __call__(self, *, tool_name: str, args: dict[str, Any], task_id: str, session_id: str, tool_call_id: str, turn_id: str, api_request_id: str, middleware_trace: list[dict[str, Any]], already_blocked: bool, judgement: int, telemetry_schema_version: str) -> Block | Approve | Modify | dict[str, Any] | None | Awaitable[Block | Approve | Modify | dict[str, Any] | None]: ...

_PreToolCall = TypeVar("_PreToolCall", bound=PreToolCall)

@overload
def pre_tool_call(function: _PreToolCall, /) -> _PreToolCall: ...
@overload
def pre_tool_call(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PreToolCall], _PreToolCall]: ...

class PostToolCall(Protocol):
    def __call__(self, *, tool_name: str, args: dict[str, Any], result: str | dict[str, Any], duration_ms: int, task_id: str, session_id: str, tool_call_id: str, turn_id: str, api_request_id: str, status: Literal['ok', 'error', 'blocked', 'cancelled', 'timeout'], error_type: str | None, error_message: str | None, middleware_trace: list[dict[str, Any]], telemetry_schema_version: str) -> None | Awaitable[None]: ...

_PostToolCall = TypeVar("_PostToolCall", bound=PostToolCall)

@overload
def post_tool_call(function: _PostToolCall, /) -> _PostToolCall: ...
@overload
def post_tool_call(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PostToolCall], _PostToolCall]: ...

class TransformToolResult(Protocol):
    def __call__(self, *, tool_name: str, arguments: dict[str, Any], result: str, args: dict[str, Any] | None, task_id: str | None, session_id: str, tool_call_id: str, turn_id: str, api_request_id: str, duration_ms: int, status: str, error_type: str | None, error_message: str | None, telemetry_schema_version: str) -> str | None | Awaitable[str | None]: ...

_TransformToolResult = TypeVar("_TransformToolResult", bound=TransformToolResult)

@overload
def transform_tool_result(function: _TransformToolResult, /) -> _TransformToolResult: ...
@overload
def transform_tool_result(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_TransformToolResult], _TransformToolResult]: ...

class TransformTerminalOutput(Protocol):
    def __call__(self, *, command: str, output: str, exit_code: int, returncode: int | None, cwd: str, task_id: str | None, env_type: str, telemetry_schema_version: str) -> str | None | Awaitable[str | None]: ...

_TransformTerminalOutput = TypeVar("_TransformTerminalOutput", bound=TransformTerminalOutput)

@overload
def transform_terminal_output(function: _TransformTerminalOutput, /) -> _TransformTerminalOutput: ...
@overload
def transform_terminal_output(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_TransformTerminalOutput], _TransformTerminalOutput]: ...

class PreLlmCall(Protocol):
    def __call__(self, *, session_id: str | None, user_message: str | list[dict[str, Any]], conversation_history: list[dict[str, Any]], is_first_turn: bool, model: str, platform: str, task_id: str, turn_id: str, sender_id: str, telemetry_schema_version: str) -> AddContext | dict[str, Any] | str | None | Awaitable[AddContext | dict[str, Any] | str | None]: ...

_PreLlmCall = TypeVar("_PreLlmCall", bound=PreLlmCall)

@overload
def pre_llm_call(function: _PreLlmCall, /) -> _PreLlmCall: ...
@overload
def pre_llm_call(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PreLlmCall], _PreLlmCall]: ...

class PostLlmCall(Protocol):
    def __call__(self, *, session_id: str, user_message: str | list[dict[str, Any]], assistant_response: str, conversation_history: list[dict[str, Any]], model: str, platform: str, task_id: str, turn_id: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_PostLlmCall = TypeVar("_PostLlmCall", bound=PostLlmCall)

@overload
def post_llm_call(function: _PostLlmCall, /) -> _PostLlmCall: ...
@overload
def post_llm_call(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PostLlmCall], _PostLlmCall]: ...

class TransformLlmOutput(Protocol):
    def __call__(self, *, response_text: str, session_id: str, model: str, platform: str, telemetry_schema_version: str) -> str | None | Awaitable[str | None]: ...

_TransformLlmOutput = TypeVar("_TransformLlmOutput", bound=TransformLlmOutput)

@overload
def transform_llm_output(function: _TransformLlmOutput, /) -> _TransformLlmOutput: ...
@overload
def transform_llm_output(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_TransformLlmOutput], _TransformLlmOutput]: ...

class PreVerify(Protocol):
    def __call__(self, *, session_id: str, attempt: int, final_response: str, changed_paths: list[str], platform: str, model: str, coding: bool, telemetry_schema_version: str) -> Continue | dict[str, Any] | None | Awaitable[Continue | dict[str, Any] | None]: ...

_PreVerify = TypeVar("_PreVerify", bound=PreVerify)

@overload
def pre_verify(function: _PreVerify, /) -> _PreVerify: ...
@overload
def pre_verify(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PreVerify], _PreVerify]: ...

class PreApiRequest(Protocol):
    def __call__(self, *, task_id: str, turn_id: str, api_request_id: str, session_id: str, user_message: Any, conversation_history: list[dict[str, Any]], platform: str, model: str, provider: str, base_url: str, api_mode: str, api_call_count: int, request_messages: list[dict[str, Any]], message_count: int, tool_count: int, approx_input_tokens: int, request_char_count: int, max_tokens: int | None, started_at: float, middleware_trace: list[dict[str, Any]], request: dict[str, Any], telemetry_schema_version: str) -> None | Awaitable[None]: ...

_PreApiRequest = TypeVar("_PreApiRequest", bound=PreApiRequest)

@overload
def pre_api_request(function: _PreApiRequest, /) -> _PreApiRequest: ...
@overload
def pre_api_request(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PreApiRequest], _PreApiRequest]: ...

class PostApiRequest(Protocol):
    def __call__(self, *, task_id: str, turn_id: str, api_request_id: str, session_id: str, platform: str, model: str, provider: str, base_url: str, api_mode: str, api_call_count: int, api_duration: float, started_at: float, ended_at: float, finish_reason: str, message_count: int, response_model: str | None, response: dict[str, Any], usage: dict[str, Any] | None, assistant_message: Any, assistant_content_chars: int, assistant_tool_call_count: int, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_PostApiRequest = TypeVar("_PostApiRequest", bound=PostApiRequest)

@overload
def post_api_request(function: _PostApiRequest, /) -> _PostApiRequest: ...
@overload
def post_api_request(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PostApiRequest], _PostApiRequest]: ...

class ApiRequestError(Protocol):
    def __call__(self, *, task_id: str, turn_id: str, api_request_id: str, session_id: str, platform: str, model: str, provider: str, base_url: str, api_mode: str, api_call_count: int, api_duration: float, started_at: float, ended_at: float, status_code: int | None, retry_count: int | None, max_retries: int | None, retryable: bool | None, reason: str | None, error: dict[str, Any], request: dict[str, Any], telemetry_schema_version: str) -> None | Awaitable[None]: ...

_ApiRequestError = TypeVar("_ApiRequestError", bound=ApiRequestError)

@overload
def api_request_error(function: _ApiRequestError, /) -> _ApiRequestError: ...
@overload
def api_request_error(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_ApiRequestError], _ApiRequestError]: ...

class OnSessionStart(Protocol):
    def __call__(self, *, session_id: str, model: str, platform: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_OnSessionStart = TypeVar("_OnSessionStart", bound=OnSessionStart)

@overload
def on_session_start(function: _OnSessionStart, /) -> _OnSessionStart: ...
@overload
def on_session_start(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_OnSessionStart], _OnSessionStart]: ...

class OnSessionEnd(Protocol):
    def __call__(self, *, session_id: str, completed: bool, interrupted: bool, model: str | None, platform: str, api_request_id: str, task_id: str, turn_id: str, reason: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_OnSessionEnd = TypeVar("_OnSessionEnd", bound=OnSessionEnd)

@overload
def on_session_end(function: _OnSessionEnd, /) -> _OnSessionEnd: ...
@overload
def on_session_end(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_OnSessionEnd], _OnSessionEnd]: ...

class OnSessionFinalize(Protocol):
    def __call__(self, *, session_id: str | None, platform: str, reason: str | None, old_session_id: str | None, new_session_id: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_OnSessionFinalize = TypeVar("_OnSessionFinalize", bound=OnSessionFinalize)

@overload
def on_session_finalize(function: _OnSessionFinalize, /) -> _OnSessionFinalize: ...
@overload
def on_session_finalize(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_OnSessionFinalize], _OnSessionFinalize]: ...

class OnSessionReset(Protocol):
    def __call__(self, *, session_id: str, platform: str, reason: str | None, old_session_id: str | None, new_session_id: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_OnSessionReset = TypeVar("_OnSessionReset", bound=OnSessionReset)

@overload
def on_session_reset(function: _OnSessionReset, /) -> _OnSessionReset: ...
@overload
def on_session_reset(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_OnSessionReset], _OnSessionReset]: ...

class SubagentStart(Protocol):
    def __call__(self, *, parent_session_id: str | None, parent_turn_id: str, parent_subagent_id: str | None, child_session_id: str | None, child_subagent_id: str, child_role: str | None, child_goal: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_SubagentStart = TypeVar("_SubagentStart", bound=SubagentStart)

@overload
def subagent_start(function: _SubagentStart, /) -> _SubagentStart: ...
@overload
def subagent_start(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_SubagentStart], _SubagentStart]: ...

class SubagentStop(Protocol):
    def __call__(self, *, parent_session_id: str | None, child_role: str | None, child_summary: str | None, child_status: Literal['completed', 'failed', 'interrupted', 'error', 'timeout'], duration_ms: int, parent_turn_id: str, child_session_id: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_SubagentStop = TypeVar("_SubagentStop", bound=SubagentStop)

@overload
def subagent_stop(function: _SubagentStop, /) -> _SubagentStop: ...
@overload
def subagent_stop(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_SubagentStop], _SubagentStop]: ...

class PreGatewayDispatch(Protocol):
    def __call__(self, *, event: MessageEvent, gateway: GatewayRunner, session_store: SessionStore, telemetry_schema_version: str) -> Skip | Rewrite | Allow | dict[str, Any] | None | Awaitable[Skip | Rewrite | Allow | dict[str, Any] | None]: ...

_PreGatewayDispatch = TypeVar("_PreGatewayDispatch", bound=PreGatewayDispatch)

@overload
def pre_gateway_dispatch(function: _PreGatewayDispatch, /) -> _PreGatewayDispatch: ...
@overload
def pre_gateway_dispatch(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PreGatewayDispatch], _PreGatewayDispatch]: ...

class PreApprovalRequest(Protocol):
    def __call__(self, *, command: str, description: str, pattern_key: str, pattern_keys: list[str], session_key: str, surface: Literal['cli', 'gateway', 'smart'], turn_id: str, tool_call_id: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_PreApprovalRequest = TypeVar("_PreApprovalRequest", bound=PreApprovalRequest)

@overload
def pre_approval_request(function: _PreApprovalRequest, /) -> _PreApprovalRequest: ...
@overload
def pre_approval_request(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PreApprovalRequest], _PreApprovalRequest]: ...

class PostApprovalResponse(Protocol):
    def __call__(self, *, command: str, description: str, pattern_key: str, pattern_keys: list[str], session_key: str, surface: Literal['cli', 'gateway', 'smart'], choice: Literal['once', 'session', 'always', 'deny', 'timeout', 'smart_approve', 'smart_deny'], turn_id: str, tool_call_id: str, decided_by: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_PostApprovalResponse = TypeVar("_PostApprovalResponse", bound=PostApprovalResponse)

@overload
def post_approval_response(function: _PostApprovalResponse, /) -> _PostApprovalResponse: ...
@overload
def post_approval_response(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_PostApprovalResponse], _PostApprovalResponse]: ...

class KanbanTaskClaimed(Protocol):
    def __call__(self, *, task_id: str, profile_name: str, board: str | None, assignee: str | None, run_id: int | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_KanbanTaskClaimed = TypeVar("_KanbanTaskClaimed", bound=KanbanTaskClaimed)

@overload
def kanban_task_claimed(function: _KanbanTaskClaimed, /) -> _KanbanTaskClaimed: ...
@overload
def kanban_task_claimed(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_KanbanTaskClaimed], _KanbanTaskClaimed]: ...

class KanbanTaskCompleted(Protocol):
    def __call__(self, *, task_id: str, profile_name: str, board: str | None, assignee: str | None, run_id: int | None, summary: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_KanbanTaskCompleted = TypeVar("_KanbanTaskCompleted", bound=KanbanTaskCompleted)

@overload
def kanban_task_completed(function: _KanbanTaskCompleted, /) -> _KanbanTaskCompleted: ...
@overload
def kanban_task_completed(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_KanbanTaskCompleted], _KanbanTaskCompleted]: ...

class KanbanTaskBlocked(Protocol):
    def __call__(self, *, task_id: str, profile_name: str, board: str | None, assignee: str | None, run_id: int | None, reason: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

_KanbanTaskBlocked = TypeVar("_KanbanTaskBlocked", bound=KanbanTaskBlocked)

@overload
def kanban_task_blocked(function: _KanbanTaskBlocked, /) -> _KanbanTaskBlocked: ...
@overload
def kanban_task_blocked(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_KanbanTaskBlocked], _KanbanTaskBlocked]: ...

class Hooks:
    def pre_tool_call(self, *, tool_name: str, args: dict[str, Any], task_id: str, session_id: str, tool_call_id: str, turn_id: str, api_request_id: str, middleware_trace: list[dict[str, Any]], already_blocked: bool, judgement: int, telemetry_schema_version: str) -> Block | Approve | Modify | dict[str, Any] | None | Awaitable[Block | Approve | Modify | dict[str, Any] | None]: ...
    def post_tool_call(self, *, tool_name: str, args: dict[str, Any], result: str | dict[str, Any], duration_ms: int, task_id: str, session_id: str, tool_call_id: str, turn_id: str, api_request_id: str, status: Literal['ok', 'error', 'blocked', 'cancelled', 'timeout'], error_type: str | None, error_message: str | None, middleware_trace: list[dict[str, Any]], telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def transform_tool_result(self, *, tool_name: str, arguments: dict[str, Any], result: str, args: dict[str, Any] | None, task_id: str | None, session_id: str, tool_call_id: str, turn_id: str, api_request_id: str, duration_ms: int, status: str, error_type: str | None, error_message: str | None, telemetry_schema_version: str) -> str | None | Awaitable[str | None]: ...
    def transform_terminal_output(self, *, command: str, output: str, exit_code: int, returncode: int | None, cwd: str, task_id: str | None, env_type: str, telemetry_schema_version: str) -> str | None | Awaitable[str | None]: ...
    def pre_llm_call(self, *, session_id: str | None, user_message: str | list[dict[str, Any]], conversation_history: list[dict[str, Any]], is_first_turn: bool, model: str, platform: str, task_id: str, turn_id: str, sender_id: str, telemetry_schema_version: str) -> AddContext | dict[str, Any] | str | None | Awaitable[AddContext | dict[str, Any] | str | None]: ...
    def post_llm_call(self, *, session_id: str, user_message: str | list[dict[str, Any]], assistant_response: str, conversation_history: list[dict[str, Any]], model: str, platform: str, task_id: str, turn_id: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def transform_llm_output(self, *, response_text: str, session_id: str, model: str, platform: str, telemetry_schema_version: str) -> str | None | Awaitable[str | None]: ...
    def pre_verify(self, *, session_id: str, attempt: int, final_response: str, changed_paths: list[str], platform: str, model: str, coding: bool, telemetry_schema_version: str) -> Continue | dict[str, Any] | None | Awaitable[Continue | dict[str, Any] | None]: ...
    def pre_api_request(self, *, task_id: str, turn_id: str, api_request_id: str, session_id: str, user_message: Any, conversation_history: list[dict[str, Any]], platform: str, model: str, provider: str, base_url: str, api_mode: str, api_call_count: int, request_messages: list[dict[str, Any]], message_count: int, tool_count: int, approx_input_tokens: int, request_char_count: int, max_tokens: int | None, started_at: float, middleware_trace: list[dict[str, Any]], request: dict[str, Any], telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def post_api_request(self, *, task_id: str, turn_id: str, api_request_id: str, session_id: str, platform: str, model: str, provider: str, base_url: str, api_mode: str, api_call_count: int, api_duration: float, started_at: float, ended_at: float, finish_reason: str, message_count: int, response_model: str | None, response: dict[str, Any], usage: dict[str, Any] | None, assistant_message: Any, assistant_content_chars: int, assistant_tool_call_count: int, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def api_request_error(self, *, task_id: str, turn_id: str, api_request_id: str, session_id: str, platform: str, model: str, provider: str, base_url: str, api_mode: str, api_call_count: int, api_duration: float, started_at: float, ended_at: float, status_code: int | None, retry_count: int | None, max_retries: int | None, retryable: bool | None, reason: str | None, error: dict[str, Any], request: dict[str, Any], telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def on_session_start(self, *, session_id: str, model: str, platform: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def on_session_end(self, *, session_id: str, completed: bool, interrupted: bool, model: str | None, platform: str, api_request_id: str, task_id: str, turn_id: str, reason: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def on_session_finalize(self, *, session_id: str | None, platform: str, reason: str | None, old_session_id: str | None, new_session_id: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def on_session_reset(self, *, session_id: str, platform: str, reason: str | None, old_session_id: str | None, new_session_id: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def subagent_start(self, *, parent_session_id: str | None, parent_turn_id: str, parent_subagent_id: str | None, child_session_id: str | None, child_subagent_id: str, child_role: str | None, child_goal: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def subagent_stop(self, *, parent_session_id: str | None, child_role: str | None, child_summary: str | None, child_status: Literal['completed', 'failed', 'interrupted', 'error', 'timeout'], duration_ms: int, parent_turn_id: str, child_session_id: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def pre_gateway_dispatch(self, *, event: MessageEvent, gateway: GatewayRunner, session_store: SessionStore, telemetry_schema_version: str) -> Skip | Rewrite | Allow | dict[str, Any] | None | Awaitable[Skip | Rewrite | Allow | dict[str, Any] | None]: ...
    def pre_approval_request(self, *, command: str, description: str, pattern_key: str, pattern_keys: list[str], session_key: str, surface: Literal['cli', 'gateway', 'smart'], turn_id: str, tool_call_id: str, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def post_approval_response(self, *, command: str, description: str, pattern_key: str, pattern_keys: list[str], session_key: str, surface: Literal['cli', 'gateway', 'smart'], choice: Literal['once', 'session', 'always', 'deny', 'timeout', 'smart_approve', 'smart_deny'], turn_id: str, tool_call_id: str, decided_by: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def kanban_task_claimed(self, *, task_id: str, profile_name: str, board: str | None, assignee: str | None, run_id: int | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def kanban_task_completed(self, *, task_id: str, profile_name: str, board: str | None, assignee: str | None, run_id: int | None, summary: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...
    def kanban_task_blocked(self, *, task_id: str, profile_name: str, board: str | None, assignee: str | None, run_id: int | None, reason: str | None, telemetry_schema_version: str) -> None | Awaitable[None]: ...

class Context(Protocol):
    @overload
    def register_hook(self, hook_name: Literal["pre_tool_call"], callback: PreToolCall) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_tool_call"], callback: PostToolCall) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["transform_tool_result"], callback: TransformToolResult) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["transform_terminal_output"], callback: TransformTerminalOutput) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_llm_call"], callback: PreLlmCall) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_llm_call"], callback: PostLlmCall) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["transform_llm_output"], callback: TransformLlmOutput) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_verify"], callback: PreVerify) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_api_request"], callback: PreApiRequest) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_api_request"], callback: PostApiRequest) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["api_request_error"], callback: ApiRequestError) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_start"], callback: OnSessionStart) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_end"], callback: OnSessionEnd) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_finalize"], callback: OnSessionFinalize) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_reset"], callback: OnSessionReset) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["subagent_start"], callback: SubagentStart) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["subagent_stop"], callback: SubagentStop) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_gateway_dispatch"], callback: PreGatewayDispatch) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_approval_request"], callback: PreApprovalRequest) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_approval_response"], callback: PostApprovalResponse) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["kanban_task_claimed"], callback: KanbanTaskClaimed) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["kanban_task_completed"], callback: KanbanTaskCompleted) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["kanban_task_blocked"], callback: KanbanTaskBlocked) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
