"""JSON Schema (draft 2020-12) of what a script reads, made from the contract (semantics 8.1).

A newer host may send more, so the schema is open; `required` lists what is always there.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS
from hermes_sdk.errors import ConfigError, did_you_mean
from hermes_sdk.shell_hooks.payload import payload_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_hookspecs.contract import HookContract

Schema = dict[str, Any]
"""A JSON Schema; its values are of any JSON type."""

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

_TYPES: Final[Mapping[str, Schema]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "dict": {"type": "object"},
    "Any": {},
    # live objects of the host, which no script can be given
    "GatewayRunner": {"type": "null"},
    "SessionStore": {"type": "null"},
}

_TEXT_OR_NUMBER: Final = {"type": ["string", "integer", "null"]}
_MESSAGE: Final[Mapping[str, Schema]] = {
    "text": {"type": "string"},
    "message_id": _TEXT_OR_NUMBER,
    "internal": {"type": ["boolean", "null"]},
}


def contract_of(event: str) -> HookContract:
    """Return the contract of a hook.

    Raises:
        ConfigError: There is no such hook.
    """
    contract = HOOKS.get(event)
    if contract is None:
        fix = did_you_mean(event, HOOKS) or f"known are {', '.join(HOOKS)}"
        raise ConfigError(f"there is no event {event!r}", fix=fix, code="HS122")
    return contract


def payload_schema(event: str) -> Schema:
    """Return the schema of what a script of the dialect `hermes` reads on its standard input.

    Raises:
        ConfigError: There is no such event.
    """
    contract = contract_of(event)
    sample = payload_of(event, contract.sample(), "")
    types = {argument.name: argument.annotation for argument in contract.arguments}
    extra = {name: _argument(types[name], value) for name, value in sample["extra"].items()}
    has_tool = sample["tool_name"] is not None
    return {
        "$schema": DRAFT,
        "title": f"payload of {event}",
        "type": "object",
        "properties": {
            "hook_event_name": {"const": event},
            "tool_name": {"type": "string" if has_tool else "null"},
            "tool_input": {"type": "null" if sample["tool_input"] is None else "object"},
            "session_id": {"type": "string", "description": "Empty where the event has no session."},
            "cwd": {"type": "string", "description": "The session's working directory; the script runs there."},
            "extra": {"type": "object", "properties": extra, "required": list(extra)},
            "id": {"type": "integer", "description": "With mode: serve only; the answer carries it back."},
        },
        "required": list(sample),
    }


def _argument(annotation: str, sample: Any) -> Schema:
    """Return the schema of an argument by its annotation; a message by what is sent of it."""
    if annotation != "MessageEvent":
        return _of(ast.parse(annotation, mode="eval").body)
    source = {"type": "object", "properties": dict.fromkeys(sample["source"], _TEXT_OR_NUMBER)}
    return {
        "type": "object",
        "properties": {**_MESSAGE, "source": source | {"required": list(sample["source"])}},
        "required": list(sample),
    }


def _of(node: ast.expr) -> Schema:
    match node:
        case ast.BinOp(left=left, right=right):
            return _either(_of(left), _of(right))
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=members)):
            return {"enum": [ast.literal_eval(member) for member in members]}
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return {"type": "array", "items": _of(item)}
        case ast.Subscript(value=ast.Name(id=name)) | ast.Name(id=name):
            return dict(_TYPES[name])
        case _:
            return dict(_TYPES[ast.unparse(node)])


def _either(left: Schema, right: Schema) -> Schema:
    return {"anyOf": [*left.get("anyOf", [left]), right]}
