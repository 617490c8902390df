"""OW1: pluggy calls last-registered first; install and discovery order decide and users cannot fix it."""

import itertools

import pytest

LETTER = """
from hermes_sdk import hookimpl
@hookimpl({options})
def pre_llm_call(user_message):
    return {{"context": __name__.rpartition(".")[2][0]}}
"""


@pytest.fixture
def order_of():
    """Return a function that gives the letters in the order in which their context is joined."""

    def order_of(manager):
        added = manager.hook.pre_llm_call(
            session_id="s", user_message="u", conversation_history=[], is_first_turn=True, model="m", platform="cli"
        )
        letters = added.text.replace("\n\n", "")
        assert letters == "".join(name for name, _, _ in manager.calling_order("pre_llm_call"))
        return letters

    return order_of


@pytest.mark.parametrize("created", list(itertools.permutations("abc")), ids="".join)
def test_ow1_the_order_is_that_of_the_names_whatever_the_order_of_installing(plugin_home, order_of, created):
    for name in created:
        plugin_home.plugin(name, LETTER.format(options=""))
    assert order_of(plugin_home.loaded()) == "abc"


def test_ow1_sources_come_before_names(plugin_home, installed, order_of):
    plugin_home.plugin("c", LETTER.format(options=""), root=plugin_home.builtin)
    plugin_home.plugin("b", LETTER.format(options=""))
    installed("dist", "1", {"a_ep": LETTER.format(options="")}, {"hermes_agent.plugins": {"a": "a_ep"}})
    plugin_home.config("plugins: {enabled: [a, b, c]}\n")
    assert order_of(plugin_home.loaded(entry_points=True)) == "cba"


def test_ow1_bands_come_before_everything(plugin_home, order_of):
    for name, options in (("a", "trylast=True"), ("b", ""), ("c", "tryfirst=True")):
        plugin_home.plugin(name, LETTER.format(options=options))
    assert order_of(plugin_home.loaded()) == "cba"


def test_ow1_the_user_moves_plugins_and_the_list_shows_it(plugin_home, order_of):
    for name in "abc":
        plugin_home.plugin(name, LETTER.format(options=""))
    plugin_home.config("plugins: {order: {c: {before: [a]}}}\n")
    manager = plugin_home.loaded()
    assert order_of(manager) == "cab"
    assert [(row["key"], row["order"]) for row in manager.list_plugins()] == [("c", 1), ("a", 2), ("b", 3)]


def test_ow1_the_user_moves_plugins_across_sources(plugin_home, order_of):
    plugin_home.plugin("b", LETTER.format(options=""), root=plugin_home.builtin)
    plugin_home.plugin("a", LETTER.format(options=""))
    plugin_home.config("plugins: {enabled: [a, b], order: {b: {after: ['*']}}}\n")
    assert order_of(plugin_home.loaded()) == "ab"


def test_ow1_a_reload_keeps_the_place(plugin_home, order_of):
    for name in "abc":
        plugin_home.plugin(name, LETTER.format(options=""))
    manager = plugin_home.loaded()
    manager.reload("a")
    assert order_of(manager) == "abc"
    manager.unload("b")
    manager.load_plugin("b")
    assert order_of(manager) == "abc"
