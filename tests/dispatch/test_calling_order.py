"""The calling order: bands, sources, ranks and names; never the order of registration (semantics 1)."""

import functools
import itertools
import types

import pluggy
import pytest

from hermes_hookspecs import AddContext, hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.policy import SOURCES, PluginPolicy
from hermes_sdk.errors import PluginError


def instance(name, **options):
    """Return a plugin object whose pre_llm_call adds its name."""

    class Plugin:
        @hookimpl(**options)
        def pre_llm_call(self):
            return name

    return Plugin()


def order(manager):
    return [plugin for plugin, _, _ in manager.calling_order("pre_llm_call")]


@pytest.fixture
def pieces(fire):
    """Return a function that says in which order plugins contributed."""
    return lambda: list(fire("pre_llm_call").pieces)


NAMES = ["alpha", "Beta", "gamma"]


@pytest.mark.parametrize("names", list(itertools.permutations(NAMES)))
def test_names_decide_casefolded_whatever_was_registered_first(manager, pieces, names):
    """Seed H3.8: alphabetical by name."""
    for name in names:
        manager.register(instance(name), name)
    assert pieces() == NAMES
    assert order(manager) == NAMES


@pytest.mark.parametrize("names", list(itertools.permutations(["STRASSE", "Straße", "strasse"])))
def test_names_that_fold_to_the_same_are_told_apart_by_themselves(manager, pieces, names):
    for name in names:
        manager.register(instance(name), name)
    assert pieces() == ["STRASSE", "Straße", "strasse"]


def test_bands_come_before_names(manager, pieces):
    for name, options in {
        "a": {"trylast": True},
        "b": {"trylast": True},
        "c": {},
        "d": {},
        "e": {"tryfirst": True},
        "f": {"tryfirst": True},
    }.items():
        manager.register(instance(name, **options), name)
    assert pieces() == ["e", "f", "c", "d", "a", "b"]


@pytest.mark.parametrize("sources", [SOURCES, tuple(reversed(SOURCES)), ("shell", "direct", "entrypoint", "builtin")])
def test_sources_come_before_names(manager, pieces, sources):
    """Seed H1.5: shell entries come behind Python plugins."""
    for number, source in enumerate(sources):
        manager.register(instance(source), f"{number}", policy=PluginPolicy(source=source))
    assert pieces() == [source for source in SOURCES if source in sources]


def test_bands_come_before_sources_and_a_trylast_runs_behind_shell_entries(manager, plugin, pieces):
    """Seed S44: shell entries come behind the Python plugins of their band."""
    plugin("a", PluginPolicy(source="shell"), pre_llm_call=lambda: "shell")
    manager.register(instance("builtin", trylast=True), "b", policy=PluginPolicy(source="builtin"))
    manager.register(instance("entrypoint", tryfirst=True), "c", policy=PluginPolicy(source="entrypoint"))
    manager.register(instance("user"), "d", policy=PluginPolicy(source="user"))
    assert pieces() == ["entrypoint", "user", "shell", "builtin"]


def test_ranks_order_discovered_plugins_across_sources_and_names(manager, plugin, pieces):
    policy = PluginPolicy
    plugin("a", policy(source="builtin", rank=(3,)), pre_llm_call=lambda: "3")
    plugin("b", policy(source="user", rank=(2, "z")), pre_llm_call=lambda: "2 z")
    plugin("c", policy(source="project", rank=(2, "a")), pre_llm_call=lambda: "2 a")
    plugin("d", policy(source="entrypoint", rank=(1,)), pre_llm_call=lambda: "1")
    plugin("0", policy(source="direct"), pre_llm_call=lambda: "direct")
    plugin("00", policy(source="shell", rank=(0,)), pre_llm_call=lambda: "shell")
    manager.register(instance("first", tryfirst=True), "z", policy=policy(source="entrypoint", rank=(9,)))
    assert pieces() == ["first", "1", "2 a", "2 z", "3", "direct", "shell"]


@pytest.mark.parametrize("names", list(itertools.permutations("abc")))
def test_names_decide_between_equal_ranks(plugin, pieces, names):
    for name in names:
        plugin(name, PluginPolicy(source="user", rank=(1,)), pre_llm_call=lambda name=name: name)
    assert pieces() == ["a", "b", "c"]


def test_a_ranked_plugin_stands_before_one_without_a_rank(plugin, pieces):
    plugin("a", pre_llm_call=lambda: "unranked")
    plugin("b", PluginPolicy(rank=("text", 5)), pre_llm_call=lambda: "ranked")
    assert pieces() == ["ranked", "unranked"]


def test_a_change_of_policy_counts_from_the_next_call(manager, plugin, pieces):
    plugin("a", pre_llm_call=lambda: "a")
    plugin("b", pre_llm_call=lambda: "b")
    assert pieces() == ["a", "b"]
    assert manager.policy("b").source == "direct"
    manager.set_policy("b", PluginPolicy(source="user"))
    assert pieces() == ["b", "a"]
    assert manager.policy("b").source == "user"
    assert [source for _, source, _ in manager.calling_order("pre_llm_call")] == ["user", "direct"]


