"""A callback gets every argument it names and, with ``**kwargs``, all the rest (semantics 4.2). Seed P4 and P5."""

import functools
import os
import subprocess
import sys
import types

import pytest

from hermes_hookspecs import HOOKS, hookimpl
from hermes_sdk.dispatch.policy import PluginPolicy

PAYLOAD = HOOKS["post_tool_call"].sample(
    tool_name="terminal", args={"command": "ls"}, result="ok", session_id="S", duration_ms=7
)
SENT = frozenset(PAYLOAD)
SHARED = object()


def same_payload(given, names):
    return given.keys() == set(names) and all(given[name] is PAYLOAD[name] for name in names)


def named(tool_name, args):
    return locals()


def reordered(result, tool_name, duration_ms, args):
    return locals()


def defaulted(tool_name="", args=None, result=None):
    return locals()


def keyword_only(*, tool_name, result):
    return locals()


def positional_only(tool_name, args, /):
    return locals()


def positional_only_defaulted(tool_name, args=None, /, result=None):
    return locals()


def mixed(tool_name, /, args, *, result, session_id=""):
    return locals()


def nothing():
    return locals()


NAMED = [named, reordered, defaulted, keyword_only, positional_only, positional_only_defaulted, mixed, nothing]


@pytest.mark.parametrize("callback", NAMED, ids=lambda callback: callback.__name__)
def test_a_callback_gets_exactly_what_it_names(manager, plugin, callback):
    plugin("p", post_tool_call=callback)
    (given,) = manager.invoke_hook("post_tool_call", **PAYLOAD)
    assert same_payload(
        given, callback.__code__.co_varnames[: callback.__code__.co_argcount + callback.__code__.co_kwonlyargcount]
    )


def rest(**kwargs):
    return dict(kwargs)


def named_and_rest(tool_name, args=None, **kwargs):
    return {"tool_name": tool_name, "args": args, **kwargs}


def keyword_only_and_rest(*, result, **kwargs):
    return {"result": result, **kwargs}


def positional_only_and_rest(tool_name, /, **kwargs):
    return {"tool_name": tool_name, **kwargs}


def args_and_rest(*args, **kwargs):
    assert args == ()
    return dict(kwargs)


def all_styles(tool_name, /, result, *more, session_id="", **kwargs):
    assert more == ()
    return {"tool_name": tool_name, "result": result, "session_id": session_id, **kwargs}


REST = [rest, named_and_rest, keyword_only_and_rest, positional_only_and_rest, args_and_rest, all_styles]


@pytest.mark.parametrize("callback", REST, ids=lambda callback: callback.__name__)
def test_a_callback_with_kwargs_gets_everything_else_too(manager, plugin, callback):
    """Seed P5."""
    plugin("p", post_tool_call=callback)
    (given,) = manager.invoke_hook("post_tool_call", **PAYLOAD)
    assert same_payload(given, SENT)


@pytest.mark.parametrize("callback", REST, ids=lambda callback: callback.__name__)
def test_arguments_of_a_newer_host_reach_callbacks_with_kwargs(manager, plugin, callback):
    """Seed P5: later versions may add parameters, and such a plugin goes on working."""
    plugin("p", post_tool_call=callback)
    (given,) = manager.invoke_hook("post_tool_call", **PAYLOAD, added_in_2027=SHARED)
    assert given.pop("added_in_2027") is SHARED
    assert same_payload(given, SENT)


@pytest.mark.parametrize("callback", NAMED, ids=lambda callback: callback.__name__)
def test_arguments_of_a_newer_host_do_not_reach_callbacks_that_do_not_name_them(manager, plugin, callback):
    plugin("p", post_tool_call=callback)
    (given,) = manager.invoke_hook("post_tool_call", **PAYLOAD, added_in_2027=SHARED)
    assert "added_in_2027" not in given
    assert not manager.failures


def test_an_argument_of_a_newer_host_reaches_a_callback_that_names_it(manager, plugin):
    def callback(tool_name, added_in_2027=None):
        return added_in_2027

    plugin("p", post_tool_call=callback)
    assert manager.invoke_hook("post_tool_call", **PAYLOAD) == []
    assert manager.invoke_hook("post_tool_call", **PAYLOAD, added_in_2027="new") == ["new"]


