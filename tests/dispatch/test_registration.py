"""What can be registered, and what is said about the rest (semantics 4.1, 4.3, 4.5; cases SC4 and LI4)."""

import functools
import gc
import types
import weakref

import pluggy
import pytest

from hermes_hookspecs import HOOKS, hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.errors import PluginError, PluginSignatureError


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


def noting(seen):
    def note(tool_name):
        seen.append(tool_name)

    return note


# -- parameters that are not sent --------------------------------------------------------------------------


def needs_params(tool_name, params):
    return {"tool_name": tool_name, "params": params}


def needs_keyword(tool_name, *, removed_arg):
    return {"tool_name": tool_name, "removed_arg": removed_arg}


def needs_first(removed_arg, /, tool_name=""):
    return {"removed_arg": removed_arg, "tool_name": tool_name}


@pytest.mark.parametrize("callback", [needs_params, needs_keyword, needs_first], ids=lambda callback: callback.__name__)
def test_a_callback_that_requires_what_is_not_sent_is_left_out_and_the_others_run(
    manager, plugin, fire, logged, callback
):
    seen = []
    plugin("p", post_tool_call=[callback, noting(seen)])
    (warning,) = logged()
    for _ in range(3):
        outcome = fire("post_tool_call", tool_name="terminal")
    (message,) = manager.degraded["p"]
    place = f"{__file__}:{callback.__code__.co_firstlineno}"
    unsent = "params" if callback is needs_params else "removed_arg"
    assert f"post_tool_call at {place}: post_tool_call" in message
    assert repr(unsent) in message
    assert message in warning
    assert "'p'" in warning
    assert seen == ["terminal"] * 3
    assert outcome.steps == ()
    assert not manager.failures
    assert logged() == []


def test_the_nearest_argument_is_named(manager, plugin):
    plugin("p", post_tool_call=needs_params, pre_tool_call=lambda tool_nam: None)
    second = manager.degraded["p"][1]
    assert second.endswith("pre_tool_call sends 'tool_name', not 'tool_nam'")


@pytest.mark.parametrize("instance", [False, True], ids=["module", "instance"])
@pytest.mark.parametrize("wrapper", [False, True])
def test_a_hookimpl_that_requires_what_is_not_sent_refuses_its_plugin(manager, fire, instance, wrapper):
    def wraps(tool_name, removed_arg):
        yield

    def observes(tool_name, removed_arg):
        return None

    function = hookimpl(wrapper=True)(wraps) if wrapper else hookimpl(observes)
    bad = types.SimpleNamespace(post_tool_call=function) if instance else module("bad", post_tool_call=function)
    with pytest.raises(PluginSignatureError, match="'removed_arg'") as raised:
        manager.register(bad, "bad")
    error = raised.value
    assert isinstance(error, pluggy.PluginValidationError)
    assert error.plugin is bad
    assert "plugin 'bad' cannot implement 'post_tool_call'" in str(error)
    assert f"(tool_name, removed_arg) at {__file__}:" in str(error)
    assert not manager.has_plugin("bad")
    assert not manager.has_hook("post_tool_call")
    manager.register(module("good", post_tool_call=hookimpl(lambda tool_name: None)), "bad")  # the name is free
    fire("post_tool_call")


@pytest.mark.parametrize("order", [("bad", "good"), ("good", "bad")])
def test_sc4_one_plugin_that_is_refused_leaves_the_others_working(manager, fire, order):
    seen = []

    @hookimpl
    def post_tool_call(tool_name, removed_arg):
        raise AssertionError("is refused")

    plugins = {
        "bad": module("bad", post_tool_call=post_tool_call),
        "good": module("good", post_tool_call=hookimpl(noting(seen))),
    }
    for name in order:
        if name == "bad":
            with pytest.raises(PluginSignatureError, match=r"'bad'.*post_tool_call.*'removed_arg'"):
                manager.register(plugins[name], name)
        else:
            manager.register(plugins[name], name)
    fire("post_tool_call", tool_name="terminal")
    assert seen == ["terminal"]


def test_sc4_a_plugin_with_both_is_refused_for_the_hookimpl_and_degraded_for_the_callback(manager):
    @hookimpl
    def post_tool_call(tool_name):
        return None

    holder = PluginHolder("both")
    holder.add_hookimpls(module("both", post_tool_call=post_tool_call))
    holder.add_callback("post_tool_call", needs_params)
    manager.register(holder, "both")
    assert len(manager.degraded["both"]) == 1


def test_defaulted_parameters_that_the_hook_does_not_send_are_no_problem(manager, plugin, fire):
    seen = []

    def callback(tool_name, extra=1, *, more=2):
        seen.append((tool_name, extra, more))

    plugin("p", post_tool_call=callback)
    manager.register(module("q", post_tool_call=hookimpl(callback)), "q")
    fire("post_tool_call", tool_name="t")
    assert seen == [("t", 1, 2)] * 2
    assert not manager.degraded


