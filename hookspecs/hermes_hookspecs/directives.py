"""What an implementation may answer, as typed values. The documented dicts are accepted just as well.

`Block("no")` and ``{"action": "block", "message": "no"}`` mean the same; `to_dict` turns one into the other,
which is also how a directive reaches a host that knows dicts only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _require_text(directive: object, name: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{type(directive).__name__} needs a non-blank {name}, not {value!r}")


@dataclass(frozen=True, slots=True)
class Block:
    """pre_tool_call: the tool does not run and the model sees `message` as the tool's error."""

    message: str

    def __post_init__(self) -> None:
        _require_text(self, "message", self.message)

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"action": "block", "message": self.message}


@dataclass(frozen=True, slots=True)
class Approve:
    """pre_tool_call: ask a person first; refusal, nobody there, or a timeout blocks."""

    message: str = ""
    rule_key: str | None = None
    """What `session` and `always` are remembered under; without it only once and deny are offered."""

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        answer: dict[str, Any] = {"action": "approve"}
        if self.message:
            answer["message"] = self.message
        if self.rule_key is not None:
            answer["rule_key"] = self.rule_key
        return answer


@dataclass(frozen=True, slots=True)
class Modify:
    """pre_tool_call: merge `args` over the tool's arguments, key by key."""

    args: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.args, dict):
            raise TypeError(f"Modify needs a dict of arguments, not {type(self.args).__name__}")

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"action": "modify", "args": self.args}


@dataclass(frozen=True, slots=True)
class AddContext:
    """pre_llm_call: add `context` to the user message of this turn."""

    context: str

    def __post_init__(self) -> None:
        _require_text(self, "context", self.context)

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"context": self.context}


@dataclass(frozen=True, slots=True)
class Skip:
    """pre_gateway_dispatch: drop the message; no reply, no pairing, no authorisation."""

    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"action": "skip", "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Rewrite:
    """pre_gateway_dispatch: replace the text of the message, then go on."""

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"Rewrite needs a str, not {type(self.text).__name__}")

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"action": "rewrite", "text": self.text}


@dataclass(frozen=True, slots=True)
class Allow:
    """pre_gateway_dispatch: dispatch the message normally."""

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"action": "allow"}


@dataclass(frozen=True, slots=True)
class Continue:
    """pre_verify: keep the agent going with `message` as its follow-up."""

    message: str

    def __post_init__(self) -> None:
        _require_text(self, "message", self.message)

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dict form."""
        return {"action": "continue", "message": self.message}


Directive = Block | Approve | Modify | AddContext | Skip | Rewrite | Allow | Continue
"""Any typed answer."""
