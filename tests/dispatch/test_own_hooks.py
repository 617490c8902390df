"""Hooks outside of the contract: without a spec, and with one that the host adds itself."""

import asyncio
import logging

import pluggy
import pytest

from hermes_hookspecs import hookimpl, hookspec

spec = pluggy.HookspecMarker("hermes")


class Specs:
    @spec
    def collect(self, what, numbers=[], limit=5):  # noqa: B006 - made anew for each call
        """Give every answer."""

    @spec(firstresult=True)
    def find(self, name, fallback=None):
        """Give the first answer."""

    @spec(historic=True)
    def configured(self, config, extra="x"):
        """Give nothing; replayed to those that come later."""


@pytest.fixture
def own(manager):
    manager.add_hookspecs(Specs)
    return manager


@pytest.fixture(params=["sync", "async", "raw"])
def start(request, manager):
    """Return a function that calls a hook, in each of the ways that there are."""

    def start(hook, /, **values):
        if request.param == "raw":
            return manager.invoke_hook(hook, **values)
        if request.param == "sync":
            return getattr(manager.hook, hook)(**values)

        async def call():
            return await getattr(manager.ahook, hook)(**values)

        return asyncio.run(call())

    start.raw = request.param == "raw"
    return start


def test_a_hook_without_a_spec_gives_the_list_of_answers_in_calling_order(manager, plugin, start):
    plugin("b", greet=lambda who: f"hello {who} from b")
    plugin("a", greet=[lambda **rest: rest, lambda who: None, lambda: 0])
    assert start("greet", who="you") == [{"who": "you"}, 0, "hello you from b"]


def test_nobody_there_gives_an_empty_list(manager, plugin, start):
    if start.raw:
        assert start("greet", who="you") == []
    plugin("a", greet=lambda: None)
    assert start("greet", who="you") == []
    manager.unregister(name="a")
    assert start("greet", who="you") == []


def test_pluggy_knows_no_hook_that_nobody_implements(manager):
    with pytest.raises(AttributeError, match="never_heard_of"):
        manager.hook.never_heard_of(x=1)
    assert not manager.has_hook("never_heard_of")
    assert asyncio.run(_awaits(manager.ahook.never_heard_of)) == []


async def _awaits(hook):
    return await hook(x=1)


def test_an_unknown_hook_is_kept_and_warned_about_with_the_nearest_name(manager, plugin, logged):
    plugin("a", pre_tool_cal=lambda: "called")
    (warning,) = logged(logging.WARNING)
    assert "'pre_tool_cal'" in warning
    assert "'pre_tool_call'" in warning
    assert manager.hook.pre_tool_cal() == ["called"]
    manager.check_pending()


def test_failures_are_contained_there_too(manager, plugin, start):
    plugin("a", greet=[lambda: 1 / 0, lambda who: "fine"])
    plugin("b", greet=lambda wrong: wrong)
    assert start("greet", who="you") == ["fine"]
    assert {name: failures.count for name, failures in manager.failures.items()} == {"a": 1, "b": 1}


async def _answers_later(**_):
    await asyncio.sleep(0)
    return "later"


def test_awaitables_are_awaited_there_too(plugin, start):
    plugin("a", greet=[_answers_later, lambda who, **rest: _answers_later(**rest)])
    assert start("greet", who="you") == ["later", "later"]


def test_a_spec_of_the_host_gives_every_answer(own, plugin, start):
    plugin("a", collect=[lambda what: what, lambda **rest: rest, lambda: None])
    assert start("collect", what="x") == ["x", {"what": "x", "numbers": [], "limit": 5}]


def test_defaults_of_its_spec_are_filled_in_anew_for_each_call(own, plugin, start):
    plugin("a", collect=lambda numbers, limit: numbers.append(limit) or list(numbers))
    assert start("collect", what="x") == [[5]]
    assert start("collect", what="x", limit=6) == [[6]]
    given = [1]
    assert start("collect", what="x", numbers=given) == [[1, 5]]


