"""``ctx.llm``: the user's model for a plugin's own questions, with the members of upstream's facade.

These requests fire no hooks and go past llm middleware, so that a plugin which asks from inside a hook does
not meet itself. Another model than the user's needs leave:
``plugins.entries.<plugin>.llm.allow_model_override: true``.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.config import Config
    from hermes_sdk.host.models.base import Model, ModelReply, Usage


class PluginLlmTrustError(PermissionError):
    """A plugin asked for a provider, model or profile that the user did not allow it."""


@dataclass(frozen=True, slots=True)
class PluginLlmUsage:
    """Tokens of one completion."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None

    @classmethod
    def of(cls, usage: Usage | None) -> PluginLlmUsage:
        """Read the host's own count."""
        if usage is None:
            return cls()
        return cls(usage.input_tokens, usage.output_tokens, usage.total_tokens)


@dataclass(frozen=True, slots=True)
class PluginLlmCompleteResult:
    """An answer in text."""

    text: str
    provider: str
    model: str
    agent_id: str = "default"
    usage: PluginLlmUsage = field(default_factory=PluginLlmUsage)
    audit: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PluginLlmStructuredResult(PluginLlmCompleteResult):
    """An answer that was asked for as JSON; `parsed` is None where it is none."""

    parsed: Any = None
    content_type: str = "text"


class PluginLlm:
    """The user's model for one plugin.

    Args:
        model: Answers.
        config: Says which plugin may choose another model.
        plugin: Whose questions these are.
    """

    def __init__(self, model: Model, config: Config, plugin: str = "") -> None:
        self._model = model
        self._config = config
        self._plugin = plugin

    def bound_to(self, plugin: str) -> PluginLlm:
        """Return the facade of one plugin."""
        return PluginLlm(self._model, self._config, plugin)

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
    ) -> PluginLlmCompleteResult:
        """Ask the model and wait for the answer.

        Args:
            messages: The conversation, in OpenAI's format.
            provider: Another provider; needs the user's leave.
            model: Another model; needs the user's leave.
            temperature: As the endpoint takes it.
            max_tokens: As the endpoint takes it.
            timeout: Seconds the request may take, where the endpoint's client knows one.
            agent_id: Goes into the result.
            profile: Another profile's model; needs the user's leave.
            purpose: Goes into the audit record.

        Raises:
            PluginLlmTrustError: It may not choose this.
            ModelError: No answer.
        """
        self._check(provider=provider, model=model, profile=profile)
        options = {"temperature": temperature, "max_tokens": max_tokens, "timeout": timeout}
        reply = self._ask(messages, model, options)
        return PluginLlmCompleteResult(
            text=reply.text,
            provider=self._model.provider,
            model=reply.model or model or self._model.name,
            agent_id=agent_id or "default",
            usage=PluginLlmUsage.of(reply.usage),
            audit={"plugin_id": self._plugin, "purpose": purpose or "", "profile": profile or ""},
        )

    def complete_structured(
        self,
        *,
        instructions: str,
        input: Sequence[Any],  # noqa: A002 - upstream's name
        json_schema: Any = None,
        json_mode: bool = False,
        schema_name: str | None = None,
        system_prompt: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
    ) -> PluginLlmStructuredResult:
        """Ask for an answer about some input, as JSON with `json_mode` or a `json_schema` (of any JSON type).

        Args:
            instructions: What to do with the input.
            input: Blocks of text or images (dicts, or objects with the same fields).
            json_schema: What the answer must look like; shown to the model, not enforced here.
            json_mode: Whether the answer must be JSON.
            schema_name: Goes into the audit record.
            system_prompt: Put in front.
            provider: As for `complete`, like all that follow.
            model: See there.
            temperature: See there.
            max_tokens: See there.
            timeout: See there.
            agent_id: See there.
            profile: See there.
            purpose: See there.

        Raises:
            ValueError: There are no instructions, or no input.
            PluginLlmTrustError: It may not choose this.
            ModelError: No answer.
        """
        if not instructions.strip() or not input:
            raise ValueError("complete_structured needs instructions and at least one block of input")
        wants_json = json_mode or json_schema is not None
        result = self.complete(
            _structured_messages(instructions, input, json_schema, system_prompt, wants_json=wants_json),
            provider=provider,
            model=model,
            temperature=temperature,
            max_tokens=max_tokens,
            timeout=timeout,
            agent_id=agent_id,
            profile=profile,
            purpose=purpose,
        )
        parsed = _parsed(result.text) if wants_json else None
        return PluginLlmStructuredResult(
            text=result.text,
            provider=result.provider,
            model=result.model,
            agent_id=result.agent_id,
            usage=result.usage,
            audit={**result.audit, "schema_name": schema_name or ""},
            parsed=parsed,
            content_type="text" if parsed is None else "json",
        )

    async def acomplete(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> PluginLlmCompleteResult:
        """Do as `complete` does, without blocking the event loop."""
        return await asyncio.to_thread(self.complete, messages, **options)

    async def acomplete_structured(self, **options: Any) -> PluginLlmStructuredResult:
        """Do as `complete_structured` does, without blocking the event loop."""
        return await asyncio.to_thread(self.complete_structured, **options)

    def _ask(self, messages: Sequence[Mapping[str, Any]], model: str | None, options: dict[str, Any]) -> ModelReply:
        request: dict[str, Any] = {
            "model": model or self._model.name,
            "messages": [dict(message) for message in messages],
        }
        request |= {name: value for name, value in options.items() if value is not None}
        return self._model.complete(request)

    def _check(self, **wishes: str | None) -> None:
        for wish, value in wishes.items():
            if value is None or (wish == "model" and value == self._model.name):
                continue
            key = ("plugins", "entries", self._plugin, "llm", f"allow_{wish}_override")
            if self._config.get(key) is not True:
                dotted = ".".join(key)
                raise PluginLlmTrustError(
                    f"plugin {self._plugin!r} may not choose the {wish} {value!r}; set {dotted}: true"
                )


def _structured_messages(
    instructions: str,
    blocks: Sequence[Any],
    json_schema: Any,
    system_prompt: str | None,
    *,
    wants_json: bool,
) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": instructions}]
    parts += [_part(block) for block in blocks]
    if json_schema is not None:
        shown = json.dumps(json_schema, ensure_ascii=False, default=str)
        parts.append({"type": "text", "text": f"Answer with JSON only, by this schema: {shown}"})
    elif wants_json:
        parts.append({"type": "text", "text": "Answer with JSON only."})
    system = [{"role": "system", "content": system_prompt}] if system_prompt else []
    return [*system, {"role": "user", "content": parts}]


def _part(block: Any) -> dict[str, Any]:
    def read(name: str) -> Any:
        return block.get(name) if isinstance(block, Mapping) else getattr(block, name, None)

    if read("type") != "image":
        return {"type": "text", "text": str(read("text") or "")}
    url, content = read("url"), read("data")
    if not url and isinstance(content, bytes):
        mime = read("mime_type") or "image/png"
        url = f"data:{mime};base64,{base64.b64encode(content).decode()}"
    if not url:
        raise ValueError("an image block needs data or a url")
    return {"type": "image_url", "image_url": {"url": url}}


def _parsed(text: str) -> Any:
    fenced = re.search(r"```(?:json)?\s*\n(.*?)```", text, re.DOTALL)
    try:
        return json.loads(fenced[1] if fenced else text)
    except ValueError:
        return None