def test_a_hook_that_is_switched_off_is_not_called_and_not_listed(manager, plugin, pieces):
    plugin("a", PluginPolicy(hooks_off=frozenset({"pre_llm_call"})), pre_llm_call=lambda: "a", on_session_end=lambda: 1)
    assert pieces() == []
    assert not manager.has_hook("pre_llm_call")
    assert manager.has_hook("on_session_end")
    assert order(manager) == []


def test_an_unknown_source_is_refused_when_the_policy_is_made():
    with pytest.raises(ValueError, match="builtin, user, project, entrypoint, direct, shell"):
        PluginPolicy(source="pip")


def test_several_callbacks_of_one_plugin_run_in_the_order_they_were_registered(plugin, pieces):
    count = 25
    plugin("a", pre_llm_call=[lambda number=number: str(number) for number in range(count)])
    assert pieces() == [str(number) for number in range(count)]


def test_callbacks_of_one_plugin_stay_together(plugin, pieces):
    plugin("b", pre_llm_call=[lambda: "b1", lambda: "b2"])
    plugin("a", pre_llm_call=[lambda: "a1", lambda: "a2"])
    assert pieces() == ["a1", "a2", "b1", "b2"]


class Mixed:
    @hookimpl(specname="pre_llm_call")
    def zuerst(self):
        return "hookimpl 1"

    @hookimpl(specname="pre_llm_call", trylast=True)
    def anfangs(self):
        return "trylast"

    @hookimpl
    def pre_llm_call(self):
        return "hookimpl 2"

    @hookimpl(specname="pre_llm_call", tryfirst=True)
    def spaet(self):
        return "tryfirst"


@pytest.mark.parametrize("callback_first", [False, True])
def test_hookimpls_of_a_plugin_run_before_its_callbacks(manager, pieces, callback_first):
    holder = PluginHolder("a")
    steps = [lambda: holder.add_hookimpls(Mixed()), lambda: holder.add_callback("pre_llm_call", lambda: "callback")]
    for step in reversed(steps) if callback_first else steps:
        step()
    manager.register(holder, "a")
    assert pieces() == ["tryfirst", "hookimpl 1", "hookimpl 2", "callback", "trylast"]
    assert holder.hooks == ["pre_llm_call"]


def test_hookimpls_of_an_object_run_in_the_order_of_their_definition(manager, pieces):
    manager.register(Mixed(), "a")
    assert pieces() == ["tryfirst", "hookimpl 1", "hookimpl 2", "trylast"]


def test_the_same_function_counts_once(manager, plugin, fire):
    calls = []

    class Plugin:
        @hookimpl(specname="post_tool_call")
        def observe(self):
            calls.append("method")

    def observe(**payload):
        calls.append("function")

    same = Plugin()
    holder = PluginHolder("a")
    holder.add_hookimpls(same)
    assert holder.add_callback("post_tool_call", observe)
    assert not holder.add_callback("post_tool_call", observe)
    assert not holder.add_callback("post_tool_call", same.observe)
    assert holder.add_callback("post_tool_call", Plugin().observe)
    assert holder.add_callback("on_session_end", observe)
    manager.register(holder, "a")
    fire("post_tool_call")
    assert calls == ["method", "function", "method"]
    assert holder.hooks == ["post_tool_call", "on_session_end"]


def test_callbacks_are_told_apart_without_asking_them(plugin, fire):
    class Callback:
        def __eq__(self, other):
            raise RuntimeError("do not compare me")

        __hash__ = None

        def __call__(self, **payload):
            calls.append(self)

    calls = []
    plugin("a", post_tool_call=[Callback(), Callback()])
    fire("post_tool_call")
    assert len(calls) == 2


def test_two_plugins_may_share_a_function(plugin, fire):
    calls = []

    def observe():
        calls.append(1)

    plugin("a", post_tool_call=observe)
    plugin("b", post_tool_call=observe)
    fire("post_tool_call")
    assert len(calls) == 2


def test_one_function_under_two_names_of_an_object_counts_once(manager, pieces):
    class Plugin:
        @hookimpl(specname="pre_llm_call")
        def one(self):
            return "once"

        two = one

        @hookimpl(specname="pre_llm_call")
        def three(self):
            return "other"

    manager.register(Plugin(), "a")
    assert pieces() == ["once", "other"]
    assert len(order(manager)) == 2


def test_decorated_hookimpls_run_in_the_order_of_their_definition_too(manager, pieces):
    def decorated(function):
        @functools.wraps(function)
        def wrapper(self):
            return function(self)

        return wrapper

    class Plugin:
        @hookimpl(specname="pre_llm_call")
        @decorated
        def b(self):
            return "1"

        @hookimpl(specname="pre_llm_call")
        @decorated
        def a(self):
            return "2"

    manager.register(Plugin(), "x")
    holder = PluginHolder("y")
    holder.add_hookimpls(Plugin())
    manager.register(holder, "y")
    assert pieces() == ["1", "2", "1", "2"]


