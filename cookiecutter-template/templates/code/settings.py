"""The settings of the plugin: `plugins.entries.{{ cookiecutter.name }}` in config.yaml."""

from __future__ import annotations

{% if cookiecutter.kind == "redaction" -%}
import re
{% endif -%}
from typing import Any

from pydantic import BaseModel, Field{{ ", field_validator" if cookiecutter.kind == "redaction" }}


class Settings(BaseModel):
    """Every setting has a default: the plugin works without any."""
{% if cookiecutter.kind == "guard" %}
    forbidden: list[str] = Field(
        default=["git push --force", "mkfs"], description="Texts that a command may not contain."
    )
{% elif cookiecutter.kind == "observer" %}
    slow_ms: float = Field(default=1000, gt=0, description="Milliseconds from which a tool counts as slow.")
{% elif cookiecutter.kind == "redaction" %}
    patterns: list[str] = Field(default=[r"\bticket-\d{4,10}\b"], description="Regular expressions of what is masked.")

    @field_validator("patterns")
    @classmethod
    def _compile(cls, patterns: list[str]) -> list[str]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from error
        return patterns
{% elif cookiecutter.kind == "memory-recall" %}
    most: int = Field(default=3, ge=1, le=20, description="Memories that are recalled at a time, at most.")
{% elif cookiecutter.kind == "tool" %}
    longest: int = Field(default=100_000, ge=1, description="Characters that are counted, at most.")
{% endif %}

def read(ctx: Any) -> Settings:  # noqa: ANN401 - hosts bring a class of their own
    """Return the settings, in hermes-agent too; the defaults hold where hermes-sdk is not installed."""
    try:
        from hermes_sdk.plugins.any_host import settings_of
    except ImportError:
        return Settings()
    return settings_of(ctx, Settings)