def test_what_its_host_leaves_out_is_none_and_reported_once(own, plugin, start, logged):
    plugin("a", collect=lambda what: [what])
    for _ in range(2):
        assert start("collect") == [[None]]
    (warning,) = logged(logging.WARNING)
    assert "collect" in warning
    assert "'what'" in warning


def test_further_arguments_reach_those_who_take_them(own, plugin, start):
    plugin("a", collect=[lambda mood=None: mood, lambda **rest: rest["mood"], lambda what: what])
    assert start("collect", what="x", mood="good") == ["good", "good", "x"]


def test_a_callback_that_its_spec_cannot_serve_is_degraded(own, plugin, start, logged):
    plugin("a", collect=[lambda wath: wath, lambda what: what])
    (warning,) = logged(logging.WARNING)
    assert "collect sends 'what', not 'wath'" in warning
    assert "collect sends 'what', not 'wath'" in own.degraded["a"][0]
    assert start("collect", what="x") == ["x"]
    assert own.failures == {}


def test_a_hookimpl_that_its_spec_cannot_serve_is_refused(own):
    class Plugin:
        @hookimpl
        def collect(self, wath):
            """Do nothing."""

    with pytest.raises(pluggy.PluginValidationError, match="collect sends 'what', not 'wath'"):
        own.register(Plugin(), "a")
    assert not own.has_plugin("a")


def test_the_first_answer_ends_the_call_where_the_spec_says_so(own, plugin, start):
    ran = []
    plugin("a", find=[lambda: ran.append("a1"), lambda name: ran.append("a2") or f"found {name}"])
    plugin("b", find=lambda: ran.append("b"))
    assert start("find", name="x") == (["found x"] if start.raw else "found x")
    assert ran == ["a1", "a2"]


@pytest.mark.parametrize("answer", [0, "", [], (1, 2), False, {"x": 1}], ids=repr)
def test_every_answer_but_none_is_a_first_answer(own, plugin, start, answer):
    plugin("a", find=lambda: answer)
    plugin("b", find=lambda: "later")
    assert start("find", name="x") == ([answer] if start.raw else answer)


def test_no_first_answer_is_none(own, plugin, start):
    assert start("find", name="x") == ([] if start.raw else None)
    plugin("a", find=[lambda: None, lambda: 1 / 0])
    assert start("find", name="x") == ([] if start.raw else None)


def test_a_failure_is_no_first_answer(own, plugin, start):
    plugin("a", find=[lambda: 1 / 0, lambda fallback: fallback])
    assert start("find", name="x", fallback="y") == (["y"] if start.raw else "y")


def test_wrappers_of_a_first_answer_get_it_and_may_replace_it(own, plugin, start):
    seen = []

    class Outer:
        @hookimpl(wrapper=True)
        def find(self):
            seen.append((yield))

    class Inner:
        @hookimpl(wrapper=True)
        def find(self, name):
            answer = yield
            seen.append(answer)
            return f"{answer}, wrapped"

    own.register(Outer(), "a")
    own.register(Inner(), "b")
    plugin("c", find=lambda: 1)
    assert start("find", name="x") == (["1, wrapped"] if start.raw else "1, wrapped")
    assert seen == [1, "1, wrapped"]


def test_tracing_and_monitoring_change_nothing(own, plugin, start):
    seen = []
    own.tracing = True
    own.add_hookcall_monitoring(lambda *_: None, lambda result, hook, *_: seen.append((hook, result.get_result())))
    plugin("a", find=lambda: (1, 2), collect=lambda: "x")
    assert start("find", name="x") == ([(1, 2)] if start.raw else (1, 2))
    assert start("collect", what="x") == ["x"]
    assert seen == [("find", (1, 2)), ("collect", ["x"])]


