"""An agent of one conversation, on the parts of the gateway that runs in this process."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.interop.process_gateway import process_gateway

__all__ = ["AIAgent"]

logger = logging.getLogger(__name__)


class AIAgent:
    """An agent that belongs to no chat: the gateway's model, tools, plugins and shell hooks, and nobody to ask.

    Args:
        model: The gateway's model; another one is not reached from here, which is logged.
        max_iterations: Model requests of one turn; the setting of the home by default.
        ephemeral_system_prompt: Added to the system prompt.
        options: What hermes-agent's class takes besides, of any type; it means nothing here.
    """

    def __init__(
        self,
        model: str = "",
        max_iterations: int | None = None,
        ephemeral_system_prompt: str | None = None,
        **options: Any,
    ) -> None:
        del options
        self._gateway = process_gateway()
        self._max_iterations = max_iterations
        self._system_prompt = ephemeral_system_prompt or ""
        self.model = self._gateway.model_name()
        if model not in {"", self.model}:
            logger.warning("an agent with model %r was asked for; it uses %r, the gateway's", model, self.model)

    def run_conversation(self, user_message: str, system_message: str | None = None, **options: Any) -> dict[str, Any]:
        """Run one turn and return a dict with ``final_response``, ``completed`` and ``interrupted``; it blocks.

        Args:
            user_message: What the agent is asked.
            system_message: Added to the system prompt.
            options: What hermes-agent's method takes besides, of any type; it means nothing here.

        Raises:
            Exception: The turn failed.
        """
        del options
        answer = self._gateway.converse(
            user_message, max_iterations=self._max_iterations, system_prompt=system_message or self._system_prompt
        )
        return {"final_response": answer, "completed": bool(answer), "interrupted": False, "model": self.model}

    def chat(self, message: str) -> str:
        """Run one turn and return the answer; it blocks."""
        return str(self.run_conversation(message)["final_response"])
