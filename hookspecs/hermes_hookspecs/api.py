"""Hooks round each attempt to reach the model's provider."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hermes_hookspecs import samples
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec


@hookspec(
    kind="observer",
    origin="hermes-0.19",
    sample={
        **samples.API_CALL,
        "user_message": samples.USER_MESSAGE,
        "conversation_history": list(samples.HISTORY),
        "request_messages": list(samples.MESSAGES),
        "message_count": 3,
        "tool_count": 6,
        "approx_input_tokens": 1240,
        "request_char_count": 4960,
        "max_tokens": 4096,
        "middleware_trace": [],
        "request": samples.REQUEST,
    },
)
def pre_api_request(
    task_id: str,
    turn_id: str,
    api_request_id: str,
    session_id: str,
    user_message: Any,
    conversation_history: list[dict[str, Any]],
    platform: str,
    model: str,
    provider: str,
    base_url: str,
    api_mode: str,
    api_call_count: int,
    request_messages: list[dict[str, Any]],
    message_count: int,
    tool_count: int,
    approx_input_tokens: int,
    request_char_count: int,
    max_tokens: int | None,
    started_at: float,
    middleware_trace: list[dict[str, Any]],
    request: dict[str, Any],
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe a request to the provider before it is sent.

    Runs:
        Before each provider attempt, retries included, after llm_request middleware.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run, each with its own copy of the payload.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the request go
        on.

    Args:
        task_id: The task that the turn belongs to; empty when unset.
        turn_id: The user turn of the request.
        api_request_id: The request; the same in the hook that reports how it ended.
        session_id: The session of the request.
        user_message: The original message of the turn, a str or content parts; any type, as hosts pass it on.
        conversation_history: Messages of the conversation, unredacted: handle as secrets.
        platform: Where the session takes place.
        model: The model asked.
        provider: Who serves it, for example ``"anthropic"``.
        base_url: Address of the provider's API.
        api_mode: Dialect of the API, for example ``"chat_completions"``.
        api_call_count: Number of this provider call in the turn, from 1.
        request_messages: Messages of the request, unredacted: handle as secrets.
        message_count: How many messages the request has.
        tool_count: How many tools it offers.
        approx_input_tokens: Estimated size in tokens.
        request_char_count: Size in characters.
        max_tokens: Limit of the answer in tokens; None without one.
        started_at: Start of the attempt in seconds since the epoch.
        middleware_trace: What llm_request middleware changed, one dict a rewrite.
        request: Sanitised copy fit for JSON: credentials redacted, strings cut at 8,000 characters, 50,000 in
            all.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        largest = {"tokens": 0}


        @hookimpl
        def pre_api_request(approx_input_tokens):
            largest["tokens"] = max(largest["tokens"], approx_input_tokens)
    """


