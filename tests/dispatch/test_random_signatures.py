"""Random signatures, compiled from text, get exactly what semantics 4.2 says, whichever way they are called."""

import asyncio
import functools

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.policy import PluginPolicy

HOOK_NAMES = ("post_tool_call", "pre_tool_call", "pre_llm_call", "transform_tool_result", "pre_gateway_dispatch")
UNSENT = ("unsent_a", "unsent_b")
UNTOUCHED = "untouched default"


@st.composite
def signatures(draw):
    """Return (hook, text of the parameters, names, has *args, has **kwargs)."""
    hook = draw(st.sampled_from(HOOK_NAMES))
    sent = [argument.name for argument in HOOKS[hook].arguments]
    names = draw(st.lists(st.sampled_from([*sent, *UNSENT]), unique=True, max_size=6))
    positional = draw(st.integers(0, len(names)))
    positional_only = draw(st.integers(0, positional))
    has_args, has_rest = draw(st.booleans()), draw(st.booleans())
    parts, defaults_began = [], False
    for index, name in enumerate(names):
        optional = name in UNSENT or draw(st.booleans())
        if index < positional:
            defaults_began = optional = optional or defaults_began
        parts.append(f"{name}={UNTOUCHED!r}" if optional else name)
    before, after = parts[:positional], parts[positional:]
    if positional_only:
        before.insert(positional_only, "/")
    if has_args:
        before.append("*args_")
    elif after:
        before.append("*")
    if has_rest:
        after.append("**kwargs_")
    return hook, ", ".join(before + after), names, has_args, has_rest


def compiled(text, names, has_args, has_rest, *, captured):
    """Return a function with these parameters that tells what it got; with cells where `captured`."""
    got = "{" + ", ".join(f"{name!r}: {name}" for name in names) + "}"
    rest = "kwargs_" if has_rest else "{}"
    more = "args_" if has_args else "()"
    if captured:
        body = f"    def inner(): return ({got}, {more}, {rest})\n    told.append(inner())\n"
    else:
        body = f"    told.append(({got}, {more}, {rest}))\n"
    namespace = {"told": []}
    exec(f"def callback({text}):\n{body}", namespace)
    exec(f"async def acallback({text}):\n{body}", namespace)
    return namespace["callback"], namespace["acallback"], namespace["told"]


def forms(callback, acallback):
    """Yield (name, callback) of the ways in which a function can be given as a callback."""

    class Plugin:
        method = callback

        def __call__(self, **everything):
            return callback(**{name: value for name, value in everything.items() if name in accepted})

    accepted = callback.__code__.co_varnames
    yield "function", callback
    yield "partial", functools.partial(callback)
    yield "async", acallback
    yield "static", staticmethod(callback).__func__
    if callback.__code__.co_argcount == 0 and callback.__code__.co_flags & 0x04:  # only *args: it takes the instance
        yield "method", Plugin().method


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(signatures(), st.booleans(), st.booleans())
def test_every_signature_gets_exactly_what_it_names_and_with_kwargs_the_rest(drawn, captured, newer_host):
    hook, text, names, has_args, has_rest = drawn
    callback, acallback, told = compiled(text, names, has_args, has_rest, captured=captured)
    payload = HOOKS[hook].sample()
    extra = {"added_in_2027": "new"} if newer_host else {}
    everything = {**payload, **extra}
    expected = {name: everything.get(name, UNTOUCHED) for name in names}
    rest = {name: value for name, value in everything.items() if name not in names} if has_rest else {}

    manager = DispatchManager()
    kinds = []
    for kind, form in forms(callback, acallback):
        holder = PluginHolder(kind)
        holder.add_callback(hook, form)
        manager.register(holder, kind)
        kinds.append(kind)
    assert not manager.degraded

    def check(how):
        assert not manager.failures, (how, manager.failures)
        assert len(told) == len(kinds), how
        for kind, (values, more, others) in zip(sorted(kinds), told, strict=True):
            assert len(more) == (kind == "method"), (how, kind)
            assert values == expected, (how, kind)
            assert {name: value for name, value in others.items() if name != "self"} == rest, (how, kind)
        told.clear()

    try:
        getattr(manager.hook, hook)(**payload, **extra)
        check("sync")
        asyncio.run(getattr(manager.ahook, hook)(**payload, **extra))
        check("async")
        manager.tracing = True
        manager.invoke_hook(hook, **payload, **extra)
        check("raw, traced")
        for kind in kinds:
            manager.set_policy(kind, PluginPolicy(timeout=60.0))
        getattr(manager.hook, hook)(**payload, **extra)
        check("with a deadline")
    finally:
        manager.shutdown()


@settings(max_examples=100, deadline=None)
@given(signatures())
def test_a_call_without_optional_arguments_fills_the_defaults_of_the_contract(drawn):
    hook, text, names, has_args, has_rest = drawn
    callback, _, told = compiled(text, names, has_args, has_rest, captured=False)
    contract = HOOKS[hook]
    payload = contract.sample()
    required = {argument.name for argument in contract.arguments if argument.required}
    defaults = {argument.name: argument.default for argument in contract.arguments if not argument.required}

    manager = DispatchManager()
    holder = PluginHolder("p")
    holder.add_callback(hook, callback)
    manager.register(holder, "p")
    getattr(manager.hook, hook)(**{name: payload[name] for name in required})
    ((values, _, others),) = told
    given_values = {**defaults, **{name: payload[name] for name in required}}
    given_values |= {alias: given_values[name] for alias, name in contract.aliases.items()}
    assert values == {name: given_values.get(name, UNTOUCHED) for name in names}
    assert others == ({name: given_values[name] for name in given_values if name not in names} if has_rest else {})