def test_a_parameter_called_kwargs_or_args_is_no_trap(manager, plugin):
    def odd(*kwargs, **args):
        return args

    def named_args(args, *tool_name, **kwargs):
        return {"args": args, **kwargs}

    plugin("p", post_tool_call=[odd, named_args])
    first, second = manager.invoke_hook("post_tool_call", **PAYLOAD)
    assert same_payload(first, SENT)
    assert same_payload(second, SENT)


def test_a_gap_among_positional_only_parameters_is_filled_from_its_default(manager, plugin):
    def gap(tool_name, unknown=SHARED, args=None, /, result=None):
        return tool_name, unknown, args, result

    def gap_and_rest(unknown=SHARED, tool_name="", /, **kwargs):
        return unknown, tool_name, sorted(kwargs)

    plugin("p", post_tool_call=[gap, gap_and_rest])
    first, second = manager.invoke_hook("post_tool_call", **PAYLOAD)
    assert first == ("terminal", SHARED, {"command": "ls"}, "ok")
    assert second == (SHARED, "terminal", sorted(SENT - {"tool_name"}))


@pytest.mark.parametrize("timeout", [None, 60.0], ids=["in place", "with a deadline"])
def test_every_kind_of_callable_is_called_by_what_it_takes(manager, plugin, timeout):
    class Object:
        def __call__(self, tool_name, **rest):
            return {"tool_name": tool_name, **rest}

        def method(self, tool_name, result=""):
            return self, tool_name, result

        def everything(self, **kwargs):
            return self, kwargs

        def only_rest(*args, **kwargs):
            return args, kwargs

        @classmethod
        def of_class(cls, tool_name, **rest):
            return cls, tool_name, len(rest)

        @staticmethod
        def static(*, tool_name):
            return tool_name

    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    def narrow(function):
        @functools.wraps(function)
        def wrapper(tool_name):
            return function(tool_name, {})

        return wrapper

    it = Object()
    stored = {}
    expected = [
        (it, lambda got: same_payload(got, SENT)),
        (it.method, lambda got: got == (it, "terminal", "ok")),
        (it.everything, lambda got: got[0] is it and same_payload(got[1], SENT)),
        (it.only_rest, lambda got: got[0] == (it,) and same_payload(got[1], SENT)),
        (it.of_class, lambda got: got == (Object, "terminal", len(SENT) - 1)),
        (it.static, lambda got: got == "terminal"),
        (staticmethod(Object.static), lambda got: got == "terminal"),
        (lambda tool_name: tool_name, lambda got: got == "terminal"),
        (lambda **kwargs: kwargs, lambda got: same_payload(got, SENT)),
        (functools.partial(named, args=1), lambda got: same_payload(got, ("tool_name", "args"))),
        (
            functools.partial(lambda state, tool_name: (state, tool_name), "state"),
            lambda got: got == ("state", "terminal"),
        ),
        (functools.partial(lambda state, **rest: (state, rest), "state"), lambda got: same_payload(got[1], SENT)),
        (functools.partial(it, extra=1), lambda got: got.pop("extra") == 1 and same_payload(got, SENT)),
        (logged(rest), lambda got: same_payload(got, SENT)),
        (narrow(named), lambda got: got == {"tool_name": "terminal", "args": {}}),
        (dict, lambda got: same_payload(got, SENT)),
        (types.SimpleNamespace, lambda got: same_payload(vars(got), SENT)),
        (functools.cache(lambda tool_name: tool_name), lambda got: got == "terminal"),
        (functools.cache(lambda: "once"), lambda got: got == "once"),
        (types.MethodType(named_and_rest, "mine"), lambda got: got == {**PAYLOAD, "tool_name": "mine"}),
        (functools.partial(named_and_rest, "mine"), lambda got: got == {**PAYLOAD, "tool_name": "mine"}),
    ]
    plugin("p", PluginPolicy(timeout=timeout), post_tool_call=[callback for callback, _ in expected])
    plugin("stores", PluginPolicy(timeout=timeout), post_tool_call=stored.update)
    answers = manager.invoke_hook("post_tool_call", **PAYLOAD)
    assert not manager.failures
    assert not manager.degraded
    assert stored["tool_name"] == "terminal"
    assert len(answers) == len(expected)
    if timeout is None:
        wrong = [callback for (callback, check), got in zip(expected, answers, strict=True) if not check(got)]
        assert wrong == []