def test_modules_and_nameless_instances_sort_by_their_own_names(manager, pieces):
    """pluggy would name an instance by its address."""

    class Zebra:
        def __init__(self, text):
            self.text = text

        @hookimpl
        def pre_llm_call(self):
            return self.text

    class Ant(Zebra):
        pass

    module = types.ModuleType("monkey")
    module.pre_llm_call = hookimpl(lambda: "monkey")
    for plugin in (Zebra("zebra 1"), module, Zebra("zebra 2"), Ant("ant")):
        manager.register(plugin)
    prefix = "test_modules_and_nameless_instances_sort_by_their_own_names.<locals>."
    assert prefix > "monkey"
    assert pieces() == ["monkey", "ant", "zebra 1", "zebra 2"]


def test_who_was_registered_again_stands_behind_its_equals(manager, pieces):
    class Same:
        def __init__(self, text):
            self.text = text

        @hookimpl
        def pre_llm_call(self):
            return self.text

    plugins = [Same(text) for text in "abcd"]
    for plugin in plugins:
        manager.register(plugin)
    manager.unregister(plugins[0])
    manager.unregister(plugins[2])
    manager.register(plugins[2])
    manager.register(plugins[0])
    assert pieces() == ["b", "d", "c", "a"]


def test_what_pluggy_lists_and_what_is_called_are_the_same_implementations(manager, plugin):
    plugin("b", pre_llm_call=[lambda: "1", lambda: "2"])
    manager.register(instance("a", trylast=True), "a")
    impls = manager.hook.pre_llm_call.get_hookimpls()
    assert sorted(impl.plugin_name for impl in impls) == sorted(order(manager)) == ["a", "b", "b"]


def test_the_order_says_where_each_implementation_is(manager, plugin):
    def callback():
        """Do nothing."""

    plugin("a", PluginPolicy(source="user"), pre_llm_call=callback)
    ((name, source, place),) = manager.calling_order("pre_llm_call")
    assert (name, source) == ("a", "user")
    assert place == f"{__file__}:{callback.__code__.co_firstlineno}"
    assert manager.calling_order("no_such_hook") == []


def test_two_managers_have_orders_of_their_own(plugin, pieces):
    other = DispatchManager()
    other.register(instance("other"), "a")
    plugin("b", pre_llm_call=lambda: "ours")
    assert pieces() == ["ours"]
    assert order(other) == ["a"]
    other.shutdown()


def test_directives_of_pluggys_own_marker_are_ordered_alike(manager, pieces):
    mark = pluggy.HookimplMarker("hermes")

    class First:
        @mark(tryfirst=True)
        def pre_llm_call(self):
            return AddContext("first")

    class Last:
        @mark(trylast=True, specname="pre_llm_call")
        def anything(self):
            return AddContext("last")

    manager.register(Last(), "a")
    manager.register(instance("middle"), "b")
    manager.register(First(), "c")
    assert pieces() == ["first", "middle", "last"]


@pytest.mark.parametrize("held", [False, True])
def test_marks_on_a_staticmethod_or_classmethod_count(manager, fire, held):
    class Plugin:
        @hookimpl(fail_closed=True)
        @staticmethod
        def pre_tool_call(args):
            raise ValueError(args["command"])

        @hookimpl(specname="pre_llm_call", trylast=True)
        @classmethod
        def note(cls):
            return cls.__name__

        @staticmethod
        @hookimpl(specname="pre_llm_call", tryfirst=True)
        def first():
            return "first"

    plugin = Plugin()
    if held:
        holder = PluginHolder("a")
        assert holder.add_hookimpls(plugin) == 3
        plugin = holder
    manager.register(plugin, "a")
    manager.register(instance("middle"), "b")
    assert fire("pre_tool_call", args={"command": "ls"}).blocked_by("a")
    assert fire("pre_llm_call").pieces == ("first", "middle", "Plugin")


def test_looking_for_hookimpls_in_a_module_runs_nothing_of_what_is_in_it(manager, pieces):
    class Lazy:
        """Like a proxy to something that is not there yet."""

        def __getattr__(self, name):
            raise RuntimeError("working outside of a request")

    module = types.ModuleType("plugin_with_a_proxy")
    module.request = Lazy()
    module.pre_llm_call = hookimpl(lambda: "from the module")
    holder = PluginHolder("a")
    assert holder.add_hookimpls(module) == 1
    manager.register(holder, "a")
    manager.register(module, "b")
    assert pieces() == ["from the module", "from the module"]


def test_hookimpls_of_one_name_twice_are_refused():
    holder = PluginHolder("a")
    holder.add_hookimpls(instance("x"))
    with pytest.raises(PluginError, match="'pre_llm_call' twice"):
        holder.add_hookimpls(instance("y"))
