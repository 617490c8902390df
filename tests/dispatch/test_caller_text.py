"""The generated callers: their text holds names of the contract, so nothing of its own may be called like one."""

import types

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.plan import kind_of
from hermes_sdk.dispatch.source import CallerShape, CallShape, Mode, caller_code, caller_text


def _own_names(hook, mode):
    """Return the variables of a caller that are not arguments of its hook."""
    contract = HOOKS[hook]
    names = tuple(argument.name for argument in contract.arguments)
    calls = (
        CallShape("positional", names[:1]),
        CallShape("twin", names[:1], takes_args=True),
        CallShape("keyword", names, awaited=mode.asynchronous),
    )
    shape = CallerShape(
        hook,
        kind_of(contract),
        names,
        required=tuple(argument.name for argument in contract.arguments if argument.required),
        aliases=tuple(contract.aliases.items()),
        value=contract.value or "",
        calls=calls,
        mode=mode,
    )
    code, _ = caller_code(shape)
    (caller,) = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    assert set(caller.co_varnames[: caller.co_kwonlyargcount]) == set(names)
    return set(caller.co_varnames[caller.co_kwonlyargcount :])


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    "mode",
    [Mode(), Mode(asynchronous=True), Mode(raw=True, traced=True), Mode(wide=True, entry=False)],
    ids=["plain", "async", "raw traced", "wide"],
)
def test_no_variable_of_a_caller_is_named_like_an_argument_of_any_hook(hook, mode):
    arguments = {argument.name for contract in HOOKS.values() for argument in contract.arguments}
    assert _own_names(hook, mode) & arguments == set()


def test_the_text_is_made_in_one_pass_over_the_implementations():
    """A hook with a thousand implementations is worked out in a moment: every look at all of them is one too many."""

    class Counted(tuple):
        """Calls that count how often somebody goes through them."""

        __slots__ = ()
        passes = 0

        def __iter__(self):
            Counted.passes += 1
            return super().__iter__()

    names = tuple(argument.name for argument in HOOKS["pre_tool_call"].arguments)
    passes = []
    for count in (10, 100):
        Counted.passes = 0
        calls = Counted(CallShape("twin", names[:2]) for _ in range(count))
        caller_text(CallerShape("pre_tool_call", "tool", names, calls=calls))
        passes.append(Counted.passes)
    assert passes[0] == passes[1]