def test_a_wrapper_that_shows_another_signature_gets_what_its_own_code_takes(manager, plugin):
    import inspect

    def inner(tool_name, removed):
        return tool_name, removed

    @functools.wraps(inner)
    def wrapper(tool_name):
        return inner(tool_name, "added by the wrapper")

    wrapper.__signature__ = inspect.signature(inner)
    plugin("p", post_tool_call=wrapper)
    assert manager.invoke_hook("post_tool_call", **PAYLOAD) == [("terminal", "added by the wrapper")]
    assert not manager.degraded


def test_a_method_that_was_not_bound_is_told_so(manager, plugin):
    class Plugin:
        def callback(self, tool_name):
            return tool_name

    plugin("p", post_tool_call=Plugin.callback)
    assert "'self'" in manager.degraded["p"][0]


def test_a_builtin_that_takes_something_else_is_told_so(manager, plugin):
    plugin("p", post_tool_call=[].append)
    assert "'object'" in manager.degraded["p"][0]


# -- the twin: calling **kwargs callbacks by position ------------------------------------------------------


def test_the_rest_is_a_fresh_dict_for_each_callback(plugin, fire):
    seen = []

    def pops(tool_name, **kwargs):
        kwargs.pop("result")
        kwargs.clear()

    def looks(tool_name, **kwargs):
        seen.append(kwargs.get("result"))

    plugin("a", post_tool_call=[pops, looks])
    plugin("b", post_tool_call=looks)
    for _ in range(2):
        fire("post_tool_call", result="ok")
    assert seen == ["ok"] * 4


def test_closures_globals_defaults_and_super_work_in_a_twin(manager, plugin):
    count = 0
    captured = SHARED

    class Base:
        def where(self):
            return "base"

    class Child(Base):
        def where(self):
            return "child"

        def callback(self, tool_name, **kwargs):
            nonlocal count
            count += 1
            return super().where(), captured, [tool_name for _ in (1,)], kwargs["result"], PAYLOAD is not None

    def cells(tool_name, args=(), *more, result, **kwargs):
        def inner():
            return tool_name, args, more, result, kwargs["session_id"]

        tool_name += "!"
        return inner()

    def names_itself(**kwargs):
        names_itself.calls = getattr(names_itself, "calls", 0) + 1
        return sorted(locals())

    plugin("p", post_tool_call=[Child().callback, cells, names_itself])
    for _ in range(2):
        answers = manager.invoke_hook("post_tool_call", **PAYLOAD)
    assert count == 2
    assert names_itself.calls == 2
    assert answers == [
        ("base", SHARED, ["terminal"], "ok", True),
        ("terminal!", {"command": "ls"}, (), "ok", "S"),
        ["kwargs", "names_itself"],
    ]


def test_a_failure_in_a_twin_shows_the_plugins_own_lines(manager, plugin, fire, logged):
    def fails(tool_name, **kwargs):
        raise ValueError("here")

    plugin("p", post_tool_call=fails)
    fire("post_tool_call")
    (text,) = logged()
    assert f"{__file__}:{fails.__code__.co_firstlineno + 1}" in text
    assert "in fails" in text


