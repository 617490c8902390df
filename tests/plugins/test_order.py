"""`plugins.order` moves plugins, and only those that have a rule."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.config import Config
from hermes_sdk.plugins.candidate import Candidate
from hermes_sdk.plugins.manifest import Manifest
from hermes_sdk.plugins.order import calling_order
from hermes_sdk.plugins.section import OrderRule


def ordered(keys, *rules):
    """Return (keys in calling order, ids of the problems); a rule is (name, before, after)."""
    candidates = [Candidate(key, key, "user", key, f"/{key}", Manifest(key)) for key in keys]
    order, problems = calling_order(candidates, [OrderRule(*rule) for rule in rules], Config.of(Path(), {}))
    return "".join(candidate.key for candidate in order), [(problem.code, problem.key) for problem in problems]


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        ([], "abcd"),
        ([("c", ["a"], [])], "cabd"),
        ([("a", [], ["c"])], "bcad"),
        ([("a", [], ["b", "d"])], "bcda"),
        ([("d", ["a"], ["b"])], "bdac"),
        ([("c", ["*"], [])], "cabd"),
        ([("a", [], ["*"])], "bcda"),
        ([("c", ["*"], []), ("a", [], ["*"])], "cbda"),
        ([("c", ["*"], []), ("d", ["c"], [])], "dcab"),
        ([("a", [], ["d"]), ("d", ["b"], [])], "dbac"),
        ([("C", ["A"], [])], "cabd"),
    ],
)
def test_a_rule_moves_the_plugin_that_it_is_for(rules, order):
    assert ordered("abcd", *rules) == (order, [])


@pytest.mark.parametrize(
    ("rules", "order", "problems"),
    [
        ([("c", ["a"], []), ("a", ["c"], [])], "cab", [("HS108", "plugins.order.a.before")]),
        ([("a", ["b"], []), ("b", ["c"], []), ("c", ["a"], [])], "abc", [("HS108", "plugins.order.c.before")]),
        ([("a", ["a"], [])], "abc", [("HS108", "plugins.order.a.before")]),
        ([("c", ["*"], []), ("b", ["*"], [])], "cab", [("HS108", "plugins.order.b.before")]),
        ([("b", ["*"], ["*"])], "bac", [("HS108", "plugins.order.b.after")]),
        ([("zz", ["a"], [])], "abc", [("HS107", "plugins.order.zz")]),
        ([("c", ["zz", "a"], [])], "cab", [("HS107", "plugins.order.c.before")]),
    ],
)
def test_a_circle_or_an_unknown_name_is_reported_and_that_rule_ignored(rules, order, problems):
    assert ordered("abc", *rules) == (order, problems)


names = st.sampled_from("abcdef")
rules = st.lists(st.tuples(names, st.lists(names, max_size=2), st.lists(names, max_size=2)), max_size=5)


@given(rules=rules)
def test_the_order_has_every_plugin_once_and_keeps_every_rule_that_is_not_reported(rules):
    order, problems = ordered("abcdef", *rules)
    assert sorted(order) == list("abcdef")
    if not problems:
        for name, before, after in rules:
            assert all(order.index(name) < order.index(other) for other in before)
            assert all(order.index(name) > order.index(other) for other in after)


@given(rules=rules)
def test_plugins_without_a_rule_keep_their_order_among_themselves(rules):
    order, _ = ordered("abcdef", *rules)
    still = [key for key in "abcdef" if all(key != name for name, _, _ in rules)]
    one_way = not any(before for _, before, _ in rules) or not any(after for _, _, after in rules)
    # "x before a and after b" can force a and b to change places, and so can the rules of two plugins
    if one_way and len({name for name, _, _ in rules}) <= 1:
        assert [key for key in order if key in still] == still
