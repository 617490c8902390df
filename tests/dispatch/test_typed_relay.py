"""What type checkers know about `manager.hook` and `manager.ahook` is what the contract says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hermes_sdk.dispatch.relay
from hermes_hookspecs import HOOKS

OUTCOMES = {
    "observer": "Observed",
    "context": "AddedContext",
    "transform": "Transformed",
    "pre_tool_call": "ToolDecision",
    "pre_gateway_dispatch": "DispatchDecision",
    "pre_verify": "VerifyDecision",
}


def typed_hooks(class_name: str) -> dict[str, tuple[str, str]]:
    """Return {hook: (spec, outcome)} as a class of relay.py declares it to type checkers."""
    tree = ast.parse(Path(hermes_sdk.dispatch.relay.__file__).read_text())
    body = next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == class_name)
    return {
        ast.unparse(node.targets[0]): tuple(ast.unparse(argument) for argument in node.value.args)
        for node in ast.walk(body)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    }


@pytest.mark.parametrize("relay", ["SyncRelay", "AsyncRelay"])
def test_each_hook_is_typed_by_its_spec_and_its_outcome(relay):
    expected = {
        name: (f"{contract.family}.{name}", OUTCOMES.get(name) or OUTCOMES[contract.kind])
        for name, contract in HOOKS.items()
    }
    assert typed_hooks(relay) == expected