_BOTH_WAYS = """
import functools, json, sys
from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.twin import twin

def a(**kw): return sorted(kw)
def b(tool_name, args=None, *more, result, unknown=1, **kw): return [tool_name, args, more, result, unknown, sorted(kw)]
def c(tool_name, /, *, session_id="", **kw):
    def inner(): return tool_name, kw
    return [session_id, sorted(inner()[1])]
class P:
    def m(self, tool_name, **kw): return [tool_name, sorted(kw)]
    def n(*args, **kw): return [len(args), sorted(kw)]
def pops(**kw): return [kw.pop("result"), sorted(kw)]
def fails(**kw): raise ValueError("no")
manager = DispatchManager()
holder = PluginHolder("p")
for hook in ("post_tool_call", "pre_tool_call", "pre_llm_call", "transform_tool_result"):
    for callback in (a, b, c, P().m, P().n, pops, fails):
        holder.add_callback(hook, functools.partial(callback) if "partial" in sys.argv else callback)
manager.register(holder, "p")
print(json.dumps({"twin": twin(a) is not None, "said": [
    [hook, manager.invoke_hook(hook, **HOOKS[hook].sample(**more))]
    for hook in ("post_tool_call", "pre_tool_call", "pre_llm_call", "transform_tool_result")
    for more in ({}, {"new": 1})]}, default=str))
print([failures.count for failures in manager.failures.values()], manager.degraded)
"""


def _run(tmp_path, twins, *arguments):
    script = tmp_path / "both_ways.py"
    script.write_text(_BOTH_WAYS)
    environment = {**os.environ, "HERMES_SDK_TWINS": twins}
    done = subprocess.run(
        [sys.executable, script, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.replace('"twin": true', "").replace('"twin": false', ""), '"twin": true' in done.stdout


def test_twins_can_be_switched_off_and_nothing_changes(tmp_path):
    with_twins, had_twins = _run(tmp_path, "1")
    without, had_none = _run(tmp_path, "0")
    by_keyword, _ = _run(tmp_path, "1", "partial")
    assert (had_twins, had_none) == (True, False)
    assert with_twins == without == by_keyword


def test_a_hookimpl_gets_its_arguments_by_the_same_rule(manager, plugin):
    made = types.ModuleType("made")
    for number, callback in enumerate([*NAMED, *REST]):
        copy = types.FunctionType(
            callback.__code__, globals(), callback.__name__, callback.__defaults__, callback.__closure__
        )
        copy.__kwdefaults__ = callback.__kwdefaults__
        setattr(made, f"impl_{number:02}", hookimpl(specname="post_tool_call")(copy))
    manager.register(made, "made")
    by_marker = manager.invoke_hook("post_tool_call", **PAYLOAD)
    plugin("p", post_tool_call=[*NAMED, *REST])
    manager.unregister(made)
    assert manager.invoke_hook("post_tool_call", **PAYLOAD) == by_marker
    assert [len(given) for given in by_marker] == [2, 4, 3, 2, 2, 3, 4, 0] + [len(SENT)] * len(REST)


def passing_on(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def passing_by_position(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def adding(function):
    @functools.wraps(function)
    def wrapper(self, status, **kwargs):
        return [status, *function(self, **kwargs)]

    return wrapper


def test_a_decorated_hookimpl_gets_what_it_shows_as_in_pluggy(manager):
    """A decorator that hands everything on must not hand on more than the function takes."""

    class Plugin:
        @hookimpl(specname="post_tool_call")
        @passing_on
        def a(self, tool_name):
            return [tool_name]

        @hookimpl(specname="post_tool_call")
        @passing_on
        @passing_on
        def b(self, tool_name, task_id="own"):
            return [tool_name, task_id]

        @hookimpl(specname="post_tool_call")
        @passing_by_position
        def c(self, status, tool_name):
            return [status, tool_name]

        @hookimpl(specname="post_tool_call")
        @adding
        def d(self, tool_name):
            return [tool_name]

        @hookimpl(specname="post_tool_call")
        @passing_on
        def e(self, **kwargs):
            return sorted(kwargs)

    payload = HOOKS["post_tool_call"].sample(tool_name="terminal", task_id="t", status="ok")
    expected = [["terminal"], ["terminal", "t"], ["ok", "terminal"], ["ok", "terminal"], sorted(payload)]
    manager.register(Plugin(), "p")
    assert manager.invoke_hook("post_tool_call", **payload) == expected
    assert manager.invoke_hook("post_tool_call", **payload, future=1) == [*expected[:-1], sorted([*payload, "future"])]
    assert manager.failures == {}
