"""JSON Schema (draft 2020-12) of what a script may answer: every form that is understood, with examples.

An answer that fits says what its author means. Other answers are read as far as they go (answer.py), and unknown
members are ignored. No output at all is "no opinion" on every event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.schema import DRAFT, Schema, contract_of

if TYPE_CHECKING:
    from hermes_hookspecs.contract import HookContract

_TEXT: Final[Schema] = {"type": "string"}
_SAID: Final[Schema] = {"type": "string", "pattern": r"\S"}
"""Text that is not blank."""
_REPLACED: Final = "These are the arguments now, instead of the model's."

_TOOL_CALL: Final[Schema] = {
    "properties": {
        "action": {"enum": ["block", "deny", "approve", "ask", "modify", "allow"]},
        "message": _TEXT,
        "rule_key": {"type": "string", "description": "What a person's `session` and `always` are remembered under."},
        "args": {"type": "object", "description": "For modify: merged over the arguments, key by key."},
        "tool_input": {"type": "object", "description": "The same as args."},
        "decision": {
            "enum": ["block", "deny", "ask", "approve", "allow"],
            "description": "Claude Code's word; approve and allow are no opinion.",
        },
        "reason": _TEXT,
        "updatedInput": {"type": "object", "description": _REPLACED},
        "hookSpecificOutput": {
            "type": "object",
            "properties": {
                "permissionDecision": {"enum": ["allow", "deny", "ask"], "description": "allow is no opinion."},
                "permissionDecisionReason": _TEXT,
                "updatedInput": {"type": "object", "description": _REPLACED},
            },
        },
    },
    "if": {"properties": {"action": {"const": "modify"}}, "required": ["action"]},
    "then": {"anyOf": [{"required": ["args"]}, {"required": ["tool_input"]}]},
    "examples": [
        {},
        {"action": "block", "message": "not like that"},
        {"decision": "block", "reason": "not like that"},
        {"action": "approve", "message": "it deletes files", "rule_key": "deletes"},
        {"action": "modify", "args": {"timeout": 30}},
        {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not like that"}},
        {"hookSpecificOutput": {"permissionDecision": "ask"}},
        {"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "ls"}}},
    ],
}

_CONTEXT: Final[Schema] = {
    "properties": {
        "context": _SAID,
        "additionalContext": _SAID,
        "hookSpecificOutput": {"type": "object", "properties": {"additionalContext": _SAID}},
    },
    "examples": [
        {},
        {"context": "today is Friday"},
        {"hookSpecificOutput": {"additionalContext": "today is Friday"}},
    ],
}

_VERIFY: Final[Schema] = {
    "properties": {
        "action": {"enum": ["continue"]},
        "decision": {"enum": ["block"]},
        "message": _SAID,
        "reason": _SAID,
    },
    "if": {"anyOf": [{"required": ["action"]}, {"required": ["decision"]}]},
    "then": {"anyOf": [{"required": ["message"]}, {"required": ["reason"]}]},
    "examples": [
        {},
        {"action": "continue", "message": "run the tests first"},
        {"decision": "block", "reason": "run the tests first"},
    ],
}

_DISPATCH: Final[Schema] = {
    "properties": {"action": {"enum": ["skip", "rewrite", "allow"]}, "reason": _TEXT, "text": _TEXT},
    "if": {"properties": {"action": {"const": "rewrite"}}, "required": ["action"]},
    "then": {"required": ["text"]},
    "examples": [
        {},
        {"action": "skip", "reason": "an advertisement"},
        {"action": "rewrite", "text": "is the build green?"},
        {"action": "allow"},
    ],
}

_FORMS: Final[dict[str, Schema]] = {
    "pre_tool_call": _TOOL_CALL,
    "pre_llm_call": _CONTEXT,
    "pre_verify": _VERIFY,
    "pre_gateway_dispatch": _DISPATCH,
}


def answer_schema(event: str) -> Schema:
    """Return the schema of what a script may print on its standard output.

    Raises:
        ConfigError: There is no such event.
    """
    contract = contract_of(event)
    form = _FORMS.get(event) or _form_of_kind(contract)
    return {"$schema": DRAFT, "title": f"answer to {event}", "type": "object", **form}


def _form_of_kind(contract: HookContract) -> dict[str, Any]:
    if contract.value is None:
        return {"description": "Ignored: this event takes no answer.", "examples": [{}]}
    names = dict.fromkeys(("output", "result", contract.value))
    return {
        "description": f"The first of these that is there replaces {contract.value}.",
        "properties": dict.fromkeys(names, _TEXT),
        "examples": [{}, *({name: "[masked]"} for name in names)],
    }