def test_a_degraded_plugin_that_is_unregistered_is_degraded_no_more(manager, plugin):
    plugin("p", post_tool_call=needs_params)
    manager.unregister(name="p")
    assert not manager.degraded


# -- generators --------------------------------------------------------------------------------------------


def generator(**_):
    yield


async def async_generator(**_):
    yield


class GeneratorObject:
    def __call__(self, **_):
        yield


@pytest.mark.parametrize(
    "callback",
    [
        generator,
        async_generator,
        functools.partial(generator, x=1),
        GeneratorObject(),
        functools.partial(GeneratorObject()),
    ],
)
def test_a_generator_would_run_nothing_and_is_reported(manager, plugin, fire, callback):
    plugin("p", post_tool_call=callback)
    assert "generator" in manager.degraded["p"][0]
    assert fire("post_tool_call").steps == ()


def test_a_hookimpl_that_is_a_generator_but_no_wrapper_is_refused(manager):
    with pytest.raises(PluginSignatureError, match="generator"):
        manager.register(module("g", post_tool_call=hookimpl(generator)), "g")


def test_a_wrapper_is_a_generator_and_is_not_reported(manager, logged):
    @hookimpl(wrapper=True)
    def post_tool_call(tool_name):
        return (yield)

    holder = PluginHolder("w")
    holder.add_hookimpls(module("w", post_tool_call=post_tool_call))
    manager.register(holder, "w")
    assert not manager.degraded
    assert logged() == []


# -- unknown hooks -----------------------------------------------------------------------------------------


def test_an_unknown_hook_is_kept_warned_about_with_the_nearest_and_fired_by_name(manager, plugin, logged):
    plugin("newer", post_toolcall=lambda **given: given)
    (warning,) = logged()
    assert "'newer'" in warning
    assert "'post_toolcall'" in warning
    assert "did you mean 'post_tool_call'?" in warning
    assert manager.hook.post_toolcall(a=1) == [{"a": 1}]
    assert manager.invoke_hook("post_toolcall", b=2) == [{"b": 2}]


def test_a_hookimpl_for_an_unknown_hook_is_warned_about_unless_it_is_optional(manager, logged):
    manager.register(module("a", something_new=hookimpl(optionalhook=True)(lambda: None)), "a")
    assert logged() == []
    manager.register(module("b", pre_toolcall=hookimpl(lambda: None)), "b")
    (warning,) = logged()
    assert "did you mean 'pre_tool_call'?" in warning


def test_a_hookimpl_is_known_by_its_spec_not_by_its_function(manager, logged):
    @hookimpl(specname="pre_tool_call")
    def guard(tool_name):
        return None

    holder = PluginHolder("p")
    holder.add_hookimpls(module("p", guard=guard))
    manager.register(holder, "p")
    assert holder.hooks == ["pre_tool_call"]
    assert holder.callbacks() == [("pre_tool_call", guard)]
    assert logged() == []


# -- what a plugin may be (LI4) ----------------------------------------------------------------------------


class Expensive:
    reads = 0

    @property
    def db(self):
        type(self).reads += 1
        raise RuntimeError("connected too early")

    @functools.cached_property
    def cached(self):
        type(self).reads += 1
        raise RuntimeError("computed too early")

    def __getattr__(self, name):
        type(self).reads += not name.startswith("__")
        raise AttributeError(name)

    @hookimpl
    def post_tool_call(self, tool_name):
        self.__dict__.setdefault("seen", []).append(tool_name)


@pytest.mark.parametrize("held", [False, True])
def test_li4_registering_an_instance_evaluates_no_property(manager, fire, held):
    plugin = Expensive()
    Expensive.reads = 0
    if held:
        holder = PluginHolder("p")
        holder.add_hookimpls(plugin)
        manager.register(holder, "p")
    else:
        manager.register(plugin, "p")
    fire("post_tool_call", tool_name="t")
    assert plugin.seen == ["t"]
    assert Expensive.reads == 0


def test_li4_a_class_is_refused_with_the_way_out(manager):
    for register in (manager.register, PluginHolder("p").add_hookimpls):
        with pytest.raises(PluginError, match=r"'Expensive' is a class.*pass an instance: Expensive\(\)"):
            register(Expensive)
    assert not manager.has_hook("post_tool_call")


def test_li4_a_hookimpl_that_is_assigned_in_init_works(manager, fire):
    seen = []

    class Plugin:
        def __init__(self):
            self.post_tool_call = hookimpl(noting(seen))
            self.greets = self._greet

        @hookimpl(specname="on_session_start")
        def _greet(self, session_id):
            seen.append((self, session_id))

    plugin = Plugin()
    manager.register(plugin, "p")
    fire("post_tool_call", tool_name="t")
    assert seen == ["t"]
    fire("on_session_start", session_id="S")
    assert seen[1:] == [(plugin, "S")]  # the same function twice counts once


