"""Any endpoint that speaks OpenAI's chat completions. Needs the extra ``[llm]``; imported when first used."""

from __future__ import annotations

from typing import Any

from hermes_sdk.errors import SessionError
from hermes_sdk.host.models.base import ModelError, ModelReply, as_reply

RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Answers of an endpoint that a later attempt may not get again."""


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    Retries are the host's, so that each attempt fires its hooks; the client makes none of its own.

    Args:
        name: The model, as the endpoint knows it.
        base_url: Where the endpoint is; None takes ``OPENAI_BASE_URL`` or OpenAI itself.
        api_key: The key; None takes ``OPENAI_API_KEY``. Endpoints without keys accept any text.
        timeout: Seconds that one request may take.

    Raises:
        SessionError: The package ``openai`` is not installed, or there is no key.
    """

    provider = "openai"

    def __init__(
        self, name: str, *, base_url: str | None = None, api_key: str | None = None, timeout: float = 120.0
    ) -> None:
        self._openai = _openai_package()
        try:
            self._client = self._openai.OpenAI(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=0)
        except self._openai.OpenAIError as error:
            raise SessionError(
                f"model {name!r} cannot be reached",
                why=str(error).partition("\n")[0],
                fix="set OPENAI_API_KEY, or pass a key",
                code="HS411",
            ) from error
        self.name = name
        self.base_url = str(self._client.base_url)

    def complete(self, request: dict[str, Any]) -> ModelReply:
        """Send one request and read the answer."""
        try:
            completion = self._client.chat.completions.create(**request)
        except self._openai.APIStatusError as error:
            raise ModelError(
                f"the endpoint answered {error.status_code}",
                status_code=error.status_code,
                retryable=error.status_code in RETRYABLE_STATUS,
                why=error.message,
            ) from error
        except self._openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise ModelError(
                f"the endpoint {self.base_url} cannot be reached", retryable=True, why=str(cause)
            ) from error
        except (self._openai.OpenAIError, TypeError) as error:
            raise ModelError("the request was refused by the client", why=str(error)) from error
        return as_reply(completion)

    def for_child(self, goal: str) -> OpenAIModel:  # noqa: ARG002 - the endpoint serves every goal
        """Return itself: the same endpoint serves child agents."""
        return self

    def for_plugins(self) -> OpenAIModel:
        """Return itself: the same endpoint serves plugins."""
        return self

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _openai_package() -> Any:
    # Any: the package is optional, its types are there only where it is installed.
    try:
        import openai
    except ImportError as error:
        raise SessionError(
            "an OpenAI-compatible model needs the package openai",
            why="it is not installed",
            fix="pip install 'hermes-sdk[llm]'",
            code="HS412",
        ) from error
    return openai