def test_a_spec_that_comes_after_its_plugins_counts_from_then_on(manager, plugin):
    plugin("a", find=lambda: 1, collect=lambda limit=None: limit)
    plugin("b", find=lambda: 2, configured=lambda: None)
    captured = manager.hook.find
    assert captured(name="x") == [1, 2]
    assert manager.hook.find.spec is None
    manager.add_hookspecs(Specs)
    assert captured(name="x") == manager.hook.find(name="x") == 1
    assert manager.hook.collect(what="x") == [5]
    for hook in (manager.hook.find, manager.hook.collect, manager.hook.configured):
        assert hook.spec.name == hook.name
        assert hook.has_spec()
    with pytest.raises(ValueError, match="already registered"):
        manager.add_hookspecs(Specs)


def test_a_spec_that_comes_after_a_bad_callback_degrades_its_plugin(manager, plugin, logged):
    plugin("a", find=[lambda nmae: nmae, lambda name: name], post_tool_call=lambda params: params)
    logged()
    manager.add_hookspecs(Specs)
    assert manager.hook.find(name="x") == "x"
    assert ["post_tool_call" in text for text in manager.degraded["a"]] == [False, True]
    (warning,) = logged(logging.WARNING)
    assert "find sends 'name', not 'nmae'" in warning


def test_specs_of_the_contract_cannot_be_added_twice(manager):
    class Again:
        @hookspec(kind="observer")
        def post_tool_call(self, tool_name):
            """Say it again."""

    with pytest.raises(ValueError, match="'post_tool_call' is already registered"):
        manager.add_hookspecs(Again)


def test_a_module_without_specs_is_refused(manager):
    with pytest.raises(ValueError, match="did not find any 'hermes' hooks"):
        manager.add_hookspecs(type("Empty", (), {}))


# -- historic hooks --------------------------------------------------------------------------------------------


def test_a_historic_call_reaches_those_who_are_there_and_those_who_come_later(own, plugin):
    seen, results = [], []

    def note(name):
        return lambda config, extra: seen.append((name, config, extra)) or f"{name} {config}"

    plugin("b", configured=note("b"))
    own.hook.configured.call_historic(results.append, {"config": 1})
    own.hook.configured.call_historic(kwargs={"config": 2, "extra": "y"})

    class Plugin:
        @hookimpl
        def configured(self, config, extra):
            return note("a")(config, extra)

    own.register(Plugin(), "a")
    plugin("c", configured=lambda **rest: seen.append(("c", rest["config"], rest["extra"])))
    assert seen == [
        *(("b", 1, "x"), ("b", 2, "y")),
        *(("a", 1, "x"), ("a", 2, "y")),
        *(("c", 1, "x"), ("c", 2, "y")),
    ]
    assert results == ["b 1", "a 1"]


def test_a_historic_call_is_isolated_and_ordered_like_any_other(own, plugin):
    seen = []
    plugin("b", configured=[lambda: seen.append("b"), lambda: 1 / 0])
    plugin("a", configured=[lambda: seen.append("a"), _answers_later])
    own.hook.configured.call_historic(seen.append, {"config": 1})
    assert seen == ["a", "b", "later"]
    plugin("c", configured=lambda: 1 / 0)
    assert own.has_plugin("c")
    assert {name: failures.count for name, failures in own.failures.items()} == {"b": 1, "c": 1}


def test_a_historic_call_is_not_replayed_to_a_refused_plugin(own):
    seen = []

    class Plugin:
        @hookimpl
        def configured(self, config):
            seen.append(config)

        @hookimpl
        def collect(self, wath):
            """Ask for what is not sent."""

    own.hook.configured.call_historic(kwargs={"config": 1})
    with pytest.raises(pluggy.PluginValidationError):
        own.register(Plugin(), "a")
    assert seen == []


def test_only_a_historic_hook_has_historic_calls(own):
    with pytest.raises(AssertionError):
        own.hook.collect.call_historic(kwargs={"what": 1})
    assert own.hook.configured.is_historic()
    assert not own.hook.collect.is_historic()