@hookspec(
    kind="observer",
    origin="hermes-0.19",
    sample={
        **samples.API_CALL,
        "api_duration": 1.25,
        "ended_at": samples.STARTED_AT + 1.25,
        "finish_reason": "stop",
        "message_count": 3,
        "response_model": "claude-sonnet-4-6",
        "response": {
            "assistant_message": {"role": "assistant", "content": samples.ANSWER},
            "finish_reason": "stop",
        },
        "usage": {"input_tokens": 1240, "output_tokens": 36, "total_tokens": 1276},
        "assistant_message": SimpleNamespace(role="assistant", content=samples.ANSWER, tool_calls=None),
        "assistant_content_chars": len(samples.ANSWER),
        "assistant_tool_call_count": 0,
    },
)
def post_api_request(
    task_id: str,
    turn_id: str,
    api_request_id: str,
    session_id: str,
    platform: str,
    model: str,
    provider: str,
    base_url: str,
    api_mode: str,
    api_call_count: int,
    api_duration: float,
    started_at: float,
    ended_at: float,
    finish_reason: str,
    message_count: int,
    response_model: str | None,
    response: dict[str, Any],
    usage: dict[str, Any] | None,
    assistant_message: Any,
    assistant_content_chars: int,
    assistant_tool_call_count: int,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe a provider's answer.

    Runs:
        After a provider response was normalised.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run, each with its own copy of the payload.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        task_id: The task that the turn belongs to; empty when unset.
        turn_id: The user turn of the request.
        api_request_id: The request, as in its pre_api_request; tool calls of the answer carry it too.
        session_id: The session of the request.
        platform: Where the session takes place.
        model: The model asked.
        provider: Who serves it.
        base_url: Address of the provider's API.
        api_mode: Dialect of the API.
        api_call_count: Number of this provider call in the turn, from 1.
        api_duration: Time of the attempt in seconds.
        started_at: Start of the attempt in seconds since the epoch.
        ended_at: End of the attempt in seconds since the epoch.
        finish_reason: Why the model stopped: ``"stop"``, ``"tool_calls"``, ``"length"``, ...
        message_count: How many messages the request had.
        response_model: The model that the provider says it used; None when it does not say.
        response: Sanitised copy fit for JSON.
        usage: Token counts by name; None when the provider gave none.
        assistant_message: The message with `role`, `content`, `tool_calls`; any type, an object of the host.
        assistant_content_chars: Length of its text in characters.
        assistant_tool_call_count: How many tool calls it asks for.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from collections import Counter

        from hermes_hookspecs import hookimpl

        tokens = Counter()


        @hookimpl
        def post_api_request(model, usage):
            tokens[model] += (usage or {}).get("total_tokens", 0)
    """


@hookspec(
    kind="observer",
    origin="hermes-0.19",
    sample={
        **samples.API_CALL,
        "api_duration": 0.4,
        "ended_at": samples.STARTED_AT + 0.4,
        "status_code": 529,
        "retry_count": 1,
        "max_retries": 3,
        "retryable": True,
        "reason": "overloaded",
        "error": {"type": "APIStatusError", "message": "Overloaded"},
        "request": samples.REQUEST,
    },
)
def api_request_error(
    task_id: str,
    turn_id: str,
    api_request_id: str,
    session_id: str,
    platform: str,
    model: str,
    provider: str,
    base_url: str,
    api_mode: str,
    api_call_count: int,
    api_duration: float,
    started_at: float,
    ended_at: float,
    status_code: int | None,
    retry_count: int | None,
    max_retries: int | None,
    retryable: bool | None,
    reason: str | None,
    error: dict[str, Any],
    request: dict[str, Any],
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a provider attempt failed.

    Runs:
        After each failed provider attempt, whether it is tried again or not.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run, each with its own copy of the payload.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        task_id: The task that the turn belongs to; empty when unset.
        turn_id: The user turn of the request.
        api_request_id: The request, as in its pre_api_request.
        session_id: The session of the request.
        platform: Where the session takes place.
        model: The model asked.
        provider: Who serves it.
        base_url: Address of the provider's API.
        api_mode: Dialect of the API.
        api_call_count: Number of this provider call in the turn, from 1.
        api_duration: Time of the attempt in seconds.
        started_at: Start of the attempt in seconds since the epoch.
        ended_at: End of the attempt in seconds since the epoch.
        status_code: HTTP status; None when there was no response.
        retry_count: How many attempts failed before this one.
        max_retries: How many retries the host makes.
        retryable: Whether the host takes the error for a passing one.
        reason: The host's word for the failure, for example ``"overloaded"``.
        error: ``{"type": class name, "message": text}``.
        request: Sanitised copy of the request, as in pre_api_request.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        import logging

        from hermes_hookspecs import hookimpl

        logger = logging.getLogger(__name__)


        @hookimpl
        def api_request_error(provider, status_code, retryable):
            logger.warning("%s failed with %s, retryable: %s", provider, status_code, retryable)
    """