def test_static_class_and_inherited_methods_are_implementations(manager, fire):
    seen = []

    class Base:
        @hookimpl
        def post_tool_call(self, tool_name):
            seen.append(("inherited", tool_name))

    class Plugin(Base):
        @staticmethod
        @hookimpl
        def on_session_start(session_id):
            seen.append(("static", session_id))

        @classmethod
        @hookimpl
        def on_session_end(cls, session_id):
            seen.append((cls.__name__, session_id))

    manager.register(Plugin(), "p")
    fire("post_tool_call", tool_name="t")
    fire("on_session_start", session_id="S")
    fire("on_session_end", session_id="S")
    assert seen == [("inherited", "t"), ("static", "S"), ("Plugin", "S")]


def test_a_module_or_instance_works_without_ctx_and_a_plain_pluggy_marker_too(manager, fire):
    seen = []
    marker = pluggy.HookimplMarker("hermes")

    @marker
    def post_tool_call(tool_name):
        seen.append(tool_name)

    manager.register(module("plain", post_tool_call=post_tool_call))
    fire("post_tool_call", tool_name="t")
    assert seen == ["t"]


def test_one_callback_is_one_pluggy_implementation(manager, plugin):
    first, second = lambda **_: None, lambda **_: None
    plugin("p", post_tool_call=[first, second, first])
    impls = manager.hook.post_tool_call.get_hookimpls()
    assert [impl.plugin_name for impl in impls] == ["p", "p"]
    assert manager.is_registered(manager.get_plugin("p"))
    assert [caller.name for caller in manager.get_hookcallers(manager.get_plugin("p"))] == ["post_tool_call"]


@pytest.mark.parametrize("odd", ["circular wraps", "lying attributes", "odd class"])
def test_a_callable_that_is_odd_to_look_at_registers_and_runs(manager, plugin, fire, odd):
    seen = []

    class Odd:
        def __call__(self, **given):
            seen.append(given["tool_name"])

        def __getattr__(self, name):
            return self

        def __repr__(self):
            raise RuntimeError("no repr")

        def __eq__(self, other):
            raise RuntimeError("compared")

        __hash__ = None

    def circular(**given):
        seen.append(given["tool_name"])

    circular.__wrapped__ = circular
    callback = circular if odd == "circular wraps" else Odd()
    if odd == "odd class":
        callback = functools.partial(callback, secret="not to be shown")
    plugin("p", post_tool_call=callback)
    fire("post_tool_call", tool_name="t")
    assert seen == ["t"]
    assert "secret" not in str(manager.calling_order("post_tool_call"))


def test_equal_callbacks_that_are_not_the_same_both_run(plugin, fire):
    seen = []

    class Equal:
        def __init__(self, name):
            self.name = name

        def __call__(self, **_):
            seen.append(self.name)

        def __eq__(self, other):
            return True

        __hash__ = None

    plugin("p", post_tool_call=[Equal("a"), Equal("b")])
    fire("post_tool_call")
    assert seen == ["a", "b"]


def test_a_bound_method_given_twice_runs_once(plugin, fire):
    seen = []

    class Plugin:
        def callback(self, **_):
            seen.append(self)

    one, other = Plugin(), Plugin()
    plugin("p", post_tool_call=[one.callback, one.callback, other.callback])
    fire("post_tool_call")
    assert seen == [one, other]


def test_coming_and_going_plugins_leave_nothing_behind(manager, fire):
    def one_round():
        class Plugin:
            @hookimpl
            def post_tool_call(self, tool_name):
                return None

        plugin = Plugin()
        name = manager.register(plugin)
        fire("post_tool_call")
        manager.unregister(name=name)
        return weakref.ref(plugin)

    alive = [one_round() for _ in range(20)]
    gc.collect()
    assert [each for each in alive if each() is not None] == []
    assert manager._dispatcher.policies == {}
    assert manager._dispatcher._labels == {}


def test_every_hook_of_the_contract_can_be_implemented_by_name_and_by_everything():
    manager = DispatchManager()
    for hook, contract in HOOKS.items():
        names = ", ".join(argument.name for argument in contract.arguments)
        namespace = {}
        exec(f"def {hook}({names}): pass", namespace)
        manager.register(module(f"m_{hook}", **{hook: hookimpl(namespace[hook])}), f"m_{hook}")
        holder = PluginHolder(f"c_{hook}")
        holder.add_callback(hook, lambda **_: None)
        manager.register(holder, f"c_{hook}")
    assert not manager.degraded
    for hook, contract in HOOKS.items():
        getattr(manager.hook, hook)(**contract.sample())
    assert not manager.failures
