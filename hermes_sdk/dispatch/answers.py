"""Reading what an implementation returned: typed directives and the documented dicts mean the same.

Each reader gives `(directive, problem)`: a directive, nothing (no opinion), or the reason why an answer that was
meant as one cannot be used, with a colon before what varies from call to call. Whoever returns something unrelated, as
observers do, has no opinion (seed H1.6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from hermes_hookspecs.directives import (
    AddContext,
    Allow,
    Approve,
    Block,
    Continue,
    Directive,
    Modify,
    Rewrite,
    Skip,
)

_WORD: Final = re.compile(r"[A-Za-z_]{1,20}")

Reading = tuple[Directive | None, str]
"""A directive or None, and what is wrong with the answer (empty when nothing is)."""

Reader = Callable[[Any], Reading]

_NONE: Final[Reading] = (None, "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _problem(action: str, key: str, value: object) -> Reading:
    found = "a blank one" if isinstance(value, str) else "none" if value is None else type(value).__name__
    return None, f"{action!r} needs a non-blank str as {key!r}: found {found}"


def _unknown(action: object, known: str) -> Reading:
    # a word is shown, since it may be misspelt; anything else may be a value of the payload
    found = repr(action) if isinstance(action, str) and _WORD.fullmatch(action) else type(action).__name__
    return None, f"unknown action: {found}, {known}"


def read_tool_directive(answer: Any) -> Reading:
    """Read an answer to pre_tool_call."""
    if isinstance(answer, Block | Approve | Modify):
        return answer, ""
    if not isinstance(answer, Mapping) or "action" not in answer:
        return _NONE
    action = answer["action"]
    if action == "block":
        message = _text(answer.get("message"))
        return (Block(message), "") if message else _problem("block", "message", answer.get("message"))
    if action == "approve":
        rule_key = _text(answer.get("rule_key"))
        return Approve(_text(answer.get("message")) or "", rule_key.strip() if rule_key else None), ""
    if action == "modify":
        args = answer.get("args")
        if isinstance(args, dict):
            return Modify(args), ""
        return None, f"'modify' needs a dict as 'args': found {type(args).__name__}"
    return _unknown(action, "pre_tool_call knows block, approve and modify")


def read_dispatch_directive(answer: Any) -> Reading:
    """Read an answer to pre_gateway_dispatch."""
    if isinstance(answer, Skip | Rewrite | Allow):
        return answer, ""
    if not isinstance(answer, Mapping) or "action" not in answer:
        return _NONE
    action = answer["action"]
    if action == "skip":
        return Skip(_text(answer.get("reason")) or ""), ""
    if action == "rewrite":
        text = answer.get("text")
        if isinstance(text, str):
            return Rewrite(text), ""
        return None, f"'rewrite' needs a str as 'text': found {type(text).__name__}"
    if action == "allow":
        return Allow(), ""
    return _unknown(action, "pre_gateway_dispatch knows skip, rewrite and allow")


def read_verify_directive(answer: Any) -> Reading:
    """Read an answer to pre_verify.

    Claude Code's ``{"decision": "block", "reason"}`` says the same as continue, and words and keys may be mixed, as
    hermes-agent lets them be: plugins are written against what it accepts.
    """
    if isinstance(answer, Continue):
        return answer, ""
    if not isinstance(answer, Mapping):
        return _NONE
    said = answer.get("action") or answer.get("decision")
    if not isinstance(said, str) or said.strip().lower() not in {"continue", "block"}:
        return _unknown(answer["action"], "pre_verify knows continue") if answer.get("action") else _NONE
    message = answer.get("message") or answer.get("reason")
    text = _text(message)
    return (Continue(text.strip()), "") if text else _problem("continue", "message", message)


def read_context(answer: Any) -> Reading:
    """Read an answer to a context hook: a non-blank str, or a dict with one as ``context``."""
    if isinstance(answer, AddContext):
        return answer, ""
    if isinstance(answer, Mapping):
        answer = answer.get("context")
    text = _text(answer)
    return (AddContext(text), "") if text else _NONE
