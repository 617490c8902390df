"""Typed answers: what they refuse, and the dicts that they stand for."""

import dataclasses
import typing

import pytest

from hermes_hookspecs import (
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

FORMS = [
    (Block("no"), {"action": "block", "message": "no"}),
    (Approve(), {"action": "approve"}),
    (Approve("why", "rm_rf"), {"action": "approve", "message": "why", "rule_key": "rm_rf"}),
    (Modify({"command": "ls"}), {"action": "modify", "args": {"command": "ls"}}),
    (AddContext("a note"), {"context": "a note"}),
    (Skip(), {"action": "skip", "reason": ""}),
    (Skip("not addressed"), {"action": "skip", "reason": "not addressed"}),
    (Rewrite("hello"), {"action": "rewrite", "text": "hello"}),
    (Rewrite(""), {"action": "rewrite", "text": ""}),
    (Allow(), {"action": "allow"}),
    (Continue("add a test"), {"action": "continue", "message": "add a test"}),
]
TYPES = {
    "block": Block,
    "approve": Approve,
    "modify": Modify,
    "skip": Skip,
    "rewrite": Rewrite,
    "allow": Allow,
    "continue": Continue,
    None: AddContext,
}


@pytest.mark.parametrize(("directive", "documented"), FORMS)
def test_a_directive_and_its_documented_dict_say_the_same(directive, documented):
    assert directive.to_dict() == documented
    fields = {name: value for name, value in documented.items() if name != "action"}
    assert TYPES[documented.get("action")](**fields) == directive


@pytest.mark.parametrize("directive", [Block, AddContext, Continue])
@pytest.mark.parametrize("text", ["", "  \n", None, 0, b"bytes", ["list"]])
def test_a_directive_refuses_to_be_made_without_its_text(directive, text):
    with pytest.raises(ValueError, match=f"^{directive.__name__} needs a non-blank"):
        directive(text)


@pytest.mark.parametrize("args", [None, [], "command"])
def test_modify_wants_a_dict(args):
    with pytest.raises(TypeError, match="Modify needs a dict of arguments, not"):
        Modify(args)


@pytest.mark.parametrize("text", [None, 3, {"text": "x"}])
def test_rewrite_wants_a_str(text):
    with pytest.raises(TypeError, match="Rewrite needs a str, not"):
        Rewrite(text)


def test_every_directive_is_a_frozen_slotted_dataclass():
    kinds = typing.get_args(Directive)
    assert set(kinds) == set(TYPES.values())
    for kind in kinds:
        assert dataclasses.is_dataclass(kind)
        assert not hasattr(kind, "__dict__") or "__slots__" in vars(kind)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Block("no").message = "yes"
