"""Models that drive a session: scripted, replayed from a transcript, or behind an OpenAI-like endpoint."""

from __future__ import annotations

from hermes_sdk.host.models.base import Model, ModelError, ModelReply, ToolCall, Usage
from hermes_sdk.host.models.openai_model import OpenAIModel
from hermes_sdk.host.models.scripted import ScriptedModel
from hermes_sdk.host.models.transcript import TranscriptModel

__all__ = [
    "Model",
    "ModelError",
    "ModelReply",
    "OpenAIModel",
    "ScriptedModel",
    "ToolCall",
    "TranscriptModel",
    "Usage",
]
